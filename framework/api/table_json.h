// How a table's name and head are kept in JSON: in bookmarks, in intents, in snapshot summaries.
//
// Pure functions; any thread. The reading side is Corrupt, naming `what`, when a member is missing
// or of another type.
#pragma once

#include "framework/api/table.h"

#include <QJsonObject>

namespace ivm {

QJsonObject nameToJson(const TableName &name);
Result<TableName> nameFromJson(const QJsonObject &object, QStringView what);

QJsonObject headToJson(const TableHead &head);
Result<TableHead> headFromJson(const QJsonObject &object, QStringView what);

}  // namespace ivm
