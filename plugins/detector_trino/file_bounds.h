// What a file's metrics, as Trino prints them, say about one column.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/rows.h"

namespace ivm::trino {

struct ColumnMetrics {
    QString lower;
    QString upper;
    std::optional<qint64> values;  // NULL included
    std::optional<qint64> nulls;
};

// In the units of FileBounds. Bounds of other types, and those that cannot be read, are not known.
FileBounds boundsFromMetrics(const Type &type, const ColumnMetrics &metrics, qint64 records);

// What the partition value adds: `partition` is the file's, a row of `partitionType`, whose fields
// have the names Trino and Iceberg give them (ts_day for day(ts)); only transforms of
// `partitioning` are believed, and none when the table ever had other fields.
FileBounds boundsFromPartition(const Column &column, const QList<PartitionField> &partitioning,
                               const Type &partitionType, const Value &partition);

// The first, and where it does not know, the second.
FileBounds completed(FileBounds bounds, const FileBounds &other);

}  // namespace ivm::trino
