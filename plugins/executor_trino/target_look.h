// Where a table stands, and what one statement did to it.
//
// Threads: as the session. Source: Trino writes its query id into the summary of every snapshot it
// makes.
#pragma once

#include "framework/api/executor.h"

namespace ivm::trino {

struct SnapshotInfo {
    SnapshotId id = 0;
    std::optional<SnapshotId> parent;
    QMap<QString, QString> summary;
};

struct TargetLook {
    TableHead head;
    std::optional<SnapshotInfo>
        snapshot;  // the one that was asked for; nothing where there is none
};

// One statement each. NotFound when there is no such table, else as Session::run.
Result<TargetLook> lookAtHead(Session &session, const TableName &table, const Call &call);
Result<TargetLook> lookForCommit(Session &session, const TableName &table,
                                 const QString &statementId, const Call &call);

// The table's state right after a commit that `look` found. Costs a statement where the head has
// moved on since; the metadata file is then the one that the table's log gives for that time.
Result<TableHead> headAfter(Session &session, const TableName &table, const TargetLook &look,
                            const Call &call);

}  // namespace ivm::trino
