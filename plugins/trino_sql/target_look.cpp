#include "plugins/trino_sql/target_look.h"

#include "framework/sqlexec/head.h"

namespace ivm::trino {

namespace {

// Three scans of metadata and no join, which would cost more to plan than to run.
QString lookSql(const TableName &table, const QString &condition)
{
    return QStringLiteral(
               "SELECT %1 AS files, CAST(NULL AS bigint) AS main, CAST(NULL AS bigint) AS id, "
               "CAST(NULL AS bigint) AS parent, CAST(NULL AS map(varchar, varchar)) AS summary "
               "FROM %2\n"
               "UNION ALL SELECT NULL, snapshot_id, NULL, NULL, NULL FROM %3 WHERE name = 'main'\n"
               "UNION ALL SELECT NULL, NULL, snapshot_id, parent_id, summary FROM %4 WHERE %5")
        .arg(newestMetadataFilesSql(2), table.quotedMetadataTable(u"metadata_log_entries"),
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
        if (const auto *files = std::get_if<std::vector<Value>>(&row[0].data);
            files && !files->empty()) {
            const QString file = textOf(files->front());
            out.head = {tableIdOf(file), file, out.head.snapshot};
            out.before = files->size() > 1 ? textOf((*files)[1]) : QString();
        }
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

Result<std::optional<TableHead>> headAfter(Session &session, const Intent &intent,
                                           const TargetLook &look, const Call &call)
{
    const TableHead &expected = intent.targetHead;
    const auto nothing = std::optional<TableHead>();
    if (look.snapshot->parent != expected.snapshot)
        return nothing;
    const SnapshotId made = look.snapshot->id;
    if (made == look.head.snapshot && look.before == expected.token)
        return std::optional(look.head);

    const QString sql =
        QStringLiteral("SELECT file, latest_snapshot_id = %1 FROM %2 ORDER BY %3")
            .arg(QString::number(made), intent.target.quotedMetadataTable(u"metadata_log_entries"),
                 metadataFileOrderSql());
    IVM_TRY(const auto log, query(session, sql, call));
    // The first file that has the snapshot as its head is the commit's; later ones are of others.
    QString before;
    for (const auto &row : log.rows) {
        const QString file = textOf(row[0]);
        if (row[1] == Value{true})
            return before == expected.token || expected.token.isEmpty()
                       ? std::optional(TableHead{look.head.tableId, file, made})
                       : nothing;
        before = file;
    }
    // A token that no state has: whoever compares it sees that the table moved on.
    return std::optional(TableHead{look.head.tableId, QString(), made});
}

}  // namespace ivm::trino
