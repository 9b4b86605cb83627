// Rows of the history's tables, as the statements of statements.h select them.
//
// Pure functions; any thread. Corrupt, naming the table and the column, for what no program of ours
// writes.
#pragma once

#include "framework/api/history.h"
#include "framework/api/rows.h"

namespace ivm::store_iceberg {

Result<QList<MigrationRecord>> recordsFrom(const Rows &rows);  // by line and version
Result<QList<MigrationEvent>> eventsFrom(const Rows &rows);    // in the order of the rows
Result<QList<MigratedView>> viewsFrom(const Rows &rows);       // by name
// By line; `self` looks at them.
Result<QList<MigrationLock>> locksFrom(const Rows &rows, const ProcessIdentity &self);

// The one number of a row.
qint64 numberFrom(const Rows &rows);

}  // namespace ivm::store_iceberg
