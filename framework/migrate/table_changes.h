// What makes the tables of the catalog into those that schema files say.
//
// Threads: that of `applied`.
#pragma once

#include "framework/migrate/applied_table.h"
#include "framework/migrate/generated_step.h"
#include "framework/migrate/table_file.h"
#include "framework/migrate/view_set.h"

namespace ivm::migrate {

struct TableSteps {
    QList<GeneratedStep> first;  // what views may need
    QList<GeneratedStep> last;   // columns that are dropped: a view may have read them before
};

// Tables that no file is about are left alone, and so is the order of columns. What cannot be done
// to a table that has rows goes to `problems`, with both types and the way on. Errors as
// AppliedTables.
Result<TableSteps> tableChanges(const QList<TableFile> &files, const ViewSet &views,
                                AppliedTables &applied, const TableName &defaults,
                                QList<Error> &problems);

}  // namespace ivm::migrate
