// What DuckDB says when a statement fails, as one of the product's errors.
//
// Pure functions; any thread.
#pragma once

#include "framework/base/call.h"

namespace ivm::duckdb {

// Told by the word the message begins with. Cancelled or Timeout (as the Call has it), Unavailable
// (files, memory, permission), Invalid (values that do not fit, division by zero), Unsupported,
// else Internal: a statement of ours that DuckDB refuses. The part of a message that shows the
// translated statement is left out.
Error engineError(const QString &message, const Call &call);

// Whether the whole instance is of no use any more.
bool isFatal(const Error &error);

}  // namespace ivm::duckdb
