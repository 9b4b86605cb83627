// What the catalog tells of a plan before its first step: what would fail half way.
//
// A step is checked against tables that no step before it changes, and so not behind an `sql`
// statement that may have changed any. Nothing is written, no row is read.
//
// Threads: that of the looks.
#pragma once

#include "framework/migrate/plan.h"
#include "framework/migrate/table_looks.h"

namespace ivm::migrate {

// All that would fail, each with the step's place: NotFound or AlreadyExists of tables and columns,
// Invalid for types that narrow, for queries of views that the engine does not understand, and
// (code `has_dependants`) for a view whose column gets another type than a view was built on that
// reads it. `views`: all there are before. Errors as the engine.
Result<QList<Error>> preflight(const MigrationPlan &plan, const ViewSet &views, TableLooks &looks,
                               const Call &call);

}  // namespace ivm::migrate
