// What a plan comes to: the query, the change of the target, and the bookmark that it makes true.
//
// Pure; any thread.
#pragma once

#include "framework/refresh/plan.h"
#include "framework/view/rewrite.h"

namespace ivm {

// Where the sources are read at a snapshot.
Pins pinsOf(const RefreshPlan &plan);

// The column that the view's bucket follows, and its type beside the bucket's own; of a view with a
// bucket.
const Column &bucketColumn(const ViewShape &shape, const RefreshPlan &plan);
BucketTypes bucketTypesOf(const ViewShape &shape, const RefreshPlan &plan,
                          const QList<OutputColumn> &outputs);

// The query that gives the new rows; empty where nothing is to be done.
QString statementFor(const View &view, const RefreshPlan &plan);
Change changeFor(const View &view, const RefreshPlan &plan, const QList<OutputColumn> &outputs);

struct TargetState {
    TableHead head;
    QList<Column> columns;
};
Bookmark bookmarkFor(const View &view, const RefreshPlan &plan, const QList<OutputColumn> &outputs,
                     const TargetState &target);

}  // namespace ivm
