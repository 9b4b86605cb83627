#include "plugins/executor_duckdb/translate/function_table.h"

namespace ivm::duckdb {

// The macros and tables below are laid out by hand: a row a line, a text in as few pieces as fit.
// clang-format off
namespace {

#define IVM_PLAIN u"CAST({0} AS {T})"
#define IVM_SAFE u"TRY_CAST({0} AS {T})"
#define IVM_POINT_FIRST u"regexp_replace(CAST({0} AS VARCHAR), '^(-?)\\.', '\\10.')"

// Text that DuckDB reads exactly as Trino does. Other text is an error, also where Trino would take
// it (digits of other scripts, hexadecimal floats): then it is the engine that does not know.
#define IVM_SPACE u"[ \\t\\n\\r\\f]*"
#define IVM_INTEGER_TEXT u"'" IVM_SPACE u"[+-]?[0-9]+" IVM_SPACE u"'"
#define IVM_NUMBER u"[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?"
#define IVM_DOUBLE_TEXT u"'" IVM_SPACE u"(" IVM_NUMBER u"|NaN|[+-]?Infinity)" IVM_SPACE u"'"
#define IVM_DECIMAL_TEXT u"'" IVM_NUMBER u"'"
#define IVM_DATE_TEXT u"' *\\d\\d\\d\\d-\\d\\d?-\\d\\d? *'"
#define IVM_TIMESTAMP_TEXT                                                                         \
    u"'\\d\\d\\d\\d-\\d\\d-\\d\\d( "                                                               \
    u"([01]\\d|2[0-3]):\\d\\d(:\\d\\d(\\.\\d(\\d(\\d(\\d(\\d\\d?)?)?)?)?)?)?)?'"
#define IVM_BOOLEAN_TEXT u"'(?i)(true|false|t|f|1|0)'"
#define IVM_UNREADABLE u"error('''' || {0} || ''' cannot be read as {name} by the embedded engine')"
#define IVM_READ(pattern, value)                                                                   \
    u"CASE WHEN {0} IS NULL OR "                                                                   \
    u"regexp_full_match({0}, " pattern u") THEN " value u" ELSE " IVM_UNREADABLE u" END"
// Of TRY_CAST: NULL for text that no engine takes, an error for what only Trino might.
#define IVM_READ_SAFE(pattern, value)                                                              \
    u"CASE WHEN {0} IS NULL OR regexp_full_match({0}, " pattern u") THEN " value                   \
    u" WHEN regexp_full_match({0}, '[ -~]*') THEN NULL ELSE " IVM_UNREADABLE u" END"

// Halves of a digit round towards the future, also before 1970.
#define IVM_MICROS(value) u"(epoch_us(" value u") + {=pow10(6-q)} // 2)"
#define IVM_UNIT u"{=pow10(6-q)}"
#define IVM_ROUND_TIME(value)                                                                      \
    u"make_timestamp(" IVM_MICROS(value) u" - ((" IVM_MICROS(                                      \
        value) u" % " IVM_UNIT u") + " IVM_UNIT u") % " IVM_UNIT u")"
#define IVM_PLAIN_TIME u"CAST({0} AS TIMESTAMP)"

// Trino writes years past 9999 with a sign, and years before 1 otherwise than DuckDB.
#define IVM_FOUR_DIGIT_YEAR(time, value)                                                           \
    u"CASE WHEN CAST(" time u" AS DATE) < DATE '0001-01-01' "                                      \
    u"OR CAST(" time u" AS DATE) > DATE '9999-12-31' THEN "                                        \
    u"error('years outside of 0001 to 9999 as text are not in the embedded engine') "         \
    u"ELSE " value u" END"
#define IVM_TIME_TEXT(value) u"left(strftime(" value u", '%Y-%m-%d %H:%M:%S.%f'), {=19+min(p,1)+p})"

constexpr CastRow kCasts[] = {
    {u"boolean", u"I", IVM_PLAIN, IVM_PLAIN},
    {u"boolean", u"decimal(p,s)", IVM_PLAIN, IVM_SAFE},
    {u"boolean", u"F", IVM_PLAIN, IVM_PLAIN},
    {u"boolean", u"varchar(n)", IVM_PLAIN, IVM_PLAIN},

    {u"I", u"boolean", u"({0} <> 0)", u"({0} <> 0)"},
    {u"I", u"I", IVM_PLAIN, IVM_SAFE},
    {u"I", u"decimal(p,s)", IVM_PLAIN, IVM_SAFE},
    {u"I", u"F", IVM_PLAIN, IVM_PLAIN},
    {u"I", u"varchar(n)", IVM_PLAIN, IVM_PLAIN},

    {u"decimal(p,s)", u"boolean", u"({0} <> 0)", u"({0} <> 0)"},
    {u"decimal(p,s)", u"I", IVM_PLAIN, IVM_SAFE},
    {u"decimal(p,s)", u"decimal(q,t)", IVM_PLAIN, IVM_SAFE},
    {u"decimal(p,s)", u"F", IVM_PLAIN, IVM_PLAIN},
    {u"decimal(p,s)", u"varchar(n)", IVM_PLAIN, IVM_PLAIN, u"p > s"},
    // DuckDB writes .05 where no digit stands before the point.
    {u"decimal(p,s)", u"varchar(n)", IVM_POINT_FIRST, IVM_POINT_FIRST},

    {u"F", u"boolean", u"({0} <> 0)", u"({0} <> 0)"},
    // DuckDB rounds halves to the even neighbour.
    {u"F", u"I", u"CAST(round({0}) AS {T})", u"TRY_CAST(round({0}) AS {T})"},
    // Trino rounds the shortest decimal text of the number, not the number itself.
    {u"F", u"decimal(p,s)", u"CAST(CAST({0} AS VARCHAR) AS {T})",
     u"TRY_CAST(CAST({0} AS VARCHAR) AS {T})"},
    {u"real", u"double", IVM_PLAIN, IVM_PLAIN},
    {u"double", u"real",
     u"coalesce(TRY_CAST({0} AS FLOAT), CAST(CASE WHEN {0} > 0 THEN 'Infinity' "
     u"WHEN {0} < 0 THEN '-Infinity' END AS FLOAT))",
     u"coalesce(TRY_CAST({0} AS FLOAT), CAST(CASE WHEN {0} > 0 THEN 'Infinity' "
     u"WHEN {0} < 0 THEN '-Infinity' END AS FLOAT))"},

    {u"varchar(n)", u"boolean", IVM_READ(IVM_BOOLEAN_TEXT, u"lower({0}) IN ('true', 't', '1')"),
     IVM_READ_SAFE(IVM_BOOLEAN_TEXT, u"lower({0}) IN ('true', 't', '1')")},
    {u"varchar(n)", u"I", IVM_READ(IVM_INTEGER_TEXT, IVM_PLAIN),
     IVM_READ_SAFE(IVM_INTEGER_TEXT, IVM_SAFE)},
    {u"varchar(n)", u"double", IVM_READ(IVM_DOUBLE_TEXT, IVM_PLAIN), u""},
    {u"varchar(n)", u"decimal(p,s)", IVM_READ(IVM_DECIMAL_TEXT, IVM_PLAIN), u""},
    {u"varchar(n)", u"date", IVM_READ(IVM_DATE_TEXT, IVM_PLAIN), u""},
    {u"varchar(n)", u"timestamp(q)", IVM_READ(IVM_TIMESTAMP_TEXT, IVM_ROUND_TIME(IVM_PLAIN)), u""},

    {u"date", u"timestamp(p)", IVM_PLAIN, IVM_PLAIN},
    {u"date", u"timestamp(p) with time zone", IVM_PLAIN, IVM_PLAIN},
    {u"date", u"varchar(n)", IVM_FOUR_DIGIT_YEAR(u"{0}", IVM_PLAIN), u""},

    {u"timestamp(p)", u"date", IVM_PLAIN, IVM_PLAIN},
    {u"timestamp(p)", u"timestamp(q)", u"{0}", u"{0}", u"q >= p"},
    {u"timestamp(p)", u"timestamp(q)", IVM_ROUND_TIME(u"{0}"), IVM_ROUND_TIME(u"{0}")},
    {u"timestamp(p)", u"timestamp(q) with time zone", IVM_PLAIN, IVM_PLAIN, u"q >= p"},
    {u"timestamp(p)", u"timestamp(q) with time zone",
     u"CAST(" IVM_ROUND_TIME(u"{0}") u" AS TIMESTAMPTZ)",
     u"CAST(" IVM_ROUND_TIME(u"{0}") u" AS TIMESTAMPTZ)"},
    {u"timestamp(p)", u"varchar(n)", IVM_FOUR_DIGIT_YEAR(u"{0}", IVM_TIME_TEXT(u"{0}")), u""},

    {u"timestamp(p) with time zone", u"date", u"CAST({local0} AS DATE)",
     u"CAST({local0} AS DATE)"},
    {u"timestamp(p) with time zone", u"timestamp(q)", u"{local0}", u"{local0}", u"q >= p"},
    {u"timestamp(p) with time zone", u"timestamp(q)", IVM_ROUND_TIME(u"{local0}"),
     IVM_ROUND_TIME(u"{local0}")},
    {u"timestamp(p) with time zone", u"timestamp(q) with time zone", u"{0}", u"{0}", u"q >= p"},
    {u"timestamp(p) with time zone", u"timestamp(q) with time zone",
     u"CAST(" IVM_ROUND_TIME(IVM_PLAIN_TIME) u" AS TIMESTAMPTZ)",
     u"CAST(" IVM_ROUND_TIME(IVM_PLAIN_TIME) u" AS TIMESTAMPTZ)"},
    {u"timestamp(p) with time zone", u"varchar(n)",
     IVM_FOUR_DIGIT_YEAR(u"{local0}", u"(" IVM_TIME_TEXT(u"{local0}") u" || ' {zonename}')"), u""},

    {u"uuid", u"varchar(n)", IVM_PLAIN, IVM_PLAIN},
};

}  // namespace
// clang-format on

std::span<const CastRow> castTable() { return kCasts; }

}  // namespace ivm::duckdb
