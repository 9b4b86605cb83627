#include "framework/sqlexec/type_sql.h"

#include "framework/api/table.h"

namespace ivm {

namespace {

// Iceberg's time, timestamp and timestamptz have microseconds. Table spec, "Primitive Types".
constexpr int kStoredFractionDigits = 6;

QString nestedSql(const Type &type, QStringView word)
{
    QStringList parts;
    for (const auto &field : type.fields) {
        const QString name = field.name.isEmpty() ? QString() : quotedIdentifier(field.name) + u' ';
        parts.append(name + typeSql(field.type));
    }
    return word + u'(' + parts.join(QStringLiteral(", ")) + u')';
}

Error notStored(const Type &type, QStringView why)
{
    return unsupportedError(
               QStringLiteral("a column of type %1 cannot be stored in an Iceberg table%2")
                   .arg(type.text(), why))
        .withHint(u"Cast it in the query, for example to varchar");
}

Result<Type> nestedColumnType(Type type)
{
    for (auto &field : type.fields) {
        if (type.is(TypeKind::Row) && field.name.isEmpty())
            return fail(notStored(type, u": a field has no name"));
        IVM_TRY(field.type, columnType(field.type));
    }
    return type;
}

}  // namespace

QString typeSql(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Array: return nestedSql(type, u"array");
    case TypeKind::Map: return nestedSql(type, u"map");
    case TypeKind::Row: return nestedSql(type, u"row");
    default: return type.text();
    }
}

Result<Type> columnType(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Row: return nestedColumnType(type);
    case TypeKind::Time:
    case TypeKind::Timestamp:
    case TypeKind::TimestampWithTimeZone:
        return Type{.kind = type.kind, .precision = kStoredFractionDigits};
    case TypeKind::Tinyint:
    case TypeKind::Smallint: return Type{.kind = TypeKind::Integer};
    case TypeKind::Varchar:
    case TypeKind::Char: return Type{.kind = TypeKind::Varchar};
    case TypeKind::Json:
    case TypeKind::TimeWithTimeZone:
    case TypeKind::IntervalYearToMonth:
    case TypeKind::IntervalDayToSecond:
    case TypeKind::Unknown: return fail(notStored(type, {}));
    default: return type;
    }
}

}  // namespace ivm
