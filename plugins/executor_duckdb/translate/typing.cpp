#include "plugins/executor_duckdb/translate/typing.h"

#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/translate.h"
#include "plugins/executor_duckdb/translate/zone.h"

#include <QSet>

#include <algorithm>

namespace ivm::duckdb {

namespace {

constexpr int kMaxDecimalDigits = 38;

// How many digits hold every value of an integer type.
int decimalDigits(TypeKind integer)
{
    switch (integer) {
    case TypeKind::Tinyint: return 3;
    case TypeKind::Smallint: return 5;
    case TypeKind::Integer: return 10;
    default: return 19;
    }
}

// The place in the order in which numbers widen; decimals stand between bigint and real.
int numericRank(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Tinyint: return 1;
    case TypeKind::Smallint: return 2;
    case TypeKind::Integer: return 3;
    case TypeKind::Bigint: return 4;
    case TypeKind::Decimal: return 5;
    case TypeKind::Real: return 6;
    case TypeKind::Double: return 7;
    default: return 0;
    }
}

Type asDecimal(const Type &type)
{
    return type.isInteger() ? decimalType(decimalDigits(type.kind), 0) : type;
}

Type commonNumber(const Type &a, const Type &b)
{
    const Type &wider = numericRank(a) >= numericRank(b) ? a : b;
    if (!wider.is(TypeKind::Decimal))
        return wider;
    const Type x = asDecimal(a);
    const Type y = asDecimal(b);
    const int scale = std::max(x.scale, y.scale);
    const int whole = std::max(x.precision - x.scale, y.precision - y.scale);
    return decimalType(std::min(kMaxDecimalDigits, whole + scale), scale);
}

int timeRank(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Date: return 1;
    case TypeKind::Timestamp: return 2;
    case TypeKind::TimestampWithTimeZone: return 3;
    default: return 0;
    }
}

// Dates and timestamps without a zone become values in the session's zone, UTC.
Type inCommonZone(Type type, const Type &a, const Type &b)
{
    if (!type.is(TypeKind::TimestampWithTimeZone))
        return type;
    const auto zone = zoneOf(a);
    return zone && zone == zoneOf(b) ? inZone(type, *zone) : inAnyZone(type);
}

Type longerVarchar(const Type &a, const Type &b)
{
    if (a.precision == 0 || b.precision == 0)
        return simpleType(TypeKind::Varchar);
    return simpleType(TypeKind::Varchar, std::max(a.precision, b.precision));
}

// Part by part; a name stays where both rows have it.
std::optional<Type> commonNested(const Type &a, const Type &b)
{
    Type common{.kind = a.kind};
    for (qsizetype i = 0; i < a.fields.size(); ++i) {
        const auto part = commonSuperType(a.fields[i].type, b.fields[i].type);
        if (!part)
            return std::nullopt;
        const bool sameName = a.fields[i].name.toLower() == b.fields[i].name.toLower();
        common.fields.append({sameName ? a.fields[i].name : QString(), *part});
    }
    return common;
}

Status checkFieldNames(const Type &row)
{
    QSet<QString> names;
    for (qsizetype i = 0; i < row.fields.size(); ++i) {
        const QString name = fieldName(row, i).toLower();
        if (names.contains(name)) {
            return fail(unsupportedError(QStringLiteral("rows with two fields of one name are not "
                                                        "in the embedded engine: %1")
                                             .arg(typeText(row)))
                            .withCode(u"unsupported_type"));
        }
        names.insert(name);
    }
    return {};
}

Result<QString> nestedType(const Type &type)
{
    const bool row = type.is(TypeKind::Row);
    if (row)
        IVM_CHECK(checkFieldNames(type));
    QStringList parts;
    for (qsizetype i = 0; i < type.fields.size(); ++i) {
        IVM_TRY(const QString part, duckdbType(type.fields[i].type));
        parts.append(row ? fieldName(type, i) + u' ' + part : part);
    }
    if (type.is(TypeKind::Array))
        return QString(parts[0] + QStringLiteral("[]"));
    const auto name = type.is(TypeKind::Map) ? QStringLiteral("MAP(") : QStringLiteral("STRUCT(");
    return QString(name + parts.join(QStringLiteral(", ")) + u')');
}

Error unsupportedType(const Type &type)
{
    return unsupportedError(
               QStringLiteral("the embedded engine has no type %1").arg(typeText(type)))
        .withCode(u"unsupported_type");
}

}  // namespace

Type simpleType(TypeKind kind, int precision) { return {.kind = kind, .precision = precision}; }

Type decimalType(int precision, int scale)
{
    return {.kind = TypeKind::Decimal, .precision = precision, .scale = scale};
}

Type varcharType(qsizetype length)
{
    return simpleType(TypeKind::Varchar, length == 0 ? kEmptyVarchar : int(length));
}

QString typeText(const Type &type)
{
    if (type.is(TypeKind::Varchar) && type.precision == kEmptyVarchar)
        return QStringLiteral("varchar(0)");
    return type.text();
}

QString typeTexts(const QList<Type> &types)
{
    QStringList texts;
    for (const auto &type : types)
        texts.append(typeText(type));
    return texts.join(QStringLiteral(", "));
}

bool isTimestamp(const Type &type)
{
    return type.is(TypeKind::Timestamp) || type.is(TypeKind::TimestampWithTimeZone);
}

bool isVarchar(const Type &type) { return type.is(TypeKind::Varchar); }
bool isInterval(const Type &type)
{
    return type.is(TypeKind::IntervalDayToSecond) || type.is(TypeKind::IntervalYearToMonth);
}

bool isNumeric(const Type &type) { return numericRank(type) > 0; }

bool isOrderable(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Varchar:
    case TypeKind::Varbinary:
    case TypeKind::Uuid:
    case TypeKind::Date:
    case TypeKind::Time:
    case TypeKind::Timestamp:
    case TypeKind::TimestampWithTimeZone:
    case TypeKind::IntervalDayToSecond:
    case TypeKind::IntervalYearToMonth:
    case TypeKind::Unknown: return true;
    default: return isNumeric(type);
    }
}

std::optional<Type> commonSuperType(const Type &a, const Type &b)
{
    if (a == b || b.is(TypeKind::Unknown))
        return a;
    if (a.is(TypeKind::Unknown))
        return b;
    if (isNumeric(a) && isNumeric(b))
        return commonNumber(a, b);
    if (isVarchar(a) && isVarchar(b))
        return longerVarchar(a, b);
    if (timeRank(a) > 0 && timeRank(b) > 0) {
        const Type &wider = timeRank(a) >= timeRank(b) ? a : b;
        return inCommonZone(simpleType(wider.kind, std::max(a.precision, b.precision)), a, b);
    }
    if (a.isNested() && a.kind == b.kind && a.fields.size() == b.fields.size())
        return commonNested(a, b);
    if (a.is(TypeKind::Time) && b.is(TypeKind::Time))
        return simpleType(TypeKind::Time, std::max(a.precision, b.precision));
    return std::nullopt;
}

bool canCoerce(const Type &from, const Type &to)
{
    const auto common = commonSuperType(from, to);
    return common && withoutZones(*common) == withoutZones(to);
}

Result<QString> duckdbType(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Boolean: return QStringLiteral("BOOLEAN");
    case TypeKind::Tinyint: return QStringLiteral("TINYINT");
    case TypeKind::Smallint: return QStringLiteral("SMALLINT");
    case TypeKind::Unknown:  // holds nothing but NULL
    case TypeKind::Integer: return QStringLiteral("INTEGER");
    case TypeKind::Bigint: return QStringLiteral("BIGINT");
    case TypeKind::Real: return QStringLiteral("FLOAT");
    case TypeKind::Double: return QStringLiteral("DOUBLE");
    case TypeKind::Decimal:
        return QStringLiteral("DECIMAL(%1,%2)").arg(type.precision).arg(type.scale);
    case TypeKind::Varchar: return QStringLiteral("VARCHAR");
    case TypeKind::Varbinary: return QStringLiteral("BLOB");
    case TypeKind::Uuid: return QStringLiteral("UUID");
    case TypeKind::Date: return QStringLiteral("DATE");
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Row: return nestedType(type);
    default: break;
    }
    if (type.precision <= kMaxTimestampDigits) {
        if (type.is(TypeKind::Time))
            return QStringLiteral("TIME");
        if (type.is(TypeKind::Timestamp))
            return QStringLiteral("TIMESTAMP");
        if (type.is(TypeKind::TimestampWithTimeZone))
            return QStringLiteral("TIMESTAMPTZ");
    }
    return fail(unsupportedType(type));
}

QStringList sessionSettings()
{
    return QStringList{QStringLiteral("SET TimeZone = 'UTC'"),
                       QStringLiteral("SET default_null_order = 'NULLS LAST'"),
                       QStringLiteral("SET ieee_floating_point_ops = true"),
                       QStringLiteral("SET scalar_subquery_error_on_multiple_rows = true")} +
           zoneMacros();
}

}  // namespace ivm::duckdb
