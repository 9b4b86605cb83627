// Making a new table state and putting it in place.
//
// Threads: any thread. Lifetime: catalog and file access outlive the call.
// Every commit writes its files, forces them to disk, and then swaps the catalog's pointer from the
// base's metadata file to the new one. When the swap is lost, the metadata files that were written
// for it are removed again; data files are the caller's. Source: Iceberg table spec, "Optimistic
// Concurrency", "Sequence Numbers", "Snapshots", Appendix F.
#pragma once

#include "framework/base/clock.h"
#include "framework/iceberg/catalog.h"
#include "framework/iceberg/manifest.h"

namespace ivm::iceberg {

// Where tables live.
struct Warehouse {
    Catalog &catalog;
    FileIO &io;
    const Clock &clock;
};

// A table at one state.
struct Table {
    TableName name;
    QString metadataLocation;
    TableMetadata metadata;

    TableHead head() const;
};

// The table at the state of one metadata file. Corrupt (the file is gone, too), Unavailable,
// Unsupported.
Result<Table> readTable(FileIO &io, const CatalogEntry &entry);

// The table as it is now. NotFound, and as readTable().
Result<Table> loadTable(Warehouse warehouse, const TableName &name);

// <warehouse>/<schema>/<table>-<32 hex>, as a URI.
QString newTableLocation(const QString &warehouseUri, const TableName &name);
// A place for a new data file: <location>/data/<uuid>.parquet.
QString newDataFileLocation(const TableMetadata &metadata);

// AlreadyExists; NotFound when the schema is missing; Unavailable.
Result<Table> createTable(Warehouse warehouse, const TableName &name,
                          const TableMetadata &metadata);
struct SnapshotChange;
// The same with its first snapshot in it.
Result<Table> createTable(Warehouse warehouse, const TableName &name, const TableMetadata &metadata,
                          const SnapshotChange &first);

enum class Operation { Append, Overwrite, Delete, Replace };

// What a new snapshot of main does to the files of its parent.
struct SnapshotChange {
    Operation operation = Operation::Append;
    // Data and delete files; their partitions in the order of their spec's fields.
    QList<DataFile> added = {};
    QStringList removed = {};             // paths of live data and delete files
    QMap<QString, QString> summary = {};  // beside the counts, which are made here
};

// The new state; the snapshot is its current one.
// Conflict (nothing was changed: the table moved on, or a removed file is not live any more),
// CommitUnknown (settle it), Unavailable, Corrupt, Unsupported.
Result<Table> commitSnapshot(Warehouse warehouse, const Table &base, const SnapshotChange &change);

// Makes an existing snapshot the head of main. Invalid when there is none of that id; Conflict,
// CommitUnknown, Unavailable.
Result<Table> setCurrentSnapshot(Warehouse warehouse, const Table &base, SnapshotId snapshot);

// Puts another table in the place of one, in one commit: `next`, as replaced() makes it of
// base.metadata, with `first` as its snapshot without a parent. As commitSnapshot().
Result<Table> commitReplacement(Warehouse warehouse, const Table &base, const TableMetadata &next,
                                const SnapshotChange &first);

// Any other change of metadata (schema, properties, spec): `next` is base.metadata with the change
// made. Conflict, CommitUnknown, Unavailable.
Result<Table> commitMetadata(Warehouse warehouse, const Table &base, TableMetadata next);

}  // namespace ivm::iceberg
