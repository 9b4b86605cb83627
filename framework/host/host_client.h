// Asks the host that runs on a state how its views are doing.
//
// Threads: the calling thread's, which it blocks.
#pragma once

#include "framework/api/store.h"

#include <QJsonObject>
#include <QUrl>

namespace ivm {

// What the host holds as long as it runs: it is the only one, and says where it is.
TableName hostPlace();

// The text under which the host holds its place, and the address in such a text; empty without one.
QString ownerAt(const QString &owner, const QUrl &address);
QUrl addressIn(const QString &owner);

// The views as GET /api/views tells them, by name. Unavailable, naming the address, where nobody
// answers there within two seconds, or the token does not allow it.
Result<QHash<QString, QJsonObject>> viewsOfHost(const QUrl &address, const QByteArray &token);

}  // namespace ivm
