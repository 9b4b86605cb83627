// What the data files of a table hold that may have certain values.
#pragma once

#include "framework/api/detector.h"
#include "framework/iceberg/file_io.h"
#include "framework/iceberg/metadata.h"

namespace ivm::catalog {

// As Detector::liveFiles. Threads: any.
Result<FileTotals> liveFiles(iceberg::FileIO &io, const iceberg::TableMetadata &metadata,
                             const LiveFilesRequest &request, const Call &call);

}  // namespace ivm::catalog
