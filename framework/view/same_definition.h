// Whether two definitions of a view say the same.
//
// Pure; any thread.
#pragma once

#include "framework/view/view_spec.h"

namespace ivm {

// Queries that differ in spacing, comments, letter case of names and keywords, or in naming a
// column of GROUP BY by its number, say the same; queries that are no SQL only where their texts
// are equal.
bool sameQuery(const QString &left, const QString &right);

// The same query, target, keys, layout and comment: the same rows in the same table. What else a
// definition says is about refreshing alone.
bool sameTable(const ViewSpec &left, const ViewSpec &right);

// The same in everything, options of layout and refreshing included.
bool sameDefinition(const ViewSpec &left, const ViewSpec &right, const TableName &defaults);

}  // namespace ivm
