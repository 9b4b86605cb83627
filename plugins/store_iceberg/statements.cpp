#include "plugins/store_iceberg/statements.h"

#include "plugins/store_iceberg/sql_text.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <array>

namespace ivm::store_iceberg {

namespace {

const QString kHistoryColumns =
    QStringLiteral("\"version\", \"namespace\", \"description\", \"applied_at\", \"status\", "
                   "\"error\", \"checksum\", \"duration_ms\", \"applied_by\"");
const QString kEventColumns =
    QStringLiteral("\"event_id\", \"at\", \"version\", \"namespace\", \"event\", \"step\", "
                   "\"actor\", \"host\", \"tool_version\", \"checksum\", \"detail\"");
const QString kViewColumns =
    QStringLiteral("\"name\", \"namespace\", \"version\", \"definition\", \"earlier\", \"held\"");
const QString kLockColumns =
    QStringLiteral("\"namespace\", \"token\", \"owner\", \"machine\", \"pid\", \"started\", "
                   "\"doing\", \"since\", \"heartbeat\", \"lifetime_seconds\"");
// Seconds since the last sign of life, by the engine's clock.
const QString kAge = QStringLiteral("date_diff('second', t.\"heartbeat\", current_timestamp(6))");

QString heldText(const QList<SnapshotId> &held)
{
    QJsonArray array;
    for (const auto id : held)
        array.append(id);
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QString eventRow(const MigrationEvent &event)
{
    return rowOf({text(event.id), time(event.at), number(event.version), text(event.line),
                  text(event.event), number(event.step), text(event.actor), text(event.host),
                  text(event.toolVersion), text(event.checksum), textOrNull(event.detail)});
}

QString savedRow(const MigratedView &view)
{
    return rowOf({text(view.name), text(view.line), number(view.version), text(view.definition),
                  textOrNull(view.earlier), text(heldText(view.held)), QStringLiteral("false")});
}

QString removedRow(const QString &name)
{
    return rowOf({text(name), textOrNull({}), QStringLiteral("CAST(NULL AS bigint)"),
                  textOrNull({}), textOrNull({}), textOrNull({}), QStringLiteral("true")});
}

QString closing()
{
    QStringList names;
    for (const auto name :
         {event::kUpgradeDone, event::kDowngradeDone, event::kStamped, event::kRepaired})
        names.append(quotedLiteral(name));
    return names.join(QStringLiteral(", "));
}

QString selectSql(const QString &columns, const TableName &table)
{
    return QStringLiteral("SELECT %1 FROM %2").arg(columns, table.quoted());
}

QString latestEventsSql(const HistoryTables &tables)
{
    return QStringLiteral("SELECT %1 FROM %2 AS e LEFT JOIN (SELECT \"namespace\" AS line, "
                          "max(\"at\") AS closed FROM %2 WHERE \"event\" IN (%3) GROUP BY 1) AS c "
                          "ON e.\"namespace\" = c.line WHERE c.closed IS NULL OR e.\"at\" >= "
                          "c.closed")
        .arg(kEventColumns, tables.events.quoted(), closing());
}

QString allLocksSql(const HistoryTables &tables)
{
    return QStringLiteral("SELECT %1, %2 AS age FROM %3 AS t")
        .arg(kLockColumns, kAge, tables.locks.quoted());
}

}  // namespace

QString eventsSql(const HistoryTables &tables, const QString &line)
{
    return QStringLiteral("SELECT %1 FROM %2 WHERE \"namespace\" = %3 ORDER BY \"at\", "
                          "\"event_id\"")
        .arg(kEventColumns, tables.events.quoted(), text(line));
}

QString locksSql(const HistoryTables &tables, const QString &line)
{
    return allLocksSql(tables) + QStringLiteral(" WHERE t.\"namespace\" = ") + text(line);
}

QList<Part> historyParts(const HistoryTables &tables)
{
    QList<Part> parts;
    for (const auto &spec : tableSpecs(tables))
        parts.append({.sql = {}, .columns = spec.columns});
    parts[0].sql = selectSql(kHistoryColumns, tables.history);
    parts[1].sql = latestEventsSql(tables);
    parts[2].sql = selectSql(kViewColumns, tables.views);
    parts[3].sql = allLocksSql(tables);
    parts[3].columns.append({.name = QStringLiteral("age"), .type = {.kind = TypeKind::Bigint}});
    return parts;
}

QString countEventsSql(const HistoryTables &tables, const QList<MigrationEvent> &events)
{
    QStringList ids;
    for (const auto &event : events)
        ids.append(text(event.id));
    return QStringLiteral("SELECT count(DISTINCT \"event_id\") FROM %1 WHERE \"event_id\" IN (%2)")
        .arg(tables.events.quoted(), ids.join(QStringLiteral(", ")));
}

QList<QList<MigrationEvent>> inPieces(const QList<MigrationEvent> &events)
{
    return inPieces(events, eventRow);
}

QList<QList<MigratedView>> inPieces(const QList<MigratedView> &views)
{
    return inPieces(views, savedRow);
}

QString appendSql(const HistoryTables &tables, const QList<MigrationEvent> &events)
{
    QStringList rows;
    for (const auto &event : events)
        rows.append(eventRow(event));
    return QStringLiteral("INSERT INTO ") + tables.events.quoted() + QStringLiteral(" (") +
           kEventColumns + QStringLiteral(")\n") + valuesOf(rows);
}

// The version is said as a constant, too: that alone keeps the files of others from being read.
QString saveSql(const HistoryTables &tables, const MigrationRecord &record)
{
    const QString values = valuesOf({rowOf(
        {number(record.version), text(record.line), text(record.description),
         time(record.appliedAt), text(migrationStatusName(record.status)), textOrNull(record.error),
         text(record.checksum), number(record.durationMs), text(record.appliedBy)})});
    return QStringLiteral("MERGE INTO ") + tables.history.quoted() +
           QStringLiteral(" AS t USING (") + values + QStringLiteral(") AS s(") + kHistoryColumns +
           QStringLiteral(")\nON t.\"version\" = s.\"version\" AND t.\"namespace\" = "
                          "s.\"namespace\" AND t.\"version\" = ") +
           QString::number(record.version) + QStringLiteral("\nWHEN MATCHED THEN UPDATE SET ") +
           assignments(kHistoryColumns, 2) + QStringLiteral("\nWHEN NOT MATCHED THEN INSERT (") +
           kHistoryColumns + QStringLiteral(") VALUES (") + sourceColumns(kHistoryColumns) + u')';
}

// Nothing but a value that cannot be cast makes a MERGE fail by what a row holds.
const QString kSameLine =
    QStringLiteral("\"namespace\" = CASE WHEN t.\"namespace\" = s.\"namespace\" THEN "
                   "s.\"namespace\" ELSE CAST(CAST('") +
    kOtherLineMark +
    QStringLiteral(
        "' || s.\"name\" || '=' || t.\"namespace\" || ';' AS boolean) AS varchar) END, ");

QString changeViewsSql(const HistoryTables &tables, const QList<MigratedView> &saved,
                       const QStringList &removed)
{
    QStringList rows;
    for (const auto &view : saved)
        rows.append(savedRow(view));
    for (const auto &name : removed)
        rows.append(removedRow(name));
    return QStringLiteral("MERGE INTO ") + tables.views.quoted() + QStringLiteral(" AS t USING (") +
           valuesOf(rows) + QStringLiteral(") AS s(") + kViewColumns +
           QStringLiteral(", gone)\nON t.\"name\" = s.\"name\"\nWHEN MATCHED AND s.gone THEN "
                          "DELETE\nWHEN MATCHED THEN UPDATE SET ") +
           kSameLine + assignments(kViewColumns, 2) +
           QStringLiteral("\nWHEN NOT MATCHED AND NOT s.gone THEN INSERT (") + kViewColumns +
           QStringLiteral(") VALUES (") + sourceColumns(kViewColumns) + u')';
}

QString acquireSql(const HistoryTables &tables, const MigrationLock &lock,
                   std::chrono::seconds lifetime, const std::optional<MigrationLock> &abandoned)
{
    const QString now = QStringLiteral("current_timestamp(6)");
    const QString values = valuesOf(
        {rowOf({text(lock.line), text(lock.token), text(lock.owner), text(lock.process.machine),
                number(lock.process.pid), number(lock.process.started), text(lock.doing), now, now,
                number(lifetime.count())})});
    QString sql = QStringLiteral("MERGE INTO ") + tables.locks.quoted() +
                  QStringLiteral(" AS t USING (") + values + QStringLiteral(") AS s(") +
                  kLockColumns + QStringLiteral(")\nON t.\"namespace\" = s.\"namespace\"");
    if (abandoned)
        sql += QStringLiteral("\nWHEN MATCHED AND t.\"token\" = ") + text(abandoned->token) +
               QStringLiteral(" AND %1 >= ").arg(kAge) + number(abandoned->age.count()) +
               QStringLiteral(" THEN UPDATE SET ") + assignments(kLockColumns, 1);
    return sql + QStringLiteral("\nWHEN NOT MATCHED THEN INSERT (") + kLockColumns +
           QStringLiteral(") VALUES (") + sourceColumns(kLockColumns) + u')';
}

QString renewSql(const HistoryTables &tables, const MigrationLock &lock, const QString &doing)
{
    return QStringLiteral("UPDATE %1 SET \"doing\" = %2, \"heartbeat\" = current_timestamp(6) "
                          "WHERE \"namespace\" = %3 AND \"token\" = %4")
        .arg(tables.locks.quoted(), text(doing), text(lock.line), text(lock.token));
}

QString releaseSql(const HistoryTables &tables, const MigrationLock &lock)
{
    return QStringLiteral("DELETE FROM %1 WHERE \"namespace\" = %2 AND \"token\" = %3")
        .arg(tables.locks.quoted(), text(lock.line), text(lock.token));
}

QString breakLockSql(const HistoryTables &tables, const QString &line)
{
    return QStringLiteral("DELETE FROM %1 WHERE \"namespace\" = %2")
        .arg(tables.locks.quoted(), text(line));
}

}  // namespace ivm::store_iceberg
