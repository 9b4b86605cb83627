// The session that a view's statements run in, with what the view itself sets.
//
// Thread and lifetime: as the session's.
#pragma once

#include "framework/api/executor.h"
#include "framework/view/view_spec.h"

namespace ivm {

// Errors as Executor::openSession.
Result<std::unique_ptr<Session>> openViewSession(Executor &executor, const ViewSpec &view,
                                                 const Call &call);

}  // namespace ivm
