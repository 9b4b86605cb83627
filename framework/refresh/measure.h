// From changed files to the buckets they may have touched: the one place that knows both.
//
// Pure but for reading the bounds of files that have none in their metadata.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"
#include "framework/view/bucket_function.h"

namespace ivm {

// The column of a table that a view's buckets follow, and how. Of a target, the bucket column
// itself, which follows itself.
struct MeasuredColumn {
    TableName table;
    QString column;
    Type type;
    BucketFunction function;
};

// The buckets that the changes may have touched. Files without bounds are read (only they are, and
// only that column) through `session`; where even that cannot tell, everything is touched. Errors
// as Session::run.
Result<RangeSet> measureRanges(const MeasuredColumn &column, const ChangesRequest &request,
                               const TableChanges &changes,
                               const std::function<Result<Session *>()> &session, const Call &call);

// How many files of each kind the changes hold.
struct FileCounts {
    int added = 0;
    int removed = 0;
    int deletedFrom = 0;
    qint64 records = 0;
    qint64 bytes = 0;
};

FileCounts countFiles(const TableChanges &changes);

}  // namespace ivm
