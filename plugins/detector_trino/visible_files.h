// What the files of a table are by the paths of its rows: for tables whose metadata Trino cannot
// tell. Trino 476 fails inside on entries without a sort order (PyIceberg leaves it out), on
// statistics of a column that is gone, and on bounds of texts that were cut inside a character.
//
// Threads: as the session. Cost: the rows of every file are counted; no column is read.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"

namespace ivm::trino {

// Trouble with what is stored, which a later call meets again; not with the server.
bool isUnreadable(const Error &error);

// The files that have rows at one of two snapshots and not at the other, without bounds; their
// records are those rows. Nothing when there are delete files at either: what they take leaves no
// trace in paths. Errors as Session::run.
Result<std::optional<QList<FileChange>>> changedPaths(Session &session, const TableName &table,
                                                      SnapshotId from, SnapshotId to,
                                                      const Call &call);

// The files that have rows now, and the rows; their sizes and bounds are not known. Errors as
// Session::run.
Result<FileTotals> visibleTotals(Session &session, const TableName &table, const Call &call);

}  // namespace ivm::trino
