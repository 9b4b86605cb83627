#include "plugins/executor_duckdb/engine/temp_table.h"

#include "framework/api/table.h"
#include "framework/base/log.h"

namespace ivm::duckdb {

Result<TempTable> TempTable::make(Connection &connection, QStringView name, const QString &select,
                                  const Call &call)
{
    TempTable table(connection, QStringLiteral("temp.main.") + quotedIdentifier(name));
    IVM_CHECK(connection.execute(
        QStringLiteral("CREATE TEMP TABLE %1 AS %2").arg(table.m_sql, select), call));
    return table;
}

TempTable::~TempTable()
{
    if (!m_connection)
        return;
    const auto dropped = m_connection->execute(QStringLiteral("DROP TABLE IF EXISTS ") + m_sql, {});
    if (!dropped)
        qCWarning(logExecutor, "dropping a temporary table: %s",
                  qPrintable(dropped.error().text()));
}

Result<qint64> countOf(Connection &connection, const QString &select, const Call &call)
{
    IVM_TRY(const auto rows, connection.rows(select, {Type{.kind = TypeKind::Bigint}}, call));
    const auto *count =
        rows.size() == 1 ? std::get_if<qint64>(&rows.front().front().data) : nullptr;
    if (!count)
        return fail(
            internalError(QStringLiteral("a count gave no number: %1").arg(select.left(200))));
    return *count;
}

}  // namespace ivm::duckdb
