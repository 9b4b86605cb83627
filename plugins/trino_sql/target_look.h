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
    QString before;  // the metadata file before the head's; empty where the log has none
    std::optional<SnapshotInfo>
        snapshot;  // the one that was asked for; nothing where there is none
};

// One statement each. NotFound when there is no such table, else as Session::run.
Result<TargetLook> lookAtHead(Session &session, const TableName &table, const Call &call);
Result<TargetLook> lookForCommit(Session &session, const TableName &table,
                                 const QString &statementId, const Call &call);

// The table's state right after the commit that `look` found, where it was made on the intent's
// target head and nothing else; nothing where somebody else changed the table in between, rows or
// columns. Costs a statement where the head has moved on since.
Result<std::optional<TableHead>> headAfter(Session &session, const Intent &intent,
                                           const TargetLook &look, const Call &call);

}  // namespace ivm::trino
