// Entries of a table's manifests, read through "t$all_entries".
//
// Threads: as the session. Source: Iceberg table spec, "Manifests"; Trino's documentation, "Iceberg
// connector", "Metadata tables".
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"

#include <QSet>

namespace ivm::trino {

enum class EntryStatus { Existing = 0, Added = 1, Deleted = 2 };
enum class FileContent { Data = 0, PositionDeletes = 1, EqualityDeletes = 2 };

struct Entry {
    EntryStatus status = EntryStatus::Existing;
    SnapshotId snapshot = 0;  // that added or removed the file
    qint64 sequence = 0;      // of the file's data
    FileContent content = FileContent::Data;
    QString path;
    qint64 records = 0;
    qint64 bytes = 0;
    QString dataFile;   // the one a position delete file is about; empty where it is about several
    FileBounds bounds;  // of the wanted column

    bool operator==(const Entry &) const = default;
};

// What entries are read with. A table with very many of them is Unsupported, at every call.
struct EntryReader {
    Session &session;
    TableName table;
    std::optional<Column> column;  // whose bounds are wanted
    const Call &call;

    // What these snapshots added and removed. Errors as Session::run; Corrupt for entries that make
    // no sense.
    Result<QList<Entry>> ofSnapshots(const QList<SnapshotId> &snapshots) const;
    // The data files of these paths, one entry each; a path that no manifest names is missing.
    Result<QMap<QString, Entry>> ofDataFiles(const QSet<QString> &paths) const;
    // All entries of data files.
    Result<QList<Entry>> ofData() const;
    // Partition values by path, and their type; nothing for an unpartitioned table.
    struct Partitions {
        Type type;
        QMap<QString, Value> values;
        QMap<QString, qint64> specs;
    };
    Result<Partitions> partitions() const;

private:
    Result<QList<Entry>> read(const QString &condition) const;
    Result<Entry> readEntry(const Row &row) const;
    // Unsupported, once so many have been read that the rest is better left alone.
    Status checkCount(qsizetype read) const;
};

}  // namespace ivm::trino
