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

// The steps, and what replaces views that read a column which `tables` give another type,
// themselves or through others: their own columns get the types that follow. `after` are the views
// as they are behind all steps.
QList<GeneratedStep> withRetyped(const QList<GeneratedStep> &steps, const ViewSet &after,
                                 const QString &line, const QList<GeneratedStep> &tables);

}  // namespace ivm::migrate
