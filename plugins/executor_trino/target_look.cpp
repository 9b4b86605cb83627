#include "plugins/executor_trino/target_look.h"

#include "framework/sqlexec/head.h"

namespace ivm::trino {

namespace {

// Three scans of metadata and no join, which would cost more to plan than to run.
QString lookSql(const TableName &table, const QString &condition)
{
    return QStringLiteral(
               "SELECT %1 AS file, CAST(NULL AS bigint) AS main, CAST(NULL AS bigint) AS id, "
               "CAST(NULL AS bigint) AS parent, CAST(NULL AS map(varchar, varchar)) AS summary "
               "FROM %2\n"
               "UNION ALL SELECT NULL, snapshot_id, NULL, NULL, NULL FROM %3 WHERE name = 'main'\n"
               "UNION ALL SELECT NULL, NULL, snapshot_id, parent_id, summary FROM %4 WHERE %5")
        .arg(newestMetadataFileSql(), table.quotedMetadataTable(u"metadata_log_entries"),
             table.quotedMetadataTable(u"refs"), table.quotedMetadataTable(u"snapshots"),
             condition);
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

Result<TargetLook> look(Session &session, const TableName &table, const QString &condition,
                        const Call &call)
{
    IVM_TRY(const auto rows, query(session, lookSql(table, condition), call));
    TargetLook out;
    for (const auto &row : rows.rows) {
        if (const QString file = textOf(row[0]); !file.isEmpty())
            out.head = {tableIdOf(file), file, out.head.snapshot};
        if (const auto main = idOf(row[1]))
            out.head.snapshot = main;
        if (const auto id = idOf(row[2]))
            out.snapshot = SnapshotInfo{*id, idOf(row[3]), summaryOf(row[4])};
    }
    if (out.head.token.isEmpty())
        return fail(
            corruptError(QStringLiteral("Trino names no metadata file of %1").arg(table.text())));
    return out;
}

}  // namespace

Result<TargetLook> lookAtHead(Session &session, const TableName &table, const Call &call)
{
    return look(session, table, QStringLiteral("snapshot_id = ") + mainSnapshotSql(table), call);
}

Result<TargetLook> lookForCommit(Session &session, const TableName &table,
                                 const QString &statementId, const Call &call)
{
    const QString made =
        QStringLiteral("element_at(summary, 'trino_query_id') = ") + quotedLiteral(statementId);
    return look(session, table, made, call);
}

Result<TableHead> headAfter(Session &session, const TableName &table, const TargetLook &look,
                            const Call &call)
{
    if (!look.snapshot || look.snapshot->id == look.head.snapshot)
        return look.head;
    const QString sql =
        QStringLiteral("SELECT %1 FROM %2 WHERE latest_snapshot_id = %3")
            .arg(newestMetadataFileSql(), table.quotedMetadataTable(u"metadata_log_entries"),
                 QString::number(look.snapshot->id));
    IVM_TRY(const auto rows, query(session, sql, call));
    const QString file = rows.rows.empty() ? QString() : textOf(rows.rows.front()[0]);
    return TableHead{look.head.tableId, file, look.snapshot->id};
}

}  // namespace ivm::trino
