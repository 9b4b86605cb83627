// What the readers of metadata and schemas share for taking members out of JSON.
//
// Pure functions; any thread. Private to this folder.
#pragma once

#include "framework/base/json.h"

#include <limits>

namespace ivm::iceberg {

inline Result<int> intMember(const QJsonObject &object, QStringView key, QStringView what)
{
    IVM_TRY(const qint64 value, json::integer(object, key, what));
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
        return fail(corruptError(QStringLiteral("%1: \"%2\" is %3, which has more than 32 bits")
                                     .arg(what, key, QString::number(value))));
    return int(value);
}

// Absent is `fallback`.
inline Result<bool> boolMember(const QJsonObject &object, QStringView key, bool fallback,
                               QStringView what)
{
    const auto value = object.value(key);
    if (value.isUndefined())
        return fallback;
    if (!value.isBool())
        return fail(corruptError(QStringLiteral("%1: \"%2\" is not true or false").arg(what, key)));
    return value.toBool();
}

inline Result<QMap<QString, QString>> stringMap(const QJsonObject &object, QStringView key,
                                                QStringView what)
{
    QMap<QString, QString> out;
    const auto value = object.value(key);
    if (value.isUndefined() || value.isNull())
        return out;
    if (!value.isObject())
        return fail(corruptError(QStringLiteral("%1: \"%2\" is not an object").arg(what, key)));
    const QJsonObject members = value.toObject();
    for (auto it = members.begin(); it != members.end(); ++it) {
        if (!it.value().isString())
            return fail(corruptError(
                QStringLiteral("%1: \"%2\" in \"%3\" is not a string").arg(what, it.key(), key)));
        out.insert(it.key(), it.value().toString());
    }
    return out;
}

// The members whose keys are not among `known`: what is carried along without being understood.
inline QJsonObject otherMembers(QJsonObject object, std::initializer_list<const char *> known)
{
    for (const char *key : known)
        object.remove(QLatin1StringView(key));
    return object;
}

}  // namespace ivm::iceberg
