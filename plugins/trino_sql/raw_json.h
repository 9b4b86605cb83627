// JSON whose numbers keep their text: no 64-bit integer goes through double, and -0.0 keeps its
// sign.
//
// Plain data; any thread. Numbers are views into the bytes that were read, which must outlive the
// tree.
#pragma once

#include "framework/base/result.h"

#include <QByteArrayView>

#include <utility>
#include <variant>
#include <vector>

namespace ivm::trino {

struct JsonNode;

using JsonItems = std::vector<JsonNode>;
using JsonMembers = std::vector<std::pair<QString, JsonNode>>;  // in the order of the text

struct JsonNode {
    std::variant<std::monostate, bool, QByteArrayView, QString, JsonItems, JsonMembers> data;

    bool isNull() const { return std::holds_alternative<std::monostate>(data); }
    const bool *boolean() const { return std::get_if<bool>(&data); }
    const QByteArrayView *number() const { return std::get_if<QByteArrayView>(&data); }
    const QString *text() const { return std::get_if<QString>(&data); }
    const JsonItems *items() const { return std::get_if<JsonItems>(&data); }
    const JsonMembers *members() const { return std::get_if<JsonMembers>(&data); }

    // The member of an object, the last of that name; null where there is none or this is no
    // object.
    const JsonNode *member(QStringView name) const;
    // The member as text or whole number; nothing where it is absent or something else.
    QString memberText(QStringView name) const;
    std::optional<qint64> memberInteger(QStringView name) const;
};

// Reads one JSON value. Corrupt, naming `what` and the byte, for anything else; nesting is limited.
Result<JsonNode> parseRawJson(QByteArrayView bytes, QStringView what);

}  // namespace ivm::trino
