#include "framework/iceberg/avro_record.h"
#include "framework/iceberg/manifest.h"
#include "framework/iceberg/manifest_schema.h"

namespace ivm::iceberg {

namespace {

using avro::Value;

Error wrongShape(const AvroRecord &record, QStringView name)
{
    return corruptError(
        QStringLiteral("%1: \"%2\" is of another type than it must be").arg(record.what(), name));
}

const std::vector<Value> *itemsOf(const Value &value)
{
    return std::get_if<std::vector<Value>>(&value.data);
}

// A map by field id, stored as a list of pairs. Absent is empty.
template <typename T>
Result<QMap<int, T>> mapOf(const AvroRecord &record, int id, QStringView name)
{
    QMap<int, T> out;
    const auto found = record.find(id, name);
    if (found.isNull())
        return out;
    const auto *pairs = itemsOf(*found.value);
    if (!pairs)
        return fail(wrongShape(record, name));
    for (const auto &pair : *pairs) {
        const auto *parts = itemsOf(pair);
        const auto *key =
            parts && parts->size() == 2 ? std::get_if<qint64>(&(*parts)[0].data) : nullptr;
        const auto *value = key ? std::get_if<T>(&(*parts)[1].data) : nullptr;
        if (!value)
            return fail(wrongShape(record, name));
        out.insert(int(*key), *value);
    }
    return out;
}

template <typename T>
Result<QList<T>> listOf(const AvroRecord &record, int id, QStringView name)
{
    QList<T> out;
    const auto found = record.find(id, name);
    if (found.isNull())
        return out;
    const auto *items = itemsOf(*found.value);
    if (!items)
        return fail(wrongShape(record, name));
    for (const auto &item : *items) {
        const auto *value = std::get_if<qint64>(&item.data);
        if (!value)
            return fail(wrongShape(record, name));
        out.append(T(*value));
    }
    return out;
}

// A partition value in the form that literals have.
Result<Literal> literalOf(const AvroRecord::Found &found, const AvroRecord &record,
                          QStringView name)
{
    if (found.isNull())
        return Literal{};
    const auto &data = found.value->data;
    if (const auto *value = std::get_if<bool>(&data))
        return Literal{*value};
    if (const auto *value = std::get_if<qint64>(&data))
        return Literal{*value};
    if (const auto *value = std::get_if<double>(&data))
        return Literal{*value};
    if (const auto *value = std::get_if<QString>(&data))
        return Literal{*value};
    if (const auto *value = std::get_if<QByteArray>(&data)) {
        const bool isDecimal = unwrapped(*found.node).logicalType == u"decimal";
        return Literal{isDecimal ? shortestDecimal(*value) : *value};
    }
    return fail(wrongShape(record, name));
}

Result<QList<Literal>> partitionOf(const AvroRecord &record, const PartitionSpec &spec)
{
    QList<Literal> out;
    if (spec.isUnpartitioned())
        return out;
    const auto found = record.find(ids::kPartition, u"partition");
    if (found.isNull())
        return fail(
            corruptError(QStringLiteral("%1: \"partition\" is missing").arg(record.what())));
    IVM_TRY(const auto tuple, AvroRecord::of(*found.node, *found.value, record.what()));
    for (const auto &field : spec.fields) {
        IVM_TRY(const auto value,
                literalOf(tuple.find(field.fieldId, field.name), record, field.name));
        out.append(value);
    }
    return out;
}

Status readMetrics(const AvroRecord &record, DataFile &file)
{
    IVM_TRY(file.columnSizes, mapOf<qint64>(record, ids::kColumnSizes, u"column_sizes"));
    IVM_TRY(file.valueCounts, mapOf<qint64>(record, ids::kValueCounts, u"value_counts"));
    IVM_TRY(file.nullValueCounts,
            mapOf<qint64>(record, ids::kNullValueCounts, u"null_value_counts"));
    IVM_TRY(file.nanValueCounts, mapOf<qint64>(record, ids::kNanValueCounts, u"nan_value_counts"));
    IVM_TRY(file.lowerBounds, mapOf<QByteArray>(record, ids::kLowerBounds, u"lower_bounds"));
    IVM_TRY(file.upperBounds, mapOf<QByteArray>(record, ids::kUpperBounds, u"upper_bounds"));
    return {};
}

Result<DataFile> fileFrom(const AvroRecord &record, const PartitionSpec &spec)
{
    DataFile file;
    IVM_TRY(const auto content, record.optional<qint64>(ids::kContent, u"content"));
    if (content.value_or(0) < 0 || content.value_or(0) > 2)
        return fail(corruptError(QStringLiteral("%1: a file has content %2")
                                     .arg(record.what(), QString::number(*content))));
    file.content = FileContent(content.value_or(0));
    IVM_TRY(file.path, record.required<QString>(ids::kFilePath, u"file_path"));
    IVM_TRY(const QString format, record.required<QString>(ids::kFileFormat, u"file_format"));
    file.format = format.toUpper();
    const auto offset = record.find(ids::kContentOffset, u"content_offset");
    if (file.format == u"PUFFIN" || !offset.isNull())
        return fail(unsupportedError(
            QStringLiteral(
                "%1: %2 is a deletion vector, which belongs to a newer format version than 2")
                .arg(record.what(), file.path)));
    file.specId = spec.id;
    IVM_TRY(file.partition, partitionOf(record, spec));
    IVM_TRY(file.recordCount, record.required<qint64>(ids::kRecordCount, u"record_count"));
    IVM_TRY(file.sizeInBytes, record.required<qint64>(ids::kFileSize, u"file_size_in_bytes"));
    IVM_CHECK(readMetrics(record, file));
    IVM_TRY(file.splitOffsets, listOf<qint64>(record, ids::kSplitOffsets, u"split_offsets"));
    IVM_TRY(file.equalityIds, listOf<int>(record, ids::kEqualityIds, u"equality_ids"));
    IVM_TRY(const auto order, record.optional<qint64>(ids::kSortOrderId, u"sort_order_id"));
    if (order)
        file.sortOrderId = int(*order);
    IVM_TRY(const auto referenced,
            record.optional<QString>(ids::kReferencedDataFile, u"referenced_data_file"));
    file.referencedDataFile = referenced.value_or(QString());
    IVM_TRY(const auto key, record.optional<QByteArray>(ids::kKeyMetadata, u"key_metadata"));
    file.keyMetadata = key.value_or(QByteArray());
    return file;
}

// Only entries that were added where they stand inherit; others without a number are from version
// 1, where all are 0.
void inheritNumbers(ManifestEntry &entry, const ManifestFile &manifest)
{
    const qint64 inherited = entry.status == EntryStatus::Added ? manifest.sequenceNumber : 0;
    entry.snapshotId = entry.snapshotId.value_or(manifest.addedSnapshotId);
    entry.sequenceNumber = entry.sequenceNumber.value_or(inherited);
    entry.fileSequenceNumber = entry.fileSequenceNumber.value_or(inherited);
}

Result<ManifestEntry> entryFrom(const AvroRecord &record, const ManifestFile &manifest,
                                const PartitionSpec &spec)
{
    ManifestEntry entry;
    IVM_TRY(const qint64 status, record.required<qint64>(ids::kStatus, u"status"));
    if (status < 0 || status > 2)
        return fail(corruptError(QStringLiteral("%1: an entry has status %2")
                                     .arg(record.what(), QString::number(status))));
    entry.status = EntryStatus(status);
    IVM_TRY(entry.snapshotId, record.optional<qint64>(ids::kSnapshotId, u"snapshot_id"));
    IVM_TRY(entry.sequenceNumber,
            record.optional<qint64>(ids::kSequenceNumber, u"sequence_number"));
    IVM_TRY(entry.fileSequenceNumber,
            record.optional<qint64>(ids::kFileSequenceNumber, u"file_sequence_number"));
    inheritNumbers(entry, manifest);
    const auto data = record.find(ids::kDataFile, u"data_file");
    if (data.isNull())
        return fail(
            corruptError(QStringLiteral("%1: an entry has no \"data_file\"").arg(record.what())));
    IVM_TRY(const auto dataRecord, AvroRecord::of(*data.node, *data.value, record.what()));
    IVM_TRY(entry.file, fileFrom(dataRecord, spec));
    return entry;
}

bool isOf(const FieldType &type, const Literal &literal)
{
    switch (type.id) {
    case TypeId::Boolean: return std::holds_alternative<bool>(literal.data);
    case TypeId::Int:
    case TypeId::Long:
    case TypeId::Date:
    case TypeId::Time:
    case TypeId::Timestamp:
    case TypeId::Timestamptz: return std::holds_alternative<qint64>(literal.data);
    case TypeId::Float:
    case TypeId::Double: return std::holds_alternative<double>(literal.data);
    case TypeId::String: return std::holds_alternative<QString>(literal.data);
    case TypeId::Decimal:
    case TypeId::Uuid:
    case TypeId::Fixed:
    case TypeId::Binary: return std::holds_alternative<QByteArray>(literal.data);
    case TypeId::Struct:
    case TypeId::List:
    case TypeId::Map: return false;
    }
    return false;
}

// The file's own schema says of what type a value is, and the table's of what type it must be.
Status checkPartition(const QList<Literal> &partition, const QList<FieldType> &types,
                      const PartitionSpec &spec, const AvroRecord &record)
{
    for (qsizetype i = 0; i < partition.size(); ++i) {
        if (!partition[i].isNull() && !isOf(types[i], partition[i]))
            return fail(wrongShape(record, spec.fields[i].name));
    }
    return {};
}

}  // namespace

Result<std::vector<ManifestEntry>>
readManifest(const QByteArray &bytes, const ManifestFile &manifest, const TableMetadata &metadata)
{
    const auto *spec = metadata.spec(manifest.specId);
    if (!spec)
        return fail(corruptError(QStringLiteral("%1: the table has no partition spec %2")
                                     .arg(manifest.path, QString::number(manifest.specId))));
    IVM_TRY(const auto file, avro::readFile(bytes, manifest.path));
    // Not known for transforms of a later time, whose values nobody looks at.
    const auto types = partitionTypes(*spec, metadata);
    std::vector<ManifestEntry> entries;
    entries.reserve(file.records.size());
    for (const auto &value : file.records) {
        IVM_TRY(const auto record, AvroRecord::of(*file.schema, value, manifest.path));
        IVM_TRY(auto entry, entryFrom(record, manifest, *spec));
        if (types)
            IVM_CHECK(checkPartition(entry.file.partition, *types, *spec, record));
        entries.push_back(std::move(entry));
    }
    return entries;
}

Result<QByteArray> readNamed(FileIO &io, const QString &location)
{
    auto bytes = io.readAll(location);
    if (!bytes && bytes.error().kind == ErrorKind::NotFound)
        return fail(corruptError(bytes.error().message));
    return bytes;
}

Result<std::vector<ManifestEntry>> loadManifest(FileIO &io, const ManifestFile &manifest,
                                                const TableMetadata &metadata)
{
    IVM_TRY(const auto bytes, readNamed(io, manifest.path));
    // Cut between two of its blocks it would read as one with fewer entries.
    if (bytes.size() < manifest.length)
        return fail(corruptError(QStringLiteral("%1 has %2 bytes, and its manifest list says %3")
                                     .arg(manifest.path, QString::number(bytes.size()),
                                          QString::number(manifest.length))));
    return readManifest(bytes, manifest, metadata);
}

}  // namespace ivm::iceberg
