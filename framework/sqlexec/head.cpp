#include "framework/sqlexec/head.h"

namespace ivm {

namespace {

// The number in a metadata file's name.
QString fileNumberSql()
{
    return QStringLiteral(
        "coalesce(TRY_CAST(regexp_extract(file, '/v?(\\d+)[^/]*$', 1) AS bigint), -1)");
}

// As metadataFileSql(), for an engine that does not order rows.
QString plainMetadataFileSql(const TableName &table)
{
    return QStringLiteral("(SELECT file FROM ") +
           table.quotedMetadataTable(u"metadata_log_entries") + QStringLiteral(" ORDER BY ") +
           fileNumberSql() + QStringLiteral(" DESC, timestamp DESC LIMIT 1)");
}

}  // namespace

QString newestMetadataFileSql()
{
    return QStringLiteral("max_by(file, ROW(") + fileNumberSql() + QStringLiteral(", timestamp))");
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

HeadGuard headGuard(const TableName &table, const TableHead &expected, SqlDialect dialect)
{
    const bool isTrino = dialect == SqlDialect::Trino;
    QString found = isTrino ? metadataFileSql(table) : plainMetadataFileSql(table);
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
    QString where = unless(QStringLiteral("h.found = ") + quotedLiteral(wanted), kStaleHeadMark,
                           QStringLiteral("h.found"));
    if (isTrino)
        where += QStringLiteral("\n    AND ") + unless(QStringLiteral("current_timezone() = 'UTC'"),
                                                       kWrongZoneMark,
                                                       QStringLiteral("current_timezone()"));
    return {.from = QStringLiteral("(SELECT ") + found + QStringLiteral(" AS found) AS h"),
            .where = where};
}

bool isAt(const TableHead &head, const TableHead &expected)
{
    return expected.token.isEmpty() ? head.snapshot == expected.snapshot
                                    : head.token == expected.token;
}

}  // namespace ivm
