// ALTER TABLE … EXECUTE expire_snapshots(retention_threshold => '7d').
//
// Threads: the session's. Errors: those of Session::run().
#pragma once

#include "framework/api/horizon.h"
#include "plugins/executor_duckdb/statement/statement.h"

namespace ivm::duckdb {

// Forgets snapshots that are older, but none that `horizon` holds or that came after one of those,
// and removes the files that no snapshot needs any more.
Result<StatementResult> expireSnapshots(const TableName &name, const sql::TableExecute &statement,
                                        const SafeHorizon &horizon,
                                        const StatementContext &context);

}  // namespace ivm::duckdb
