// Loads one plugin and nothing else: for a process that may die of it.
//
// Threads: any. The plugin is not unloaded.
#pragma once

#include "framework/base/result.h"

namespace ivm {

// Unavailable (what it needs is missing), Invalid (no root object), Internal (it threw).
Status probePlugin(const QString &path);

}  // namespace ivm
