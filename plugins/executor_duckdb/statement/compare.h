// When two rows of a target are the same, as conditions in DuckDB's SQL (FORMATS, "Comparing").
//
// Pure functions; any thread. `f` is the alias of the wanted rows, `c` that of the stored ones.
#pragma once

#include "framework/api/change.h"

namespace ivm::duckdb {

// Keys are equal, NULL and NaN to themselves. Without keys every two rows are.
QString sameKeys(const QList<OutputColumn> &columns);
// Everything else is equal: within the tolerance for floats, else bit by bit.
QString sameValues(const QList<OutputColumn> &columns);
// The keys' names, quoted; the constant 1 without keys.
QString keyList(const QList<OutputColumn> &columns);

}  // namespace ivm::duckdb
