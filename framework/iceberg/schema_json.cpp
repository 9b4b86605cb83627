#include "framework/iceberg/json_members.h"
#include "framework/iceberg/schema.h"

#include <QRegularExpression>

#include <utility>

namespace ivm::iceberg {

namespace {

// A type nested deeper than this is not a table anybody made; the limit keeps hostile files from
// exhausting the stack.
constexpr int kMaxDepth = 64;
constexpr int kMaxDecimalDigits = 38;

constexpr std::pair<TypeId, QStringView> kPrimitives[] = {
    {TypeId::Boolean, u"boolean"},
    {TypeId::Int, u"int"},
    {TypeId::Long, u"long"},
    {TypeId::Float, u"float"},
    {TypeId::Double, u"double"},
    {TypeId::Date, u"date"},
    {TypeId::Time, u"time"},
    {TypeId::Timestamp, u"timestamp"},
    {TypeId::Timestamptz, u"timestamptz"},
    {TypeId::String, u"string"},
    {TypeId::Uuid, u"uuid"},
    {TypeId::Binary, u"binary"},
};

// Types that the spec added after format version 2.
bool isNewerType(QStringView name)
{
    return name == u"unknown" || name == u"timestamp_ns" || name == u"timestamptz_ns" ||
           name == u"variant" || name.startsWith(u"geometry") || name.startsWith(u"geography");
}

Result<FieldType> primitiveFromText(const QString &text, QStringView what)
{
    for (const auto &[id, name] : kPrimitives) {
        if (text == name)
            return FieldType{.id = id};
    }
    static const QRegularExpression decimal(
        QStringLiteral(R"(^decimal\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$)"));
    if (const auto match = decimal.match(text); match.hasMatch()) {
        const int precision = match.capturedView(1).toInt();
        const int scale = match.capturedView(2).toInt();
        if (precision >= 1 && precision <= kMaxDecimalDigits && scale <= precision)
            return FieldType{.id = TypeId::Decimal, .precision = precision, .scale = scale};
    }
    static const QRegularExpression fixed(QStringLiteral(R"(^fixed\[\s*(\d{1,9})\s*\]$)"));
    if (const auto match = fixed.match(text); match.hasMatch())
        return FieldType{.id = TypeId::Fixed, .length = match.capturedView(1).toInt()};
    if (isNewerType(text))
        return fail(unsupportedError(
            QStringLiteral("%1: type '%2' belongs to a newer format version than 2")
                .arg(what, text)));
    return fail(corruptError(QStringLiteral("%1: '%2' is not a type").arg(what, text.left(200))));
}

Result<FieldType> typeFromJson(const QJsonValue &value, int depth, QStringView what);

Result<Field> fieldFromJson(const QJsonObject &object, int depth, QStringView what)
{
    Field field;
    IVM_TRY(field.id, intMember(object, u"id", what));
    IVM_TRY(field.name, json::string(object, u"name", what));
    IVM_TRY(field.required, boolMember(object, u"required", false, what));
    IVM_TRY(field.type, typeFromJson(object.value(u"type"), depth, what));
    field.doc = object.value(u"doc").toString();
    field.initialDefault = object.value(u"initial-default");
    field.writeDefault = object.value(u"write-default");
    field.other = otherMembers(
        object, {"id", "name", "required", "type", "doc", "initial-default", "write-default"});
    return field;
}

Result<QList<Field>> fieldsFromJson(const QJsonObject &object, int depth, QStringView what)
{
    QList<Field> fields;
    IVM_TRY(const auto list, json::array(object, u"fields", what));
    for (const auto &value : list) {
        if (!value.isObject())
            return fail(corruptError(
                QStringLiteral("%1: an element of \"fields\" is not an object").arg(what)));
        IVM_TRY(auto field, fieldFromJson(value.toObject(), depth, what));
        fields.append(field);
    }
    return fields;
}

// The parts of lists and maps, whose ids and nullability stand beside the type: "element-id",
// "element", …
Result<Field> partFromJson(const QJsonObject &object, const QString &name, int depth,
                           QStringView what)
{
    Field field{.name = name};
    const QString idKey = name + QStringLiteral("-id");
    IVM_TRY(field.id, intMember(object, idKey, what));
    const QString requiredKey = name + QStringLiteral("-required");
    IVM_TRY(field.required, boolMember(object, requiredKey, name == u"key", what));
    IVM_TRY(field.type, typeFromJson(object.value(name), depth, what));
    return field;
}

Result<FieldType> typeFromJson(const QJsonValue &value, int depth, QStringView what)
{
    if (depth > kMaxDepth)
        return fail(corruptError(QStringLiteral("%1: types are nested deeper than %2")
                                     .arg(what, QString::number(kMaxDepth))));
    if (value.isString())
        return primitiveFromText(value.toString(), what);
    if (!value.isObject())
        return fail(corruptError(
            QStringLiteral("%1: a \"type\" is neither a string nor an object").arg(what)));
    const auto object = value.toObject();
    IVM_TRY(const QString name, json::string(object, u"type", what));
    FieldType type;
    if (name == u"struct") {
        type.id = TypeId::Struct;
        IVM_TRY(type.fields, fieldsFromJson(object, depth + 1, what));
    } else if (name == u"list") {
        type.id = TypeId::List;
        IVM_TRY(auto element, partFromJson(object, QStringLiteral("element"), depth + 1, what));
        type.fields = {element};
    } else if (name == u"map") {
        type.id = TypeId::Map;
        IVM_TRY(auto key, partFromJson(object, QStringLiteral("key"), depth + 1, what));
        IVM_TRY(auto mapped, partFromJson(object, QStringLiteral("value"), depth + 1, what));
        type.fields = {key, mapped};
    } else {
        return fail(corruptError(
            QStringLiteral("%1: '%2' is not a nested type").arg(what, name.left(200))));
    }
    return type;
}

QJsonValue typeToJson(const FieldType &type);

QJsonArray fieldsToJson(const QList<Field> &fields)
{
    QJsonArray out;
    for (const auto &field : fields) {
        QJsonObject object = field.other;
        object.insert(QStringLiteral("id"), field.id);
        object.insert(QStringLiteral("name"), field.name);
        object.insert(QStringLiteral("required"), field.required);
        object.insert(QStringLiteral("type"), typeToJson(field.type));
        if (!field.doc.isEmpty())
            object.insert(QStringLiteral("doc"), field.doc);
        if (!field.initialDefault.isUndefined())
            object.insert(QStringLiteral("initial-default"), field.initialDefault);
        if (!field.writeDefault.isUndefined())
            object.insert(QStringLiteral("write-default"), field.writeDefault);
        out.append(object);
    }
    return out;
}

QJsonValue typeToJson(const FieldType &type)
{
    switch (type.id) {
    case TypeId::Struct:
        return QJsonObject{{QStringLiteral("type"), QStringLiteral("struct")},
                           {QStringLiteral("fields"), fieldsToJson(type.fields)}};
    case TypeId::List:
        return QJsonObject{{QStringLiteral("type"), QStringLiteral("list")},
                           {QStringLiteral("element-id"), type.fields[0].id},
                           {QStringLiteral("element-required"), type.fields[0].required},
                           {QStringLiteral("element"), typeToJson(type.fields[0].type)}};
    case TypeId::Map:
        return QJsonObject{{QStringLiteral("type"), QStringLiteral("map")},
                           {QStringLiteral("key-id"), type.fields[0].id},
                           {QStringLiteral("key"), typeToJson(type.fields[0].type)},
                           {QStringLiteral("value-id"), type.fields[1].id},
                           {QStringLiteral("value-required"), type.fields[1].required},
                           {QStringLiteral("value"), typeToJson(type.fields[1].type)}};
    case TypeId::Decimal:
        return QStringLiteral("decimal(%1, %2)").arg(type.precision).arg(type.scale);
    default: return type.text();
    }
}

}  // namespace

Result<Schema> schemaFromJson(const QJsonObject &object, QStringView what)
{
    Schema schema;
    if (object.contains(u"schema-id")) {
        IVM_TRY(schema.id, intMember(object, u"schema-id", what));
    }
    IVM_TRY(schema.fields, fieldsFromJson(object, 0, what));
    const auto identifiers = object.value(u"identifier-field-ids").toArray();
    for (const auto &id : identifiers)
        schema.identifierFieldIds.append(id.toInt());
    schema.other = otherMembers(object, {"type", "schema-id", "fields", "identifier-field-ids"});
    return schema;
}

QJsonObject schemaToJson(const Schema &schema)
{
    QJsonObject object = schema.other;
    object.insert(QStringLiteral("type"), QStringLiteral("struct"));
    object.insert(QStringLiteral("schema-id"), schema.id);
    object.insert(QStringLiteral("fields"), fieldsToJson(schema.fields));
    if (!schema.identifierFieldIds.isEmpty()) {
        QJsonArray ids;
        for (const int id : schema.identifierFieldIds)
            ids.append(id);
        object.insert(QStringLiteral("identifier-field-ids"), ids);
    }
    return object;
}

}  // namespace ivm::iceberg
