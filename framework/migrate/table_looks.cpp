#include "framework/migrate/table_looks.h"

namespace ivm::migrate {

Result<Session *> TableLooks::session()
{
    if (!m_session) {
        IVM_TRY(Executor * executor, m_executor());
        IVM_TRY(m_session, executor->openSession({}, m_call));
    }
    return m_session.get();
}

Result<std::optional<TableInfo>> TableLooks::at(const TableName &table)
{
    if (const auto known = m_tables.constFind(table); known != m_tables.cend())
        return *known;
    IVM_TRY(Session * open, session());
    auto info = open->tableInfo(table, m_call);
    if (!info && info.error().kind != ErrorKind::NotFound)
        return fail(std::move(info).error());
    const auto seen = info ? std::optional(*std::move(info)) : std::nullopt;
    m_tables.insert(table, seen);
    return seen;
}

}  // namespace ivm::migrate
