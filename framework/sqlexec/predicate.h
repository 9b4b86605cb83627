// The rows of a target that a change is about, as a condition.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/change.h"

namespace ivm {

// Half-open ranges joined by OR, and the NULL bucket where it is asked for, in parentheses: ready
// to follow an AND. `qualifier` is the table's alias in the statement. A filter without ranges and
// without the NULL bucket is FALSE.
QString bucketPredicate(const BucketFilter &filter, QStringView qualifier);

}  // namespace ivm
