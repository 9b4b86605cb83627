#include "framework/iceberg/avro.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ivm::iceberg::avro {

namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxFixedBytes = 1 << 20;

constexpr std::pair<QStringView, Kind> kPrimitives[] = {
    {u"null", Kind::Null},   {u"boolean", Kind::Boolean}, {u"int", Kind::Int},
    {u"long", Kind::Long},   {u"float", Kind::Float},     {u"double", Kind::Double},
    {u"bytes", Kind::Bytes}, {u"string", Kind::String},
};

// Reads one schema document; named types may be used again after they were defined, but not inside
// themselves.
class SchemaReader {
public:
    explicit SchemaReader(QStringView what) : m_what(what) {}

    Result<NodePtr> read(const QJsonValue &value, int depth)
    {
        if (depth > kMaxDepth)
            return fail(problem(QStringLiteral("is nested deeper than %1").arg(kMaxDepth)));
        if (value.isString())
            return readName(value.toString(), {});
        if (value.isArray())
            return readUnion(value.toArray(), depth);
        if (!value.isObject())
            return fail(problem(QStringLiteral("has a type that is no name, list or object")));
        const auto object = value.toObject();
        const auto type = object.value(u"type");
        // {"type": {"type": "array", …}} is the inner type.
        if (!type.isString())
            return read(type, depth + 1);
        return readComplex(type.toString(), object, depth);
    }

private:
    Error problem(const QString &text) const
    {
        return corruptError(QStringLiteral("%1: its Avro schema %2").arg(m_what, text));
    }

    Result<NodePtr> readName(const QString &name, const QJsonObject &object)
    {
        for (const auto &[text, kind] : kPrimitives) {
            if (text == name)
                return std::make_shared<const Node>(
                    Node{.kind = kind,
                         .logicalType = object.value(u"logicalType").toString(),
                         .scale = object.value(u"scale").toInt()});
        }
        const auto known = m_named.constFind(name);
        if (known == m_named.cend())
            return fail(problem(
                QStringLiteral("uses type '%1', which it does not define").arg(name.left(200))));
        if (!*known)
            return fail(
                unsupportedError(QStringLiteral("%1: type '%2' of its Avro schema contains itself")
                                     .arg(m_what, name.left(200))));
        return *known;
    }

    Result<NodePtr> readUnion(const QJsonArray &branches, int depth)
    {
        Node node{.kind = Kind::Union};
        for (const auto &branch : branches) {
            IVM_TRY(auto part, read(branch, depth + 1));
            node.parts.append(part);
        }
        return std::make_shared<const Node>(std::move(node));
    }

    Result<NodePtr> readComplex(const QString &type, const QJsonObject &object, int depth)
    {
        Node node{.logicalType = object.value(u"logicalType").toString()};
        if (type == u"array" || type == u"map") {
            node.kind = type == u"array" ? Kind::Array : Kind::Map;
            IVM_TRY(auto part,
                    read(object.value(type == u"array" ? u"items" : u"values"), depth + 1));
            node.parts.append(part);
            return std::make_shared<const Node>(std::move(node));
        }
        if (type != u"record" && type != u"fixed" && type != u"enum")
            return readName(type, object);
        node.name = object.value(u"name").toString();
        m_named.insert(node.name, nullptr);
        if (type == u"record")
            IVM_CHECK(readFields(object, node, depth));
        else if (type == u"fixed")
            IVM_CHECK(readFixed(object, node));
        else
            readSymbols(object, node);
        auto made = std::make_shared<const Node>(std::move(node));
        m_named.insert(made->name, made);
        return made;
    }

    Status readFields(const QJsonObject &object, Node &node, int depth)
    {
        node.kind = Kind::Record;
        if (!object.value(u"fields").isArray())
            return fail(problem(QStringLiteral("has a record without fields")));
        const auto fields = object.value(u"fields").toArray();
        for (const auto &value : fields) {
            const auto field = value.toObject();
            NodeField made{.name = field.value(u"name").toString(), .fieldId = {}, .type = {}};
            if (field.value(u"field-id").isDouble())
                made.fieldId = field.value(u"field-id").toInt();
            IVM_TRY(made.type, read(field.value(u"type"), depth + 1));
            node.fields.append(made);
        }
        return {};
    }

    Status readFixed(const QJsonObject &object, Node &node)
    {
        node.kind = Kind::Fixed;
        node.size = object.value(u"size").toInt(-1);
        node.scale = object.value(u"scale").toInt();
        if (node.size < 0 || node.size > kMaxFixedBytes)
            return fail(problem(QStringLiteral("has a fixed type of an impossible size")));
        return {};
    }

    static void readSymbols(const QJsonObject &object, Node &node)
    {
        node.kind = Kind::Enum;
        const auto symbols = object.value(u"symbols").toArray();
        for (const auto &symbol : symbols)
            node.symbols.append(symbol.toString());
    }

    QStringView m_what;
    QHash<QString, NodePtr> m_named;  // null while it is being read
};

}  // namespace

Result<NodePtr> parseSchema(const QByteArray &json, QStringView what)
{
    QJsonParseError problem;
    // A schema may be a bare string, which is no JSON document; inside a list it is.
    const auto document = QJsonDocument::fromJson('[' + json + ']', &problem);
    if (problem.error != QJsonParseError::NoError || document.array().size() != 1)
        return fail(corruptError(QStringLiteral("%1: its Avro schema is not JSON").arg(what)));
    return SchemaReader(what).read(document.array().first(), 0);
}

}  // namespace ivm::iceberg::avro
