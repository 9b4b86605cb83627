// How versions and the migrations that own views are called.
//
// Pure; any thread.
#pragma once

#include "framework/api/history.h"

namespace ivm::migrate {

// As in a file's name: "0003".
QString versionText(qint64 version);

// "migration 0003"; of another line than the default one "migration 0003 of sales".
QString ownerText(const MigratedView &view);

}  // namespace ivm::migrate
