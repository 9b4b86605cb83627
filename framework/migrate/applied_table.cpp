#include "framework/migrate/applied_table.h"

#include <algorithm>

namespace ivm::migrate {

namespace {

QString textOf(const Value &value)
{
    const auto *text = std::get_if<QString>(&value.data);
    return text ? *text : QString();
}

bool isTransient(const Error &error)
{
    return error.kind == ErrorKind::Unavailable || error.kind == ErrorKind::Cancelled ||
           error.kind == ErrorKind::Timeout;
}

}  // namespace

Result<std::optional<AppliedTable>> SessionTables::table(const TableName &name)
{
    auto info = m_session.tableInfo(name, m_call);
    if (!info && info.error().kind == ErrorKind::NotFound)
        return std::nullopt;
    if (!info)
        return fail(std::move(info).error());
    AppliedTable out{*std::move(info), std::nullopt};
    const auto rows =
        query(m_session,
              QStringLiteral("SELECT key, value FROM ") + name.quotedMetadataTable(u"properties"),
              m_call);
    // An engine may have no such table.
    if (!rows && isTransient(rows.error()))
        return fail(rows.error());
    if (rows) {
        out.properties.emplace();
        for (const auto &row : rows->rows)
            out.properties->insert(textOf(row[0]), textOf(row[1]));
    }
    return out;
}

Result<bool> SessionTables::hasSchema(const TableName &name)
{
    const auto rows = query(
        m_session, QStringLiteral("SHOW SCHEMAS FROM ") + quotedIdentifier(name.catalog), m_call);
    if (!rows)
        return fail(rows.error());
    return std::ranges::any_of(rows->rows,
                               [&](const Row &row) { return textOf(row[0]) == name.schema; });
}

}  // namespace ivm::migrate
