// The statements of a refresh: the user's own query text, with pins and a range filter put in at
// their places.
//
// Pure; any thread. Everything that is put in is rendered here from numbers and the user's own
// text, never from input.
#pragma once

#include "framework/view/outputs.h"
#include "framework/view/range_set.h"

#include <QHash>

namespace ivm {

// The snapshots that tables are read at; a table that is not here is read at its head.
using Pins = QHash<TableName, SnapshotId>;

struct BucketTypes {
    Type column;  // of the source's time column
    Type bucket;  // of the bucket as it is stored
};

// The view's query at the pins.
QString pinnedQuery(const ViewShape &shape, const Pins &pins);

// The same for the buckets in `ranges` only. The query filters on the user's own bucket expression,
// so only the engine's calendar decides; beside it stands a condition on the bare column for
// pruning, whose upper bounds the engine itself rounds up to the end of a bucket. The shape has a
// bucket.
QString rangeQuery(const ViewShape &shape, const Pins &pins, const RangeSet &ranges,
                   const BucketTypes &types);

// The same buckets in the target.
BucketFilter targetFilter(const ViewShape &shape, const RangeSet &ranges,
                          const Type &storedBucketType);

}  // namespace ivm
