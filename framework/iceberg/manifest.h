// Manifests and manifest lists: which data and delete files a snapshot has.
//
// Plain data; any thread. Source: Iceberg table spec, "Manifests" and "Manifest Lists". Written as
// format version 2; lists and manifests of version 1 are read with the spec's defaults.
#pragma once

#include "framework/iceberg/file_io.h"
#include "framework/iceberg/metadata.h"

namespace ivm::iceberg {

enum class FileContent { Data = 0, PositionDeletes = 1, EqualityDeletes = 2 };
enum class EntryStatus { Existing = 0, Added = 1, Deleted = 2 };
enum class ManifestContent { Data = 0, Deletes = 1 };

// Field ids of the columns of a position delete file.
inline constexpr int kDeleteFilePathId = 2147483546;
inline constexpr int kDeletePositionId = 2147483545;

struct DataFile {
    FileContent content = FileContent::Data;
    QString path;  // a URI
    QString format = QStringLiteral("PARQUET");
    int specId = 0;
    QList<Literal> partition = {};  // in the order of the spec's fields
    qint64 recordCount = 0;
    qint64 sizeInBytes = 0;
    // By field id; a missing id is "not known".
    QMap<int, qint64> columnSizes = {};
    QMap<int, qint64> valueCounts = {};  // NULL and NaN included
    QMap<int, qint64> nullValueCounts = {};
    QMap<int, qint64> nanValueCounts = {};
    QMap<int, QByteArray> lowerBounds = {};  // literalToBytes()
    QMap<int, QByteArray> upperBounds = {};
    QList<qint64> splitOffsets = {};
    QList<int> equalityIds = {};
    std::optional<int> sortOrderId = {};  // written as 0, unsorted, where it is not told
    QString referencedDataFile = {};      // empty: not told
    QByteArray keyMetadata = {};

    bool operator==(const DataFile &) const = default;
};

struct ManifestEntry {
    EntryStatus status = EntryStatus::Added;
    // Inherited ones are filled in by readManifest(); for entries that are written as Added they
    // are left out.
    std::optional<SnapshotId> snapshotId = {};
    std::optional<qint64> sequenceNumber = {};  // of the data: which deletes apply
    std::optional<qint64> fileSequenceNumber = {};
    DataFile file;

    bool operator==(const ManifestEntry &) const = default;
};

// The values of one partition field over a manifest.
struct FieldSummary {
    bool containsNull = false;
    std::optional<bool> containsNan = {};
    std::optional<QByteArray> lower = {};
    std::optional<QByteArray> upper = {};

    bool operator==(const FieldSummary &) const = default;
};

// One line of a manifest list.
struct ManifestFile {
    QString path;
    qint64 length = 0;
    int specId = 0;
    ManifestContent content = ManifestContent::Data;
    qint64 sequenceNumber = 0;
    qint64 minSequenceNumber = 0;
    SnapshotId addedSnapshotId = 0;  // 0: not told (version 1, without a manifest list)
    // -1: not told (version 1); take it for "some".
    int addedFiles = 0;
    int existingFiles = 0;
    int deletedFiles = 0;
    qint64 addedRows = 0;
    qint64 existingRows = 0;
    qint64 deletedRows = 0;
    QList<FieldSummary> partitions = {};
    QByteArray keyMetadata = {};

    bool operator==(const ManifestFile &) const = default;
    bool hasLiveFiles() const { return addedFiles != 0 || existingFiles != 0; }
};

// Corrupt, naming `what`; Unsupported for what these bytes have and version 2 has not.
Result<QList<ManifestFile>> readManifestList(const QByteArray &bytes, QStringView what);
// `snapshot` gives the ids that go into the file's own metadata.
Result<QByteArray> writeManifestList(const QList<ManifestFile> &manifests,
                                     const Snapshot &snapshot);

// The entries, with what they inherit from `manifest` filled in. `metadata` gives the partition
// spec. Corrupt, naming the manifest's path; Unsupported.
Result<std::vector<ManifestEntry>>
readManifest(const QByteArray &bytes, const ManifestFile &manifest, const TableMetadata &metadata);

// Adds an entry to the counts of its manifest, and to its least sequence number.
void countEntry(const ManifestEntry &entry, ManifestFile &manifest);

struct ManifestToWrite {
    QString path;
    int specId = 0;
    ManifestContent content = ManifestContent::Data;
    std::vector<ManifestEntry> entries = {};  // all of this spec and content
    // Of the commit.
    SnapshotId snapshotId = 0;
    qint64 sequenceNumber = 0;
};
struct WrittenManifest {
    QByteArray bytes;
    ManifestFile manifest;  // its line in the manifest list
};
// Internal when an entry's partition does not fit the spec.
Result<WrittenManifest> writeManifest(const ManifestToWrite &manifest,
                                      const TableMetadata &metadata);

// A file that a table's metadata name: Corrupt where it is not there; else as FileIO::readAll().
Result<QByteArray> readNamed(FileIO &io, const QString &location);

// The same from storage; as above, and what readNamed() gives. Manifests that a snapshot lists
// itself are looked into for what a list would say.
Result<QList<ManifestFile>> loadManifestList(FileIO &io, const Snapshot &snapshot);
Result<std::vector<ManifestEntry>> loadManifest(FileIO &io, const ManifestFile &manifest,
                                                const TableMetadata &metadata);

}  // namespace ivm::iceberg
