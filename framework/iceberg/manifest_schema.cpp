#include "framework/iceberg/manifest_schema.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>

namespace ivm::iceberg {

namespace {

const QString kType = QStringLiteral("type");
const QString kName = QStringLiteral("name");
const QString kLogicalType = QStringLiteral("logicalType");

// Avro allows letters, digits and underscores only; other readers expect this spelling and the name
// beside it.
QString avroName(const QString &name)
{
    QString out;
    for (const QChar c : name) {
        const bool isLetter = (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || c == u'_';
        const bool isDigit = c >= u'0' && c <= u'9';
        if (isDigit && out.isEmpty())
            out += u'_' + QString(c);
        else if (isLetter || isDigit)
            out += c;
        else
            out += QStringLiteral("_x") + QString::number(c.unicode(), 16).toUpper();
    }
    return out;
}

QJsonObject required(int id, const QString &name, const QJsonValue &type)
{
    QJsonObject field{{kName, avroName(name)}, {kType, type}, {QStringLiteral("field-id"), id}};
    if (avroName(name) != name)
        field.insert(QStringLiteral("iceberg-field-name"), name);
    return field;
}

QJsonObject optional(int id, const QString &name, const QJsonValue &type)
{
    QJsonObject field = required(id, name, QJsonArray{QStringLiteral("null"), type});
    field.insert(QStringLiteral("default"), QJsonValue::Null);
    return field;
}

QJsonObject record(const QString &name, const QJsonArray &fields)
{
    return {{kType, QStringLiteral("record")}, {kName, name}, {QStringLiteral("fields"), fields}};
}

// A map whose keys are no strings is a list of pairs.
QJsonObject intMap(int keyId, int valueId, const QString &valueType)
{
    const auto pair = record(QStringLiteral("k%1_v%2").arg(keyId).arg(valueId),
                             {required(keyId, QStringLiteral("key"), QStringLiteral("int")),
                              required(valueId, QStringLiteral("value"), valueType)});
    return {{kType, QStringLiteral("array")},
            {QStringLiteral("items"), pair},
            {kLogicalType, QStringLiteral("map")}};
}

QJsonObject list(int elementId, const QJsonValue &element)
{
    return {{kType, QStringLiteral("array")},
            {QStringLiteral("items"), element},
            {QStringLiteral("element-id"), elementId}};
}

QJsonObject logical(const char *type, const char *logicalType)
{
    return {{kType, QString::fromLatin1(type)}, {kLogicalType, QString::fromLatin1(logicalType)}};
}

QJsonObject timestamp(bool adjusted)
{
    QJsonObject type = logical("long", "timestamp-micros");
    type.insert(QStringLiteral("adjust-to-utc"), adjusted);
    return type;
}

// Named types must have a name of their own wherever they are used; the partition field's id makes
// it so.
QJsonObject fixedType(const QString &name, int size)
{
    return {{kType, QStringLiteral("fixed")}, {kName, name}, {QStringLiteral("size"), size}};
}

QJsonValue partitionType(const FieldType &type, int fieldId)
{
    switch (type.id) {
    case TypeId::Boolean: return QStringLiteral("boolean");
    case TypeId::Int: return QStringLiteral("int");
    case TypeId::Long: return QStringLiteral("long");
    case TypeId::Float: return QStringLiteral("float");
    case TypeId::Double: return QStringLiteral("double");
    case TypeId::String: return QStringLiteral("string");
    case TypeId::Date: return logical("int", "date");
    case TypeId::Time: return logical("long", "time-micros");
    case TypeId::Timestamp: return timestamp(false);
    case TypeId::Timestamptz: return timestamp(true);
    case TypeId::Fixed: return fixedType(QStringLiteral("fixed_%1").arg(fieldId), type.length);
    case TypeId::Uuid: {
        auto fixed = fixedType(QStringLiteral("uuid_%1").arg(fieldId), 16);
        fixed.insert(kLogicalType, QStringLiteral("uuid"));
        return fixed;
    }
    case TypeId::Decimal: {
        auto fixed =
            fixedType(QStringLiteral("decimal_%1").arg(fieldId), decimalBytes(type.precision));
        fixed.insert(kLogicalType, QStringLiteral("decimal"));
        fixed.insert(QStringLiteral("precision"), type.precision);
        fixed.insert(QStringLiteral("scale"), type.scale);
        return fixed;
    }
    default: return QStringLiteral("bytes");
    }
}

QJsonObject dataFileRecord(const PartitionSpec &spec, const QList<FieldType> &types)
{
    using namespace ids;
    QJsonArray partition;
    for (qsizetype i = 0; i < spec.fields.size(); ++i) {
        const auto &field = spec.fields[i];
        partition.append(
            optional(field.fieldId, field.name, partitionType(types[i], field.fieldId)));
    }
    const auto longs = QStringLiteral("long");
    const auto bytes = QStringLiteral("bytes");
    return record(
        QStringLiteral("r2"),
        {required(kContent, QStringLiteral("content"), QStringLiteral("int")),
         required(kFilePath, QStringLiteral("file_path"), QStringLiteral("string")),
         required(kFileFormat, QStringLiteral("file_format"), QStringLiteral("string")),
         required(kPartition, QStringLiteral("partition"),
                  record(QStringLiteral("r102"), partition)),
         required(kRecordCount, QStringLiteral("record_count"), longs),
         required(kFileSize, QStringLiteral("file_size_in_bytes"), longs),
         optional(kColumnSizes, QStringLiteral("column_sizes"), intMap(117, 118, longs)),
         optional(kValueCounts, QStringLiteral("value_counts"), intMap(119, 120, longs)),
         optional(kNullValueCounts, QStringLiteral("null_value_counts"), intMap(121, 122, longs)),
         optional(kNanValueCounts, QStringLiteral("nan_value_counts"), intMap(138, 139, longs)),
         optional(kLowerBounds, QStringLiteral("lower_bounds"), intMap(126, 127, bytes)),
         optional(kUpperBounds, QStringLiteral("upper_bounds"), intMap(129, 130, bytes)),
         optional(kKeyMetadata, QStringLiteral("key_metadata"), bytes),
         optional(kSplitOffsets, QStringLiteral("split_offsets"), list(133, longs)),
         optional(kEqualityIds, QStringLiteral("equality_ids"), list(136, QStringLiteral("int"))),
         optional(kSortOrderId, QStringLiteral("sort_order_id"), QStringLiteral("int")),
         optional(kReferencedDataFile, QStringLiteral("referenced_data_file"),
                  QStringLiteral("string"))});
}

}  // namespace

int decimalBytes(int precision)
{
    // One bit for the sign, log2(10) for each digit.
    return int(std::ceil((precision * std::log2(10.0) + 1) / 8));
}

QByteArray manifestListSchema()
{
    using namespace ids;
    const auto ints = QStringLiteral("int");
    const auto longs = QStringLiteral("long");
    const auto bytes = QStringLiteral("bytes");
    const auto summary =
        record(QStringLiteral("r508"),
               {required(kContainsNull, QStringLiteral("contains_null"), QStringLiteral("boolean")),
                optional(kContainsNan, QStringLiteral("contains_nan"), QStringLiteral("boolean")),
                optional(kLower, QStringLiteral("lower_bound"), bytes),
                optional(kUpper, QStringLiteral("upper_bound"), bytes)});
    const auto line =
        record(QStringLiteral("manifest_file"),
               {required(kManifestPath, QStringLiteral("manifest_path"), QStringLiteral("string")),
                required(kManifestLength, QStringLiteral("manifest_length"), longs),
                required(kSpecId, QStringLiteral("partition_spec_id"), ints),
                required(kManifestContent, QStringLiteral("content"), ints),
                required(kManifestSequence, QStringLiteral("sequence_number"), longs),
                required(kMinSequence, QStringLiteral("min_sequence_number"), longs),
                required(kAddedSnapshot, QStringLiteral("added_snapshot_id"), longs),
                required(kAddedFiles, QStringLiteral("added_files_count"), ints),
                required(kExistingFiles, QStringLiteral("existing_files_count"), ints),
                required(kDeletedFiles, QStringLiteral("deleted_files_count"), ints),
                required(kAddedRows, QStringLiteral("added_rows_count"), longs),
                required(kExistingRows, QStringLiteral("existing_rows_count"), longs),
                required(kDeletedRows, QStringLiteral("deleted_rows_count"), longs),
                optional(kPartitions, QStringLiteral("partitions"), list(508, summary)),
                optional(kManifestKeyMetadata, QStringLiteral("key_metadata"), bytes)});
    return QJsonDocument(line).toJson(QJsonDocument::Compact);
}

Result<QList<FieldType>> partitionTypes(const PartitionSpec &spec, const TableMetadata &metadata)
{
    QList<FieldType> types;
    for (const auto &field : spec.fields) {
        const Field *source = metadata.field(field.sourceId);
        if (!source)
            return fail(corruptError(
                QStringLiteral("partition field '%1' is made from column %2, which no schema has")
                    .arg(field.name, QString::number(field.sourceId))));
        IVM_TRY(const auto type, transformedType(field.transform, source->type));
        types.append(type);
    }
    return types;
}

QByteArray manifestSchema(const PartitionSpec &spec, const QList<FieldType> &types)
{
    using namespace ids;
    const auto longs = QStringLiteral("long");
    const auto entry =
        record(QStringLiteral("manifest_entry"),
               {required(kStatus, QStringLiteral("status"), QStringLiteral("int")),
                optional(kSnapshotId, QStringLiteral("snapshot_id"), longs),
                optional(kSequenceNumber, QStringLiteral("sequence_number"), longs),
                optional(kFileSequenceNumber, QStringLiteral("file_sequence_number"), longs),
                required(kDataFile, QStringLiteral("data_file"), dataFileRecord(spec, types))});
    return QJsonDocument(entry).toJson(QJsonDocument::Compact);
}

}  // namespace ivm::iceberg
