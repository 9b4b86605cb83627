// One switch of a view to what was built beside it: the part of it that is done under the lease of
// the view's target.
//
// Threads: the calling thread's.
#pragma once

#include "framework/refresh/held_target.h"
#include "framework/refresh/rollout.h"

namespace ivm {

// As Rollout::switchTo. What it does is written to the outcome.
Status switchUnderLease(RefreshServices &services, const View &view, const View &built,
                        const BeforeSwitch &before, HeldTarget &target, RefreshOutcome &outcome);

}  // namespace ivm
