#include "plugins/executor_trino/target_look.h"

#include "framework/sqlexec/head.h"

namespace ivm::trino {

namespace {

QString lookSql(const TableName &table, const QString &statementId)
{
    const QString snapshots = table.quotedMetadataTable(u"snapshots");
    const QString log = table.quotedMetadataTable(u"metadata_log_entries");
    return QStringLiteral("SELECT h.file, h.snapshot, n.summary, s.snapshot_id, s.parent_id, s.summary, e.file\n"
                          "FROM (SELECT %1 AS file, %2 AS snapshot) AS h\n"
                          "LEFT JOIN %3 AS n ON n.snapshot_id = h.snapshot\n"
                          "LEFT JOIN (SELECT * FROM %3 WHERE element_at(summary, 'trino_query_id') = %4) AS s ON TRUE\n"
                          "LEFT JOIN (SELECT latest_snapshot_id AS snapshot, %5 AS file FROM %6 GROUP BY 1) AS e\n"
                          "ON e.snapshot = s.snapshot_id")
        .arg(metadataFileSql(table), mainSnapshotSql(table), snapshots, quotedLiteral(statementId),
             newestMetadataFileSql(), log);
}

QString textOf(const Value &value)
{
    const auto *text = std::get_if<QString>(&value.data);
    return text ? *text : QString();
}

std::optional<SnapshotId> idOf(const Value &value)
{
    const auto *id = std::get_if<qint64>(&value.data);
    return id ? std::optional(*id) : std::nullopt;
}

QMap<QString, QString> summaryOf(const Value &value)
{
    QMap<QString, QString> out;
    if (const auto *parts = std::get_if<std::vector<Value>>(&value.data)) {
        for (size_t i = 0; i + 1 < parts->size(); i += 2)
            out.insert(textOf((*parts)[i]), textOf((*parts)[i + 1]));
    }
    return out;
}

}  // namespace

TableHead TargetLook::madeHead() const
{
    if (!made || made->id == head.snapshot)
        return head;
    return {head.tableId, made->metadataFile, made->id};
}

Result<TargetLook> lookAt(Session &session, const TableName &table, const QString &statementId, const Call &call)
{
    Rows rows;
    RowSink sink{.columns = [](const QList<Column> &) -> Status { return {}; },
                 .row = [&](Row &&row) -> Status { rows.rows.push_back(std::move(row)); return {}; }};
    IVM_TRY(const auto result, session.run(lookSql(table, statementId), sink, call));
    if (rows.rows.empty() || rows.rows.front().size() != 7 || textOf(rows.rows.front()[0]).isEmpty())
        return fail(corruptError(QStringLiteral("Trino does not say where %1 stands").arg(table.text())));
    const Row &row = rows.rows.front();
    TargetLook look{.head = {tableIdOf(textOf(row[0])), textOf(row[0]), idOf(row[1])},
                    .headSummary = summaryOf(row[2]),
                    .made = {},
                    .lookId = result.statementId};
    if (const auto made = idOf(row[3]))
        look.made = MadeSnapshot{*made, idOf(row[4]), summaryOf(row[5]), textOf(row[6])};
    return look;
}

}  // namespace ivm::trino
