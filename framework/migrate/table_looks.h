// Tables as they are before a run, each asked for once.
//
// Threads: one thread, that of the session. Lifetime: what is passed in outlives it.
#pragma once

#include "framework/api/executor.h"

#include <QHash>

#include <functional>

namespace ivm::migrate {

class TableLooks {
public:
    TableLooks(std::function<Result<Executor *>()> executor, const Call &call)
        : m_executor(std::move(executor)), m_call(call)
    {
    }

    Result<Session *> session();  // opened when it is first needed
    // None: there is no such table.
    Result<std::optional<TableInfo>> at(const TableName &table);

private:
    std::function<Result<Executor *>()> m_executor;
    const Call &m_call;
    std::unique_ptr<Session> m_session;
    QHash<TableName, std::optional<TableInfo>> m_tables;
};

}  // namespace ivm::migrate
