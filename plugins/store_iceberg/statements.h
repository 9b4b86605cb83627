// The SQL of the history's tables, in Trino's language.
//
// Pure functions; any thread. Everything from outside is written as a quoted literal.
#pragma once

#include "framework/api/history.h"
#include "plugins/store_iceberg/tables.h"
#include "plugins/store_iceberg/together.h"

namespace ivm::store_iceberg {

// What rows.h reads: records; of every line the last event that closed a run, and those after it;
// views; locks.
QList<Part> historyParts(const HistoryTables &tables);
QString eventsSql(const HistoryTables &tables, const QString &line);
QString locksSql(const HistoryTables &tables, const QString &line);
// How many of the events are there: one bigint.
QString countEventsSql(const HistoryTables &tables, const QList<MigrationEvent> &events);

// A list cut into pieces whose statements engines take.
QList<QList<MigrationEvent>> inPieces(const QList<MigrationEvent> &events);
QList<QList<MigratedView>> inPieces(const QList<MigratedView> &views);

QString appendSql(const HistoryTables &tables, const QList<MigrationEvent> &events);
QString saveSql(const HistoryTables &tables, const MigrationRecord &record);
// None of `removed` is in `saved`; not both are empty.
// Fails with kOtherLineMark, the view and its line in the message where a view is another line's.
QString changeViewsSql(const HistoryTables &tables, const QList<MigratedView> &saved,
                       const QStringList &removed);

// Takes a line that nobody holds; or that `abandoned` does still, which is stale as it was then.
QString acquireSql(const HistoryTables &tables, const MigrationLock &lock,
                   std::chrono::seconds lifetime, const std::optional<MigrationLock> &abandoned);
QString renewSql(const HistoryTables &tables, const MigrationLock &lock, const QString &doing);
QString releaseSql(const HistoryTables &tables, const MigrationLock &lock);
QString breakLockSql(const HistoryTables &tables, const QString &line);

inline constexpr QStringView kOtherLineMark = u"ivm other line: ";

}  // namespace ivm::store_iceberg
