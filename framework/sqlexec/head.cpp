#include "framework/sqlexec/head.h"

namespace ivm {

QString newestMetadataFileSql()
{
    return QStringLiteral(
        "max_by(file, ROW(coalesce(TRY_CAST(regexp_extract(file, '/v?(\\d+)[^/]*$', 1) AS bigint), "
        "-1), timestamp))");
}

QString metadataFileSql(const TableName &table)
{
    return QStringLiteral("(SELECT ") + newestMetadataFileSql() + QStringLiteral(" FROM ") +
           table.quotedMetadataTable(u"metadata_log_entries") + u')';
}

QString mainSnapshotSql(const TableName &table)
{
    return QStringLiteral("(SELECT snapshot_id FROM ") + table.quotedMetadataTable(u"refs") +
           QStringLiteral(" WHERE name = 'main')");
}

HeadGuard headGuard(const TableName &table, const TableHead &expected)
{
    QString found = metadataFileSql(table);
    QString wanted = expected.token;
    if (wanted.isEmpty()) {
        found = QStringLiteral("coalesce(CAST(") + mainSnapshotSql(table) +
                QStringLiteral(" AS varchar), 'no snapshot')");
        wanted =
            expected.snapshot ? QString::number(*expected.snapshot) : QStringLiteral("no snapshot");
    }
    // A cast that cannot succeed is the plain way to fail with a message.
    return {.from = QStringLiteral("(SELECT ") + found + QStringLiteral(" AS found) AS h"),
            .where = QStringLiteral("CASE WHEN h.found = ") + quotedLiteral(wanted) +
                     QStringLiteral(" THEN TRUE ELSE CAST(concat('") + kStaleHeadMark +
                     QStringLiteral("', h.found) AS boolean) END")};
}

QString tableIdOf(QStringView metadataFile)
{
    const qsizetype end = metadataFile.lastIndexOf(u"/metadata/");
    return (end < 0 ? metadataFile : metadataFile.first(end)).toString();
}

}  // namespace ivm
