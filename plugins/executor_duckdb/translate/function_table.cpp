#include "plugins/executor_duckdb/translate/function_table.h"

namespace ivm::duckdb {

// The macros and tables below are laid out by hand: a row a line, a text in as few pieces as fit.
// clang-format off
namespace {

constexpr auto kAggregate = FunctionKind::Aggregate;
constexpr auto kWindow = FunctionKind::Window;
constexpr auto kScalar = FunctionKind::Scalar;
constexpr auto kExact = ColumnClass::Exact;
constexpr auto kFloat = ColumnClass::Float;
constexpr auto kAnyOrder = ColumnClass::OrderDependent;

// A double that becomes a real: what is too large becomes infinite instead of failing.
#define IVM_TO_REAL(value)                                                                         \
    u"coalesce(TRY_CAST(" value u" AS FLOAT), CAST(CASE WHEN " value u" > 0 THEN 'Infinity' "      \
    u"WHEN " value u" < 0 THEN '-Infinity' END AS FLOAT))"

// Letters of Unicode 16, which DuckDB's tables do not know: capitals and their small letters.
#define IVM_NEW_CAPITALS                                                                           \
    u"\u1C89\uA7CB\uA7CC\uA7DA\uA7DC"                                                              \
    u"\U00010D50\U00010D51\U00010D52\U00010D53\U00010D54\U00010D55\U00010D56\U00010D57"            \
    u"\U00010D58\U00010D59\U00010D5A\U00010D5B\U00010D5C\U00010D5D\U00010D5E\U00010D5F"            \
    u"\U00010D60\U00010D61\U00010D62\U00010D63\U00010D64\U00010D65"
#define IVM_NEW_SMALL                                                                              \
    u"\u1C8A\u0264\uA7CD\uA7DB\u019B"                                                              \
    u"\U00010D70\U00010D71\U00010D72\U00010D73\U00010D74\U00010D75\U00010D76\U00010D77"            \
    u"\U00010D78\U00010D79\U00010D7A\U00010D7B\U00010D7C\U00010D7D\U00010D7E\U00010D7F"            \
    u"\U00010D80\U00010D81\U00010D82\U00010D83\U00010D84\U00010D85"
#define IVM_CAPITALS_KNOWN u"translate({0}, '" IVM_NEW_SMALL u"', '" IVM_NEW_CAPITALS u"')"

// Quotients of a decimal sum by a count, rounded half up: one digit more, cut off, then rounded.
// The sum's digits are taken as text: multiplied by a power of ten they might not fit.
#define IVM_DECIMAL_AVG                                                                            \
    u"CAST(CAST((CAST(replace(CAST(sum({d}{0}){f} AS VARCHAR), '.', '') AS HUGEINT) * 10) // "     \
    u"count({d}{0}){f} AS DECIMAL(38,0)) * CAST('{0.1:s+1}' AS DECIMAL({=s+1},{=s+1})) AS {T})"

// NaN is the greatest number to DuckDB; Trino takes it only where there is no other.
#define IVM_NAN_LAST u"CASE WHEN NOT isnan({0}) THEN {0} END"

// DuckDB counts from the end differently, and from position 0.
#define IVM_SUBSTR_START u"CASE WHEN {1} < 0 THEN length({0}) + {1} + 1 ELSE {1} END"

#define IVM_PART(name, part)                                                                       \
    {name, u"M", u"bigint", u"date_part('" part u"', CAST({0} AS TIMESTAMP))"}

constexpr QStringView kDateUnits = u"one of day week month quarter year, date";
constexpr QStringView kTimestampUnits =
    u"one of millisecond second minute hour day week month quarter year, "
    u"exactly timestamp(p)";
constexpr QStringView kZonedUnits =
    u"one of millisecond second minute hour day week month quarter year, "
    u"exactly timestamp(p) with time zone";

constexpr FunctionRow kFunctions[] = {
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

    {u"row_number", u"", u"bigint", u"row_number(){f}", kWindow, kAnyOrder},
    {u"rank", u"", u"bigint", u"rank(){f}", kWindow},
    {u"dense_rank", u"", u"bigint", u"dense_rank(){f}", kWindow},

    {u"coalesce", u"E, E...", u"E", u"coalesce({*})"},
    {u"if", u"boolean, E", u"E", u"CASE WHEN {0} THEN {1} END"},
    {u"if", u"boolean, E, E", u"E", u"CASE WHEN {0} THEN {1} ELSE {2} END"},
    {u"greatest", u"D...", u"D", u"CASE WHEN {nulls} THEN NULL ELSE greatest({*}) END"},
    {u"greatest", u"F...", u"F",
     u"CASE WHEN {nulls} THEN NULL ELSE coalesce(greatest({each:CASE WHEN NOT isnan(#) THEN # END})"
     u", CAST('NaN' AS {T})) END"},
    {u"least", u"T...", u"T", u"CASE WHEN {nulls} THEN NULL ELSE least({*}) END"},

    {u"abs", u"N", u"N", u"abs({0})"},
    {u"mod", u"I, I", u"I", u"({0} % {%1})"},
    {u"floor", u"I", u"I", u"{0}"},
    {u"floor", u"decimal(p,s)", u"decimal(min(38,p-s+min(s,1)),0)", u"CAST(floor({0}) AS {T})"},
    {u"floor", u"F", u"F", u"floor({0})"},
    {u"ceil", u"I", u"I", u"{0}"},
    {u"ceil", u"decimal(p,s)", u"decimal(min(38,p-s+min(s,1)),0)", u"CAST(ceil({0}) AS {T})"},
    {u"ceil", u"F", u"F", u"ceil({0})"},
    {u"ceiling", u"I", u"I", u"{0}"},
    {u"ceiling", u"decimal(p,s)", u"decimal(min(38,p-s+min(s,1)),0)", u"CAST(ceil({0}) AS {T})"},
    {u"ceiling", u"F", u"F", u"ceil({0})"},
    {u"round", u"I", u"I", u"{0}"},
    {u"round", u"decimal(p,s)", u"decimal(min(38,p-s+min(s,1)),0)", u"CAST(round({0}) AS {T})"},
    {u"round", u"F", u"F", u"CASE WHEN {0} = 0 THEN CAST(0 AS {T}) ELSE round({0}) END"},
    {u"sqrt", u"double", u"double",
     u"CASE WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({0}) END"},
    {u"nan", u"", u"double", u"CAST('NaN' AS DOUBLE)"},
    {u"infinity", u"", u"double", u"CAST('Infinity' AS DOUBLE)"},
    {u"is_nan", u"real", u"boolean", u"isnan({0})"},
    {u"is_nan", u"double", u"boolean", u"isnan({0})"},
    {u"is_finite", u"double", u"boolean", u"isfinite({0})"},
    {u"is_infinite", u"double", u"boolean", u"isinf({0})"},

    {u"lower", u"varchar(n)", u"varchar(n)",
     u"lower(translate({0}, '" IVM_NEW_CAPITALS u"', '" IVM_NEW_SMALL u"'))"},
    // The sharp s stays as it is.
    {u"upper", u"varchar(n)", u"varchar(n)",
     u"CASE WHEN contains({0}, '\u00DF') THEN array_to_string(list_transform(string_split("
     IVM_CAPITALS_KNOWN u", '\u00DF'), lambda s: upper(s)), '\u00DF') ELSE upper("
     IVM_CAPITALS_KNOWN u") END"},
    {u"length", u"varchar(n)", u"bigint", u"length({0})"},
    {u"concat", u"varchar, varchar, varchar...", u"varchar", u"({join: || })"},
    {u"concat", u"varchar, varchar", u"varchar", u"({join: || })"},
    {u"substr", u"varchar(n), bigint", u"varchar(n)",
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = 0 OR {1} < -length({0}) THEN '' "
     u"ELSE substring({0}, " IVM_SUBSTR_START u") END"},
    {u"substr", u"varchar(n), bigint, bigint", u"varchar(n)",
     u"CASE WHEN {nulls} THEN NULL WHEN {1} = 0 OR {1} < -length({0}) OR {2} <= 0 THEN '' "
     u"ELSE substring({0}, " IVM_SUBSTR_START u", {2}) END"},
    {u"strpos", u"varchar(n), varchar(m)", u"bigint", u"strpos({0}, {1})"},
    {u"starts_with", u"varchar(n), varchar(m)", u"boolean", u"starts_with({0}, {1})"},

    {u"date", u"varchar(n)", u"date", u"{cast}"},
    {u"date", u"timestamp(p)", u"date", u"{cast}"},
    {u"date", u"timestamp(p) with time zone", u"date", u"{cast}"},
    {u"date_trunc", kDateUnits, u"date", u"CAST(date_trunc({0}, {1}) AS DATE)"},
    {u"date_trunc", kTimestampUnits, u"timestamp(p)", u"date_trunc({0}, {1})"},
    {u"date_trunc", kZonedUnits, u"timestamp(p) with time zone",
     u"CAST(date_trunc({0}, CAST({1} AS TIMESTAMP)) AS TIMESTAMPTZ)"},
    IVM_PART(u"year", u"year"),
    IVM_PART(u"quarter", u"quarter"),
    IVM_PART(u"month", u"month"),
    IVM_PART(u"week", u"week"),
    IVM_PART(u"week_of_year", u"week"),
    IVM_PART(u"year_of_week", u"isoyear"),
    IVM_PART(u"yow", u"isoyear"),
    IVM_PART(u"day", u"day"),
    IVM_PART(u"day_of_month", u"day"),
    IVM_PART(u"day_of_week", u"isodow"),
    IVM_PART(u"dow", u"isodow"),
    IVM_PART(u"day_of_year", u"doy"),
    IVM_PART(u"doy", u"doy"),
    IVM_PART(u"hour", u"hour"),
    IVM_PART(u"minute", u"minute"),
    IVM_PART(u"second", u"second"),
    {u"millisecond", u"M", u"bigint",
     u"(date_part('millisecond', CAST({0} AS TIMESTAMP)) % CAST(1000 AS BIGINT))"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> functionTable() { return kFunctions; }

}  // namespace ivm::duckdb
