// The detector's options. Plain functions; any thread.
#pragma once

#include "framework/api/plugin.h"
#include "framework/iceberg/catalog.h"

namespace ivm::catalog {

// Which catalog to read. Invalid or Unsupported, naming the option.
Result<iceberg::SqlCatalogOptions> readOptions(const PluginOptions &options);

// What the engine calls that catalog.
QString engineCatalog(const PluginOptions &options);

}  // namespace ivm::catalog
