#include "framework/base/json.h"

#include <QJsonDocument>
#include <QJsonParseError>

#include <cmath>

namespace ivm::json {

namespace {

Error wrongMember(QStringView key, QStringView what, const QJsonValue &found, const QString &wanted)
{
    const QString state = found.isUndefined() ? QStringLiteral("is missing")
                                              : QStringLiteral("is not %1").arg(wanted);
    return corruptError(QStringLiteral("%1: \"%2\" %3").arg(what, key, state));
}

// 2^63 as a double is exact; above it toInteger() would fall back to its default.
bool isWhole(const QJsonValue &value)
{
    return value.isDouble() && value.toInteger(0) == value.toInteger(1);
}

}  // namespace

Result<QJsonObject> parseObject(const QByteArray &bytes, QStringView what)
{
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(bytes, &problem);
    if (problem.error != QJsonParseError::NoError)
        return fail(
            corruptError(QStringLiteral("%1 is not JSON: %2 at byte %3")
                             .arg(what, problem.errorString(), QString::number(problem.offset))));
    if (!document.isObject())
        return fail(corruptError(QStringLiteral("%1 is not a JSON object").arg(what)));
    return document.object();
}

Result<qint64> integer(const QJsonObject &object, QStringView key, QStringView what)
{
    const auto value = object.value(key);
    if (!isWhole(value))
        return fail(wrongMember(key, what, value, QStringLiteral("a whole number of 64 bits")));
    return value.toInteger();
}

Result<QString> string(const QJsonObject &object, QStringView key, QStringView what)
{
    const auto value = object.value(key);
    if (!value.isString())
        return fail(wrongMember(key, what, value, QStringLiteral("a string")));
    return value.toString();
}

Result<QJsonObject> object(const QJsonObject &object, QStringView key, QStringView what)
{
    const auto value = object.value(key);
    if (!value.isObject())
        return fail(wrongMember(key, what, value, QStringLiteral("an object")));
    return value.toObject();
}

Result<QJsonArray> array(const QJsonObject &object, QStringView key, QStringView what)
{
    const auto value = object.value(key);
    if (!value.isArray())
        return fail(wrongMember(key, what, value, QStringLiteral("an array")));
    return value.toArray();
}

Result<std::optional<qint64>> optionalInteger(const QJsonObject &object, QStringView key,
                                              QStringView what)
{
    const auto value = object.value(key);
    if (value.isUndefined() || value.isNull())
        return std::optional<qint64>();
    IVM_TRY(const qint64 whole, integer(object, key, what));
    return std::optional<qint64>(whole);
}

QByteArray compact(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

}  // namespace ivm::json
