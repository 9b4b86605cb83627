// Column types in the language of Trino, which is the language of the whole product.
//
// Plain data; any thread. Source of the rules: Trino's documentation, "Data types".
#pragma once

#include "framework/base/result.h"

#include <QList>
#include <QString>

namespace ivm {

enum class TypeKind {
    Boolean,
    Tinyint,
    Smallint,
    Integer,
    Bigint,
    Real,
    Double,
    Decimal,
    Varchar,
    Char,
    Varbinary,
    Uuid,
    Json,
    Date,
    Time,
    TimeWithTimeZone,
    Timestamp,
    TimestampWithTimeZone,
    IntervalYearToMonth,
    IntervalDayToSecond,
    Array,
    Map,
    Row,
    Unknown,  // the type of NULL
};

struct TypeField;

struct Type {
    TypeKind kind = TypeKind::Unknown;
    // Decimal: digits in all. Varchar, Char: length, 0 for unbounded. Time, Timestamp …: digits of
    // the second's fraction.
    int precision = 0;
    int scale = 0;  // Decimal only
    // Array: one, the element. Map: two, key and value. Row: its fields, whose names may be empty.
    QList<TypeField> fields = {};

    bool operator==(const Type &) const;
    bool is(TypeKind other) const { return kind == other; }
    bool isInteger() const;  // tinyint to bigint
    bool isFloat() const { return kind == TypeKind::Real || kind == TypeKind::Double; }
    bool isNested() const;  // array, map, row

    // As Trino spells it: "decimal(12,2)", "timestamp(6) with time zone", "row(a bigint, b
    // array(varchar))".
    QString text() const;
};

struct TypeField {
    QString name;
    Type type;

    bool operator==(const TypeField &) const = default;
};

// Reads Trino's spelling; case and spacing do not matter, and defaults are filled in ("timestamp"
// is timestamp(3)). Invalid, naming the text, when it is not a type.
Result<Type> parseType(QStringView text);

}  // namespace ivm
