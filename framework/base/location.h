// Where files are: the URIs that Iceberg's metadata name, and the paths that a local one stands
// for.
//
// Pure; any thread.
#pragma once

#include "framework/base/result.h"

#include <QString>

namespace ivm {

// The path of a local file or folder: of file:/x, file:///x and plain absolute paths. Unsupported,
// naming the scheme, for any other location.
Result<QString> localPath(QStringView location);
// file:///x for an absolute path.
QString fileUri(const QString &path);

}  // namespace ivm
