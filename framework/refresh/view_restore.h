// One return of a view's target to an earlier version of it: the part of it that is done under the
// lease of the target.
//
// Threads: the calling thread's.
#pragma once

#include "framework/refresh/held_target.h"
#include "framework/refresh/rollout.h"

namespace ivm {

// What brings a version back.
enum class WayBack {
    None,      // it is gone, or the query gives other columns by now
    Rollback,  // the snapshot becomes the head again
    Replace,   // the table is made anew from it
};

// Of a version, where the target now stands there. As the engine; Invalid, NotFound where the query
// reads what is not there any more.
Result<WayBack> wayBack(const View &view, const TargetVersion &version, const TargetVersion &now,
                        Session &session, const Call &call);

// As Rollout::restore, but for the refresh. What the statement did; nothing where none was needed.
Result<StatementResult> restoreUnderLease(RefreshServices &services, const View &view,
                                          const TargetVersion &version, const BeforeSwitch &before,
                                          HeldTarget &target);

}  // namespace ivm
