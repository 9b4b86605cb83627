// The column of a table that a view's buckets follow, and how. Of a target, the bucket column
// itself, which follows itself.
//
// Plain data; any thread.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"
#include "framework/view/bucket_function.h"

namespace ivm {

struct MeasuredColumn {
    TableName table;
    Column column;  // with its field id
    BucketFunction function;

    BucketRange bucketsOf(const FileBounds &bounds) const
    {
        return function.bucketsOf(microsFromColumnUnit(column.type, *bounds.lower),
                                  microsFromColumnUnit(column.type, *bounds.upper));
    }

    bool operator==(const MeasuredColumn &) const = default;
};

}  // namespace ivm
