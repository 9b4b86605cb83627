// Changes one entry in the text of views.yaml, and leaves everything else as it is: comments,
// order, spelling, line ends.
//
// Pure; any thread. Both read their result again: the other entries are as they were, and there is
// one more, one less or as many, or the edit is refused.
#pragma once

#include "framework/base/result.h"

#include <QByteArray>
#include <QJsonObject>

namespace ivm {

// The entry in the place of the one of that name; where there is none, as the last. Invalid (the
// text is not YAML; the entry has no name), Unsupported, naming the place, where the list is
// written in a way that cannot be edited.
Result<QByteArray> withEntry(const QByteArray &views, const QString &name,
                             const QJsonObject &entry);

// NotFound where there is none; else as above.
Result<QByteArray> withoutEntry(const QByteArray &views, const QString &name);

}  // namespace ivm
