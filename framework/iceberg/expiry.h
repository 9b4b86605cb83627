// Which snapshots of a table go when it is told to forget old ones, and which files with them.
//
// Any thread; reads manifests, changes nothing. Source: Iceberg table spec, "Snapshot Retention
// Policy" and the table properties history.expire.*.
#pragma once

#include "framework/base/call.h"
#include "framework/iceberg/file_io.h"
#include "framework/iceberg/metadata.h"

#include <QSet>

namespace ivm::iceberg {

struct ExpiryRequest {
    qint64 nowMs = 0;
    qint64 olderThanMs = 0;
    // Somebody still reads from here: these snapshots stay, with all that came after them.
    QList<SnapshotId> held = {};
};

struct ExpiryPlan {
    TableMetadata next;         // without the expired snapshots
    QSet<SnapshotId> expired;   // those of the table now that `next` has no longer
    QSet<SnapshotId> heldBack;  // those that would be expired if nothing were held
    QStringList files;          // what no snapshot of `next` needs; inside the table's folder
    QStringList filesOfOthers;  // likewise, but outside of it: not ours to remove
};

// The heads of branches and tags stay, and of each branch as many and as young snapshots as the
// table or the branch asks for. Unsupported when the table forbids to remove files (gc.enabled);
// NotFound, Unavailable, Corrupt, Cancelled, Timeout.
Result<ExpiryPlan> planExpiry(FileIO &io, const TableMetadata &metadata,
                              const ExpiryRequest &request, const Call &call);

}  // namespace ivm::iceberg
