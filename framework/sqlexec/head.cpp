#include "framework/sqlexec/head.h"

namespace ivm {

QString metadataFileOrderSql()
{
    return QStringLiteral(
        "ROW(coalesce(TRY_CAST(regexp_extract(file, '/v?(\\d+)[^/]*$', 1) AS bigint), -1), "
        "timestamp)");
}

QString newestMetadataFileSql()
{
    return QStringLiteral("max_by(file, ") + metadataFileOrderSql() + u')';
}

QString newestMetadataFilesSql(int count)
{
    return QStringLiteral("max_by(file, %1, %2)").arg(metadataFileOrderSql()).arg(count);
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
    const auto unless = [](const QString &condition, QStringView mark, const QString &value) {
        return QStringLiteral("CASE WHEN %1 THEN TRUE ELSE CAST(concat('%2', %3) AS boolean) END")
            .arg(condition, mark, value);
    };
    return {.from = QStringLiteral("(SELECT ") + found + QStringLiteral(" AS found) AS h"),
            .where = unless(QStringLiteral("h.found = ") + quotedLiteral(wanted), kStaleHeadMark,
                            QStringLiteral("h.found")) +
                     QStringLiteral("\n    AND ") +
                     unless(QStringLiteral("current_timezone() = 'UTC'"), kWrongZoneMark,
                            QStringLiteral("current_timezone()"))};
}

QString tableIdOf(QStringView metadataFile)
{
    const qsizetype end = metadataFile.lastIndexOf(u"/metadata/");
    return (end < 0 ? metadataFile : metadataFile.first(end)).toString();
}

}  // namespace ivm
