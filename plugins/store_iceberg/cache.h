// What the tables held after the last run of our own, in a file: so that commands that only look
// need no engine.
//
// Any thread, any process: the file is replaced as a whole.
#pragma once

#include "framework/api/history.h"

namespace ivm::store_iceberg {

struct CachedHistory {
    // Of the four tables in the order of HistoryTables::all().
    QList<TableHead> heads;
    MigrationHistory history;  // without locks

    bool operator==(const CachedHistory &) const = default;
};

// None where there is no file, or one that cannot be used.
std::optional<CachedHistory> readCache(const QString &path);
// A file that cannot be written is told in the log alone: nothing depends on it.
void writeCache(const QString &path, const CachedHistory &cached);

}  // namespace ivm::store_iceberg
