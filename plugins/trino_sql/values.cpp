#include "plugins/trino_sql/values.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace ivm::trino {

namespace {

QString shown(const JsonNode &node)
{
    struct {
        QString operator()(std::monostate) const { return QStringLiteral("null"); }
        QString operator()(bool b) const
        {
            return b ? QStringLiteral("true") : QStringLiteral("false");
        }
        QString operator()(QByteArrayView number) const
        {
            return QString::fromLatin1(number.first(qMin(number.size(), 40)));
        }
        QString operator()(const QString &text) const { return u'"' + text.left(40) + u'"'; }
        QString operator()(const JsonItems &) const { return QStringLiteral("a list"); }
        QString operator()(const JsonMembers &) const { return QStringLiteral("an object"); }
    } show;
    return std::visit(show, node.data);
}

Error misfit(const JsonNode &node, const Type &type)
{
    return corruptError(
        QStringLiteral("Trino gave %1 for a value of type %2").arg(shown(node), type.text()));
}

// The range a whole number must keep to.
std::pair<qint64, qint64> limitsOf(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Tinyint:
        return {std::numeric_limits<qint8>::min(), std::numeric_limits<qint8>::max()};
    case TypeKind::Smallint:
        return {std::numeric_limits<qint16>::min(), std::numeric_limits<qint16>::max()};
    case TypeKind::Integer:
        return {std::numeric_limits<qint32>::min(), std::numeric_limits<qint32>::max()};
    default: return {std::numeric_limits<qint64>::min(), std::numeric_limits<qint64>::max()};
    }
}

Result<Value> readInteger(const JsonNode &node, const Type &type)
{
    const auto *number = node.number();
    bool ok = false;
    const qint64 whole = number ? number->toLongLong(&ok) : 0;
    const auto [least, most] = limitsOf(type);
    if (!ok || whole < least || whole > most)
        return fail(misfit(node, type));
    return Value{whole};
}

std::optional<double> specialFloat(const QString &text)
{
    if (text == u"NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == u"Infinity")
        return std::numeric_limits<double>::infinity();
    if (text == u"-Infinity")
        return -std::numeric_limits<double>::infinity();
    return {};
}

// Parsed as what it is: a real's shortest text means another number when it is read as a double.
template <typename Float>
std::optional<double> parseFloat(QByteArrayView text)
{
    Float value = 0;
    const auto [end, problem] = std::from_chars(text.begin(), text.end(), value);
    if (end != text.end())
        return {};
    if (problem == std::errc::result_out_of_range)  // too small or too large for the type: as the
                                                    // nearest there is
        return text.toDouble();
    return problem == std::errc() ? std::optional<double>(value) : std::nullopt;
}

Result<Value> readFloat(const JsonNode &node, const Type &type)
{
    std::optional<double> value;
    if (const auto *text = node.text())
        value = specialFloat(*text);
    else if (const auto *number = node.number())
        value = type.is(TypeKind::Real) ? parseFloat<float>(*number) : parseFloat<double>(*number);
    if (!value)
        return fail(misfit(node, type));
    return Value{*value};
}

Result<Value> readBinary(const JsonNode &node, const Type &type)
{
    const auto *text = node.text();
    if (!text)
        return fail(misfit(node, type));
    const auto decoded =
        QByteArray::fromBase64Encoding(text->toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return fail(misfit(node, type));
    return Value{*decoded};
}

Result<Value> readList(const JsonNode &node, const Type &type)
{
    const auto *items = node.items();
    const bool isRow = type.is(TypeKind::Row);
    if (!items || (isRow && items->size() != static_cast<size_t>(type.fields.size())))
        return fail(misfit(node, type));
    std::vector<Value> values;
    values.reserve(items->size());
    for (size_t i = 0; i < items->size(); ++i) {
        const Type &part = type.fields[isRow ? static_cast<qsizetype>(i) : 0].type;
        IVM_TRY(Value value, readValue((*items)[i], part));
        values.push_back(std::move(value));
    }
    return Value{std::move(values)};
}

// A map's key is text whatever its type: read it as the JSON it would be elsewhere.
Result<Value> readKey(const QString &key, const Type &type)
{
    if (type.isNested())
        return fail(unsupportedError(
            QStringLiteral(
                "Trino does not give the keys of a map back exactly when they are of type %1")
                .arg(type.text())));
    if (type.is(TypeKind::Boolean))
        return readValue(key == u"true"    ? JsonNode{true}
                         : key == u"false" ? JsonNode{false}
                                           : JsonNode{key},
                         type);
    if (type.isInteger() || (type.isFloat() && !specialFloat(key))) {
        const QByteArray number = key.toLatin1();
        return readValue(JsonNode{QByteArrayView(number)}, type);
    }
    return readValue(JsonNode{key}, type);
}

Result<Value> readMap(const JsonNode &node, const Type &type)
{
    const auto *members = node.members();
    if (!members)
        return fail(misfit(node, type));
    std::vector<Value> values;
    values.reserve(members->size() * 2);
    for (const auto &[name, member] : *members) {
        IVM_TRY(Value key, readKey(name, type.fields[0].type));
        IVM_TRY(Value value, readValue(member, type.fields[1].type));
        values.push_back(std::move(key));
        values.push_back(std::move(value));
    }
    return Value{std::move(values)};
}

}  // namespace

Result<Value> readValue(const JsonNode &node, const Type &type)
{
    if (node.isNull())
        return Value{};
    switch (type.kind) {
    case TypeKind::Boolean:
        if (const bool *value = node.boolean())
            return Value{*value};
        return fail(misfit(node, type));
    case TypeKind::Tinyint:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint: return readInteger(node, type);
    case TypeKind::Real:
    case TypeKind::Double: return readFloat(node, type);
    case TypeKind::Varbinary: return readBinary(node, type);
    case TypeKind::Array:
    case TypeKind::Row: return readList(node, type);
    case TypeKind::Map: return readMap(node, type);
    case TypeKind::Unknown: return fail(misfit(node, type));
    default:
        if (const auto *text = node.text())
            return Value{*text};
        return fail(misfit(node, type));
    }
}

Result<Row> readRow(const JsonNode &node, const QList<Column> &columns)
{
    const auto *items = node.items();
    if (!items || items->size() != static_cast<size_t>(columns.size()))
        return fail(corruptError(QStringLiteral("Trino gave a row that is not a list of %1 values")
                                     .arg(columns.size())));
    Row row;
    row.reserve(items->size());
    for (size_t i = 0; i < items->size(); ++i) {
        const Column &column = columns[static_cast<qsizetype>(i)];
        auto value = readValue((*items)[i], column.type);
        if (!value)
            return fail(
                std::move(value).error().during(QString(QStringLiteral("column ") + column.name)));
        row.push_back(*std::move(value));
    }
    return row;
}

}  // namespace ivm::trino
