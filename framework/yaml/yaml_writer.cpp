#include "framework/yaml/yaml_writer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

namespace ivm::yaml {

namespace {

constexpr int kStep = 2;
constexpr qsizetype kLongestFlow = 76;

using Kind = Node::Kind;

// Words of a name, a type or a transform, which stand in lists in [] and maps in {} as they are.
bool isBare(const QString &text)
{
    static const QRegularExpression form(
        QStringLiteral("\\A[A-Za-z_][A-Za-z0-9_.()]*(?: [A-Za-z0-9_.()]+)*\\z"));
    static const QStringList taken{
        QStringLiteral("true"), QStringLiteral("false"), QStringLiteral("null"),
        QStringLiteral("yes"),  QStringLiteral("no"),    QStringLiteral("on"),
        QStringLiteral("off"),  QStringLiteral("y"),     QStringLiteral("n")};
    return form.match(text).hasMatch() && !taken.contains(text.toLower());
}

// Some readers take them for ends of lines.
bool isSeparator(QChar c) { return c == QChar(0x2028) || c == QChar(0x2029); }

QString escaped(QChar c)
{
    switch (c.unicode()) {
    case u'"': return QStringLiteral("\\\"");
    case u'\\': return QStringLiteral("\\\\");
    case u'\n': return QStringLiteral("\\n");
    case u'\t': return QStringLiteral("\\t");
    case u'\r': return QStringLiteral("\\r");
    default: break;
    }
    if ((c.isPrint() && !isSeparator(c)) || c.isSurrogate())
        return c;
    return QStringLiteral("\\u%1").arg(int(c.unicode()), 4, 16, QLatin1Char('0'));
}

bool isBlock(const Node &node)
{
    return node.kind == Kind::Scalar && node.text.contains(u'\n') && fitsABlock(node.text);
}

QString scalar(const Node &node) { return node.quoted ? scalarText(node.text) : node.text; }

// On one line; none for what has to stand on several.
std::optional<QString> flow(const Node &node)
{
    switch (node.kind) {
    case Kind::Null: return QStringLiteral("null");
    case Kind::Scalar: return isBlock(node) ? std::nullopt : std::optional(scalar(node));
    case Kind::List:
    case Kind::Map: break;
    }
    QStringList parts;
    for (const auto &item : node.items) {
        const bool isOne = item.kind == Kind::Scalar || item.kind == Kind::Null;
        const auto text = isOne ? flow(item) : std::nullopt;
        if (!text)
            return std::nullopt;
        parts.append(*text);
    }
    for (const auto &entry : node.entries) {
        const auto text = entry.value.kind == Kind::Map ? std::nullopt : flow(entry.value);
        if (!text)
            return std::nullopt;
        parts.append(scalarText(entry.key) + QStringLiteral(": ") + *text);
    }
    const QString all = parts.join(QStringLiteral(", "));
    if (all.size() > kLongestFlow)
        return std::nullopt;
    return node.kind == Kind::List ? QString(u'[' + all + u']') : QString(u'{' + all + u'}');
}

QString margin(int indent) { return QString(indent, u' '); }

}  // namespace

Node textNode(const QString &text)
{
    return {.kind = Kind::Scalar, .place = {}, .text = text, .quoted = true};
}

Node blockNode(const QString &text) { return textNode(fitsABlock(text) ? text + u'\n' : text); }

Node plainNode(const QString &word) { return {.kind = Kind::Scalar, .place = {}, .text = word}; }

Node listNode(const QStringList &texts)
{
    Node out{.kind = Kind::List, .place = {}, .text = {}};
    for (const auto &text : texts)
        out.items.push_back(textNode(text));
    return out;
}

Node mapNode(std::vector<Entry> entries)
{
    return {.kind = Kind::Map, .place = {}, .text = {}, .entries = std::move(entries)};
}

Entry entryNode(const QString &key, Node value)
{
    return {.key = key, .place = {}, .value = std::move(value)};
}

Node nodeOf(const QJsonValue &value)
{
    if (value.isString())
        return textNode(value.toString());
    if (value.isArray()) {
        Node out{.kind = Kind::List, .place = {}, .text = {}};
        for (const auto &item : value.toArray())
            out.items.push_back(nodeOf(item));
        return out;
    }
    if (value.isObject()) {
        const auto object = value.toObject();
        Node out = mapNode({});
        for (auto it = object.begin(); it != object.end(); ++it)
            out.entries.push_back(entryNode(it.key(), nodeOf(it.value())));
        return out;
    }
    if (value.isNull() || value.isUndefined())
        return {};
    const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return plainNode(QString::fromUtf8(list.sliced(1, list.size() - 2)));
}

QString scalarText(const QString &text)
{
    if (isBare(text))
        return text;
    QString out = QStringLiteral("\"");
    for (const QChar c : text)
        out += escaped(c);
    return out + u'"';
}

bool fitsABlock(const QString &text)
{
    return !text.isEmpty() && !text.front().isSpace() && std::ranges::all_of(text, [](QChar c) {
        return c == u'\n' || c == u'\t' || (c.isPrint() && !isSeparator(c)) || c.isSurrogate();
    });
}

QString blockText(const QString &text, int indent)
{
    // One line end at the end is kept by "|", more by "|+", none by "|-".
    QString lines = text;
    QString out = QStringLiteral("|-");
    if (lines.endsWith(u'\n')) {
        lines.chop(1);
        out = lines.endsWith(u'\n') ? QStringLiteral("|+") : QStringLiteral("|");
    }
    for (const auto &line : lines.split(u'\n'))
        out += line.isEmpty() ? QStringLiteral("\n") : u'\n' + margin(indent) + line;
    return out;
}

QString write(const Node &node, int indent)
{
    if (isBlock(node))
        return blockText(node.text, indent);
    const auto onOne = flow(node);
    return onOne ? *onOne : writeLines(node, indent);
}

QString writeLines(const Node &node, int indent)
{
    const QString lineEnd = u'\n' + margin(indent);
    QStringList lines;
    for (const auto &item : node.items)
        lines.append(QStringLiteral("- ") + write(item, indent + kStep));
    for (const auto &entry : node.entries) {
        const auto onOne = flow(entry.value);
        const bool isText = entry.value.kind == Kind::Scalar;
        const QString below =
            onOne || isText ? QStringLiteral(" ") : QString(lineEnd + margin(kStep));
        lines.append(scalarText(entry.key) + u':' + below + write(entry.value, indent + kStep));
    }
    return lines.join(lineEnd);
}

}  // namespace ivm::yaml
