// Makes the folder of migrations, and files in it.
//
// Threads: any; writes files. Nothing that exists is overwritten.
#pragma once

#include "framework/migrate/migration_file.h"

namespace ivm::migrate {

// The folder's path. Unavailable where it cannot be made.
Result<QString> makeFolder(const FolderRequest &request);

// "Add departures, per hour!": "add_departures_per_hour". Empty where nothing is left.
QString nameOf(const QString &message);

// The next file, with an empty upgrade to be filled in. Invalid (code `usage`) for a message
// without letters or digits; Unavailable, AlreadyExists.
Result<QString> makeRevision(const MigrationFolder &folder, const QString &message);
// The same, with a text of its own.
Result<QString> writeRevision(const MigrationFolder &folder, const QString &message,
                              const QByteArray &text);

}  // namespace ivm::migrate
