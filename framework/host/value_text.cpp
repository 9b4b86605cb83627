#include "framework/host/value_text.h"

#include <QJsonArray>

#include <cmath>

namespace ivm {

namespace {

QJsonValue numberJson(double number)
{
    if (std::isnan(number))
        return QStringLiteral("NaN");
    if (std::isinf(number))
        return number > 0 ? QStringLiteral("Infinity") : QStringLiteral("-Infinity");
    return number;
}

const Type &fieldType(const Type &type, size_t index)
{
    static const Type unknown;
    if (type.fields.isEmpty())
        return unknown;
    // Of an array every element has the one type that there is.
    return type.fields[std::min(qsizetype(index), type.fields.size() - 1)].type;
}

QJsonValue listJson(const std::vector<Value> &items, const Type &type)
{
    QJsonArray out;
    if (type.is(TypeKind::Map)) {
        for (size_t i = 0; i + 1 < items.size(); i += 2)
            out.append(QJsonArray{valueJson(items[i], fieldType(type, 0)),
                                  valueJson(items[i + 1], fieldType(type, 1))});
        return out;
    }
    for (size_t i = 0; i < items.size(); ++i)
        out.append(valueJson(items[i], fieldType(type, i)));
    return out;
}

}  // namespace

QString cellText(const Value &value)
{
    const auto *text = std::get_if<QString>(&value.data);
    return text ? *text : value.text();
}

QJsonValue valueJson(const Value &value, const Type &type)
{
    if (const auto *boolean = std::get_if<bool>(&value.data))
        return *boolean;
    if (const auto *whole = std::get_if<qint64>(&value.data))
        return *whole;
    if (const auto *number = std::get_if<double>(&value.data))
        return numberJson(*number);
    if (const auto *text = std::get_if<QString>(&value.data))
        return *text;
    if (const auto *bytes = std::get_if<QByteArray>(&value.data))
        return QString::fromLatin1(bytes->toHex());
    if (const auto *items = std::get_if<std::vector<Value>>(&value.data))
        return listJson(*items, type);
    return QJsonValue::Null;
}

bool isNumeric(const Type &type)
{
    return type.isInteger() || type.isFloat() || type.is(TypeKind::Decimal);
}

QString timeText(const Value &value)
{
    if (value.isNull())
        return {};
    QString text = cellText(value);
    if (!text.endsWith(QStringLiteral(" UTC")))
        return text;
    text.chop(4);
    return text.replace(u' ', u'T') + u'Z';
}

}  // namespace ivm
