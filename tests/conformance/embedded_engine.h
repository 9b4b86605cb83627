// The embedded engine, for the tests of plugins that need one beside them.
//
// For test programs. The executor lives until the process ends; the plugin is never unloaded.
#pragma once

#include "framework/api/executor.h"

namespace ivm::test {

// From the folder that iceberg-ivm's own plugins are in, with its tables in `warehouse`.
// Unavailable: it was built without the engine.
Result<std::unique_ptr<Executor>> embeddedEngine(const QString &pluginFolder,
                                                 const QString &warehouse);

}  // namespace ivm::test
