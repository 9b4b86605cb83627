#include "plugins/executor_duckdb/translate/function_table.h"

namespace ivm::duckdb {

// The macros and tables below are laid out by hand: a row a line, a text in as few pieces as fit.
// clang-format off
namespace {

// DuckDB takes NaN for equal to itself and greater than all else; in Trino every comparison with
// NaN but <> is false. A NULL on either side still gives NULL.
#define IVM_NAN_AWARE(comparison)                                                                  \
    u"CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL ELSE " comparison u" END"

// Divides whole numbers: both operands times a power of ten, the quotient with one digit more than
// asked and cut off, so that rounding it is rounding half up. The second form takes the digits as
// text, for scales where the power of ten would not fit beside the number.
#define IVM_QUOTIENT(dividend, divisor)                                                            \
    u"CAST(CAST(" dividend u" // " divisor u" AS DECIMAL(38,0)) * "                                \
    u"CAST('{0.1:max(s,t)+1}' AS DECIMAL({=max(s,t)+1},{=max(s,t)+1})) AS {T})"
#define IVM_DIGITS(operand) u"CAST(replace(CAST(" operand u" AS VARCHAR), '.', '') AS HUGEINT)"
#define IVM_POWER(n) u"CAST('1e{=" n u"}' AS DECIMAL(38,0))"

constexpr QStringView kDivide = IVM_QUOTIENT(
    u"CAST(CAST({0} AS DECIMAL(38,{=s})) * " IVM_POWER(u"max(s,t)+1+t") u" AS HUGEINT)",
    u"CAST(CAST({/1} AS DECIMAL(38,{=t})) * " IVM_POWER(u"t") u" AS HUGEINT)");
constexpr QStringView kDivideDigits = IVM_QUOTIENT(
    u"(" IVM_DIGITS(u"{0}") u" * CAST('1e{=max(s,t)+1+t-s}' AS HUGEINT))", IVM_DIGITS(u"{/1}"));

#define IVM_WHOLE_DAYS                                                                             \
    u"CAST(CASE WHEN {0} IS NOT NULL AND {1} % 86400000 <> 0 "                                     \
    u"THEN error('Cannot add hours, minutes or seconds to a date') "                               \
    u"ELSE {1} // CAST(86400000 AS BIGINT) END AS INTEGER)"

// Microseconds in whole milliseconds, and what is left of them: 0 to 999.
#define IVM_PAST_MILLI(micros) u"((" micros u" % 1000 + 1000) % 1000)"
#define IVM_FLOOR_MILLIS(micros) u"((" micros u" - " IVM_PAST_MILLI(micros) u") // 1000)"

constexpr QStringView kDecimals = u"decimal(p,s), decimal(q,t)";
constexpr QStringView kSum = u"decimal(min(38,max(p-s,q-t)+max(s,t)+1),max(s,t))";
constexpr QStringView kDayTime = u"interval day to second";
constexpr QStringView kMonths = u"interval year to month";

constexpr FunctionRow kOperators[] = {
    {u"+", u"I, I", u"I", u"({0} + {1})"},
    {u"+", kDecimals, kSum, u"CAST(CAST({0} AS {T}) + CAST({1} AS {T}) AS {T})"},
    {u"+", u"F, F", u"F", u"({0} + {1})"},
    {u"+", u"date, interval day to second", u"date", u"({0} + " IVM_WHOLE_DAYS u")"},
    {u"+", u"date, interval year to month", u"date", u"CAST({0} + to_months({1}) AS DATE)"},
    {u"+", u"timestamp(p), interval day to second", u"timestamp(max(p,3))",
     u"({0} + to_microseconds({1} * CAST(1000 AS BIGINT)))"},
    {u"+", u"timestamp(p), interval year to month", u"timestamp(p)", u"({0} + to_months({1}))"},
    {u"+", u"timestamp(p) with time zone, interval day to second",
     u"timestamp(max(p,3)) with time zone",
     u"CAST(CAST({0} AS TIMESTAMP) + to_microseconds({1} * CAST(1000 AS BIGINT)) AS TIMESTAMPTZ)"},
    {u"+", u"timestamp(p) with time zone, interval year to month", u"timestamp(p) with time zone",
     u"CAST(CAST({0} AS TIMESTAMP) + to_months({1}) AS TIMESTAMPTZ)", FunctionKind::Scalar,
     ColumnClass::Exact, u"utc"},
    {u"+", u"timestamp(p) with time zone, interval year to month", u"timestamp(p) with time zone",
     u"make_timestamptz(ivm_instant_near({zone}, epoch_us({local0} + to_months({1})), "
     u"epoch_us({0})))"},
    {u"+", u"interval day to second, interval day to second", kDayTime, u"({0} + {1})"},
    {u"+", u"interval year to month, interval year to month", kMonths, u"({0} + {1})"},

    {u"-", u"I, I", u"I", u"({0} - {1})"},
    {u"-", kDecimals, kSum, u"CAST(CAST({0} AS {T}) - CAST({1} AS {T}) AS {T})"},
    {u"-", u"F, F", u"F", u"({0} - {1})"},
    {u"-", u"date, interval day to second", u"date", u"({0} - " IVM_WHOLE_DAYS u")"},
    {u"-", u"date, interval year to month", u"date", u"CAST({0} - to_months({1}) AS DATE)"},
    {u"-", u"timestamp(p), interval day to second", u"timestamp(max(p,3))",
     u"({0} - to_microseconds({1} * CAST(1000 AS BIGINT)))"},
    {u"-", u"timestamp(p), interval year to month", u"timestamp(p)", u"({0} - to_months({1}))"},
    {u"-", u"timestamp(p) with time zone, interval day to second",
     u"timestamp(max(p,3)) with time zone",
     u"CAST(CAST({0} AS TIMESTAMP) - to_microseconds({1} * CAST(1000 AS BIGINT)) AS TIMESTAMPTZ)"},
    {u"-", u"timestamp(p) with time zone, interval year to month", u"timestamp(p) with time zone",
     u"CAST(CAST({0} AS TIMESTAMP) - to_months({1}) AS TIMESTAMPTZ)", FunctionKind::Scalar,
     ColumnClass::Exact, u"utc"},
    {u"-", u"timestamp(p) with time zone, interval year to month", u"timestamp(p) with time zone",
     u"make_timestamptz(ivm_instant_near({zone}, epoch_us({local0} - to_months({1})), "
     u"epoch_us({0})))"},
    {u"-", u"interval day to second, interval day to second", kDayTime, u"({0} - {1})"},
    {u"-", u"interval year to month, interval year to month", kMonths, u"({0} - {1})"},
    {u"-", u"date, date", kDayTime, u"(CAST({0} - {1} AS BIGINT) * 86400000)"},
    {u"-", u"exactly timestamp(p), exactly timestamp(q)", kDayTime,
     IVM_FLOOR_MILLIS(u"(epoch_us({0}) - epoch_us({1}) + 500)")},
    {u"-", u"timestamp(p) with time zone, timestamp(q) with time zone", kDayTime,
     u"(" IVM_FLOOR_MILLIS(u"epoch_us({0})") u" - " IVM_FLOOR_MILLIS(u"epoch_us({1})") u" + "
     u"CAST(round((" IVM_PAST_MILLI(u"epoch_us({0})") u" - " IVM_PAST_MILLI(u"epoch_us({1})")
     u") / 1000.0) AS BIGINT))"},

    {u"*", u"I, I", u"I", u"({0} * {1})"},
    {u"*", kDecimals, u"decimal(min(38,p+q),s+t)",
     u"CAST(CAST({0} AS DECIMAL(38,{=s})) * {1} AS {T})"},
    {u"*", u"F, F", u"F", u"({0} * {1})"},
    {u"*", u"interval day to second, bigint", kDayTime, u"({0} * {1})"},
    {u"*", u"bigint, interval day to second", kDayTime, u"({0} * {1})"},
    {u"*", u"interval day to second, double", kDayTime, u"CAST(trunc({0} * {1}) AS BIGINT)"},
    {u"*", u"double, interval day to second", kDayTime, u"CAST(trunc({0} * {1}) AS BIGINT)"},
    {u"*", u"interval year to month, bigint", kMonths, u"CAST({0} * {1} AS INTEGER)"},
    {u"*", u"bigint, interval year to month", kMonths, u"CAST({0} * {1} AS INTEGER)"},
    {u"*", u"interval year to month, double", kMonths, u"CAST(trunc({0} * {1}) AS INTEGER)"},
    {u"*", u"double, interval year to month", kMonths, u"CAST(trunc({0} * {1}) AS INTEGER)"},

    {u"/", u"I, I", u"I", u"({0} // {/1})"},
    {u"/", kDecimals, u"decimal(min(38,p+t+max(0,t-s)),max(s,t))", kDivide, FunctionKind::Scalar,
     ColumnClass::Exact, u"p+max(s,t)+1+t <= 38 and q+t <= 38"},
    {u"/", kDecimals, u"decimal(min(38,p+t+max(0,t-s)),max(s,t))", kDivideDigits,
     FunctionKind::Scalar, ColumnClass::Exact, u"max(s,t) < 38"},
    {u"/", u"F, F", u"F", u"({0} / {1})"},
    {u"/", u"interval day to second, double", kDayTime, u"CAST(trunc({0} / {1}) AS BIGINT)"},
    {u"/", u"interval year to month, double", kMonths, u"CAST(trunc({0} / {1}) AS INTEGER)"},

    {u"%", u"I, I", u"I", u"({0} % {%1})"},
    {u"%", kDecimals, u"decimal(min(p-s,q-t)+max(s,t),max(s,t))",
     u"CAST(CAST({0} AS DECIMAL(38,{=max(s,t)})) % CAST({/1} AS DECIMAL(38,{=max(s,t)})) AS {T})"},
    {u"%", u"F, F", u"F", u"({0} % {1})"},

    {u"-", u"I", u"I", u"(- {0})"},
    {u"-", u"decimal(p,s)", u"decimal(p,s)", u"(- {0})"},
    {u"-", u"F", u"F", u"(- {0})"},
    {u"-", kDayTime, kDayTime, u"(- {0})"},
    {u"-", kMonths, kMonths, u"(- {0})"},

    {u"=", u"D, D", u"boolean", u"({0} = {1})"},
    {u"=", u"F, F", u"boolean", IVM_NAN_AWARE(u"{0} = {1} AND NOT isnan({0})")},
    {u"<>", u"D, D", u"boolean", u"({0} <> {1})"},
    {u"<>", u"F, F", u"boolean", IVM_NAN_AWARE(u"{0} <> {1} OR isnan({0})")},
    {u"<", u"D, D", u"boolean", u"({0} < {1})"},
    {u"<", u"F, F", u"boolean", IVM_NAN_AWARE(u"{0} < {1} AND NOT isnan({1})")},
    {u"<=", u"D, D", u"boolean", u"({0} <= {1})"},
    {u"<=", u"F, F", u"boolean", IVM_NAN_AWARE(u"{0} <= {1} AND NOT isnan({1})")},
    {u">", u"D, D", u"boolean", u"({0} > {1})"},
    {u">", u"F, F", u"boolean", IVM_NAN_AWARE(u"{0} > {1} AND NOT isnan({0})")},
    {u">=", u"D, D", u"boolean", u"({0} >= {1})"},
    {u">=", u"F, F", u"boolean", IVM_NAN_AWARE(u"{0} >= {1} AND NOT isnan({0})")},
    {u"[]", u"array(E), bigint", u"E",
     u"CASE WHEN {1} < 1 OR {1} > len({0}) "
     u"THEN error('the array has no element ' || CAST({1} AS VARCHAR)) ELSE {0}[{1}] END"},
    {u"[]", u"map(D,E), D", u"E",
     u"CASE WHEN map_contains({0}, {1}) THEN {0}[{1}] WHEN {nulls} THEN NULL "
     u"ELSE error('the map has no key ' || CAST({1} AS VARCHAR)) END"},
    {u"=", u"S, S", u"boolean", u"{equal}"},
    {u"<>", u"S, S", u"boolean", u"(NOT {equal})"},
    {u"<", u"O, O", u"boolean", u"({ordered0} < {ordered1})"},
    {u"<=", u"O, O", u"boolean", u"({ordered0} <= {ordered1})"},
    {u">", u"O, O", u"boolean", u"({ordered0} > {ordered1})"},
    {u">=", u"O, O", u"boolean", u"({ordered0} >= {ordered1})"},
    {u"IS DISTINCT FROM", u"K, K", u"boolean", u"({same0} IS DISTINCT FROM {same1})"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> operatorTable() { return kOperators; }

}  // namespace ivm::duckdb
