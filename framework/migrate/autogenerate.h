// The next migration, from what differs between the state that is wanted and the one that is
// applied.
//
// Wanted: the views of views.yaml, and the tables of schema/ (table_file.h). Applied: the views
// that the history's migrations own, and the tables of the catalog. Tables that no file is about
// are left alone. Threads: that of the caller.
#pragma once

#include "framework/migrate/applied_table.h"
#include "framework/migrate/generated_step.h"
#include "framework/migrate/history_state.h"
#include "framework/migrate/table_file.h"
#include "framework/migrate/view_set.h"

namespace ivm::migrate {

struct AutogenerateRequest {
    const MigrationFolder &folder;
    const MigrationHistory &history;
    std::optional<QList<ViewSpec>> views;  // none: no file says which, so they stay as they are
    QList<TableFile> tables;
    QList<OtherView> others;  // as for a plan
    TableName defaults;
    AppliedTables &applied;
};

struct Generated {
    QList<GeneratedStep> upgrade;  // empty: nothing differs
    // The inverses, the last one first; none where one of them is missing, and because says why.
    std::optional<QList<Operation>> downgrade;
    QString because;
    // What cannot be generated: then there are no steps.
    QList<Error> problems;
};

// Errors as AppliedTables; those of the folder and drift; Conflict (code `migrations_pending`)
// while a migration is not applied, since what it changes would be found a second time.
Result<Generated> autogenerate(const AutogenerateRequest &request);

// The file's text, with comments on what was found. For writeRevision().
QByteArray generatedText(const Generated &generated, const QString &about,
                         const TableName &defaults);

}  // namespace ivm::migrate
