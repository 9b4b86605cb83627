// One thread's use of the embedded executor.
//
// Threads: the one that opened it. Lifetime: ends before its executor.
#pragma once

#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/executor.h"

namespace ivm::duckdb {

class EmbeddedSession final : public Session {
public:
    explicit EmbeddedSession(EmbeddedExecutor &executor,
                             std::optional<std::chrono::milliseconds> statementTimeout = {})
        : m_executor(executor), m_statementTimeout(statementTimeout)
    {
    }

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override;
    Result<QList<Column>> describe(const QString &sql, const Call &call) override;
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override;
    Status createTable(const TableSpec &spec, const Call &call) override;
    Status dropTable(const TableName &name, const Call &call) override;
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override;
    Result<Settlement> settle(const Intent &intent, const Call &call) override;

private:
    Result<Connection *> connection();

    EmbeddedExecutor &m_executor;
    const std::optional<std::chrono::milliseconds> m_statementTimeout;
    std::shared_ptr<Database> m_database;
    std::unique_ptr<Connection> m_connection;  // made when first needed
};

}  // namespace ivm::duckdb
