// A change to a target as one MERGE statement: one atomic commit, or none.
//
// Pure functions; any thread.
//
// The wanted rows and the target's rows of the same buckets are stacked and grouped by key, which
// makes NULL equal NULL and NaN equal NaN in keys of any type, and counts both sides. A group then
// calls for nothing, one of insert, update and delete, or, where the target holds a key more than
// once, for both a delete of all copies and an insert. An insert never matches a target row. The
// bucket predicate is repeated on the target so that only those partitions are read.
#pragma once

#include "framework/api/change.h"
#include "framework/sqlexec/dialect.h"

namespace ivm {

struct MergeStatement {
    QString sql;
    // The change's query stands on lines of its own: the first one, counted from 1, and how many.
    // For places in errors.
    int queryLine = 0;
    int queryLines = 0;

    // A place in `sql` as a place in the change's query; nothing when it is outside of it.
    std::optional<Place> placeInQuery(const Place &place) const;
};

// The statement that makes the target hold what `change` says, if it is still at `expected`
// (headGuard). It fails with kDuplicateKeyMark in the message when the query gives two rows for one
// key, or two rows at all where there is no key. Invalid for a change without columns or with a
// filter on an unknown one; Unsupported for types no table holds.
Result<MergeStatement> mergeSql(const Change &change, const TableHead &expected,
                                SqlDialect dialect = SqlDialect::Trino);
inline constexpr auto kDuplicateKeyMark = u"ivm duplicate key: ";

}  // namespace ivm
