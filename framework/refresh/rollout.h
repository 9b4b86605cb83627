// Another definition for a view whose table people read: built beside, switched to in one commit,
// and back. Readers see the rows of the one or of the other, never a mix, a gap or an error.
//
// A process that dies on the way leaves a state from which the same call goes on; and whoever
// refreshes the view meanwhile, by either definition, makes its rows right by that one.
//
// Threads: one Rollout belongs to one thread. Lifetime: as Refresher's services.
#pragma once

#include "framework/refresh/target_version.h"

namespace ivm {

// Called with how the target stands, while nobody else refreshes it and right before the commit:
// the switch is given up if it fails.
using BeforeSwitch = std::function<Status(const TargetVersion &before)>;

class Rollout {
public:
    explicit Rollout(RefreshServices services) : m_services(std::move(services)) {}

    // Makes the view's target what `built` is, by one commit: the same definition under another
    // name and target, which has been built, and is refreshed once more. A target that has the
    // columns and layout already is diffed, any other replaced. What is known of the rows goes to
    // the view. `before` is not called where nothing is left to do. A switch that goes on with one
    // that died calls it again, maybe when the target is another already: the version to come back
    // to is what the first was told. Conflict while somebody else is at work, or where others keep
    // changing the target; Invalid where the target is not the view's (target_in_use) or built is
    // another definition. CommitUnknown, and else as a refresh: try again.
    Result<RefreshOutcome> switchTo(const View &view, const View &built, const BeforeSwitch &before,
                                    const Call &call);

    // Whether the view's target still has what that version was, and that fits the query still. As
    // the engine and the detector; Invalid, NotFound where the query reads what is not there.
    Result<bool> canRestore(const View &view, const TargetVersion &version, const Call &call);

    // Makes the view's target what it was in that version, by one commit, and refreshes it from
    // there. Where the layout is the same nothing is read or written for it. NotFound where
    // canRestore() says no; else as switchTo(), and as a refresh. A restore that is tried again is
    // told again how the target stands.
    Result<RefreshOutcome> restore(const View &view, const TargetVersion &version,
                                   const BeforeSwitch &before, const Call &call);

private:
    RefreshServices m_services;
};

// The name under which a switch to `built` is written down in the state store.
QString switchName(const View &built);

}  // namespace ivm
