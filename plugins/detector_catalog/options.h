// The detector's options. Plain functions; any thread.
#pragma once

#include "framework/api/plugin.h"
#include "framework/iceberg/catalog.h"

namespace ivm::catalog {

// Which catalog to read. Invalid or Unsupported, naming the option.
Result<iceberg::SqlCatalogOptions> readOptions(const PluginOptions &options);

}  // namespace ivm::catalog
