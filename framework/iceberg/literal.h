// One value of a primitive Iceberg type: a partition value, or a column's bound.
//
// Plain data; any thread. Source: Iceberg table spec, Appendix D.
#pragma once

#include "framework/iceberg/schema.h"

#include <QByteArray>

#include <variant>

namespace ivm::iceberg {

// Which alternative holds it follows from the type:
//   NULL monostate · boolean bool · int, long, date (days), time, timestamp, timestamptz
//   (microseconds) qint64 · float, double double · string QString · decimal, uuid, fixed, binary
//   QByteArray. A decimal is its unscaled value in two's complement, big-endian, as short as
//   possible.
// Equal partition values have equal literals, NaN included; -0.0 and 0.0 differ.
struct Literal {
    std::variant<std::monostate, bool, qint64, double, QString, QByteArray> data;

    bool isNull() const { return std::holds_alternative<std::monostate>(data); }
    bool operator==(const Literal &other) const;
    // For people and for folder names: null, true, 12, 1.5, text as it is, bytes in hex.
    QString text() const;
};

size_t qHash(const Literal &literal, size_t seed = 0);

// The binary form of bounds. Bytes written before a promotion (int to long, float to double, date
// to timestamp) are read as what they were. Corrupt when the length fits no such type.
Result<Literal> literalFromBytes(const FieldType &type, QByteArrayView bytes);
// Not for NULL. Decimals are in their shortest form already.
QByteArray literalToBytes(const FieldType &type, const Literal &literal);

// Reads what an engine prints: true/false/1/0, 12, 1.5, NaN, Infinity, 12.30, 2001-01-31,
// 12:00:00.5, "2001-01-31 12:00:00.123456" with `T` or a blank, and for timestamptz an offset as in
// +00, +02:00 or UTC; uuid with dashes; binary and fixed in hex. Digits of a second beyond the
// sixth must be zero. Invalid, naming the text and the type.
Result<Literal> literalFromText(const FieldType &type, QStringView text);

// The order of the type's values, as bounds need it: -0.0 before 0.0, strings by code point, bytes
// without sign. Not for NULL and NaN.
bool literalLess(const FieldType &type, const Literal &left, const Literal &right);

// A column's least and greatest value as bounds: texts and bytes are cut to 16 code points or
// bytes, zeros are taken for the outermost zero, always outward. None for NaN, and where nothing
// short is above the value.
std::optional<Literal> lowerBound(const FieldType &type, const Literal &least);
std::optional<Literal> upperBound(const FieldType &type, const Literal &greatest);

// Text without those of its characters that are after the first `count` code points.
QString firstCodePoints(const QString &text, int count);

// Big-endian two's complement without needless leading bytes.
QByteArray shortestDecimal(QByteArrayView bigEndian);

}  // namespace ivm::iceberg
