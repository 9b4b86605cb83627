// Reads which buckets the rows of files lie in, where the files' bounds say too little.
//
// Threads: as the session. Cost: the named files, of the view's columns only.
#pragma once

#include "framework/refresh/measured_column.h"

namespace ivm {

// The buckets that the rows of the files had at a snapshot. Nothing when they cannot be told: the
// files held other than `records` rows there, there are very many buckets, or a value is past all
// calendars. Errors as Session::run.
Result<std::optional<RangeSet>> bucketsOfFiles(const MeasuredColumn &column, SnapshotId snapshot,
                                               const QList<FileChange> &files, Session &session,
                                               const Call &call);

// The buckets of the rows that the files held at one of two snapshots and not at the other, as
// bags of the columns that the view uses. Exact when no other file differs between the snapshots
// (TableChanges::complete) and both are read with the same columns. Nothing: as above, and where
// a column's values can be equal without being the same (maps, floats inside of others). Errors as
// Session::run.
Result<std::optional<RangeSet>> bucketsOfChangedRows(const MeasuredColumn &column,
                                                     const ChangesRequest &request,
                                                     const TableChanges &changes, Session &session,
                                                     const Call &call);

}  // namespace ivm
