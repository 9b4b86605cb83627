// A table's schema as Iceberg keeps it, and how its types meet the product's (Trino's).
//
// Plain data; any thread. Source: Iceberg table spec, "Schemas and Data Types" and Appendix C; the
// mapping of types is that of Trino's Iceberg connector, "Type mapping".
#pragma once

#include "framework/api/table.h"
#include "framework/base/result.h"

#include <QJsonObject>

namespace ivm::iceberg {

enum class TypeId {
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Decimal,
    Date,
    Time,
    Timestamp,
    Timestamptz,
    String,
    Uuid,
    Fixed,
    Binary,
    Struct,
    List,
    Map,
};

struct Field;

struct FieldType {
    TypeId id = TypeId::Long;
    int precision = 0;  // Decimal: digits in all
    int scale = 0;      // Decimal
    int length = 0;     // Fixed: bytes
    // Struct: its fields. List: one, the element. Map: two, key and value.
    QList<Field> fields = {};

    bool operator==(const FieldType &) const;
    bool isNested() const { return id >= TypeId::Struct; }
    // For messages, as the spec spells it: "decimal(9,2)", "list<string>", "struct<a: int>".
    QString text() const;
};

struct Field {
    int id = 0;
    QString name = {};  // "element", "key", "value" inside lists and maps
    bool required = false;
    FieldType type = {};
    QString doc = {};
    QJsonValue initialDefault = QJsonValue::Undefined;  // kept as they are; Undefined: none
    QJsonValue writeDefault = QJsonValue::Undefined;
    QJsonObject other = {};  // members that are not modelled

    bool operator==(const Field &) const = default;
};

struct Schema {
    int id = 0;
    QList<Field> fields;
    QList<int> identifierFieldIds = {};
    QJsonObject other = {};

    bool operator==(const Schema &) const = default;

    // A field at any depth. Null when there is none.
    const Field *field(int id) const;
    // A column by name. Case does not matter, as in Trino, but an exact match wins. Null when there
    // is none.
    const Field *column(QStringView name) const;
    int highestId() const;
};

// Corrupt, naming `what` and the member; Unsupported, naming the type, for types of other format
// versions.
Result<Schema> schemaFromJson(const QJsonObject &object, QStringView what);
QJsonObject schemaToJson(const Schema &schema);

// What becomes of a value when a column of its type is stored.
enum class Keeping {
    Exact,     // the column has the type that was asked for
    Widened,   // it has a larger one: tinyint becomes integer, varchar(10) varchar, timestamp(3)
               // timestamp(6)
    Narrowed,  // different values may become equal: timestamp(9) becomes timestamp(6)
};

struct StoredType {
    Type type;  // as the column reads afterwards
    Keeping keeping = Keeping::Exact;

    bool operator==(const StoredType &) const = default;
};

// The type a column has once it is stored, nested types included.
// Unsupported, naming the type, for those that no table can hold: json, intervals, time with time
// zone, char (its padding would be lost), rows without field names, unknown.
Result<StoredType> storedType(const Type &type);

// The Iceberg type for one that storedType() keeps exactly; ids of nested fields count up from
// *lastId + 1. Unsupported when it would not be kept exactly: store storedType() and cast the
// values.
Result<FieldType> toIceberg(const Type &type, int *lastId);

// Every Iceberg type has one; fixed reads as varbinary.
Type toTrino(const FieldType &type);

// A schema for a new table: columns get the ids 1, 2, …, then the fields inside them.
// Column::fieldId is not looked at. Invalid for no column or one name twice; Unsupported as
// toIceberg().
Result<Schema> makeSchema(const QList<Column> &columns);

QList<Column> columnsOf(const Schema &schema);

}  // namespace ivm::iceberg
