// Aggregates.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

// Quotients of a decimal sum by a count, rounded half up: one digit more, cut off, then rounded.
// The sum's digits are taken as text: multiplied by a power of ten they might not fit.
#define IVM_DECIMAL_AVG                                                                            \
    u"CAST(CAST((CAST(replace(CAST(sum({d}{0}){f} AS VARCHAR), '.', '') AS HUGEINT) * 10) // "     \
    u"count({d}{0}){f} AS DECIMAL(38,0)) * CAST('{0.1:s+1}' AS DECIMAL({=s+1},{=s+1})) AS {T})"

constexpr FunctionRow kRows[] = {
    {u"count", u"", u"bigint", u"count(*){f}", kAggregate},
    {u"count", u"T", u"bigint", u"count({d}{0}){f}", kAggregate},
    {u"count", u"E", u"bigint", u"count({0}){f}", kAggregate},
    {u"count_if", u"boolean", u"bigint", u"count(CASE WHEN {0} THEN 1 END){f}", kAggregate},
    {u"sum", u"bigint", u"bigint", u"CAST(sum({d}{0}){f} AS BIGINT)", kAggregate},
    // Adding 0 checks the digits, which the sum does not.
    {u"sum", u"decimal(p,s)", u"decimal(38,s)", u"(sum({d}{0}){f} + CAST(0 AS DECIMAL(38,{=s})))",
     kAggregate},
    {u"sum", u"real", u"real", IVM_TO_REAL(u"sum({d}{0}){f}"), kAggregate, kFloat},
    {u"sum", u"double", u"double", u"sum({d}{0}){f}", kAggregate, kFloat},
    {u"avg", u"bigint", u"double", u"avg({d}{0}){f}", kAggregate, kFloat},
    {u"avg", u"decimal(p,s)", u"decimal(p,s)", IVM_DECIMAL_AVG, kAggregate, kExact, u"s < 38"},
    {u"avg", u"real", u"real", IVM_TO_REAL(u"avg({d}{0}){f}"), kAggregate, kFloat},
    {u"avg", u"double", u"double", u"avg({d}{0}){f}", kAggregate, kFloat},
    {u"min", u"T", u"T", u"min({d}{0}){f}", kAggregate},
    {u"max", u"D", u"D", u"max({d}{0}){f}", kAggregate},
    {u"max", u"F", u"F", u"coalesce(max({d}" IVM_NAN_LAST u"){f}, max({d}{0}){f})", kAggregate},
    {u"min_by", u"E, T", u"E", u"arg_min_null({0}, {1}){f}", kAggregate, kAnyOrder},
    {u"max_by", u"E, D", u"E", u"arg_max_null({0}, {1}){f}", kAggregate, kAnyOrder},
    {u"max_by", u"E, F", u"E",
     u"arg_max_null({0}, CASE WHEN {1} IS NOT NULL THEN "
     u"struct_pack(a := NOT isnan({1}), b := {1}) END){f}",
     kAggregate, kAnyOrder},
    {u"arbitrary", u"E", u"E", u"any_value({0}){f}", kAggregate, kAnyOrder},
    {u"any_value", u"E", u"E", u"any_value({0}){f}", kAggregate, kAnyOrder},
    {u"bool_and", u"boolean", u"boolean", u"bool_and({0}){f}", kAggregate},
    {u"every", u"boolean", u"boolean", u"bool_and({0}){f}", kAggregate},
    {u"bool_or", u"boolean", u"boolean", u"bool_or({0}){f}", kAggregate},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> aggregateFunctions() { return kRows; }

}  // namespace ivm::duckdb
