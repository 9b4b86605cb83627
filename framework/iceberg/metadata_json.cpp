#include "framework/iceberg/json_members.h"
#include "framework/iceberg/metadata.h"
#include "framework/iceberg/metadata_v1.h"

namespace ivm::iceberg {

namespace {

// One object of a list member, in order. Absent lists are empty.
template <typename T, typename Read>
Result<QList<T>> readList(const QJsonObject &object, QStringView key, QStringView what, Read read)
{
    QList<T> out;
    const auto member = object.value(key);
    if (member.isUndefined() || member.isNull())
        return out;
    if (!member.isArray())
        return fail(corruptError(QStringLiteral("%1: \"%2\" is not an array").arg(what, key)));
    const auto list = member.toArray();
    for (const auto &value : list) {
        if (!value.isObject())
            return fail(corruptError(
                QStringLiteral("%1: an element of \"%2\" is not an object").arg(what, key)));
        IVM_TRY(auto item, read(value.toObject(), what));
        out.append(std::move(item));
    }
    return out;
}

template <typename T, typename Write>
QJsonArray writeList(const QList<T> &list, Write write)
{
    QJsonArray out;
    for (const auto &item : list)
        out.append(write(item));
    return out;
}

Result<SpecField> specFieldFromJson(const QJsonObject &object, QStringView what)
{
    if (object.contains(u"source-ids"))
        return fail(unsupportedError(
            QStringLiteral(
                "%1: a partition field of several columns belongs to a newer format version than 2")
                .arg(what)));
    SpecField field;
    IVM_TRY(field.sourceId, intMember(object, u"source-id", what));
    IVM_TRY(field.fieldId, intMember(object, u"field-id", what));
    IVM_TRY(field.name, json::string(object, u"name", what));
    IVM_TRY(const QString transform, json::string(object, u"transform", what));
    field.transform = parseTransform(transform);
    field.other = otherMembers(object, {"source-id", "field-id", "name", "transform"});
    return field;
}

QJsonObject specFieldToJson(const SpecField &field)
{
    QJsonObject object = field.other;
    object.insert(QStringLiteral("source-id"), field.sourceId);
    object.insert(QStringLiteral("field-id"), field.fieldId);
    object.insert(QStringLiteral("name"), field.name);
    object.insert(QStringLiteral("transform"), field.transform.text);
    return object;
}

Result<PartitionSpec> specFromJson(const QJsonObject &object, QStringView what)
{
    PartitionSpec spec;
    IVM_TRY(spec.id, intMember(object, u"spec-id", what));
    IVM_TRY(spec.fields, readList<SpecField>(object, u"fields", what, specFieldFromJson));
    spec.other = otherMembers(object, {"spec-id", "fields"});
    return spec;
}

QJsonObject specToJson(const PartitionSpec &spec)
{
    QJsonObject object = spec.other;
    object.insert(QStringLiteral("spec-id"), spec.id);
    object.insert(QStringLiteral("fields"), writeList(spec.fields, specFieldToJson));
    return object;
}

Result<SortField> sortFieldFromJson(const QJsonObject &object, QStringView what)
{
    SortField field;
    IVM_TRY(field.sourceId, intMember(object, u"source-id", what));
    IVM_TRY(field.transform, json::string(object, u"transform", what));
    IVM_TRY(const QString direction, json::string(object, u"direction", what));
    IVM_TRY(const QString nullOrder, json::string(object, u"null-order", what));
    field.descending = direction == u"desc";
    field.nullsFirst = nullOrder == u"nulls-first";
    field.other = otherMembers(object, {"source-id", "transform", "direction", "null-order"});
    return field;
}

QJsonObject sortFieldToJson(const SortField &field)
{
    QJsonObject object = field.other;
    object.insert(QStringLiteral("source-id"), field.sourceId);
    object.insert(QStringLiteral("transform"), field.transform);
    object.insert(QStringLiteral("direction"),
                  field.descending ? QStringLiteral("desc") : QStringLiteral("asc"));
    object.insert(QStringLiteral("null-order"),
                  field.nullsFirst ? QStringLiteral("nulls-first") : QStringLiteral("nulls-last"));
    return object;
}

Result<SortOrder> sortOrderFromJson(const QJsonObject &object, QStringView what)
{
    SortOrder order;
    IVM_TRY(order.id, intMember(object, u"order-id", what));
    IVM_TRY(order.fields, readList<SortField>(object, u"fields", what, sortFieldFromJson));
    order.other = otherMembers(object, {"order-id", "fields"});
    return order;
}

QJsonObject sortOrderToJson(const SortOrder &order)
{
    QJsonObject object = order.other;
    object.insert(QStringLiteral("order-id"), order.id);
    object.insert(QStringLiteral("fields"), writeList(order.fields, sortFieldToJson));
    return object;
}

Result<Snapshot> snapshotFromJson(const QJsonObject &object, QStringView what)
{
    Snapshot snapshot;
    IVM_TRY(snapshot.id, json::integer(object, u"snapshot-id", what));
    IVM_TRY(snapshot.parent, json::optionalInteger(object, u"parent-snapshot-id", what));
    // Snapshots from before an upgrade to version 2 have no sequence number: they count as 0.
    IVM_TRY(const auto sequence, json::optionalInteger(object, u"sequence-number", what));
    snapshot.sequenceNumber = sequence.value_or(0);
    IVM_TRY(snapshot.timestampMs, json::integer(object, u"timestamp-ms", what));
    if (!object.contains(u"manifest-list") && object.contains(u"manifests")) {
        IVM_TRY(snapshot.manifests, inlineManifests(object, what));
    } else {
        IVM_TRY(snapshot.manifestList, json::string(object, u"manifest-list", what));
    }
    IVM_TRY(snapshot.summary, stringMap(object, u"summary", what));
    if (object.contains(u"schema-id")) {
        IVM_TRY(const int schemaId, intMember(object, u"schema-id", what));
        snapshot.schemaId = schemaId;
    }
    snapshot.other = otherMembers(object, {"snapshot-id", "parent-snapshot-id", "sequence-number",
                                           "timestamp-ms", "manifest-list", "manifests", "summary",
                                           "schema-id"});
    return snapshot;
}

QJsonObject stringsToJson(const QMap<QString, QString> &strings)
{
    QJsonObject out;
    for (const auto &[key, value] : strings.asKeyValueRange())
        out.insert(key, value);
    return out;
}

QJsonObject snapshotToJson(const Snapshot &snapshot)
{
    QJsonObject object = snapshot.other;
    object.insert(QStringLiteral("snapshot-id"), snapshot.id);
    if (snapshot.parent)
        object.insert(QStringLiteral("parent-snapshot-id"), *snapshot.parent);
    object.insert(QStringLiteral("sequence-number"), snapshot.sequenceNumber);
    object.insert(QStringLiteral("timestamp-ms"), snapshot.timestampMs);
    if (snapshot.manifestList.isEmpty())
        object.insert(QStringLiteral("manifests"), QJsonArray::fromStringList(snapshot.manifests));
    else
        object.insert(QStringLiteral("manifest-list"), snapshot.manifestList);
    object.insert(QStringLiteral("summary"), stringsToJson(snapshot.summary));
    if (snapshot.schemaId)
        object.insert(QStringLiteral("schema-id"), *snapshot.schemaId);
    return object;
}

Result<QMap<QString, SnapshotRef>> refsFromJson(const QJsonObject &object, QStringView what)
{
    QMap<QString, SnapshotRef> refs;
    const auto members = object.value(u"refs").toObject();
    for (auto it = members.begin(); it != members.end(); ++it) {
        const auto member = it.value().toObject();
        SnapshotRef ref;
        IVM_TRY(ref.snapshot, json::integer(member, u"snapshot-id", what));
        IVM_TRY(const QString type, json::string(member, u"type", what));
        ref.isTag = type == u"tag";
        ref.other = otherMembers(member, {"snapshot-id", "type"});
        refs.insert(it.key(), ref);
    }
    return refs;
}

QJsonObject refsToJson(const QMap<QString, SnapshotRef> &refs)
{
    QJsonObject out;
    for (const auto &[name, ref] : refs.asKeyValueRange()) {
        QJsonObject object = ref.other;
        object.insert(QStringLiteral("snapshot-id"), ref.snapshot);
        object.insert(QStringLiteral("type"),
                      ref.isTag ? QStringLiteral("tag") : QStringLiteral("branch"));
        out.insert(name, object);
    }
    return out;
}

Result<SnapshotLogEntry> snapshotLogFromJson(const QJsonObject &object, QStringView what)
{
    SnapshotLogEntry entry;
    IVM_TRY(entry.timestampMs, json::integer(object, u"timestamp-ms", what));
    IVM_TRY(entry.snapshot, json::integer(object, u"snapshot-id", what));
    return entry;
}

Result<MetadataLogEntry> metadataLogFromJson(const QJsonObject &object, QStringView what)
{
    MetadataLogEntry entry;
    IVM_TRY(entry.timestampMs, json::integer(object, u"timestamp-ms", what));
    IVM_TRY(entry.location, json::string(object, u"metadata-file", what));
    return entry;
}

Result<int> versionOf(const QJsonObject &object, QStringView what)
{
    IVM_TRY(const int version, intMember(object, u"format-version", what));
    if (version < 1)
        return fail(corruptError(QStringLiteral("%1: format version %2 does not exist")
                                     .arg(what, QString::number(version))));
    if (version > kFormatVersion)
        return fail(unsupportedError(
            QStringLiteral("%1: format version %2 is not supported, only versions 1 and %3 are")
                .arg(what, QString::number(version), QString::number(kFormatVersion))));
    return version;
}

// The head of main is told twice, and must be a snapshot that is there.
Status readHead(const QJsonObject &object, TableMetadata &metadata, QStringView what)
{
    constexpr qint64 kNone = -1;
    IVM_TRY(auto current, json::optionalInteger(object, u"current-snapshot-id", what));
    if (current == kNone)
        current.reset();
    IVM_TRY(metadata.refs, refsFromJson(object, what));
    const auto main = metadata.refs.constFind(QString::fromUtf16(kMainBranch));
    if (main != metadata.refs.cend() && current && main->snapshot != *current)
        return fail(corruptError(
            QStringLiteral("%1: branch main is at snapshot %2, but the current snapshot is %3")
                .arg(what, QString::number(main->snapshot), QString::number(*current))));
    metadata.currentSnapshotId =
        main != metadata.refs.cend() ? std::optional(main->snapshot) : current;
    if (current && main == metadata.refs.cend())
        metadata.refs.insert(QString::fromUtf16(kMainBranch), SnapshotRef{.snapshot = *current});
    if (metadata.currentSnapshotId && !metadata.currentSnapshot())
        return fail(
            corruptError(QStringLiteral("%1: the current snapshot %2 is not among the snapshots")
                             .arg(what, QString::number(*metadata.currentSnapshotId))));
    return {};
}

Status readShape(const QJsonObject &object, TableMetadata &metadata, QStringView what)
{
    IVM_TRY(metadata.schemas, readList<Schema>(object, u"schemas", what, schemaFromJson));
    IVM_TRY(metadata.currentSchemaId, intMember(object, u"current-schema-id", what));
    IVM_TRY(metadata.specs,
            readList<PartitionSpec>(object, u"partition-specs", what, specFromJson));
    IVM_TRY(metadata.defaultSpecId, intMember(object, u"default-spec-id", what));
    IVM_TRY(metadata.lastPartitionId, intMember(object, u"last-partition-id", what));
    IVM_TRY(metadata.sortOrders,
            readList<SortOrder>(object, u"sort-orders", what, sortOrderFromJson));
    IVM_TRY(metadata.defaultSortOrderId, intMember(object, u"default-sort-order-id", what));
    if (!metadata.schema(metadata.currentSchemaId))
        return fail(
            corruptError(QStringLiteral("%1: the current schema %2 is not among the schemas")
                             .arg(what, QString::number(metadata.currentSchemaId))));
    if (!metadata.spec(metadata.defaultSpecId))
        return fail(
            corruptError(QStringLiteral("%1: the default partition spec %2 is not among the specs")
                             .arg(what, QString::number(metadata.defaultSpecId))));
    return {};
}

}  // namespace

Result<TableMetadata> metadataFromJson(const QByteArray &bytes, QStringView what)
{
    IVM_TRY(auto object, json::parseObject(bytes, what));
    TableMetadata metadata;
    IVM_TRY(metadata.formatVersion, versionOf(object, what));
    if (metadata.formatVersion == 1)
        object = upgradedFromVersion1(std::move(object));
    IVM_TRY(metadata.uuid, json::string(object, u"table-uuid", what));
    IVM_TRY(metadata.location, json::string(object, u"location", what));
    while (metadata.location.endsWith(u'/'))
        metadata.location.chop(1);
    IVM_TRY(metadata.lastSequenceNumber, json::integer(object, u"last-sequence-number", what));
    IVM_TRY(metadata.lastUpdatedMs, json::integer(object, u"last-updated-ms", what));
    IVM_TRY(metadata.lastColumnId, intMember(object, u"last-column-id", what));
    IVM_CHECK(readShape(object, metadata, what));
    IVM_TRY(metadata.properties, stringMap(object, u"properties", what));
    IVM_TRY(metadata.snapshots, readList<Snapshot>(object, u"snapshots", what, snapshotFromJson));
    IVM_CHECK(readHead(object, metadata, what));
    IVM_TRY(metadata.snapshotLog,
            readList<SnapshotLogEntry>(object, u"snapshot-log", what, snapshotLogFromJson));
    IVM_TRY(metadata.metadataLog,
            readList<MetadataLogEntry>(object, u"metadata-log", what, metadataLogFromJson));
    // "schema" and "partition-spec" are version 1's copies of the current ones; kept, they would go
    // stale.
    metadata.other = otherMembers(object, {"format-version",
                                           "table-uuid",
                                           "location",
                                           "last-sequence-number",
                                           "last-updated-ms",
                                           "last-column-id",
                                           "schemas",
                                           "current-schema-id",
                                           "partition-specs",
                                           "default-spec-id",
                                           "last-partition-id",
                                           "sort-orders",
                                           "default-sort-order-id",
                                           "properties",
                                           "snapshots",
                                           "current-snapshot-id",
                                           "refs",
                                           "snapshot-log",
                                           "metadata-log",
                                           "schema",
                                           "partition-spec"});
    return metadata;
}

QByteArray metadataToJson(const TableMetadata &metadata)
{
    QJsonObject object = metadata.other;
    object.insert(QStringLiteral("format-version"), kFormatVersion);
    object.insert(QStringLiteral("table-uuid"), metadata.uuid);
    object.insert(QStringLiteral("location"), metadata.location);
    object.insert(QStringLiteral("last-sequence-number"), metadata.lastSequenceNumber);
    object.insert(QStringLiteral("last-updated-ms"), metadata.lastUpdatedMs);
    object.insert(QStringLiteral("last-column-id"), metadata.lastColumnId);
    object.insert(QStringLiteral("schemas"), writeList(metadata.schemas, schemaToJson));
    object.insert(QStringLiteral("current-schema-id"), metadata.currentSchemaId);
    object.insert(QStringLiteral("partition-specs"), writeList(metadata.specs, specToJson));
    object.insert(QStringLiteral("default-spec-id"), metadata.defaultSpecId);
    object.insert(QStringLiteral("last-partition-id"), metadata.lastPartitionId);
    object.insert(QStringLiteral("sort-orders"), writeList(metadata.sortOrders, sortOrderToJson));
    object.insert(QStringLiteral("default-sort-order-id"), metadata.defaultSortOrderId);
    object.insert(QStringLiteral("properties"), stringsToJson(metadata.properties));
    if (metadata.currentSnapshotId)
        object.insert(QStringLiteral("current-snapshot-id"), *metadata.currentSnapshotId);
    object.insert(QStringLiteral("snapshots"), writeList(metadata.snapshots, snapshotToJson));
    object.insert(QStringLiteral("refs"), refsToJson(metadata.refs));
    object.insert(QStringLiteral("snapshot-log"),
                  writeList(metadata.snapshotLog, [](const auto &entry) {
                      return QJsonObject{{QStringLiteral("timestamp-ms"), entry.timestampMs},
                                         {QStringLiteral("snapshot-id"), entry.snapshot}};
                  }));
    object.insert(QStringLiteral("metadata-log"),
                  writeList(metadata.metadataLog, [](const auto &entry) {
                      return QJsonObject{{QStringLiteral("timestamp-ms"), entry.timestampMs},
                                         {QStringLiteral("metadata-file"), entry.location}};
                  }));
    return json::compact(object);
}

}  // namespace ivm::iceberg
