// The engine and a connection to it. REPLACE THIS with your engine's client.
//
// What stands here uses the embedded engine that comes with iceberg-ivm, so that the project works
// as it is: of all that engine can do, the plugin needs its SQL and its list of columns.
#pragma once

#include "framework/api/executor.h"

namespace example_plugin {

struct EngineOptions {
    QString warehouse;
    ivm::TableName defaults;  // catalog and schema of bare names
};

// Of the thread that opened it.
class Connection {
public:
    explicit Connection(std::unique_ptr<ivm::Session> engine) : m_engine(std::move(engine)) {}

    // Sends one statement and hands over its rows, values as framework/api/rows.h says, column
    // types by parseType() from Trino's names for them. Stops when `call` says so.
    ivm::Result<ivm::StatementResult> run(const QString &sql, ivm::RowSink &sink,
                                          const ivm::Call &call);

    // What the catalog tells of a table: SHOW CREATE TABLE, or its API.
    ivm::Result<ivm::TableSpec> tableSpec(const ivm::TableName &name, const ivm::Call &call);

private:
    std::unique_ptr<ivm::Session> m_engine;
};

// Of any thread.
class Engine {
public:
    static ivm::Result<std::unique_ptr<Engine>> start(const EngineOptions &options);

    ivm::Result<std::unique_ptr<Connection>> connect(const ivm::Call &call);

private:
    std::unique_ptr<ivm::Executor> m_engine;
};

}  // namespace example_plugin
