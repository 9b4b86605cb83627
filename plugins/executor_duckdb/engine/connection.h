// A connection to the engine and the statements run on it. Texts are DuckDB's SQL.
//
// Threads: one at a time. Lifetime: keeps its database alive; temporary tables end with it.
// Every method honours the Call and gives what engineError() says.
#pragma once

#include "framework/api/rows.h"
#include "framework/base/call.h"
#include "plugins/executor_duckdb/engine/database.h"

#include <QSet>

namespace ivm::duckdb {

class Connection {
public:
    // `settings` are statements that every later one relies on.
    static Result<std::unique_ptr<Connection>> open(std::shared_ptr<Database> database,
                                                    const QStringList &settings);
    ~Connection();
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    // Runs a statement whose rows are of no interest.
    Status execute(const QString &sql, const Call &call);
    // All rows at once, for results that are known to be small. Values are spelled as `types` ask;
    // missing types as DuckDB's.
    Result<std::vector<Row>> rows(const QString &sql, const QList<Type> &types, const Call &call);
    // Rows one by one as they are made. Stops at an error of `sink`.
    Status stream(const QString &sql, const QList<Type> &types,
                  const std::function<Status(Row &&)> &sink, const Call &call);
    // Files that statements from now on read: one of them is named where the engine finds a damaged
    // file without saying which.
    void readsFiles(const QSet<QString> &paths) { m_files += paths; }
    void readsNoFiles() { m_files.clear(); }
    // The columns a query would give, with Trino's types.
    Result<QList<Column>> describe(const QString &sql, const Call &call);

private:
    Connection(std::shared_ptr<Database> database, duckdb_connection handle);
    Error problem(const char *message, const Call &call);
    bool answers(const QString &sql);

    std::shared_ptr<Database> m_database;
    duckdb_connection m_handle;
    QSet<QString> m_files;
};

}  // namespace ivm::duckdb
