#include "plugins/executor_duckdb/table/rewrite.h"

#include "plugins/executor_duckdb/table/delete_writer.h"
#include "plugins/executor_duckdb/table/relation.h"

#include <QSet>

#include <algorithm>

namespace ivm::duckdb {

namespace {

// How many rows go, by file.
Result<QHash<QString, qint64>> goneByFile(const QString &gone, Connection &connection,
                                          const Call &call)
{
    const QString sql = QStringLiteral("SELECT \"$path\", count(*) FROM %1 GROUP BY 1").arg(gone);
    IVM_TRY(const auto rows, connection.rows(sql, {}, call));
    QHash<QString, qint64> counts;
    for (const auto &row : rows) {
        const auto *count = std::get_if<qint64>(&row[1].data);
        counts.insert(row[0].text(), count ? *count : 0);
    }
    return counts;
}

// Measured: deletes take some 10 ms to write and make each later read of the file twice as long, or
// 1 ms a MB; to write the file again takes 9 ms a MB.
constexpr qint64 kSmallFile = 4 * 1024 * 1024;
// A file that has lost more than one of so many rows is written again.
constexpr qint64 kFewRows = 20;
// So is one with that many delete files, each of which every read opens.
constexpr qsizetype kMostDeletes = 10;
const QString kDeleteMode = QStringLiteral("write.delete.mode");

qint64 deletedBefore(const iceberg::LiveFile &file, const iceberg::LiveFiles &live)
{
    qint64 rows = 0;
    for (const qsizetype index : file.deletes)
        rows += live.deletes[size_t(index)].file.recordCount;
    return rows;
}

bool staysWithDeletes(const iceberg::LiveFile &file, qint64 gone, const iceberg::LiveFiles &live,
                      const iceberg::TableMetadata &metadata)
{
    const QString mode = metadata.properties.value(kDeleteMode);
    if (mode == u"merge-on-read" || mode == u"copy-on-write")
        return mode == u"merge-on-read";
    return file.file.sizeInBytes >= kSmallFile && file.deletes.size() < kMostDeletes &&
           (gone + deletedBefore(file, live)) * kFewRows <= file.file.recordCount;
}

// Nothing is left of what they were for.
void removeDeletesOf(const QSet<QString> &removed, const iceberg::LiveFiles &live, QStringList &out)
{
    for (const auto &file : live.deletes) {
        if (removed.contains(file.file.referencedDataFile))
            out.append(file.file.path);
    }
}

iceberg::Operation operationOf(const iceberg::SnapshotChange &change)
{
    const auto isData = [](const iceberg::DataFile &file) {
        return file.content == iceberg::FileContent::Data;
    };
    const bool addsRows = std::ranges::any_of(change.added, isData);
    const bool takesRows = !change.removed.isEmpty() || !std::ranges::all_of(change.added, isData);
    if (!takesRows)
        return iceberg::Operation::Append;
    return addsRows ? iceberg::Operation::Overwrite : iceberg::Operation::Delete;
}

}  // namespace

QString unionOf(const QStringList &selects)
{
    QStringList filled = selects;
    filled.removeAll(QString());
    return filled.join(QStringLiteral(" UNION ALL "));
}

QString columnList(const iceberg::Table &table, QStringView prefix)
{
    QStringList columns;
    for (const auto &field : table.metadata.currentSchema().fields)
        columns.append(prefix.toString() + quotedIdentifier(field.name));
    return columns.join(QStringLiteral(", "));
}

Result<Rewrite> planRewrite(const iceberg::Table &table, const iceberg::LiveFiles &live,
                            const QString &gone, Connection &connection, const Call &call)
{
    IVM_TRY(const auto counts, goneByFile(gone, connection, call));
    Rewrite rewrite;
    iceberg::LiveFiles partly{.data = {}, .deletes = live.deletes};
    std::vector<iceberg::DataFile> stay;
    QSet<QString> removed;
    for (const auto &file : live.data) {
        const qint64 count = counts.value(file.file.path);
        if (count == 0)
            continue;
        const bool isEmptied = count >= file.file.recordCount;
        if (!isEmptied && staysWithDeletes(file, count, live, table.metadata)) {
            stay.push_back(file.file);
            continue;
        }
        removed.insert(file.file.path);
        rewrite.removed.append(file.file.path);
        if (!isEmptied)
            partly.data.push_back(file);
    }
    if (qsizetype(stay.size()) + removed.size() != counts.size())
        return fail(internalError(QStringLiteral("rows of %1 are in files that it does not have")
                                      .arg(table.name.text())));
    removeDeletesOf(removed, live, rewrite.removed);
    IVM_TRY(rewrite.deletes, writePositionDeletes(table, stay, gone, connection, call));
    if (partly.data.empty())
        return rewrite;
    IVM_TRY(const QString rows, relationSql({table.metadata, std::move(partly)}, WithRow::Yes));
    rewrite.survivors =
        QStringLiteral("SELECT %1 FROM %2 AS t ANTI JOIN %3 AS g ON (g.\"$path\" = t.\"$path\" "
                       "AND g.\"$row\" = t.\"$row\")")
            .arg(columnList(table, u"t."), rows, gone);
    return rewrite;
}

Result<iceberg::Table> commitFiles(iceberg::Warehouse warehouse, const iceberg::Table &base,
                                   FilesChange change, NewFiles &added)
{
    if (change.removed.isEmpty() && added.files().isEmpty())
        return base;
    iceberg::SnapshotChange snapshot{.added = added.files(),
                                     .removed = std::move(change.removed),
                                     .summary = std::move(change.summary)};
    snapshot.operation = change.operation.value_or(operationOf(snapshot));
    auto committed = iceberg::commitSnapshot(warehouse, base, snapshot);
    if (committed || committed.error().kind == ErrorKind::CommitUnknown)
        added.keep();
    return committed;
}

}  // namespace ivm::duckdb
