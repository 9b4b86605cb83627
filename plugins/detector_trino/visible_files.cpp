#include "plugins/detector_trino/visible_files.h"

#include "plugins/detector_trino/cells.h"

namespace ivm::trino {

namespace {

// Whether a row of a file may be deleted at one of the snapshots.
Result<bool> haveDeletes(Session &session, const TableName &table, SnapshotId from, SnapshotId to,
                         const Call &call)
{
    const QString sql =
        QStringLiteral("SELECT count(*) FROM %1 WHERE reference_snapshot_id IN (%2, %3) AND "
                       "coalesce(added_delete_files_count, 1) + "
                       "coalesce(existing_delete_files_count, 1) > 0")
            .arg(table.quotedMetadataTable(u"all_manifests"))
            .arg(from)
            .arg(to);
    IVM_TRY(const Rows rows, query(session, sql, call));
    return rows.rows.empty() || wholeIn(rows.rows.front(), 0) != 0;
}

QString pathsAt(const TableName &table, SnapshotId snapshot, int side)
{
    return QStringLiteral("SELECT \"$path\" AS path, count(*) AS records, %1 AS side FROM %2 FOR "
                          "VERSION AS OF %3 GROUP BY 1")
        .arg(QString::number(side), table.quoted(), QString::number(snapshot));
}

}  // namespace

bool isUnreadable(const Error &error)
{
    if (error.code == u"generic_internal_error")
        return true;
    return error.kind == ErrorKind::Corrupt || error.kind == ErrorKind::Unsupported ||
           error.kind == ErrorKind::Invalid || error.code.startsWith(u"iceberg_");
}

Result<std::optional<QList<FileChange>>> changedPaths(Session &session, const TableName &table,
                                                      SnapshotId from, SnapshotId to,
                                                      const Call &call)
{
    IVM_TRY(const bool mayHide, haveDeletes(session, table, from, to, call));
    if (mayHide)
        return std::optional<QList<FileChange>>();
    const QString sql =
        QStringLiteral("SELECT path, sum(side), sum(records) FROM (%1 UNION ALL %2) GROUP BY path "
                       "HAVING sum(side) <> 0 ORDER BY path")
            .arg(pathsAt(table, to, 1), pathsAt(table, from, -1));
    IVM_TRY(const Rows rows, query(session, sql, call));
    QList<FileChange> files;
    for (const auto &row : rows.rows)
        files.append({.role = wholeIn(row, 1) == 1 ? FileRole::Added : FileRole::Removed,
                      .path = textIn(row, 0),
                      .records = wholeIn(row, 2).value_or(0),
                      .bytes = 0,
                      .bounds = {}});
    return std::optional(files);
}

Result<FileTotals> visibleTotals(Session &session, const TableName &table, const Call &call)
{
    const QString sql =
        QStringLiteral("SELECT count(DISTINCT \"$path\"), count(*) FROM ") + table.quoted();
    IVM_TRY(const Rows rows, query(session, sql, call));
    const Row none;
    const Row &row = rows.rows.empty() ? none : rows.rows.front();
    return FileTotals{.files = wholeIn(row, 0).value_or(0),
                      .records = wholeIn(row, 1).value_or(0),
                      .bytes = 0,
                      .bounds = {}};
}

}  // namespace ivm::trino
