// Functions of ours that statements for the engine may call beside its own:
//   ivm_hash(BIGINT | HUGEINT | BLOB): what Iceberg's buckets are made from, without the sign's
//   bit. A HUGEINT is an unscaled decimal.
//
// Any thread.
#pragma once

#include "framework/base/result.h"

#include <duckdb.h>

namespace ivm::duckdb {

// Makes them known to every connection. Unavailable when the engine takes none.
Status registerFunctions(duckdb_database database);

}  // namespace ivm::duckdb
