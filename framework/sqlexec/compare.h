// When two rows have the same key, and when their values differ, as conditions.
//
// Pure functions; any thread. `left` and `right` are expressions of the same type; each is used
// several times, so they should be columns. Source of the rules: ColumnClass (api/change.h), and
// Trino's documentation, "Comparison functions and operators".
#pragma once

#include "framework/api/change.h"

namespace ivm {

// True where both keys are the same, NULL and NaN included, else false. Always has an equality
// between an expression of one side and one of the other, so that an engine can join by hash: `IS
// NOT DISTINCT FROM` alone would compare every pair.
QString sameKeySql(const Type &type, const QString &left, const QString &right);

// A value whose IS DISTINCT FROM compares bit by bit: of floating point, in nested types too, the
// bytes, and one value for every NaN. Other types as they are.
QString bitwiseSql(const Type &type, const QString &value);

// True where two values of the column differ so much that the row must be rewritten, else false or
// NULL: Float beyond its tolerance, all others at all. Nothing for keys, which are the same
// already.
std::optional<QString> differsSql(const OutputColumn &column, const QString &left,
                                  const QString &right);

}  // namespace ivm
