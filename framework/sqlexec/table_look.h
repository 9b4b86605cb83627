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

struct MetadataFile {
    QString file;
    std::optional<SnapshotId> head;  // of `main` by this file
};

struct TableLook {
    TableHead head;
    QList<MetadataFile> log;               // oldest first, the head's last
    std::optional<SnapshotLook> snapshot;  // the one that was asked for, where there is one

    // The table's state right after the commit that made `snapshot`, if that was made on `expected`
    // and nothing else; nothing where somebody else changed the table in between, rows or columns.
    std::optional<TableHead> afterCommitOn(const TableHead &expected) const;
};

// The snapshot is the head's. NotFound, Corrupt (no metadata file is named); else as
// Session::run().
Result<TableLook> lookAtHead(Session &session, const TableName &table, const Call &call);
// The snapshot is the one that `condition` holds for, of rows of "t$snapshots".
Result<TableLook> lookForSnapshot(Session &session, const TableName &table,
                                  const QString &condition, const Call &call);

}  // namespace ivm
