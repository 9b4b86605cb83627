// What makes the views that a line of migrations owns into those that are wanted.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/generated_step.h"
#include "framework/migrate/view_set.h"

namespace ivm::migrate {

struct ViewChangesRequest {
    const QList<ViewSpec> &wanted;
    const QList<MigratedView> &migrated;  // of all lines
    const ViewSet &views;                 // the same, with those of other owners
    QString line;
    qint64 version = 0;  // of the migration
    TableName defaults;
};

// In the order that suits most: renamed, made and replaced (sources before those that read them),
// dropped. Views of other lines are left alone where they say the same. What cannot be done, and
// queries that are refused, go to `problems`.
QList<GeneratedStep> viewChanges(const ViewChangesRequest &request, QList<Error> &problems);

}  // namespace ivm::migrate
