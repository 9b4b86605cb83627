// What a plan will read and build, as far as the catalog tells without reading a row.
//
// Threads: that of the session.
#pragma once

#include "framework/migrate/plan.h"
#include "framework/migrate/table_looks.h"
#include "framework/migrate/view_builder.h"

namespace ivm::migrate {

struct EstimateServices {
    TableLooks &looks;
    ViewBuilder &builder;
    TableName defaults;
};

// Fills in the steps' `reads` and `how`. A table that is not there yet is said to be so. Errors as
// the engine.
Status estimate(MigrationPlan &plan, const MigrationHistory &history,
                const EstimateServices &services, const Call &call);

}  // namespace ivm::migrate
