// The families of the function table, and the texts that several of them are made of.
//
// Constant data; any thread. function_table.h explains the rows. The tables and macros of this
// folder are laid out by hand: a row a line, a text in as few pieces as fit.
#pragma once

#include "plugins/executor_duckdb/translate/function_table.h"

namespace ivm::duckdb {

std::span<const FunctionRow> aggregateFunctions();
std::span<const FunctionRow> windowFunctions();
std::span<const FunctionRow> conditionalFunctions();
std::span<const FunctionRow> mathFunctions();
std::span<const FunctionRow> stringFunctions();
std::span<const FunctionRow> timeFunctions();
std::span<const FunctionRow> arrayFunctions();
std::span<const FunctionRow> mapFunctions();

inline constexpr auto kAggregate = FunctionKind::Aggregate;
inline constexpr auto kWindow = FunctionKind::Window;
inline constexpr auto kScalar = FunctionKind::Scalar;
inline constexpr auto kExact = ColumnClass::Exact;
inline constexpr auto kFloat = ColumnClass::Float;
inline constexpr auto kAnyOrder = ColumnClass::OrderDependent;

// clang-format off

// A double that becomes a real: what is too large becomes infinite instead of failing.
#define IVM_TO_REAL(value)                                                                         \
    u"coalesce(TRY_CAST(" value u" AS FLOAT), CAST(CASE WHEN " value u" > 0 THEN 'Infinity' "      \
    u"WHEN " value u" < 0 THEN '-Infinity' END AS FLOAT))"

#define IVM_NAN u"CAST('NaN' AS DOUBLE)"

// NaN is the greatest number to DuckDB; Trino takes it only where there is no other.
#define IVM_NAN_LAST u"CASE WHEN NOT isnan({0}) THEN {0} END"

// clang-format on

}  // namespace ivm::duckdb
