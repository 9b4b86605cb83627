// What a migration needs of the refreshing side: views built, switched to another definition in one
// commit, and back. The host passes it in, so that migrating and refreshing do not know each other.
//
// Threads: that of the run. Lifetime: outlives the run.
#pragma once

#include "framework/base/call.h"
#include "framework/view/graph.h"

#include <functional>

namespace ivm::migrate {

// What it took, for people and for the history.
struct Built {
    QString action;  // none, incremental, diff, rebuild
    qint64 rowsRead = 0;
    qint64 rowsWritten = 0;
    qint64 rowsDeleted = 0;
    qint64 filesRead = 0;
    double seconds = 0;
};

// How a target stood before a switch: what the way back needs.
struct TargetVersion {
    QByteArray document;     // the builder's own, JSON
    QList<SnapshotId> held;  // of the target, not to be expired
};

// Called with how the target stands, while nobody else refreshes it and right before the commit:
// the switch is given up if it fails. It is called again where the commit lost against another
// writer, which may have changed how the target stands; and by whoever goes on with a switch that
// died, who keeps what the first one wrote down: the target may be another already.
using BeforeSwitch = std::function<Status(const TargetVersion &before)>;

class ViewBuilder {
public:
    virtual ~ViewBuilder() = default;

    // Makes the view's target equal to its query, and makes it where it is missing. Errors as a
    // refresh.
    virtual Result<Built> build(const View &view, const Call &call) = 0;
    // The same, whatever is known of its rows.
    virtual Result<Built> backfill(const View &view, const Call &call) = 0;

    // Invalid (code `differs`), with an example, where the target is not what the query gives.
    virtual Status verify(const View &view, const Call &call) = 0;

    // One commit after which the view's target has the rows and columns of `built`: the same
    // definition under another name and target, which has been built. What is known of its rows
    // goes to the view. Done already, the action is `none`, until `built` is dropped: drop() it
    // when the switch is written down. Errors as a refresh; CommitUnknown and Conflict: call it
    // again.
    virtual Result<Built> switchTo(const View &view, const View &built, const BeforeSwitch &before,
                                   const Call &call) = 0;

    // Whether the target still has what that version was, and that fits the view's query still.
    // Invalid, NotFound where the query reads what is not there.
    virtual Result<bool> canRestore(const View &view, const TargetVersion &version,
                                    const Call &call) = 0;
    // One commit after which the view's target is as it was in that version, and a refresh that
    // catches up from there. NotFound (code `version_gone`) where canRestore() says no. Called
    // again, it does it again, and `before` is called again.
    virtual Result<Built> restore(const View &view, const TargetVersion &version,
                                  const BeforeSwitch &before, const Call &call) = 0;

    enum class Target { Keep, Drop };
    // Forgets what is known of the view's rows; with Drop its table goes. Fine where there is none.
    // Invalid (code `not_the_views`) for a table that is not the view's.
    virtual Status drop(const View &view, Target target, const Call &call) = 0;
    // Under another name, and another table where the two say so. What is known of its rows goes
    // along. Fine where it was renamed already, or there is no table yet: `before` is called all
    // the same. AlreadyExists where both have a table.
    virtual Status rename(const View &from, const View &to, const BeforeSwitch &before,
                          const Call &call) = 0;
};

}  // namespace ivm::migrate
