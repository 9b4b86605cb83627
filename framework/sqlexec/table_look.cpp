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

// Metadata files in the order in which they came; as head.h's for an aggregate.
struct LogEntry {
    qint64 number = -1;
    QString time;
    MetadataFile what;

    bool operator<(const LogEntry &other) const
    {
        return std::tie(number, time, what.file) <
               std::tie(other.number, other.time, other.what.file);
    }
};

LogEntry logEntry(const MetadataFile &file, const QString &time)
{
    static const QRegularExpression form(QStringLiteral("/v?(\\d+)[^/]*$"));
    const auto match = form.match(file.file);
    return {match.hasMatch() ? match.captured(1).toLongLong() : -1, time, file};
}

// Rows of three kinds: a metadata file, the head of main, a snapshot. Three scans of metadata and
// no join, which would cost more to plan than to run.
QString lookSql(const TableName &table, const QString &condition)
{
    return QStringLiteral(
               "SELECT file, CAST(timestamp AS varchar) AS at, latest_snapshot_id AS head, "
               "CAST(NULL AS bigint) AS id, CAST(NULL AS bigint) AS parent, "
               "CAST(NULL AS map(varchar, varchar)) AS summary FROM %1\n"
               "UNION ALL SELECT NULL, NULL, snapshot_id, NULL, NULL, NULL FROM %2 WHERE name = "
               "'main'\n"
               "UNION ALL SELECT NULL, NULL, NULL, snapshot_id, parent_id, summary FROM %3 WHERE "
               "%4")
        .arg(table.quotedMetadataTable(u"metadata_log_entries"), table.quotedMetadataTable(u"refs"),
             table.quotedMetadataTable(u"snapshots"), condition);
}

}  // namespace

Result<TableLook> lookAtHead(Session &session, const TableName &table, const Call &call)
{
    return lookForSnapshot(session, table,
                           QStringLiteral("snapshot_id = ") + mainSnapshotSql(table), call);
}

Result<TableLook> lookForSnapshot(Session &session, const TableName &table,
                                  const QString &condition, const Call &call)
{
    IVM_TRY(const auto rows, query(session, lookSql(table, condition), call));
    TableLook out;
    std::vector<LogEntry> log;
    for (const auto &row : rows.rows) {
        if (const QString file = textOf(row[0]); !file.isEmpty())
            log.push_back(logEntry({file, idOf(row[2])}, textOf(row[1])));
        else if (const auto main = idOf(row[2]))
            out.head.snapshot = main;
        else if (const auto id = idOf(row[3]))
            out.snapshot = SnapshotLook{*id, idOf(row[4]), summaryOf(row[5])};
    }
    std::sort(log.begin(), log.end());
    for (const auto &entry : log)
        out.log.append(entry.what);
    if (out.log.isEmpty())
        return fail(corruptError(
            QStringLiteral("the engine names no metadata file of %1").arg(table.text())));
    out.head.token = out.log.last().file;
    out.head.tableId = tableIdOf(out.head.token);
    return out;
}

std::optional<TableHead> TableLook::afterCommitOn(const TableHead &expected) const
{
    if (!snapshot || snapshot->parent != expected.snapshot)
        return {};
    const SnapshotId made = snapshot->id;
    const QString before = log.size() > 1 ? log[log.size() - 2].file : QString();
    if (made == head.snapshot && before == expected.token)
        return head;
    // The first file that has the snapshot as its head is the commit's; later ones are of others.
    const auto own = std::ranges::find(log, std::optional(made), &MetadataFile::head);
    // A token that no state has: whoever compares it sees that the table moved on.
    if (own == log.end())
        return TableHead{head.tableId, QString(), made};
    const bool isNext =
        expected.token.isEmpty() || (own != log.begin() && std::prev(own)->file == expected.token);
    return isNext ? std::optional(TableHead{head.tableId, own->file, made}) : std::nullopt;
}

}  // namespace ivm
