// Making a target hold exactly a query's rows, in one snapshot that touches only the rows that
// differ.
//
// Threads: the session's.
#pragma once

#include "framework/api/executor.h"
#include "plugins/executor_duckdb/statement/statement.h"

namespace ivm::duckdb {

// As Session::commit().
Result<CommitResult> replaceRows(const Change &change, const Intent &intent,
                                 WarehouseFolder &warehouse, Connection &connection,
                                 const Call &call);

// As Session::settle(): looks for the intent among the target's snapshots.
Result<Settlement> settleIntent(const Intent &intent, WarehouseFolder &warehouse, const Call &call);

}  // namespace ivm::duckdb
