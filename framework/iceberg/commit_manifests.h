// The manifests of a new snapshot, made from its parent's and a change. Private to this folder.
#pragma once

#include "framework/iceberg/publish.h"

namespace ivm::iceberg {

// The snapshot that is being made.
struct NewSnapshot {
    SnapshotId id = 0;
    qint64 sequenceNumber = 0;
    QString commitId;  // a UUID, for the files' names
};

struct CommitManifests {
    QList<ManifestFile> manifests;  // of the new snapshot, written where they are new
    QList<DataFile> removed;        // the entries that SnapshotChange::removed named
};

// Keeps what the change does not touch, rewrites manifests that lose entries, adds one for each
// spec and content of what is added, and merges small ones when there are many. Conflict when a
// removed file is not live; else as FileIO and manifest.h.
Result<CommitManifests> makeManifests(FileIO &io, const TableMetadata &base,
                                      const NewSnapshot &snapshot, const SnapshotChange &change,
                                      WrittenFiles &written);

}  // namespace ivm::iceberg
