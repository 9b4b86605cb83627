#include "plugins/executor_duckdb/table/rewrite.h"

#include "plugins/executor_duckdb/table/relation.h"

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

iceberg::Operation operationOf(const iceberg::SnapshotChange &change)
{
    if (change.removed.isEmpty())
        return iceberg::Operation::Append;
    return change.added.isEmpty() ? iceberg::Operation::Delete : iceberg::Operation::Overwrite;
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
    for (const auto &file : live.data) {
        const qint64 count = counts.value(file.file.path);
        if (count == 0)
            continue;
        rewrite.removed.append(file.file.path);
        if (count < file.file.recordCount)
            partly.data.push_back(file);
    }
    if (rewrite.removed.size() != counts.size())
        return fail(internalError(QStringLiteral("rows of %1 are in files that it does not have")
                                      .arg(table.name.text())));
    if (partly.data.empty())
        return rewrite;
    IVM_TRY(const QString rows, relationSql({table.metadata, std::move(partly)}, WithRow::Yes));
    rewrite.survivors =
        QStringLiteral("SELECT %1 FROM %2 AS t WHERE NOT EXISTS (SELECT 1 FROM %3 AS g WHERE "
                       "g.\"$path\" = t.\"$path\" AND g.\"$row\" = t.\"$row\")")
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
    auto committed = iceberg::commitSnapshot(warehouse, base, snapshot, change.onConflict);
    if (committed || committed.error().kind == ErrorKind::CommitUnknown)
        added.keep();
    return committed;
}

}  // namespace ivm::duckdb
