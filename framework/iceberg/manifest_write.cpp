#include "framework/iceberg/json_members.h"
#include "framework/iceberg/manifest.h"
#include "framework/iceberg/manifest_schema.h"

#include <QJsonDocument>

#include <algorithm>
#include <cmath>

namespace ivm::iceberg {

namespace {

using avro::Value;

template <typename T>
Value pairs(const QMap<int, T> &map)
{
    std::vector<Value> out;
    out.reserve(size_t(map.size()));
    for (const auto &[key, value] : map.asKeyValueRange())
        out.push_back({std::vector<Value>{{qint64(key)}, {value}}});
    return {std::move(out)};
}

template <typename T>
Value items(const QList<T> &list)
{
    if (list.isEmpty())
        return {};
    std::vector<Value> out;
    for (const T item : list)
        out.push_back({qint64(item)});
    return {std::move(out)};
}

template <typename T>
Value optionalWhole(const std::optional<T> &value)
{
    return value ? Value{qint64(*value)} : Value{};
}

// Decimals are kept short and stored in a fixed size.
QByteArray padded(const QByteArray &decimal, int size)
{
    const bool isNegative = !decimal.isEmpty() && static_cast<signed char>(decimal[0]) < 0;
    return decimal.rightJustified(size, isNegative ? '\xff' : '\0');
}

Value partitionValue(const FieldType &type, const Literal &literal)
{
    if (const auto *bytes = std::get_if<QByteArray>(&literal.data))
        return {type.id == TypeId::Decimal ? padded(*bytes, decimalBytes(type.precision)) : *bytes};
    Value out;
    std::visit(
        [&](const auto &value) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                out.data = value;
        },
        literal.data);
    return out;
}

// Unsorted is said, not left out: Trino's $entries tables fail on a data file without it. Position
// deletes must have none.
Value sortOrderOf(const DataFile &file)
{
    if (file.content == FileContent::PositionDeletes)
        return {};
    return {qint64(file.sortOrderId.value_or(0))};
}

Value dataFileRecord(const DataFile &file, const QList<FieldType> &types)
{
    std::vector<Value> partition;
    for (qsizetype i = 0; i < types.size(); ++i)
        partition.push_back(partitionValue(types[i], file.partition[i]));
    return {std::vector<Value>{{qint64(file.content)},
                               {file.path},
                               {file.format},
                               {std::move(partition)},
                               {file.recordCount},
                               {file.sizeInBytes},
                               // Readers expect these maps to be there, if empty.
                               pairs(file.columnSizes),
                               pairs(file.valueCounts),
                               pairs(file.nullValueCounts),
                               pairs(file.nanValueCounts),
                               pairs(file.lowerBounds),
                               pairs(file.upperBounds),
                               file.keyMetadata.isEmpty() ? Value{} : Value{file.keyMetadata},
                               items(file.splitOffsets),
                               items(file.equalityIds),
                               sortOrderOf(file),
                               file.referencedDataFile.isEmpty() ? Value{}
                                                                 : Value{file.referencedDataFile}}};
}

Value entryRecord(const ManifestEntry &entry, SnapshotId commit, const QList<FieldType> &types)
{
    return {std::vector<Value>{{qint64(entry.status)},
                               {entry.snapshotId.value_or(commit)},
                               optionalWhole(entry.sequenceNumber),
                               optionalWhole(entry.fileSequenceNumber),
                               dataFileRecord(entry.file, types)}};
}

QList<FieldSummary> summaries(const std::vector<ManifestEntry> &entries,
                              const QList<FieldType> &types)
{
    QList<FieldSummary> out;
    for (qsizetype i = 0; i < types.size(); ++i) {
        const bool isFloat = types[i].id == TypeId::Float || types[i].id == TypeId::Double;
        FieldSummary summary;
        if (isFloat)
            summary.containsNan = false;
        std::optional<Literal> lower;
        std::optional<Literal> upper;
        for (const auto &entry : entries) {
            const Literal &value = entry.file.partition[i];
            const auto *number = std::get_if<double>(&value.data);
            if (value.isNull()) {
                summary.containsNull = true;
            } else if (number && std::isnan(*number)) {
                summary.containsNan = true;
            } else {
                if (!lower || literalLess(types[i], value, *lower))
                    lower = value;
                if (!upper || literalLess(types[i], *upper, value))
                    upper = value;
            }
        }
        if (lower)
            summary.lower = literalToBytes(types[i], *lower);
        if (upper)
            summary.upper = literalToBytes(types[i], *upper);
        out.append(summary);
    }
    return out;
}

// The schema that readers check the spec against must have its source columns.
const Schema &schemaFor(const PartitionSpec &spec, const TableMetadata &metadata)
{
    const auto hasAll = [&](const Schema &schema) {
        return std::all_of(spec.fields.begin(), spec.fields.end(),
                           [&](const SpecField &field) { return schema.field(field.sourceId); });
    };
    if (hasAll(metadata.currentSchema()))
        return metadata.currentSchema();
    const auto it = std::find_if(metadata.schemas.rbegin(), metadata.schemas.rend(), hasAll);
    return it == metadata.schemas.rend() ? metadata.currentSchema() : *it;
}

QMap<QString, QByteArray> fileMetadata(const ManifestToWrite &manifest, const PartitionSpec &spec,
                                       const TableMetadata &metadata)
{
    const auto &schema = schemaFor(spec, metadata);
    QJsonArray fields;
    for (const auto &field : spec.fields)
        fields.append(QJsonObject{{QStringLiteral("source-id"), field.sourceId},
                                  {QStringLiteral("field-id"), field.fieldId},
                                  {QStringLiteral("name"), field.name},
                                  {QStringLiteral("transform"), field.transform.text}});
    return {
        {QStringLiteral("schema"), json::compact(schemaToJson(schema))},
        {QStringLiteral("schema-id"), QByteArray::number(schema.id)},
        {QStringLiteral("partition-spec"), QJsonDocument(fields).toJson(QJsonDocument::Compact)},
        {QStringLiteral("partition-spec-id"), QByteArray::number(spec.id)},
        {QStringLiteral("format-version"), QByteArray::number(kFormatVersion)},
        {QStringLiteral("content"),
         manifest.content == ManifestContent::Data ? "data" : "deletes"}};
}

}  // namespace

void countEntry(const ManifestEntry &entry, ManifestFile &manifest)
{
    switch (entry.status) {
    case EntryStatus::Added:
        ++manifest.addedFiles;
        manifest.addedRows += entry.file.recordCount;
        break;
    case EntryStatus::Existing:
        ++manifest.existingFiles;
        manifest.existingRows += entry.file.recordCount;
        break;
    case EntryStatus::Deleted:
        ++manifest.deletedFiles;
        manifest.deletedRows += entry.file.recordCount;
        return;
    }
    manifest.minSequenceNumber = std::min(manifest.minSequenceNumber,
                                          entry.sequenceNumber.value_or(manifest.sequenceNumber));
}

Result<WrittenManifest> writeManifest(const ManifestToWrite &manifest,
                                      const TableMetadata &metadata)
{
    const auto *spec = metadata.spec(manifest.specId);
    if (!spec)
        return fail(internalError(
            QStringLiteral("the table has no partition spec %1").arg(manifest.specId)));
    IVM_TRY(const auto types, partitionTypes(*spec, metadata));
    WrittenManifest out;
    out.manifest = {.path = manifest.path,
                    .specId = spec->id,
                    .content = manifest.content,
                    .sequenceNumber = manifest.sequenceNumber,
                    .minSequenceNumber = manifest.sequenceNumber,
                    .addedSnapshotId = manifest.snapshotId};
    std::vector<Value> records;
    records.reserve(manifest.entries.size());
    for (const auto &entry : manifest.entries) {
        if (entry.file.partition.size() != types.size())
            return fail(internalError(
                QStringLiteral("%1 has %2 partition values, its spec %3 fields")
                    .arg(entry.file.path, QString::number(entry.file.partition.size()),
                         QString::number(types.size()))));
        countEntry(entry, out.manifest);
        records.push_back(entryRecord(entry, manifest.snapshotId, types));
    }
    out.manifest.partitions = summaries(manifest.entries, types);
    avro::FileSpec file{.schema = manifestSchema(*spec, types),
                        .metadata = fileMetadata(manifest, *spec, metadata)};
    IVM_TRY(out.bytes, avro::writeFile(file, records));
    out.manifest.length = out.bytes.size();
    return out;
}

}  // namespace ivm::iceberg
