// Partition transforms: from a column's value to its partition value, and back to bounds of the
// column.
//
// Plain data; any thread. Source: Iceberg table spec, "Partition Transforms" and Appendix B.
#pragma once

#include "framework/api/detector.h"
#include "framework/iceberg/literal.h"

namespace ivm::iceberg {

// A transform as metadata spell it. One this version does not know has no kind, and its fields are
// ignored when pruning.
struct PartitionTransform {
    std::optional<Transform> kind = {};
    int argument = 0;  // bucket count or truncate width
    QString text;      // "bucket[16]"

    bool operator==(const PartitionTransform &) const = default;
};

PartitionTransform parseTransform(const QString &text);
PartitionTransform makeTransform(Transform kind, int argument = 0);

// The type of the partition value. Invalid, naming both, when the transform does not take the
// source type.
Result<FieldType> transformedType(const PartitionTransform &transform, const FieldType &source);

// The partition value; NULL gives NULL, and so does void. Years, months, days and hours count from
// 1970 and round down. Unsupported for an unknown transform; Invalid as transformedType().
Result<Literal> applyTransform(const PartitionTransform &transform, const FieldType &source,
                               const Literal &value);

// The hash that buckets are made from: Murmur3, x86, 32 bits, seed 0.
quint32 murmur3(QByteArrayView bytes);

// What a partition value says about the rows of its file: bounds in FileBounds' units, rounded
// outward, and whether the column is NULL in all or none of them. A bucket tells only the latter,
// void and unknown transforms nothing; types without such units have no bounds.
FileBounds boundsOfPartition(const PartitionTransform &transform, const FieldType &source,
                             const Literal &value);

// A value in FileBounds' units: days for date, microseconds for timestamps, itself for integers.
// None for other types.
std::optional<qint64> boundUnits(const FieldType &type, const Literal &value);

}  // namespace ivm::iceberg
