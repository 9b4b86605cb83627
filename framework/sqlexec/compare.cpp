#include "framework/sqlexec/compare.h"

namespace ivm {

namespace {

// A value that stands in for NULL on both sides of an equality; whether both are NULL is compared
// beside it. Nothing for types that are compared another way.
std::optional<QString> standIn(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Boolean: return QStringLiteral("FALSE");
    case TypeKind::Tinyint:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint: return QStringLiteral("0");
    case TypeKind::Decimal: return QStringLiteral("CAST(0 AS ") + type.text() + u')';
    case TypeKind::Varchar:
    case TypeKind::Char: return QStringLiteral("''");
    case TypeKind::Varbinary: return QStringLiteral("X''");
    case TypeKind::Date: return QStringLiteral("DATE '1970-01-01'");
    case TypeKind::Time: return QStringLiteral("TIME '00:00:00'");
    case TypeKind::Timestamp: return QStringLiteral("TIMESTAMP '1970-01-01 00:00:00'");
    case TypeKind::TimestampWithTimeZone:
        return QStringLiteral("TIMESTAMP '1970-01-01 00:00:00 UTC'");
    case TypeKind::Uuid: return QStringLiteral("UUID '00000000-0000-0000-0000-000000000000'");
    default: return {};
    }
}

QString sameNullness(const QString &left, const QString &right)
{
    return QStringLiteral("(%1 IS NULL) = (%2 IS NULL)").arg(left, right);
}

// Equal bytes for equal keys: one NaN, and -0.0 is 0.0. NULL stays NULL.
QString floatKey(const QString &value)
{
    return QStringLiteral(
               "to_ieee754_64(CASE WHEN is_nan(%1) THEN nan() ELSE CAST(%1 AS double) + 0E0 END)")
        .arg(value);
}

QString coalesced(const QString &value, const QString &instead)
{
    return QStringLiteral("coalesce(%1, %2)").arg(value, instead);
}

QString sameRow(const Type &type, const QString &left, const QString &right)
{
    QStringList parts{sameNullness(left, right)};
    for (qsizetype i = 0; i < type.fields.size(); ++i) {
        const QString subscript = QStringLiteral("[%1]").arg(i + 1);
        parts.append(sameKeySql(type.fields[i].type, left + subscript, right + subscript));
    }
    return parts.join(QStringLiteral(" AND "));
}

// Arrays and maps: their length finds the candidates by hash. From a bare IS NOT DISTINCT FROM
// Trino would make a dynamic filter, for which it orders the values, and it cannot order arrays
// with NULLs in them: the statement fails, and system.runtime.queries with it until it is
// forgotten.
QString sameByLength(const QString &left, const QString &right)
{
    const QString length = QStringLiteral("coalesce(cardinality(%1), -1)");
    return QStringLiteral("%1 = %2 AND coalesce(%3 IS NOT DISTINCT FROM %4, FALSE)")
        .arg(length.arg(left), length.arg(right), left, right);
}

bool holdsFloats(const Type &type)
{
    if (type.isFloat())
        return true;
    for (const auto &field : type.fields) {
        if (holdsFloats(field.type))
            return true;
    }
    return false;
}

QString bitwise(const Type &type, const QString &value, int depth);

QString bitwiseRow(const Type &type, const QString &value, int depth)
{
    QStringList fields;
    for (qsizetype i = 0; i < type.fields.size(); ++i)
        fields.append(
            bitwise(type.fields[i].type, value + QStringLiteral("[%1]").arg(i + 1), depth));
    return QStringLiteral("CASE WHEN %1 IS NOT NULL THEN ROW(%2) END")
        .arg(value, fields.join(QStringLiteral(", ")));
}

QString bitwise(const Type &type, const QString &value, int depth)
{
    if (!holdsFloats(type))
        return value;
    const QString element = QStringLiteral("x%1").arg(depth);
    switch (type.kind) {
    case TypeKind::Array:
        return QStringLiteral("transform(%1, %2 -> %3)")
            .arg(value, element, bitwise(type.fields[0].type, element, depth + 1));
    case TypeKind::Map:
        return QStringLiteral("transform_values(%1, (k%2, %3) -> %4)")
            .arg(value, QString::number(depth), element,
                 bitwise(type.fields[1].type, element, depth + 1));
    case TypeKind::Row: return bitwiseRow(type, value, depth);
    default:
        return QStringLiteral(
                   "CASE WHEN is_nan(%1) THEN X'' ELSE to_ieee754_64(CAST(%1 AS double)) END")
            .arg(value);
    }
}

// Equal when |a-b| <= 1e-9 * max(|a|, |b|, 1e-300); infinities only when they are the same one.
QString floatDiffers(const QString &left, const QString &right)
{
    const QString a = QStringLiteral("CAST(%1 AS double)").arg(left);
    const QString b = QStringLiteral("CAST(%1 AS double)").arg(right);
    return QStringLiteral(
               "(%1 IS DISTINCT FROM %2 AND NOT coalesce(is_finite(%1) AND is_finite(%2) AND "
               "abs(%1 - %2) <= 1E-9 * greatest(abs(%1), abs(%2), 1E-300), FALSE))")
        .arg(a, b);
}

}  // namespace

QString sameKeySql(const Type &type, const QString &left, const QString &right)
{
    if (type.isFloat()) {
        const QString none = QStringLiteral("X''");
        return coalesced(floatKey(left), none) + QStringLiteral(" = ") +
               coalesced(floatKey(right), none);
    }
    if (type.is(TypeKind::Row))
        return sameRow(type, left, right);
    if (const auto instead = standIn(type))
        return sameNullness(left, right) + QStringLiteral(" AND ") + coalesced(left, *instead) +
               QStringLiteral(" = ") + coalesced(right, *instead);
    return sameByLength(left, right);
}

QString bitwiseSql(const Type &type, const QString &value) { return bitwise(type, value, 1); }

std::optional<QString> differsSql(const OutputColumn &column, const QString &left,
                                  const QString &right)
{
    if (column.columnClass == ColumnClass::Key)
        return {};
    if (column.columnClass == ColumnClass::Float && column.type.isFloat())
        return floatDiffers(left, right);
    return bitwiseSql(column.type, left) + QStringLiteral(" IS DISTINCT FROM ") +
           bitwiseSql(column.type, right);
}

}  // namespace ivm
