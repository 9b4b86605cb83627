// What can be promised of an output column, as its expression alone tells.
//
// Pure; any thread.
#pragma once

#include "framework/api/change.h"
#include "framework/sql/ast.h"

namespace ivm {

// The least promise of all aggregates in it; never Key.
ColumnClass classOf(const sql::ExprPtr &expr);

bool hasAggregate(const sql::ExprPtr &expr);

// Whether it is an array_agg in the order of the array's own elements.
bool isSortedArray(const sql::ExprPtr &expr);

}  // namespace ivm
