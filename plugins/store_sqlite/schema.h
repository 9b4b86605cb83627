// The store's tables, and how a file of an older version is brought up to date.
//
// The version stands in SQLite's user_version, our mark in its application_id. A file that is up to
// date is not written to.
#pragma once

#include "plugins/store_sqlite/database.h"

#include <QStringList>

namespace ivm::sqlite {

// Our mark: "IVMs" in ASCII.
inline constexpr qint64 kApplicationId = 0x49564d73;

// The statements that lead from version i to version i + 1, for i = 0 …
using UpgradeSteps = QList<QStringList>;
const UpgradeSteps &upgradeSteps();

// The version from which on the history of migrations is kept.
inline constexpr qint64 kHistoryVersion = 2;

// Of the file as it is; 0 for a new one. Errors as below.
Result<qint64> schemaVersion(Database &database);

// Makes the tables, or upgrades them, in one transaction. Unsupported (code `state_newer`) when the
// file is of a newer version, Invalid (`state_foreign`) when it is another program's; else as
// Database::run().
Status bringUpToDate(Database &database, const UpgradeSteps &steps = upgradeSteps());

}  // namespace ivm::sqlite
