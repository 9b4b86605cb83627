// A table's snapshots, and the way between two of them.
//
// Threads: as the session.
#pragma once

#include "framework/api/executor.h"
#include "framework/iceberg/snapshot_log.h"

namespace ivm::trino {

// All snapshots that the table still has. Errors as Session::run.
Result<QList<iceberg::SnapshotNode>> readHistory(Session &session, const TableName &table,
                                                 const Call &call);

}  // namespace ivm::trino
