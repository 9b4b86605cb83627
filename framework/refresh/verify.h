// Recomputes a view and compares its target with it, both ways.
//
// It shares nothing with a refresh but the view's own text: one statement lays both sides on top of
// each other, so that what is in both cancels out, and what is left over differs.
//
// Threads: the calling thread's.
#pragma once

#include "framework/refresh/refresh.h"

namespace ivm {

// Buckets to compare, as text in the bucket's type ("2001-01-31", "2001-01-31 12:00:00"); open
// where empty.
struct VerifyRange {
    QString from;
    QString to;
};

struct ReportedColumn {
    QString column;
    ColumnClass columnClass = ColumnClass::Approximate;
    qint64 rows = 0;  // that differ in it; never the verdict
};

struct VerifyOutcome {
    QString view;
    bool equal = false;
    qint64 missing = 0;  // rows that the target lacks; a row that differs is missing and extra
    qint64 extra = 0;    // rows that it must not have
    QList<ReportedColumn> reported;
    QList<Column> sampleColumns;
    std::vector<Row> sample;  // of keys, exact and float columns of rows that differ; the first
                              // column says which side
};

// Compares at the bookmark, with the lease of the target held; a commit that was left open is
// settled first. NotFound when the view was never refreshed; Conflict while a refresh is under way,
// or where the sources cannot be read as the bookmark knows them any more; Invalid for a range on a
// view without a bucket or one that cannot be read.
Result<VerifyOutcome> verifyView(RefreshServices &services, const View &view,
                                 const VerifyRange &range, const Call &call);

}  // namespace ivm
