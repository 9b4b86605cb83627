// A session on Trino, over whatever carries its statements.
//
// Threads: belongs to the thread that opened it, one call at a time. Lifetime: not longer than the
// thread.
#pragma once

#include "plugins/trino_sql/client.h"

namespace ivm::trino {

class ClientSession : public Session {
public:
    explicit ClientSession(std::unique_ptr<Client> client) : m_client(std::move(client)) {}

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
    const std::unique_ptr<Client> m_client;
};

}  // namespace ivm::trino
