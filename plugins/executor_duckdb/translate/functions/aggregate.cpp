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

// What is not finite makes a group of at least `least` values NaN; DuckDB would fail.
#define IVM_FINITE u"CASE WHEN isfinite({0}) THEN {0} END"
#define IVM_WHERE_FINITE(least, value)                                                             \
    u"CASE WHEN coalesce(bool_or(NOT isfinite({0})){f}, FALSE) "                                   \
    u"THEN CASE WHEN count({0}){f} >= " least u" THEN " IVM_NAN u" END ELSE " value u" END"
#define IVM_SPREAD(name, least, function)                                                          \
    {name, u"double", u"double", IVM_WHERE_FINITE(least, function u"(" IVM_FINITE u"){f}"),        \
     kAggregate, kFloat}
// Trino's is that of the rows as they are, DuckDB's an estimate for more.
#define IVM_SKEWNESS                                                                               \
    u"(skewness(" IVM_FINITE u"){f} * (count({0}){f} - 2) "                                        \
    u"/ sqrt(CAST(count({0}){f} AS DOUBLE) * (count({0}){f} - 1)))"
#define IVM_KURTOSIS                                                                               \
    u"coalesce(kurtosis(" IVM_FINITE u"){f}, CASE WHEN count({0}){f} >= 4 THEN " IVM_NAN u" END)"

#define IVM_FINITE_PAIR u"isfinite({0}) AND isfinite({1})"
#define IVM_OF_PAIRS(function) function u"(CASE WHEN " IVM_FINITE_PAIR u" THEN {0} END, {1}){f}"
#define IVM_NO_PAIRS u"coalesce(bool_or(NOT (" IVM_FINITE_PAIR u")){f}, FALSE)"
#define IVM_COVARIANCE(name, least)                                                                \
    u"CASE WHEN " IVM_NO_PAIRS u" THEN CASE WHEN "                                                 \
    u"count(CASE WHEN {1} IS NOT NULL THEN {0} END){f} >= " least u" THEN " IVM_NAN                \
    u" END ELSE " IVM_OF_PAIRS(name) u" END"
// NULL where there is no finite answer.
#define IVM_REGRESSION(name)                                                                       \
    u"CASE WHEN NOT " IVM_NO_PAIRS u" AND isfinite(" IVM_OF_PAIRS(name) u") THEN "                 \
    IVM_OF_PAIRS(name) u" END"
// All but doubles become reals.
#define IVM_OF_TWO(name, value)                                                                    \
    {name, u"real, real", u"real", IVM_TO_REAL(value), kAggregate, kFloat},                        \
    {name, u"double, double", u"double", value, kAggregate, kFloat}
#define IVM_LN_OR_NAN                                                                              \
    u"CASE WHEN {0} < 0 THEN " IVM_NAN u" WHEN {0} = 0 THEN CAST('-Infinity' AS DOUBLE) "          \
    u"ELSE ln({0}) END"

#define IVM_GEOMETRIC_MEAN u"exp(avg(" IVM_LN_OR_NAN u"){f})"

// Pairs of a key and something as a map: one value for a key, or all of them. Maps have no NULL
// key. An aggregate inside of a subquery belongs to the query around it.
#define IVM_MAP_OF(pairs, values)                                                                  \
    u"(SELECT map_from_entries(list(struct_pack(k := k, v := v))) FROM (SELECT e.key AS k, "       \
    values u"(e.value) AS v FROM unnest(" pairs u") AS pairs(e) "                                  \
    u"WHERE e.key IS NOT NULL GROUP BY e.key))"
#define IVM_PAIRS u"list(struct_pack(key := {0}, value := {1})){filter}"
#define IVM_ALL_ENTRIES u"flatten(list(map_entries({0})){filter})"
// min_by and max_by of the first n are left out: Trino's take a row for the least where its value
// is NULL.
constexpr QStringView kFirst = u"n > 0 and n <= 10000";

constexpr FunctionRow kRows[] = {
    {u"count", u"", u"bigint", u"count(*){f}", kAggregate},
    {u"count", u"K", u"bigint", u"count({d}{same0}){f}", kAggregate},
    {u"count", u"E", u"bigint", u"count({0}){f}", kAggregate},
    {u"count_if", u"boolean", u"bigint", u"count(CASE WHEN {0} THEN 1 END){f}", kAggregate},
    {u"sum", u"bigint", u"bigint", u"CAST(sum({d}{0}){f} AS BIGINT)", kAggregate},
    // Adding 0 checks the digits, which the sum does not.
    {u"sum", u"decimal(p,s)", u"decimal(38,s)", u"(sum({d}{0}){f} + CAST(0 AS DECIMAL(38,{=s})))",
     kAggregate},
    {u"sum", u"real", u"real", IVM_TO_REAL(u"sum({d}{0}){f}"), kAggregate, kFloat},
    {u"sum", u"double", u"double", u"sum({d}{0}){f}", kAggregate, kFloat},
    {u"sum", u"interval day to second", u"interval day to second",
     u"CAST(sum({d}{0}){f} AS BIGINT)", kAggregate},
    {u"sum", u"interval year to month", u"interval year to month",
     u"CAST(sum({d}{0}){f} AS INTEGER)", kAggregate},
    {u"avg", u"interval day to second", u"interval day to second",
     u"CAST(floor(avg({d}{0}){f} + 0.5) AS BIGINT)", kAggregate},
    {u"avg", u"interval year to month", u"interval year to month",
     u"CAST(floor(avg({d}{0}){f} + 0.5) AS INTEGER)", kAggregate},
    {u"avg", u"bigint", u"double", u"avg({d}{0}){f}", kAggregate, kFloat},
    {u"avg", u"decimal(p,s)", u"decimal(p,s)", IVM_DECIMAL_AVG, kAggregate, kExact, u"s < 38"},
    {u"avg", u"real", u"real", IVM_TO_REAL(u"avg({d}{0}){f}"), kAggregate, kFloat},
    {u"avg", u"double", u"double", u"avg({d}{0}){f}", kAggregate, kFloat},
    {u"min", u"T", u"T", u"min({d}{0}){f}", kAggregate},
    {u"min", u"O", u"O", u"min({ordered0}){f}", kAggregate},
    {u"max", u"D", u"D", u"max({d}{0}){f}", kAggregate},
    {u"max", u"O", u"O", u"max({ordered0}){f}", kAggregate},
    {u"max", u"F", u"F", u"coalesce(max({d}" IVM_NAN_LAST u"){f}, max({d}{0}){f})", kAggregate},
    {u"min_by", u"E, T", u"E", u"arg_min_null({0}, {1}){f}", kAggregate, kAnyOrder},
    {u"max_by", u"E, D", u"E", u"arg_max_null({0}, {1}){f}", kAggregate, kAnyOrder},
    {u"max_by", u"E, F", u"E",
     u"arg_max_null({0}, CASE WHEN {1} IS NOT NULL THEN "
     u"struct_pack(a := NOT isnan({1}), b := {1}) END){f}",
     kAggregate, kAnyOrder},
    {u"min", u"D, constant n", u"array(D)", u"min({d}{0}, {=n}){f}", kAggregate, kExact, kFirst},
    {u"max", u"D, constant n", u"array(D)", u"max({d}{0}, {=n}){f}", kAggregate, kExact, kFirst},
    {u"arbitrary", u"E", u"E", u"any_value({0}){f}", kAggregate, kAnyOrder},
    {u"any_value", u"E", u"E", u"any_value({0}){f}", kAggregate, kAnyOrder},
    {u"geometric_mean", u"bigint", u"double", IVM_GEOMETRIC_MEAN, kAggregate, kFloat},
    {u"geometric_mean", u"real", u"real", IVM_TO_REAL(IVM_GEOMETRIC_MEAN), kAggregate, kFloat},
    {u"geometric_mean", u"double", u"double", IVM_GEOMETRIC_MEAN, kAggregate, kFloat},
    IVM_SPREAD(u"variance", u"2", u"var_samp"),
    IVM_SPREAD(u"var_samp", u"2", u"var_samp"),
    IVM_SPREAD(u"var_pop", u"1", u"var_pop"),
    IVM_SPREAD(u"stddev", u"2", u"stddev_samp"),
    IVM_SPREAD(u"stddev_samp", u"2", u"stddev_samp"),
    IVM_SPREAD(u"stddev_pop", u"1", u"stddev_pop"),
    {u"skewness", u"double", u"double", IVM_WHERE_FINITE(u"3", IVM_SKEWNESS), kAggregate, kFloat},
    {u"kurtosis", u"double", u"double", IVM_WHERE_FINITE(u"4", IVM_KURTOSIS), kAggregate, kFloat},
    IVM_OF_TWO(u"covar_pop", IVM_COVARIANCE(u"covar_pop", u"1")),
    IVM_OF_TWO(u"covar_samp", IVM_COVARIANCE(u"covar_samp", u"2")),
    IVM_OF_TWO(u"corr", IVM_REGRESSION(u"corr")),
    IVM_OF_TWO(u"regr_slope", IVM_REGRESSION(u"regr_slope")),
    IVM_OF_TWO(u"regr_intercept", IVM_REGRESSION(u"regr_intercept")),
    {u"bitwise_and_agg", u"bigint", u"bigint", u"bit_and({0}){f}", kAggregate},
    {u"bitwise_or_agg", u"bigint", u"bigint", u"bit_or({0}){f}", kAggregate},
    {u"bitwise_xor_agg", u"bigint", u"bigint", u"bit_xor({0}){f}", kAggregate},
    {u"listagg", u"varchar(n), varchar(m)", u"varchar", u"string_agg({d}{0}, {1}{o}){f}",
     kAggregate, kAnyOrder},
    {u"array_agg", u"E", u"array(E)", u"array_agg({d}{0}{o}){f}", kAggregate, kAnyOrder},
    {u"histogram", u"D", u"map(D,bigint)", u"CAST(histogram({0}){f} AS {T})", kAggregate,
     kAnyOrder},
    {u"map_agg", u"D, E", u"map(D,E)", IVM_MAP_OF(IVM_PAIRS, u"any_value"), kAggregate, kAnyOrder},
    {u"map_union", u"map(D,E)", u"map(D,E)", IVM_MAP_OF(IVM_ALL_ENTRIES, u"any_value"), kAggregate,
     kAnyOrder},
    {u"multimap_agg", u"D, E", u"map(D,array(E))", IVM_MAP_OF(IVM_PAIRS, u"list"), kAggregate,
     kAnyOrder},
    {u"bool_and", u"boolean", u"boolean", u"bool_and({0}){f}", kAggregate},
    {u"every", u"boolean", u"boolean", u"bool_and({0}){f}", kAggregate},
    {u"bool_or", u"boolean", u"boolean", u"bool_or({0}){f}", kAggregate},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> aggregateFunctions() { return kRows; }

}  // namespace ivm::duckdb
