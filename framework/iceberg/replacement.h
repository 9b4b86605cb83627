// What a table becomes when it is replaced: CREATE OR REPLACE TABLE.
//
// Pure; any thread. Source: Iceberg table spec, "Table Metadata"; what is kept is what Trino keeps.
#pragma once

#include "framework/iceberg/metadata.h"

namespace ivm::iceberg {

// The table's identity, place, snapshots and earlier schemas, specs and sort orders with the new
// ones as the current ones; fields of a name that the current schema has keep their ids. Properties
// are the new ones, as Trino has it, except that gc.enabled and history.expire.* stay. Like a new
// table it has no current snapshot. Unsupported as checkPartitionNames().
Result<TableMetadata> replaced(const TableMetadata &table, const NewTable &by);

}  // namespace ivm::iceberg
