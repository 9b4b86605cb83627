#include "framework/yaml/node_json.h"

#include <QJsonArray>
#include <QJsonObject>

#include <cmath>

namespace ivm::yaml {

QJsonValue jsonOf(const Node &node)
{
    switch (node.kind) {
    case Node::Kind::Null: return {};
    case Node::Kind::List: {
        QJsonArray list;
        for (const auto &item : node.items)
            list.append(jsonOf(item));
        return list;
    }
    case Node::Kind::Map: {
        QJsonObject map;
        for (const auto &entry : node.entries)
            map.insert(entry.key, jsonOf(entry.value));
        return map;
    }
    case Node::Kind::Scalar: break;
    }
    if (node.quoted)
        return node.text;
    if (node.text == u"true" || node.text == u"false")
        return node.text == u"true";
    bool isNumber = false;
    const double number = node.text.toDouble(&isNumber);
    return isNumber && std::isfinite(number) ? QJsonValue(number) : QJsonValue(node.text);
}

}  // namespace ivm::yaml
