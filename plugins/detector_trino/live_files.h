// What the data files of a table hold that may have certain values, from "t$files".
//
// Threads: as the session.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"

namespace ivm::trino {

// As Detector::liveFiles; of the table as it is now, in one statement. Partitions are not looked
// at: a file without metrics may hold anything.
Result<FileTotals> readLiveFiles(Session &session, const LiveFilesRequest &request,
                                 const Call &call);

}  // namespace ivm::trino
