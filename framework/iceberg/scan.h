// Which files hold the rows of a snapshot.
//
// Plain data; any thread. Source: Iceberg table spec, "Scan Planning".
#pragma once

#include "framework/base/call.h"
#include "framework/iceberg/manifest.h"

namespace ivm::iceberg {

// What is known about a column's values in a file: from the file's metrics, else from its partition
// value. Rounded outward.
FileBounds fileBounds(const DataFile &file, int fieldId, const TableMetadata &metadata);

// Half-open, in FileBounds' units; a missing end is open.
struct ValueRange {
    std::optional<qint64> from = {};
    std::optional<qint64> to = {};

    bool operator==(const ValueRange &) const = default;
};

// Rows of which a scan wants to see at least all: those with the column in one of the ranges, or
// NULL if asked for.
struct ScanFilter {
    int fieldId = 0;
    QList<ValueRange> ranges = {};
    bool nulls = false;
};

bool mayMatch(const FileBounds &bounds, const ScanFilter &filter);

struct LiveFile {
    DataFile file;
    SnapshotId addedBy = 0;
    qint64 sequenceNumber = 0;  // of the data
    qint64 fileSequenceNumber = 0;
    // Indexes into LiveFiles::deletes: those that apply to this file.
    QList<qsizetype> deletes = {};
};

// The file of an entry that readManifest() gave.
LiveFile liveFileOf(ManifestEntry entry);

struct LiveFiles {
    std::vector<LiveFile> data;  // in the order of the manifests
    std::vector<LiveFile> deletes;
};

// Whether a delete file's rows may be in a data file: older, in the same partition or global, and
// not for another file only.
bool deleteApplies(const LiveFile &deleteFile, const LiveFile &dataFile,
                   const TableMetadata &metadata);

// The live files of a snapshot, with the deletes that apply to each; without those that cannot
// match `filter`. NotFound, Unavailable, Corrupt, Unsupported, Cancelled, Timeout.
Result<LiveFiles> liveFiles(FileIO &io, const TableMetadata &metadata, const Snapshot &snapshot,
                            const std::optional<ScanFilter> &filter, const Call &call);

}  // namespace ivm::iceberg
