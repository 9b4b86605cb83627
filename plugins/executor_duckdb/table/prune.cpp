#include "plugins/executor_duckdb/table/prune.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

bool isWithinBounds(const iceberg::DataFile &file, const iceberg::Field &column,
                    const iceberg::Literal &value)
{
    const auto boundOf = [&](const QMap<int, QByteArray> &bounds) {
        const auto bytes = bounds.constFind(column.id);
        return bytes == bounds.cend() ? fail(Error{})
                                      : iceberg::literalFromBytes(column.type, *bytes);
    };
    const auto lower = boundOf(file.lowerBounds);
    const auto upper = boundOf(file.upperBounds);
    return !(lower && iceberg::literalLess(column.type, value, *lower)) &&
           !(upper && iceberg::literalLess(column.type, *upper, value));
}

bool isInPartition(const iceberg::DataFile &file, const iceberg::Field &column,
                   const iceberg::Literal &value, const iceberg::TableMetadata &metadata)
{
    const auto *spec = metadata.spec(file.specId);
    for (qsizetype i = 0; spec && i < std::min(spec->fields.size(), file.partition.size()); ++i) {
        const auto &field = spec->fields[i];
        // Truncated numbers are ranges, which ScanFilter knows.
        const bool isRange = field.transform.kind == Transform::Truncate &&
                             column.type.id != iceberg::TypeId::String;
        if (field.sourceId != column.id || field.transform.kind == Transform::Void || isRange)
            continue;
        const auto partition = iceberg::applyTransform(field.transform, column.type, value);
        if (partition && !(*partition == file.partition[i]))
            return false;
    }
    return true;
}

}  // namespace

bool mayMatch(const iceberg::DataFile &file, const FileFilter &filter,
              const iceberg::TableMetadata &metadata)
{
    if (filter.paths && !filter.paths->contains(file.path))
        return false;
    for (const auto &[id, values] : filter.values.asKeyValueRange()) {
        const auto *column = metadata.currentSchema().field(id);
        const auto isHere = [&](const iceberg::Literal &value) {
            return isWithinBounds(file, *column, value) &&
                   isInPartition(file, *column, value, metadata);
        };
        if (column && std::ranges::none_of(values, isHere))
            return false;
    }
    return std::ranges::all_of(filter.columns, [&](const auto &column) {
        return iceberg::mayMatch(iceberg::fileBounds(file, column.fieldId, metadata), column);
    });
}

}  // namespace ivm::duckdb
