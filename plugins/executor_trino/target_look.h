// Where a table stands, and what one statement did to it.
//
// Threads: as the session. Source: Trino writes its query id into the summary of every snapshot it makes.
#pragma once

#include "framework/api/executor.h"

namespace ivm::trino {

struct MadeSnapshot {
    SnapshotId id = 0;
    std::optional<SnapshotId> parent;
    QMap<QString, QString> summary;
    QString metadataFile;  // the newest one with this snapshot as head; empty when the log has lost it
};

struct TargetLook {
    TableHead head;
    QMap<QString, QString> headSummary;
    std::optional<MadeSnapshot> made;  // by the statement in question
    QString lookId;                    // the id of the statement that looked

    // The table's state right after that snapshot.
    TableHead madeHead() const;
};

// One statement. NotFound when there is no such table, else as Session::run.
Result<TargetLook> lookAt(Session &session, const TableName &table, const QString &statementId, const Call &call);

}  // namespace ivm::trino
