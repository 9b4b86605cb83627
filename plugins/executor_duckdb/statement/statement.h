// What every statement works with, and the statements that change rows. Each is one snapshot or
// none.
//
// Threads: the session's. Errors: those of Session::run().
#pragma once

#include "framework/api/executor.h"
#include "framework/api/horizon.h"
#include "framework/sql/statement.h"
#include "plugins/executor_duckdb/table/rewrite.h"
#include "plugins/executor_duckdb/table/table_reader.h"

namespace ivm::duckdb {

struct StatementContext {
    WarehouseFolder &warehouse;
    Connection &connection;
    QStringView text;  // what the statement was parsed from
    const Call &call;
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now();

    // What its expressions are translated from.
    Input input(RelationSource &relations) const { return {text, relations, now}; }
};

Result<StatementResult> runQuery(const sql::Query &query, RowSink &sink,
                                 const StatementContext &context);
Result<StatementResult> runInsert(const sql::Insert &insert, const StatementContext &context);
Result<StatementResult> runCreateTableAs(const sql::CreateTableAs &create,
                                         const StatementContext &context);
Result<StatementResult> runDelete(const sql::Delete &statement, const StatementContext &context);
Result<StatementResult> runTruncate(const sql::TruncateTable &statement,
                                    const StatementContext &context);
Result<StatementResult> runUpdate(const sql::Update &statement, const StatementContext &context);
Result<StatementResult> runMerge(const sql::Merge &statement, const StatementContext &context);
// optimize, rollback_to_snapshot, expire_snapshots
Result<StatementResult> runTableExecute(const sql::TableExecute &statement,
                                        const SafeHorizon &horizon,
                                        const StatementContext &context);

// Runs a statement again, from the table's new state, when another writer was faster; gives up with
// Conflict after twenty times, within some ten seconds.
Result<StatementResult> retried(const Call &call,
                                const std::function<Result<StatementResult>()> &statement);

// What a statement that changed that many rows says.
StatementResult resultOf(const char *updateType, qint64 rows, const TableReader &reader);

// The error with the place of a node in the statement, unless it has one.
Error placed(Error error, const sql::Span &span, QStringView text);

}  // namespace ivm::duckdb
