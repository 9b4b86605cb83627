// The files that make one state of a table differ from another. Any thread; nothing is kept.
#pragma once

#include "framework/api/detector.h"
#include "framework/iceberg/file_io.h"
#include "framework/iceberg/metadata.h"

namespace ivm::catalog {

// As Detector::changes; `metadata` is that of request.to.
Result<TableChanges> fileChanges(iceberg::FileIO &io, const iceberg::TableMetadata &metadata,
                                 const ChangesRequest &request, const Call &call);

}  // namespace ivm::catalog
