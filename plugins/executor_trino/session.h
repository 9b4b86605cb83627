// A session on Trino over its statement protocol.
//
// Threads: belongs to the thread that opened it, one call at a time; waiting runs an event loop of
// that thread. Lifetime: not longer than the thread.
#pragma once

#include "plugins/executor_trino/connection.h"

namespace ivm::trino {

class TrinoSession final : public Session {
public:
    explicit TrinoSession(const TrinoOptions &options, const SessionOptions &session = {},
                          const QSslConfiguration &tls = QSslConfiguration::defaultConfiguration())
        : m_connection(options, session, tls)
    {
    }

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override;
    Result<QList<Column>> describe(const QString &sql, const Call &call) override;
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override;
    Status createTable(const TableSpec &spec, const Call &call) override;
    Status dropTable(const TableName &name, const Call &call) override;
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override;
    Result<QList<Error>> missingPrivileges(const Replacement &view, const QList<TableName> &sources,
                                           const Call &call) override;
    Result<Settlement> settle(const Intent &intent, const Call &call) override;
    Result<bool> isAtWork(const QString &purpose, const Call &call) override;

private:
    Connection m_connection;
};

}  // namespace ivm::trino
