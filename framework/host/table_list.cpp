#include "framework/host/table_list.h"

#include "framework/host/documents.h"
#include "framework/host/value_text.h"

namespace ivm {

namespace {

Result<QStringList> namesFrom(Session &session, const QString &sql, const Call &call)
{
    IVM_TRY(const auto found, query(session, sql, call));
    QStringList names;
    for (const auto &row : found.rows)
        names.append(cellText(row.front()));
    return names;
}

// Of the catalog's own schemas Trino shows two.
bool isOfTheEngine(const QString &schema)
{
    return schema == u"information_schema" || schema == u"system";
}

Result<QList<TableName>> allTables(Session &session, const TableName &defaults, const Call &call)
{
    const QString catalog = quotedIdentifier(defaults.catalog);
    IVM_TRY(const auto schemas,
            namesFrom(session, QStringLiteral("SHOW SCHEMAS FROM ") + catalog, call));
    QList<TableName> tables;
    for (const QString &schema : schemas) {
        if (isOfTheEngine(schema))
            continue;
        const QString from = catalog + u'.' + quotedIdentifier(schema);
        IVM_TRY(const auto names,
                namesFrom(session, QStringLiteral("SHOW TABLES FROM ") + from, call));
        for (const QString &name : names)
            tables.append({defaults.catalog, schema, name});
    }
    return tables;
}

Result<QString> timeOf(Session &session, const TableName &name, SnapshotId snapshot,
                       const Call &call)
{
    IVM_TRY(const auto found,
            query(session,
                  QStringLiteral("SELECT committed_at FROM %1 WHERE snapshot_id = %2")
                      .arg(name.quotedMetadataTable(u"snapshots"), QString::number(snapshot)),
                  call));
    return found.rows.empty() ? QString() : timeText(found.rows.front().front());
}

QJsonValue orNull(const std::optional<qint64> &count)
{
    return count ? QJsonValue(*count) : QJsonValue();
}

}  // namespace

Result<TableState> tableStateOf(Session &session, const TableName &name, const Call &call)
{
    TableState state{.name = name, .info = {}, .totals = {}, .lastChange = {}, .error = {}};
    IVM_TRY(state.info, session.tableInfo(name, call));
    state.totals =
        state.info.head.snapshot ? totalsOf(state.info.headSummary) : TableTotals{0, 0, 0};
    if (state.info.head.snapshot) {
        IVM_TRY(state.lastChange, timeOf(session, name, *state.info.head.snapshot, call));
    }
    return state;
}

Result<QList<TableState>> tablesOf(Session &session, const TableName &defaults, const Call &call)
{
    IVM_TRY(const auto names, allTables(session, defaults, call));
    QList<TableState> states;
    for (const auto &name : names) {
        IVM_CHECK(call.check(u"looking at the tables"));
        auto state = tableStateOf(session, name, call);
        if (!state) {
            const Error error = std::move(state).error().during(name.text());
            state = TableState{
                .name = name, .info = {}, .totals = {}, .lastChange = {}, .error = error};
        }
        states.append(*std::move(state));
    }
    return states;
}

QJsonObject tableJson(const TableState &state)
{
    const auto &head = state.info.head.snapshot;
    QJsonObject object{
        {QStringLiteral("catalog"), state.name.catalog},
        {QStringLiteral("schema"), state.name.schema},
        {QStringLiteral("name"), state.name.table},
        {QStringLiteral("rows"), orNull(state.totals.rows)},
        {QStringLiteral("files"), orNull(state.totals.files)},
        {QStringLiteral("bytes"), orNull(state.totals.bytes)},
        {QStringLiteral("snapshot"), head ? QJsonValue(QString::number(*head)) : QJsonValue()},
        {QStringLiteral("last_change"),
         state.lastChange.isEmpty() ? QJsonValue() : QJsonValue(state.lastChange)}};
    if (state.error)
        object.insert(QStringLiteral("error"), errorJson(*state.error));
    return object;
}

}  // namespace ivm
