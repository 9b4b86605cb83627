// A session of the plugin: SqlSession makes all that the contract asks for out of these.
//
// Threads: the one that opened it.
#pragma once

#include "engine.h"
#include "framework/sqlexec/sql_session.h"

namespace example_plugin {

class ExampleSession final : public ivm::SqlSession {
public:
    ExampleSession(std::unique_ptr<Connection> connection, const ivm::SessionOptions &options)
        : m_connection(std::move(connection)), m_options(options)
    {
    }

    ivm::Result<ivm::StatementResult> run(const QString &sql, ivm::RowSink &sink,
                                          const ivm::Call &call) override;

protected:
    ivm::Result<ivm::TableSpec> tableSpec(const ivm::TableName &name,
                                          const ivm::Call &call) override;
    ivm::Result<bool> hasEnded(const ivm::Intent &intent, const ivm::Call &call) override;

private:
    std::unique_ptr<Connection> m_connection;
    ivm::SessionOptions m_options;
};

}  // namespace example_plugin
