// Numbers.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

constexpr FunctionRow kRows[] = {
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
};

}  // namespace
// clang-format on

std::span<const FunctionRow> mathFunctions() { return kRows; }

}  // namespace ivm::duckdb
