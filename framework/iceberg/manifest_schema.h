// The Avro schemas of manifests and manifest lists, and the ids of their fields.
//
// Pure functions; any thread. Private to this folder. Source: Iceberg table spec, "Manifests",
// "Manifest Lists", Appendix A.
#pragma once

#include "framework/iceberg/avro.h"
#include "framework/iceberg/metadata.h"

namespace ivm::iceberg {

// Field ids of manifest entries, data files, manifest list lines and field summaries.
namespace ids {
inline constexpr int kStatus = 0, kSnapshotId = 1, kDataFile = 2, kSequenceNumber = 3,
                     kFileSequenceNumber = 4;
inline constexpr int kContent = 134, kFilePath = 100, kFileFormat = 101, kPartition = 102,
                     kRecordCount = 103, kFileSize = 104, kColumnSizes = 108, kValueCounts = 109,
                     kNullValueCounts = 110, kNanValueCounts = 137, kLowerBounds = 125,
                     kUpperBounds = 128, kKeyMetadata = 131, kSplitOffsets = 132,
                     kEqualityIds = 135, kSortOrderId = 140, kReferencedDataFile = 143,
                     kContentOffset = 144;
inline constexpr int kManifestPath = 500, kManifestLength = 501, kSpecId = 502,
                     kManifestContent = 517, kManifestSequence = 515, kMinSequence = 516,
                     kAddedSnapshot = 503, kAddedFiles = 504, kExistingFiles = 505,
                     kDeletedFiles = 506, kAddedRows = 512, kExistingRows = 513, kDeletedRows = 514,
                     kPartitions = 507, kManifestKeyMetadata = 519;
inline constexpr int kContainsNull = 509, kContainsNan = 518, kLower = 510, kUpper = 511;
}  // namespace ids

QByteArray manifestListSchema();

// The type of each of a spec's partition values. Unsupported for unknown transforms, Corrupt when a
// source column is nowhere.
Result<QList<FieldType>> partitionTypes(const PartitionSpec &spec, const TableMetadata &metadata);

QByteArray manifestSchema(const PartitionSpec &spec, const QList<FieldType> &types);

// A decimal of this many digits in its fixed form.
int decimalBytes(int precision);

}  // namespace ivm::iceberg
