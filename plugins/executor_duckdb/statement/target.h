// A table whose rows a statement changes.
//
// Threads: the session's. Errors: those of Session::run().
#pragma once

#include "plugins/executor_duckdb/statement/statement.h"

namespace ivm::duckdb {

struct Target {
    const iceberg::Table *table;  // the reader's
    iceberg::LiveFiles live;      // those that may hold rows that the condition lets through
};

Result<const iceberg::Table *> loadTarget(const sql::QualifiedName &name, TableReader &reader,
                                          const StatementContext &context);
// The table as it is now. Without a condition all of its files.
Result<Target> targetOf(const sql::QualifiedName &name, const sql::ExprPtr &where,
                        TableReader &reader, const StatementContext &context);

// Takes the rows of `gone` out and puts those of a query in; one snapshot. `gone` is as for
// planRewrite(), the query as for writeFiles(), or empty.
Status changeRows(const Target &target, const QString &gone, const QString &additions,
                  const StatementContext &context);

// `assignments` by column; a column once at most.
Result<QMap<QString, const sql::Assignment *>>
assignmentsOf(const std::vector<sql::Assignment> &assignments, const iceberg::Table &table,
              QStringView text);

// The table's columns that an INSERT names, in its order; all when it names none.
Result<QList<Column>> namedColumns(const std::vector<sql::Identifier> &names,
                                   const iceberg::Table &table, QStringView text);

}  // namespace ivm::duckdb
