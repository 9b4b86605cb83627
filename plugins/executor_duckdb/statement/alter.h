// ALTER TABLE and COMMENT: changes of what a table is, which make no snapshot, and the statements
// that put another table in its place. Statements of the first kind never need the engine.
//
// Each is one commit, made again on what the table is by then when another writer was faster.
// Threads: the session's. Errors: those of Session::run().
#pragma once

#include "plugins/executor_duckdb/statement/statement.h"

namespace ivm::duckdb {

struct AlterContext {
    WarehouseFolder &warehouse;
    QStringView text;  // what the statement was parsed from
    const Call &call;
};

Result<StatementResult> runAlter(const sql::RenameTable &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::AddColumn &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::DropColumn &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::RenameColumn &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::SetColumnType &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::DropNotNull &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::SetTableProperties &statement,
                                 const AlterContext &context);
Result<StatementResult> runAlter(const sql::CommentOnTable &statement, const AlterContext &context);
Result<StatementResult> runAlter(const sql::CommentOnColumn &statement,
                                 const AlterContext &context);

// CREATE OR REPLACE TABLE with columns; without a table of that name it makes one.
Result<StatementResult> runReplaceTable(const sql::CreateTable &statement,
                                        const AlterContext &context);

}  // namespace ivm::duckdb
