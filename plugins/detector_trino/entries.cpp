#include "plugins/detector_trino/entries.h"

#include "plugins/detector_trino/cells.h"
#include "plugins/detector_trino/file_bounds.h"

namespace ivm::trino {

namespace {

// The column `file_path` of a position delete file. Iceberg table spec, "Reserved Field IDs".
constexpr int kDeleteFilePathId = 2147483546;
// Paths in one statement; Trino takes a million characters of text by default.
constexpr qsizetype kPathsPerStatement = 500;
// What is held in memory for one view at a time; a table with more files to look at is diffed.
constexpr qsizetype kMostEntries = 200'000;

QString metric(QStringView map, int fieldId)
{
    return QStringLiteral("element_at(data_file.%1, %2)").arg(map).arg(fieldId);
}

QString entriesSql(const TableName &table, const std::optional<Column> &column,
                   const QString &condition)
{
    QStringList select{
        QStringLiteral(
            "status, snapshot_id, sequence_number, data_file.content, data_file.file_path, "
            "data_file.record_count, data_file.file_size_in_bytes"),
        metric(u"lower_bounds", kDeleteFilePathId), metric(u"upper_bounds", kDeleteFilePathId)};
    if (column)
        select << metric(u"lower_bounds", column->fieldId)
               << metric(u"upper_bounds", column->fieldId)
               << metric(u"value_counts", column->fieldId)
               << metric(u"null_value_counts", column->fieldId);
    return QStringLiteral("SELECT ") + select.join(QStringLiteral(", ")) +
           QStringLiteral(" FROM ") + table.quotedMetadataTable(u"all_entries") +
           QStringLiteral(" WHERE ") + condition;
}

}  // namespace

Status EntryReader::checkCount(qsizetype read) const
{
    if (read < kMostEntries)
        return {};
    return fail(
        unsupportedError(QStringLiteral("table %1 has more than %2 manifest entries to look at")
                             .arg(table.text(), QString::number(kMostEntries))));
}

Result<Entry> EntryReader::readEntry(const Row &row) const
{
    const qint64 status = wholeIn(row, 0).value_or(-1);
    const qint64 content = wholeIn(row, 3).value_or(-1);
    const QString path = textIn(row, 4);
    if (status < 0 || status > 2 || content < 0 || content > 2 || path.isEmpty())
        return fail(
            corruptError(QStringLiteral("table %1 has a manifest entry that makes no sense: '%2'")
                             .arg(table.text(), path)));
    Entry entry{.status = static_cast<EntryStatus>(status),
                .snapshot = wholeIn(row, 1).value_or(0),
                .sequence = wholeIn(row, 2).value_or(0),
                .content = static_cast<FileContent>(content),
                .path = path,
                .records = wholeIn(row, 5).value_or(0),
                .bytes = wholeIn(row, 6).value_or(0),
                .dataFile = {},
                .bounds = {}};
    // Equal bounds name one file; cut ones, which some writers leave, would not be equal.
    if (entry.content == FileContent::PositionDeletes && textIn(row, 7) == textIn(row, 8))
        entry.dataFile = textIn(row, 7);
    if (column && entry.content == FileContent::Data)
        entry.bounds = boundsFromMetrics(
            column->type, {textIn(row, 9), textIn(row, 10), wholeIn(row, 11), wholeIn(row, 12)},
            entry.records);
    return entry;
}

Result<QList<Entry>> EntryReader::read(const QString &condition) const
{
    QList<Entry> entries;
    RowSink sink{.row = [&](Row &&row) -> Status {
        IVM_CHECK(checkCount(entries.size()));
        IVM_TRY(auto entry, readEntry(row));
        entries.append(std::move(entry));
        return {};
    }};
    IVM_CHECK(session.run(entriesSql(table, column, condition), sink, call));
    return entries;
}

Result<QList<Entry>> EntryReader::ofSnapshots(const QList<SnapshotId> &snapshots) const
{
    QStringList ids;
    for (const SnapshotId id : snapshots)
        ids.append(QString::number(id));
    IVM_TRY(const auto all,
            read(QStringLiteral("status IN (1, 2) AND snapshot_id IN (") + ids.join(u',') + u')'));
    // A manifest that several snapshots share may be told several times.
    QList<Entry> once;
    QSet<QString> seen;
    for (const auto &entry : all) {
        const QString key = QStringLiteral("%1 %2 %3")
                                .arg(entry.snapshot)
                                .arg(static_cast<int>(entry.status))
                                .arg(entry.path);
        if (seen.contains(key))
            continue;
        seen.insert(key);
        once.append(entry);
    }
    return once;
}

Result<QMap<QString, Entry>> EntryReader::ofDataFiles(const QSet<QString> &paths) const
{
    QMap<QString, Entry> found;
    QStringList literals;
    qsizetype left = paths.size();
    for (const auto &path : paths) {
        literals.append(quotedLiteral(path));
        if (--left > 0 && literals.size() < kPathsPerStatement)
            continue;
        IVM_TRY(const auto entries,
                read(QStringLiteral("data_file.content = 0 AND data_file.file_path IN (") +
                     literals.join(QStringLiteral(", ")) + u')'));
        for (const auto &entry : entries)
            found.insert(entry.path, entry);
        literals.clear();
    }
    return found;
}

Result<QList<Entry>> EntryReader::ofData() const
{
    return read(QStringLiteral("data_file.content = 0"));
}

Result<EntryReader::Partitions> EntryReader::partitions() const
{
    const QString sql =
        QStringLiteral("SELECT data_file.file_path, data_file.spec_id, data_file.partition FROM ") +
        table.quotedMetadataTable(u"all_entries");
    Partitions partitions;
    RowSink sink{.columns = [&](const QList<Column> &columns) -> Status {
                     partitions.type = columns.value(2).type;
                     return {};
                 },
                 .row = [&](Row &&row) -> Status {
                     IVM_CHECK(checkCount(partitions.values.size()));
                     partitions.values.insert(textIn(row, 0), row.size() > 2 ? row[2] : Value());
                     partitions.specs.insert(textIn(row, 0), wholeIn(row, 1).value_or(0));
                     return {};
                 }};
    const auto ran = session.run(sql, sink, call);
    if (!ran && ran.error().kind == ErrorKind::Invalid)
        return Partitions();  // the column is not there when the table never was partitioned
    if (!ran)
        return fail(ran.error());
    return partitions;
}

}  // namespace ivm::trino
