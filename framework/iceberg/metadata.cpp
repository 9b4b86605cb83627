#include "framework/iceberg/metadata.h"

#include <QUuid>

#include <algorithm>

namespace ivm::iceberg {

namespace {

template <typename T>
const T *findById(const QList<T> &list, decltype(T::id) id)
{
    const auto it =
        std::find_if(list.begin(), list.end(), [&](const T &item) { return item.id == id; });
    return it == list.end() ? nullptr : &*it;
}

}  // namespace

const Schema *TableMetadata::schema(int id) const { return findById(schemas, id); }

const PartitionSpec *TableMetadata::spec(int id) const { return findById(specs, id); }

const Snapshot *TableMetadata::snapshot(SnapshotId id) const { return findById(snapshots, id); }

const Snapshot *TableMetadata::currentSnapshot() const
{
    return currentSnapshotId ? snapshot(*currentSnapshotId) : nullptr;
}

const Field *TableMetadata::field(int id) const
{
    if (const Field *found = currentSchema().field(id))
        return found;
    for (auto it = schemas.rbegin(); it != schemas.rend(); ++it) {
        if (const Field *found = it->field(id))
            return found;
    }
    return nullptr;
}

const Schema &TableMetadata::currentSchema() const
{
    const auto *found = schema(currentSchemaId);
    Q_ASSERT(found);
    return *found;
}

const PartitionSpec &TableMetadata::defaultSpec() const
{
    const auto *found = spec(defaultSpecId);
    Q_ASSERT(found);
    return *found;
}

const SortOrder &TableMetadata::defaultSortOrder() const
{
    static const SortOrder unsorted;
    const auto *found = findById(sortOrders, defaultSortOrderId);
    return found ? *found : unsorted;
}

const Schema &TableMetadata::schemaOf(const Snapshot &snapshot) const
{
    const auto *found = snapshot.schemaId ? schema(*snapshot.schemaId) : nullptr;
    return found ? *found : currentSchema();
}

TableMetadata makeMetadata(const NewTable &table)
{
    TableMetadata metadata;
    metadata.uuid = QUuid::createUuid().toString(QUuid::WithoutBraces);
    metadata.location = table.location;
    metadata.lastUpdatedMs = table.nowMs;
    metadata.lastColumnId = table.schema.highestId();
    metadata.schemas = {table.schema};
    metadata.currentSchemaId = table.schema.id;
    metadata.specs = {table.spec};
    metadata.defaultSpecId = table.spec.id;
    for (const auto &field : table.spec.fields)
        metadata.lastPartitionId = std::max(metadata.lastPartitionId, field.fieldId);
    metadata.sortOrders = {table.sortOrder};
    metadata.defaultSortOrderId = table.sortOrder.id;
    metadata.properties = table.properties;
    return metadata;
}

void setCurrentSchema(TableMetadata &metadata, Schema schema)
{
    int highest = 0;
    for (const auto &known : metadata.schemas) {
        highest = std::max(highest, known.id);
        if (known.fields == schema.fields &&
            known.identifierFieldIds == schema.identifierFieldIds) {
            metadata.currentSchemaId = known.id;
            return;
        }
    }
    schema.id = highest + 1;
    metadata.lastColumnId = std::max(metadata.lastColumnId, schema.highestId());
    metadata.currentSchemaId = schema.id;
    metadata.schemas.append(std::move(schema));
}

Status checkWritable(const TableMetadata &metadata, const TableName &name)
{
    if (metadata.formatVersion == kFormatVersion)
        return {};
    return fail(unsupportedError(QStringLiteral("table %1 is of format version %2, which is read "
                                                "and not written")
                                     .arg(name.text(), QString::number(metadata.formatVersion)))
                    .withHint(QStringLiteral("Upgrade it, which moves no data: ALTER TABLE %1 SET "
                                             "PROPERTIES format_version = 2")
                                  .arg(name.text())));
}

}  // namespace ivm::iceberg
