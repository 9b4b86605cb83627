// Errors of an engine about the expansion of a macro, in terms of the macro.
//
// Threads: as the session.
#pragma once

#include "framework/api/executor.h"
#include "framework/view/graph.h"

namespace ivm {

// Why an engine refused the view's query with `error`, where that is the type of a macro's
// argument: Invalid with code `time_bucket`, the place in the view's file, naming the view. Asks
// the engine for the types; none where it is something else.
std::optional<Error> macroError(const Error &error, Session &session, const View &view,
                                const Call &call);

}  // namespace ivm
