// Tables by name, shape and state, the same for every engine.
//
// Plain data; any thread.
#pragma once

#include "framework/api/types.h"
#include "framework/base/result.h"

#include <QMap>

#include <optional>

namespace ivm {

using SnapshotId = qint64;

// `name` as a quoted SQL identifier: "a""b". The only way a name gets into a statement.
QString quotedIdentifier(QStringView name);
// `text` as an SQL string literal: 'it''s'.
QString quotedLiteral(QStringView text);

// A whole name. Parts are lower case, as Trino's Iceberg connector keeps them.
struct TableName {
    QString catalog;
    QString schema;
    QString table;

    bool operator==(const TableName &) const = default;
    auto operator<=>(const TableName &other) const
    {
        return std::tie(catalog, schema, table) <=>
               std::tie(other.catalog, other.schema, other.table);
    }
    QString
    text() const;  // iceberg.main.flights, for people; parts are quoted only where they need it
    QString quoted() const;  // "iceberg"."main"."flights", for statements
    // The table's metadata table: "iceberg"."main"."flights$refs".
    QString quotedMetadataTable(QStringView suffix) const;
};

size_t qHash(const TableName &name, size_t seed = 0);

// Reads one, two or three dot-separated parts, each bare or quoted, and fills what is missing from
// `defaults`. Invalid when it is none of these.
Result<TableName> parseTableName(QStringView text, const TableName &defaults);

struct Column {
    QString name;
    Type type;
    bool nullable = true;
    int fieldId = 0;  // Iceberg's; 0 where the engine does not tell
    QString comment = {};

    bool operator==(const Column &) const = default;
};

// Iceberg's partition transforms (table spec, "Partition Transforms").
enum class Transform { Identity, Year, Month, Day, Hour, Bucket, Truncate, Void };

struct PartitionField {
    Transform transform = Transform::Identity;
    QString column;
    int argument = 0;  // bucket count or truncate width

    bool operator==(const PartitionField &) const = default;
    QString text() const;  // "day(hour_ts)", "origin", "bucket(k, 16)", as Trino's `partitioning`
                           // property has it
};

// Reads the text above. Invalid, naming the text, when it is not a transform of a column.
Result<PartitionField> parsePartitionField(QStringView text);

// What a table looks like when it is made.
struct TableSpec {
    TableName name;
    QList<Column> columns;
    QList<PartitionField> partitioning = {};
    QStringList sortedBy = {};  // "column" or "column DESC", as Trino's `sorted_by` property has it
    QString format = QStringLiteral("PARQUET");
    QString comment = {};
};

// Where a table stands. Two heads with equal tokens are the same state of the same table, schema
// included.
struct TableHead {
    QString tableId;  // differs when a table is dropped and made again
    QString token;    // the newest metadata file: also changes with the schema alone
    std::optional<SnapshotId> snapshot;  // none: a table without snapshots, so without rows

    bool operator==(const TableHead &) const = default;
};

// TableHead::tableId, from the location of one of the table's metadata files: the table's folder,
// or where they are not in its folder `metadata`, the one that they are in. Local ones as
// file:///x.
QString tableIdOf(QStringView metadataFile);

// What a table holds, by the summary of its head's snapshot; none where that does not tell.
struct TableTotals {
    std::optional<qint64> rows;  // without those that position deletes take away
    std::optional<qint64> files;
    std::optional<qint64> bytes;
};
TableTotals totalsOf(const QMap<QString, QString> &summary);

struct TableInfo {
    TableName name;
    QList<Column> columns;
    QList<PartitionField> partitioning;
    QStringList sortedBy;
    TableHead head;
    QMap<QString, QString> headSummary;  // of the head's snapshot; empty without one
    QString comment = {};
};

}  // namespace ivm
