#include "plugins/store_iceberg/state_statements.h"

#include "plugins/store_iceberg/sql_text.h"

namespace ivm::store_iceberg {

namespace {

const QString kViewColumns =
    QStringLiteral("\"shard\", \"view\", \"target\", \"token\", \"bookmark\", \"intent\"");
const QString kLeaseColumns =
    QStringLiteral("\"shard\", \"target\", \"token\", \"owner\", \"machine\", \"pid\", "
                   "\"started\", \"since\", \"until\"");
const QString kRecordColumns =
    QStringLiteral("\"id\", \"view\", \"started\", \"action\", \"reason\", \"seconds\", "
                   "\"rows_read\", \"rows_written\", \"rows_deleted\", \"statement_id\", "
                   "\"error\"");
const QString kNewestFirst = QStringLiteral("\"recorded\" DESC, \"started\" DESC, \"id\" DESC");

// The shard is said as a constant: rows of others are not read, and do not conflict.
QString whereKey(QStringView column, const QString &key)
{
    return QStringLiteral(" WHERE \"shard\" = %1 AND \"%2\" = %3")
        .arg(quotedLiteral(shardOf(key)), column, text(key));
}

// The row as it was. Another program may have left one without a token.
QString hasToken(const QString &column, const QString &token)
{
    return token.isEmpty() ? QStringLiteral("coalesce(%1, '') = ''").arg(column)
                           : QString(column + QStringLiteral(" = ") + text(token));
}

// MERGE of one row, as far as WHEN MATCHED.
QString mergeSql(const TableName &table, const QString &columns, QStringView column,
                 const QString &key, const QStringList &values)
{
    return QStringLiteral("MERGE INTO ") + table.quoted() + QStringLiteral(" AS t USING (") +
           valuesOf({rowOf(values)}) + QStringLiteral(") AS s(") + columns +
           QStringLiteral(")\nON t.\"shard\" = s.\"shard\" AND t.\"shard\" = %1 AND t.\"%2\" = "
                          "s.\"%2\"")
               .arg(quotedLiteral(shardOf(key)), column);
}

QString insertSql(const QString &columns)
{
    return QStringLiteral("\nWHEN NOT MATCHED THEN INSERT (") + columns +
           QStringLiteral(") VALUES (") + sourceColumns(columns) + u')';
}

QString saveSql(const StateTables &tables, const QString &view, const QStringList &values,
                const QString &assigned, const std::optional<Fence> &fence)
{
    QString sql = mergeSql(tables.views, kViewColumns, u"view", view, values);
    if (!fence || fence->token) {
        sql += QStringLiteral("\nWHEN MATCHED");
        if (fence)
            sql += QStringLiteral(" AND ") + hasToken(QStringLiteral("t.\"token\""), *fence->token);
        sql += QStringLiteral(" THEN UPDATE SET ") + assigned;
    }
    return fence && fence->token ? sql : sql + insertSql(kViewColumns);
}

QString later(const QString &now, std::chrono::seconds time)
{
    return QStringLiteral("CAST(%1 + INTERVAL '%2' SECOND AS timestamp(6) with time zone)")
        .arg(now, QString::number(time.count()));
}

QString recordRow(const RecordById &byId)
{
    const auto &[id, record] = byId;
    const QString seconds = QString::number(record.seconds, 'g', 17);
    return rowOf({QStringLiteral("current_timestamp(6)"), text(id), text(record.view),
                  time(record.started), text(record.action), text(record.reason),
                  QStringLiteral("CAST('%1' AS double)").arg(seconds), number(record.rowsRead),
                  number(record.rowsWritten), number(record.rowsDeleted), text(record.statementId),
                  textOrNull(record.error)});
}

QString numbered(const StateTables &tables, const QString &columns)
{
    return QStringLiteral("SELECT %1, row_number() OVER (PARTITION BY \"view\" ORDER BY %2) AS n "
                          "FROM %3")
        .arg(columns, kNewestFirst, tables.records.quoted());
}

}  // namespace

QString viewsSql(const StateTables &tables)
{
    return QStringLiteral("SELECT %1 FROM %2").arg(kViewColumns, tables.views.quoted());
}

QString viewSql(const StateTables &tables, const QString &view)
{
    return viewsSql(tables) + whereKey(u"view", view);
}

QString saveBookmarkSql(const StateTables &tables, const Bookmark &bookmark, const QString &token,
                        const std::optional<Fence> &fence)
{
    return saveSql(tables, bookmark.view,
                   {text(shardOf(bookmark.view)), text(bookmark.view),
                    text(bookmark.target.quoted()), text(token),
                    text(QString::fromUtf8(bookmark.toJson())), textOrNull({})},
                   assignments(kViewColumns, 2), fence);
}

QString saveIntentSql(const StateTables &tables, const Intent &intent, const QString &token,
                      const std::optional<Fence> &fence)
{
    return saveSql(tables, intent.view,
                   {text(shardOf(intent.view)), text(intent.view), text(intent.target.quoted()),
                    text(token), textOrNull({}), text(QString::fromUtf8(intent.toJson()))},
                   QStringLiteral("\"token\" = s.\"token\", \"intent\" = s.\"intent\""), fence);
}

QString forgetIntentSql(const StateTables &tables, const QString &view, const QString &token,
                        const std::optional<Fence> &fence)
{
    QString sql = QStringLiteral("UPDATE %1 SET \"token\" = %2, \"intent\" = NULL")
                      .arg(tables.views.quoted(), text(token)) +
                  whereKey(u"view", view) + QStringLiteral(" AND \"intent\" IS NOT NULL");
    if (fence)
        sql += QStringLiteral(" AND ") +
               hasToken(QStringLiteral("\"token\""), fence->token.value_or(QString()));
    return sql;
}

QString forgetViewSql(const StateTables &tables, const QString &view)
{
    return QStringLiteral("DELETE FROM ") + tables.views.quoted() + whereKey(u"view", view);
}

QString leasesSql(const StateTables &tables, const QString &now)
{
    return QStringLiteral("SELECT %1, CASE WHEN \"until\" <= %2 THEN %3 ELSE %4 END AS is_over "
                          "FROM %5")
        .arg(kLeaseColumns, now, number(1), number(0), tables.leases.quoted());
}

QString leaseSql(const StateTables &tables, const QString &target, const QString &now)
{
    return leasesSql(tables, now) + whereKey(u"target", target);
}

QString acquireLeaseSql(const StateTables &tables, const LeaseRow &lease,
                        std::chrono::seconds lifetime, const QString &now, const QString &abandoned)
{
    const QStringList values{text(shardOf(lease.target)),
                             text(lease.target),
                             text(lease.token),
                             text(lease.owner),
                             text(lease.process.machine),
                             number(lease.process.pid),
                             number(lease.process.started),
                             later(now, std::chrono::seconds(0)),
                             later(now, lifetime)};
    QString over = QStringLiteral("t.\"until\" <= ") + now;
    if (!abandoned.isEmpty())
        over = QStringLiteral("(%1 OR t.\"token\" = %2)").arg(over, text(abandoned));
    return mergeSql(tables.leases, kLeaseColumns, u"target", lease.target, values) +
           QStringLiteral("\nWHEN MATCHED AND ") + over + QStringLiteral(" THEN UPDATE SET ") +
           assignments(kLeaseColumns, 2) + insertSql(kLeaseColumns);
}

QString renewLeaseSql(const StateTables &tables, const QString &target, const QString &token,
                      std::chrono::seconds lifetime, const QString &now)
{
    return QStringLiteral("UPDATE %1 SET \"until\" = %2")
               .arg(tables.leases.quoted(), later(now, lifetime)) +
           whereKey(u"target", target) + QStringLiteral(" AND \"token\" = ") + text(token);
}

QString releaseLeaseSql(const StateTables &tables, const QString &target, const QString &token)
{
    return QStringLiteral("DELETE FROM ") + tables.leases.quoted() + whereKey(u"target", target) +
           QStringLiteral(" AND \"token\" = ") + text(token);
}

QString recordsSql(const StateTables &tables, const QString &view, int most)
{
    return QStringLiteral("SELECT %1 FROM %2 WHERE \"view\" = %3 ORDER BY %4 LIMIT %5")
        .arg(kRecordColumns, tables.records.quoted(), text(view), kNewestFirst,
             QString::number(most));
}

QString lastRecordsSql(const StateTables &tables)
{
    return QStringLiteral("SELECT %1 FROM (%2) AS r WHERE n = 1")
        .arg(kRecordColumns, numbered(tables, kRecordColumns));
}

QList<QList<RecordById>> inPieces(const QList<RecordById> &records)
{
    return inPieces(records, recordRow);
}

QString addRecordsSql(const StateTables &tables, const QList<RecordById> &records)
{
    QStringList rows;
    for (const auto &record : records)
        rows.append(recordRow(record));
    return QStringLiteral("INSERT INTO ") + tables.records.quoted() +
           QStringLiteral(" (\"recorded\", ") + kRecordColumns + QStringLiteral(")\n") +
           valuesOf(rows);
}

QString findRecordSql(const StateTables &tables, const QString &id)
{
    return QStringLiteral("SELECT count(*) FROM %1 WHERE \"id\" = %2")
        .arg(tables.records.quoted(), text(id));
}

QString forgetRecordsSql(const StateTables &tables, const QString &view)
{
    return QStringLiteral("DELETE FROM %1 WHERE \"view\" = %2")
        .arg(tables.records.quoted(), text(view));
}

QString trimRecordsSql(const StateTables &tables)
{
    return QStringLiteral("DELETE FROM %1 WHERE \"id\" IN (SELECT \"id\" FROM (%2) AS r WHERE n > "
                          "%3)")
        .arg(tables.records.quoted(), numbered(tables, QStringLiteral("\"id\"")),
             QString::number(kRecordsKept));
}

}  // namespace ivm::store_iceberg
