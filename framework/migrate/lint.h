// What is worth a second look in migrations that are fine as far as they can be read.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/migration_file.h"

#include <QHash>

#include <chrono>

namespace ivm::migrate {

struct LintContext {
    TableName defaults;
    qint64 applied = 0;  // the version up to which nothing is said: it is done
    // How long ago the oldest snapshot of a table is that a view still counts from, where that is
    // known.
    QHash<TableName, std::chrono::seconds> oldestBookmark = {};
};

// Warnings, by file and place: `destructive`, `narrowing`, `not_null`, `volatile_function`,
// `partitioning`, `retention`, `retyped`, `quoted_name`, `no_downgrade`, `irreversible`. Types of
// columns and definitions of views are known as far as the files themselves say them, those that
// are applied included.
QList<Error> lint(const MigrationFolder &folder, const LintContext &context);

}  // namespace ivm::migrate
