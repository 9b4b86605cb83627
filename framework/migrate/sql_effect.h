// What a statement of an author's does to tables, as far as views depend on them.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/operation.h"

namespace ivm::migrate {

// All rows and columns of the table go, and others come.
struct TableReplaced {
    TableName table;
};
struct RowsWritten {
    TableName table;
};
// With all that is in it.
struct SchemaDropped {
    TableName schema;  // table is empty
};
// Nothing that is known; what an operation of a file does; or one of these.
using SqlEffect =
    std::variant<std::monostate, Operation, TableReplaced, RowsWritten, SchemaDropped>;

// Nothing for what is not understood.
SqlEffect effectOf(const Sql &node, const TableName &defaults);

}  // namespace ivm::migrate
