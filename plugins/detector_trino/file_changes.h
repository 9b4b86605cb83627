// The files that make one state of a table differ from another.
//
// Threads: as the session.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"
#include "framework/iceberg/snapshot_log.h"
#include "plugins/detector_trino/entries.h"
#include "plugins/detector_trino/field_ids.h"

namespace ivm::trino {

// What was read already. The views of one source mostly ask for the same two states of it, which
// never change.
//
// Threads: any.
struct ChangesRead {
    FieldCache fields;
    Memo<QString, TableChanges> changes;  // but for their columns
};

// As Detector::changes.
Result<TableChanges> readChanges(Session &session, const ChangesRequest &request,
                                 ChangesRead &known, const Call &call);

// Why the entries of a snapshot are not all there is, by the counts in its summary; nothing when
// they add up. Counts that the writer left out are not compared.
std::optional<QString> disagreement(const iceberg::SnapshotNode &snapshot,
                                    const QList<Entry> &entries);

}  // namespace ivm::trino
