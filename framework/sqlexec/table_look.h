// Where a table stands and how it came there, asked in one statement of the metadata tables.
//
// Threads: the session's.
#pragma once

#include "framework/api/executor.h"

namespace ivm {

struct SnapshotLook {
    SnapshotId id = 0;
    std::optional<SnapshotId> parent;
    QMap<QString, QString> summary;
};

struct TableLook {
    TableHead head;
    QString before;  // the metadata file before the newest; empty where there is none
    std::optional<SnapshotLook> main;    // the head's snapshot
    std::optional<SnapshotLook> wanted;  // the one that `condition` holds for
};

// `condition`: on rows of "t$snapshots", or empty. NotFound, Corrupt (no metadata file is named);
// else as Session::run().
Result<TableLook> lookAtTable(Session &session, const TableName &table, const QString &condition,
                              const Call &call);

}  // namespace ivm
