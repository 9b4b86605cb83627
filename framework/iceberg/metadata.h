// A table's metadata file: everything about a table except its files.
//
// Plain data; any thread. Source: Iceberg table spec, "Table Metadata" and Appendix C. Version 1 is
// read as what it becomes in version 2, and only version 2 is written. Members of the JSON that are
// not modelled are kept in `other` and written back.
#pragma once

#include "framework/iceberg/schema.h"
#include "framework/iceberg/transform.h"

#include <QMap>

namespace ivm::iceberg {

inline constexpr auto kMainBranch = u"main";
// The format version this code writes; it reads the one before, too.
inline constexpr int kFormatVersion = 2;

struct SpecField {
    int sourceId = 0;
    int fieldId = 0;
    QString name;
    PartitionTransform transform;
    QJsonObject other = {};

    bool operator==(const SpecField &) const = default;
};

struct PartitionSpec {
    int id = 0;
    QList<SpecField> fields = {};
    QJsonObject other = {};

    bool operator==(const PartitionSpec &) const = default;
    bool isUnpartitioned() const { return fields.isEmpty(); }
};

struct SortField {
    int sourceId = 0;
    QString transform = QStringLiteral("identity");
    bool descending = false;
    bool nullsFirst = true;
    QJsonObject other = {};

    bool operator==(const SortField &) const = default;
};

struct SortOrder {
    int id = 0;  // 0: unsorted
    QList<SortField> fields = {};
    QJsonObject other = {};

    bool operator==(const SortOrder &) const = default;
};

struct Snapshot {
    SnapshotId id = 0;
    std::optional<SnapshotId> parent = {};
    qint64 sequenceNumber = 0;
    qint64 timestampMs = 0;
    QString manifestList;
    QStringList manifests = {};           // of version 1, which could do without a list
    QMap<QString, QString> summary = {};  // "operation" included
    std::optional<int> schemaId = {};
    QJsonObject other = {};

    bool operator==(const Snapshot &) const = default;
    QString operation() const { return summary.value(QStringLiteral("operation")); }
};

struct SnapshotRef {
    SnapshotId snapshot = 0;
    bool isTag = false;
    QJsonObject other = {};  // retention

    bool operator==(const SnapshotRef &) const = default;
};

struct SnapshotLogEntry {
    qint64 timestampMs = 0;
    SnapshotId snapshot = 0;

    bool operator==(const SnapshotLogEntry &) const = default;
};

struct MetadataLogEntry {
    qint64 timestampMs = 0;
    QString location;

    bool operator==(const MetadataLogEntry &) const = default;
};

struct TableMetadata {
    int formatVersion = kFormatVersion;
    QString uuid;      // version 1 could do without
    QString location;  // a URI without trailing slash
    qint64 lastSequenceNumber = 0;
    qint64 lastUpdatedMs = 0;
    int lastColumnId = 0;
    QList<Schema> schemas;
    int currentSchemaId = 0;
    QList<PartitionSpec> specs;
    int defaultSpecId = 0;
    int lastPartitionId = 999;
    QList<SortOrder> sortOrders;
    int defaultSortOrderId = 0;
    QMap<QString, QString> properties;
    std::optional<SnapshotId> currentSnapshotId;  // the head of main
    QList<Snapshot> snapshots;
    QMap<QString, SnapshotRef> refs;
    QList<SnapshotLogEntry> snapshotLog;
    QList<MetadataLogEntry> metadataLog;
    QJsonObject other;

    bool operator==(const TableMetadata &) const = default;

    // Null when there is none; a parsed or made metadata always has a current schema and a default
    // spec.
    const Schema *schema(int id) const;
    const PartitionSpec *spec(int id) const;
    const Snapshot *snapshot(SnapshotId id) const;
    const Snapshot *currentSnapshot() const;
    // A field of the current schema, else of the newest other schema that has it.
    const Field *field(int id) const;
    const Schema &currentSchema() const;
    const PartitionSpec &defaultSpec() const;
    const SortOrder &defaultSortOrder() const;
    // The schema that a snapshot was written with; the current one where it does not say.
    const Schema &schemaOf(const Snapshot &snapshot) const;
};

// Corrupt, naming `what` (the file) and the member; Unsupported, naming the version, for format
// versions after 2.
Result<TableMetadata> metadataFromJson(const QByteArray &bytes, QStringView what);
// Always version 2.
QByteArray metadataToJson(const TableMetadata &metadata);

// Whether commits may be made: Unsupported, saying how to upgrade it, for a table of version 1.
Status checkWritable(const TableMetadata &metadata, const TableName &name);

// A spec for a new table, its fields named as Trino names them (column, column_day, …), ids from
// 1000. Invalid for an unknown column, a type the transform does not take, or a field twice.
Result<PartitionSpec> makeSpec(const QList<PartitionField> &partitioning, const Schema &schema);
// Makes a table partitioned otherwise from now on, as the spec that has been it before, or a new
// one: present fields that stay come first, as they are. Errors as makeSpec().
Status setPartitioning(TableMetadata &metadata, const QList<PartitionField> &partitioning);
// Makes a spec or a sort order the default one under its id among those there were; a field's id is
// that of any earlier field of the same column and transform.
void useSpec(TableMetadata &metadata, PartitionSpec spec);
void useSortOrder(TableMetadata &metadata, SortOrder order);
// Unsupported when a column bears the name of a partition field that is not its value: other
// programs then refuse the table, even where the spec is an old one.
Status checkPartitionNames(const QList<PartitionSpec> &specs, const Schema &schema);
// Fields of unknown transforms, and of columns that `schema` has no longer, are left out.
QList<PartitionField> partitioningOf(const PartitionSpec &spec, const Schema &schema);

// "column", "column DESC", "column ASC NULLS LAST" as Trino's `sorted_by` has them. Invalid, naming
// the text.
Result<SortOrder> makeSortOrder(const QStringList &sortedBy, const Schema &schema);
QStringList sortedByOf(const SortOrder &order, const Schema &schema);

// A new table without snapshots.
struct NewTable {
    QString location;
    Schema schema;
    PartitionSpec spec;
    SortOrder sortOrder;
    QMap<QString, QString> properties = {};
    qint64 nowMs = 0;
};
TableMetadata makeMetadata(const NewTable &table);

// Makes `schema` the current one under a new id, unless an equal one is there already. Ids of its
// new fields are the caller's, above lastColumnId.
void setCurrentSchema(TableMetadata &metadata, Schema schema);

}  // namespace ivm::iceberg
