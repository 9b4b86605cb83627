// Keeps targets equal to their views: detect, measure, snap, refresh, persist.
//
// The walk of one refresh: heads of all tables in one poll → isCurrent() → lease → settle what was
// left open → plan.h → rewrite.h → Session::commit → the bookmark.
//
// Threads: one Refresher belongs to one thread. Lifetime: detector, store and clock outlive it. The
// executor is asked for only when there is something to do.
#pragma once

#include "framework/base/clock.h"
#include "framework/refresh/lease.h"
#include "framework/refresh/plan.h"

namespace ivm {

struct RefreshServices {
    ExecutorProvider executor;
    Detector &detector;
    StateStore &store;
    const Clock &clock;
    QString owner;  // who holds leases, for people
};

// A look at what a refresh would do.
struct Explanation {
    RefreshPlan plan;
    QString statement;  // the query that gives the new rows; empty when nothing is to be done
};

// Conflict with the code kSourceBeingBuilt, naming both views, where the view reads a table that
// the bookmarks say is built in part.
Status checkSourcesBuilt(const View &view, const QList<Bookmark> &bookmarks);
inline constexpr QStringView kSourceBeingBuilt = u"source_being_built";

// Of a view whose refresh could not even begin.
RefreshOutcome errorOutcome(const QString &view, Error error);

class Refresher {
public:
    explicit Refresher(RefreshServices services) : m_services(std::move(services)) {}

    using OnStart = std::function<void(const View &)>;
    using OnDone = std::function<void(const RefreshOutcome &)>;

    // Refreshes the views one after the other, in the given order (refreshOrder() makes it): a view
    // sees what the views before it have committed. A view that fails does not stop the others, but
    // those that read it are still refreshed from the rows it has. Gives one outcome a view; fails
    // as a whole only where no view could be looked at.
    Result<QList<RefreshOutcome>> refresh(const QList<View> &views, RefreshMode mode,
                                          const Call &call, const OnStart &onStart = {},
                                          const OnDone &onDone = {});

    // The heads of all tables of the views, and of `more`, in one poll; `known` are those of an
    // earlier one.
    Result<Heads> look(const QList<View> &views, const Heads &known, const Call &call,
                       const QList<TableName> &more = {});

    // One view, by heads that a look has just found and the bookmark that the store had then. What
    // the refresh saw since, its own commit included, is entered into the heads.
    RefreshOutcome refreshOne(const View &view, RefreshMode mode,
                              const std::optional<Bookmark> &known, Heads &heads,
                              MeasuredRanges &measured, const Call &call);

    // What refresh() would do to the view now; writes nothing.
    Result<Explanation> explain(const View &view, const Call &call);

private:
    RefreshServices m_services;
};

// Refreshes one view; its error is the call's.
Result<RefreshOutcome> refreshed(const RefreshServices &services, const View &view,
                                 RefreshMode mode, const Call &call);

}  // namespace ivm
