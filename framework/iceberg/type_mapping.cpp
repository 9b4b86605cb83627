#include "framework/iceberg/schema.h"

#include <QSet>

#include <algorithm>

namespace ivm::iceberg {

namespace {

// Iceberg keeps microseconds.
constexpr int kFractionDigits = 6;

Error notStorable(const Type &type)
{
    return unsupportedError(
               QStringLiteral("no Iceberg table can hold a column of type %1").arg(type.text()))
        .withHint(u"Cast it to a type that can be stored, for example varchar");
}

Status checkRowFields(const Type &row)
{
    QSet<QString> names;
    for (const auto &field : row.fields) {
        if (field.name.isEmpty())
            return fail(unsupportedError(
                QStringLiteral("a field of %1 has no name, which a table needs").arg(row.text())));
        if (names.contains(field.name.toLower()))
            return fail(unsupportedError(
                QStringLiteral("two fields of %1 are called '%2'").arg(row.text(), field.name)));
        names.insert(field.name.toLower());
    }
    return {};
}

Result<StoredType> storedNested(const Type &type)
{
    if (type.is(TypeKind::Row))
        IVM_CHECK(checkRowFields(type));
    StoredType out{type, Keeping::Exact};
    for (auto &field : out.type.fields) {
        IVM_TRY(const auto part, storedType(field.type));
        field.type = part.type;
        out.keeping = std::max(out.keeping, part.keeping);
    }
    return out;
}

StoredType storedTime(Type type)
{
    const int asked = type.precision;
    type.precision = kFractionDigits;
    if (asked == kFractionDigits)
        return {type, Keeping::Exact};
    return {type, asked < kFractionDigits ? Keeping::Widened : Keeping::Narrowed};
}

// Gives all fields of one level their ids before those inside them, as other writers do.
Result<QList<Field>> fieldsOf(const QList<TypeField> &parts, const QStringList &names, int *lastId)
{
    QList<Field> fields;
    for (qsizetype i = 0; i < parts.size(); ++i)
        fields.append(Field{.id = ++*lastId, .name = names.isEmpty() ? parts[i].name : names[i]});
    for (qsizetype i = 0; i < parts.size(); ++i) {
        IVM_TRY(fields[i].type, toIceberg(parts[i].type, lastId));
    }
    return fields;
}

Result<FieldType> nestedToIceberg(const Type &type, int *lastId)
{
    FieldType out;
    if (type.is(TypeKind::Row)) {
        IVM_CHECK(checkRowFields(type));
        out.id = TypeId::Struct;
        IVM_TRY(out.fields, fieldsOf(type.fields, {}, lastId));
    } else if (type.is(TypeKind::Array)) {
        out.id = TypeId::List;
        IVM_TRY(out.fields, fieldsOf(type.fields, {QStringLiteral("element")}, lastId));
    } else {
        out.id = TypeId::Map;
        IVM_TRY(out.fields,
                fieldsOf(type.fields, {QStringLiteral("key"), QStringLiteral("value")}, lastId));
        out.fields[0].required = true;
    }
    return out;
}

}  // namespace

Result<StoredType> storedType(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Real:
    case TypeKind::Double:
    case TypeKind::Decimal:
    case TypeKind::Varbinary:
    case TypeKind::Uuid:
    case TypeKind::Date: return StoredType{type, Keeping::Exact};
    case TypeKind::Tinyint:
    case TypeKind::Smallint: return StoredType{{.kind = TypeKind::Integer}, Keeping::Widened};
    case TypeKind::Varchar:
        return StoredType{{.kind = TypeKind::Varchar},
                          type.precision == 0 ? Keeping::Exact : Keeping::Widened};
    case TypeKind::Time:
    case TypeKind::Timestamp:
    case TypeKind::TimestampWithTimeZone: return storedTime(type);
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Row: return storedNested(type);
    case TypeKind::Char:
    case TypeKind::Json:
    case TypeKind::TimeWithTimeZone:
    case TypeKind::IntervalYearToMonth:
    case TypeKind::IntervalDayToSecond:
    case TypeKind::Unknown: break;
    }
    return fail(notStorable(type));
}

Result<FieldType> toIceberg(const Type &type, int *lastId)
{
    IVM_TRY(const auto stored, storedType(type));
    if (stored.keeping != Keeping::Exact)
        return fail(
            unsupportedError(QStringLiteral("a column of type %1 is stored as %2; cast it first")
                                 .arg(type.text(), stored.type.text())));
    switch (type.kind) {
    case TypeKind::Boolean: return FieldType{.id = TypeId::Boolean};
    case TypeKind::Integer: return FieldType{.id = TypeId::Int};
    case TypeKind::Bigint: return FieldType{.id = TypeId::Long};
    case TypeKind::Real: return FieldType{.id = TypeId::Float};
    case TypeKind::Double: return FieldType{.id = TypeId::Double};
    case TypeKind::Decimal:
        return FieldType{.id = TypeId::Decimal, .precision = type.precision, .scale = type.scale};
    case TypeKind::Varchar: return FieldType{.id = TypeId::String};
    case TypeKind::Varbinary: return FieldType{.id = TypeId::Binary};
    case TypeKind::Uuid: return FieldType{.id = TypeId::Uuid};
    case TypeKind::Date: return FieldType{.id = TypeId::Date};
    case TypeKind::Time: return FieldType{.id = TypeId::Time};
    case TypeKind::Timestamp: return FieldType{.id = TypeId::Timestamp};
    case TypeKind::TimestampWithTimeZone: return FieldType{.id = TypeId::Timestamptz};
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Row: return nestedToIceberg(type, lastId);
    default: return fail(notStorable(type));
    }
}

Type toTrino(const FieldType &type)
{
    const auto nested = [&](TypeKind kind) {
        Type out{.kind = kind};
        for (const auto &field : type.fields)
            out.fields.append(
                TypeField{kind == TypeKind::Row ? field.name : QString(), toTrino(field.type)});
        return out;
    };
    switch (type.id) {
    case TypeId::Boolean: return {.kind = TypeKind::Boolean};
    case TypeId::Int: return {.kind = TypeKind::Integer};
    case TypeId::Long: return {.kind = TypeKind::Bigint};
    case TypeId::Float: return {.kind = TypeKind::Real};
    case TypeId::Double: return {.kind = TypeKind::Double};
    case TypeId::Decimal:
        return {.kind = TypeKind::Decimal, .precision = type.precision, .scale = type.scale};
    case TypeId::Date: return {.kind = TypeKind::Date};
    case TypeId::Time: return {.kind = TypeKind::Time, .precision = kFractionDigits};
    case TypeId::Timestamp: return {.kind = TypeKind::Timestamp, .precision = kFractionDigits};
    case TypeId::Timestamptz:
        return {.kind = TypeKind::TimestampWithTimeZone, .precision = kFractionDigits};
    case TypeId::String: return {.kind = TypeKind::Varchar};
    case TypeId::Uuid: return {.kind = TypeKind::Uuid};
    case TypeId::Fixed:
    case TypeId::Binary: return {.kind = TypeKind::Varbinary};
    case TypeId::Struct: return nested(TypeKind::Row);
    case TypeId::List: return nested(TypeKind::Array);
    case TypeId::Map: return nested(TypeKind::Map);
    }
    Q_UNREACHABLE();
}

Result<Schema> makeSchema(const QList<Column> &columns)
{
    if (columns.isEmpty())
        return fail(invalidError(QStringLiteral("a table needs at least one column")));
    Schema schema;
    QSet<QString> names;
    for (const auto &column : columns) {
        if (names.contains(column.name.toLower()))
            return fail(
                invalidError(QStringLiteral("two columns are called '%1'").arg(column.name)));
        names.insert(column.name.toLower());
        schema.fields.append(Field{.id = int(schema.fields.size()) + 1,
                                   .name = column.name,
                                   .required = !column.nullable,
                                   .type = {},
                                   .doc = column.comment});
    }
    int lastId = int(columns.size());
    for (qsizetype i = 0; i < columns.size(); ++i) {
        auto type = toIceberg(columns[i].type, &lastId);
        if (!type)
            return fail(
                std::move(type).error().during(QStringLiteral("column '%1'").arg(columns[i].name)));
        schema.fields[i].type = *type;
    }
    return schema;
}

QList<Column> columnsOf(const Schema &schema)
{
    QList<Column> columns;
    for (const auto &field : schema.fields)
        columns.append(Column{.name = field.name,
                              .type = toTrino(field.type),
                              .nullable = !field.required,
                              .fieldId = field.id,
                              .comment = field.doc});
    return columns;
}

}  // namespace ivm::iceberg
