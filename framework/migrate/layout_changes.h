// What makes partitioning, sort order, properties and comment of a table into those of its schema
// file.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/applied_table.h"
#include "framework/migrate/column_changes.h"

namespace ivm::migrate {

// The order of partition fields is left alone, and so are properties that the file does not name.
// Columns that the table has come to be partitioned by are kept in `columns`.
QList<GeneratedStep> layoutChanges(const TableFile &file, const AppliedTable &applied,
                                   ColumnChanges &columns, QList<Error> &problems);

}  // namespace ivm::migrate
