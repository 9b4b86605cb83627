// Reading JSON from outside without trusting it, and writing ours the same way each time.
//
// Whole numbers keep all 64 bits (QJsonValue::toInteger); snapshot ids never go through double.
#pragma once

#include "framework/base/result.h"

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>

#include <optional>

namespace ivm::json {

// Corrupt when `bytes` is not one JSON object; `what` names the text ("metadata file /a/b.json").
Result<QJsonObject> parseObject(const QByteArray &bytes, QStringView what);

// One member of the wanted type. Corrupt, naming `what` and the key, when it is absent or of
// another type.
Result<qint64> integer(const QJsonObject &object, QStringView key, QStringView what);
Result<QString> string(const QJsonObject &object, QStringView key, QStringView what);
Result<QJsonObject> object(const QJsonObject &object, QStringView key, QStringView what);
Result<QJsonArray> array(const QJsonObject &object, QStringView key, QStringView what);

// As integer(), but absent and null are nothing.
Result<std::optional<qint64>> optionalInteger(const QJsonObject &object, QStringView key,
                                              QStringView what);

// Compact UTF-8, keys sorted (QJsonObject sorts them), no trailing newline.
QByteArray compact(const QJsonObject &object);

}  // namespace ivm::json
