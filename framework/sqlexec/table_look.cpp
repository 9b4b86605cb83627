#include "framework/sqlexec/table_look.h"

#include "framework/sqlexec/head.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm {

namespace {

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

// Metadata files in the order in which they came; as metadataFileOrderSql().
struct LogEntry {
    qint64 number = -1;
    QString time;
    QString file;

    bool operator<(const LogEntry &other) const
    {
        return std::tie(number, time, file) < std::tie(other.number, other.time, other.file);
    }
};

LogEntry logEntry(const QString &file, const QString &time)
{
    static const QRegularExpression form(QStringLiteral("/v?(\\d+)[^/]*$"));
    const auto match = form.match(file);
    return {match.hasMatch() ? match.captured(1).toLongLong() : -1, time, file};
}

// Rows of three kinds: a metadata file, the head of main, a snapshot.
QString lookSql(const TableName &table, const QString &condition)
{
    const QString wanted =
        condition.isEmpty() ? QStringLiteral("FALSE") : QString(u'(' + condition + u')');
    return QStringLiteral(
               "SELECT file, CAST(timestamp AS varchar) AS at, CAST(NULL AS bigint) AS main, "
               "CAST(NULL AS bigint) AS id, CAST(NULL AS bigint) AS parent, CAST(NULL AS boolean) "
               "AS wanted, CAST(NULL AS map(varchar, varchar)) AS summary FROM %1\n"
               "UNION ALL SELECT NULL, NULL, snapshot_id, NULL, NULL, NULL, NULL FROM %2 WHERE "
               "name = 'main'\n"
               "UNION ALL SELECT NULL, NULL, NULL, snapshot_id, parent_id, coalesce(%3, FALSE), "
               "summary FROM %4 WHERE snapshot_id = %5 OR %3")
        .arg(table.quotedMetadataTable(u"metadata_log_entries"), table.quotedMetadataTable(u"refs"),
             wanted, table.quotedMetadataTable(u"snapshots"), mainSnapshotSql(table));
}

}  // namespace

Result<TableLook> lookAtTable(Session &session, const TableName &table, const QString &condition,
                              const Call &call)
{
    IVM_TRY(const auto rows, query(session, lookSql(table, condition), call));
    TableLook out;
    std::vector<LogEntry> log;
    QList<std::pair<SnapshotLook, bool>> snapshots;
    for (const auto &row : rows.rows) {
        if (const QString file = textOf(row[0]); !file.isEmpty())
            log.push_back(logEntry(file, textOf(row[1])));
        else if (const auto main = idOf(row[2]))
            out.head.snapshot = main;
        else if (const auto id = idOf(row[3]))
            snapshots.append({{*id, idOf(row[4]), summaryOf(row[6])}, row[5] == Value{true}});
    }
    for (const auto &[snapshot, isWanted] : snapshots) {
        if (snapshot.id == out.head.snapshot)
            out.main = snapshot;
        if (isWanted)
            out.wanted = snapshot;
    }
    std::sort(log.begin(), log.end());
    if (log.empty())
        return fail(corruptError(
            QStringLiteral("the engine names no metadata file of %1").arg(table.text())));
    out.head.token = log.back().file;
    out.head.tableId = tableIdOf(out.head.token);
    if (log.size() > 1)
        out.before = log[log.size() - 2].file;
    return out;
}

}  // namespace ivm
