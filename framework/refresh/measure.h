// From changed files to the buckets they may have touched: the one place that knows both.
//
// Metadata first: bounds are enough for files that lie in few buckets or are dense. Rows are read
// only where that is cheaper than recomputing all that the bounds span.
#pragma once

#include "framework/base/memo.h"
#include "framework/refresh/measured_column.h"

namespace ivm {

struct MeasureInput {
    MeasuredColumn column;
    const ChangesRequest &request;
    const TableChanges &changes;
    // Whether rows of either end can be read with the columns of now.
    bool pinnableBefore = false;
    bool pinnableNow = false;
    Detector &detector;
    std::function<Result<Session *>()> session;
};

// The buckets that the changes may have touched. Where nothing can tell, everything is touched.
// Errors as Session::run and Detector::liveFiles.
Result<RangeSet> measureRanges(const MeasureInput &input, const Call &call);

// What was measured. The views of one source mostly ask for the same, and rows may have to be read
// for the answer.
//
// Threads: any.
class MeasuredRanges {
public:
    // As measureRanges().
    Result<RangeSet> of(const MeasureInput &input, const Call &call);
    void forget() { m_measured.forget(); }

private:
    struct Question {
        MeasuredColumn column;
        TableHead from;
        TableHead to;
        QStringList columns;  // rows that differ elsewhere are the same
        bool pinnableBefore;
        bool pinnableNow;

        bool operator==(const Question &) const = default;
    };
    Memo<Question, RangeSet> m_measured;
};

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
