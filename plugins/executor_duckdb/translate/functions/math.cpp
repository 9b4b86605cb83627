// Numbers.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

// Java's rule for the edges of its logarithms.
#define IVM_LOG(value)                                                                             \
    u"CASE WHEN " value u" < 0 THEN " IVM_NAN u" WHEN " value u" = 0 "                             \
    u"THEN CAST('-Infinity' AS DOUBLE) ELSE ln(" value u") END"

// What is infinite has no angle.
#define IVM_OF_FINITE(name) u"CASE WHEN isinf({0}) THEN " IVM_NAN u" ELSE " name u"({0}) END"
#define IVM_OF_UNIT(name) u"CASE WHEN abs({0}) > 1 THEN " IVM_NAN u" ELSE " name u"({0}) END"

// Where C's library has an answer for what Java does not.
#define IVM_POWER                                                                                  \
    u"CASE WHEN isnan({1}) OR (abs({0}) = 1 AND isinf({1})) THEN " IVM_NAN u" "                    \
    u"ELSE pow({0}, {1}) END"

#define IVM_BUCKET(low, high)                                                                      \
    u"CASE WHEN {0} < " low u" THEN 0 WHEN {0} >= " high u" THEN {3} + 1 ELSE CAST(trunc("         \
    u"CAST({3} AS DOUBLE) * ({0} - " low u") / (" high u" - " low u") + 1) AS BIGINT) END"
#define IVM_WIDTH_BUCKET                                                                           \
    u"CASE WHEN {nulls} THEN NULL "                                                                \
    u"WHEN {3} <= 0 OR isnan({0}) OR NOT isfinite({1}) OR NOT isfinite({2}) OR {1} = {2} THEN "    \
    u"error('width_bucket takes a number, two finite bounds that differ and a positive count') "   \
    u"WHEN {1} < {2} THEN " IVM_BUCKET(u"{1}", u"{2}") u" "                                        \
    u"ELSE {3} + 1 - (" IVM_BUCKET(u"{2}", u"{1}") u") END"

// Towards the nearest multiple of 1/factor, halves away from zero.
#define IVM_HALF_UP(value)                                                                         \
    u"(floor(" value u") + CASE WHEN " value u" - floor(" value u") >= 0.5 THEN 1 ELSE 0 END)"
#define IVM_ROUND_TO(value, factor)                                                                \
    u"CASE WHEN NOT isfinite(" value u" * " factor u") THEN " value u" WHEN " value u" < 0 "       \
    u"THEN -(" IVM_HALF_UP(u"(-" value u" * " factor u")") u" / " factor u") "                     \
    u"ELSE " IVM_HALF_UP(u"(" value u" * " factor u")") u" / " factor u" END"
#define IVM_POWER_OF_TEN u"CAST('1e{=n}' AS DOUBLE)"

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
    {u"round", u"I, constant n", u"I", u"{0}", kScalar, kExact, u"n >= 0"},
    {u"round", u"decimal(p,s), constant n", u"decimal(min(38,p+1),s)",
     u"CAST({0} AS {T})", kScalar, kExact, u"n >= s"},
    {u"round", u"decimal(p,s), constant n", u"decimal(min(38,p+1),s)",
     u"CAST(round({0}, {=n}) AS {T})", kScalar, kExact, u"n >= 0 and p < 38"},
    {u"round", u"exactly double, constant n", u"double", IVM_ROUND_TO(u"{0}", IVM_POWER_OF_TEN),
     kScalar, kExact, u"n >= 0 and n <= 15"},
    {u"round", u"exactly real, constant n", u"real",
     u"CAST(" IVM_ROUND_TO(u"CAST({0} AS DOUBLE)", IVM_POWER_OF_TEN) u" AS FLOAT)", kScalar, kExact,
     u"n >= 0 and n <= 15"},
    {u"truncate", u"decimal(p,s)", u"decimal(max(1,p-s),0)", u"CAST(trunc({0}) AS {T})"},
    {u"truncate", u"decimal(p,s), constant n", u"decimal(p,s)", u"{0}", kScalar, kExact, u"n >= s"},
    {u"truncate", u"decimal(p,s), constant n", u"decimal(p,s)",
     u"({0} - {0} % CAST('{0.1:n}' AS DECIMAL({=n+1},{=n})))", kScalar, kExact,
     u"n >= 1 and p < 38"},
    {u"truncate", u"F", u"F", u"trunc({0})"},
    {u"sign", u"I", u"I", u"CAST(sign({0}) AS {T})"},
    {u"sign", u"decimal(p,s)", u"decimal(1,0)", u"CAST(sign({0}) AS {T})"},
    {u"sign", u"F", u"F",
     u"CASE WHEN {0} > 0 AND NOT isnan({0}) THEN CAST(1 AS {T}) WHEN {0} < 0 THEN CAST(-1 AS {T}) "
     u"ELSE {0} END"},
    {u"mod", u"decimal(p,s), decimal(q,t)", u"decimal(min(p-s,q-t)+max(s,t),max(s,t))",
     u"CAST(CAST({0} AS DECIMAL(38,{=max(s,t)})) % CAST({/1} AS DECIMAL(38,{=max(s,t)})) AS {T})"},
    {u"mod", u"F, F", u"F", u"({0} % {1})"},
    {u"e", u"", u"double", u"CAST('2.718281828459045' AS DOUBLE)"},
    {u"pi", u"", u"double", u"CAST('3.141592653589793' AS DOUBLE)"},
    {u"degrees", u"double", u"double", u"({0} * CAST('57.29577951308232' AS DOUBLE))"},
    {u"radians", u"double", u"double", u"({0} * CAST('0.017453292519943295' AS DOUBLE))"},
    // Two mathematical libraries may differ in the last digit.
    {u"exp", u"double", u"double", u"exp({0})", kScalar, kFloat},
    {u"ln", u"double", u"double", IVM_LOG(u"{0}"), kScalar, kFloat},
    {u"log", u"double, double", u"double",
     u"((" IVM_LOG(u"{1}") u") / (" IVM_LOG(u"{0}") u"))", kScalar, kFloat},
    {u"log2", u"double", u"double", u"((" IVM_LOG(u"{0}") u") / ln(CAST(2 AS DOUBLE)))", kScalar,
     kFloat},
    {u"log10", u"double", u"double",
     u"CASE WHEN {0} < 0 THEN " IVM_NAN u" WHEN {0} = 0 THEN CAST('-Infinity' AS DOUBLE) "
     u"ELSE log10({0}) END", kScalar, kFloat},
    {u"power", u"double, double", u"double", IVM_POWER, kScalar, kFloat},
    {u"pow", u"double, double", u"double", IVM_POWER, kScalar, kFloat},
    {u"sin", u"double", u"double", IVM_OF_FINITE(u"sin"), kScalar, kFloat},
    {u"cos", u"double", u"double", IVM_OF_FINITE(u"cos"), kScalar, kFloat},
    {u"tan", u"double", u"double", IVM_OF_FINITE(u"tan"), kScalar, kFloat},
    {u"asin", u"double", u"double", IVM_OF_UNIT(u"asin"), kScalar, kFloat},
    {u"acos", u"double", u"double", IVM_OF_UNIT(u"acos"), kScalar, kFloat},
    {u"atan", u"double", u"double", u"atan({0})", kScalar, kFloat},
    {u"atan2", u"double, double", u"double", u"atan2({0}, {1})", kScalar, kFloat},
    {u"sinh", u"double", u"double", u"sinh({0})", kScalar, kFloat},
    {u"cosh", u"double", u"double", u"cosh({0})", kScalar, kFloat},
    {u"tanh", u"double", u"double", u"tanh({0})", kScalar, kFloat},
    {u"width_bucket", u"double, double, double, bigint", u"bigint", IVM_WIDTH_BUCKET},
    {u"bitwise_and", u"bigint, bigint", u"bigint", u"({0} & {1})"},
    {u"bitwise_or", u"bigint, bigint", u"bigint", u"({0} | {1})"},
    {u"bitwise_xor", u"bigint, bigint", u"bigint", u"xor({0}, {1})"},
    {u"bitwise_not", u"bigint", u"bigint", u"(~{0})"},
    {u"bit_count", u"bigint, constant n", u"bigint", u"CAST(bit_count({0}) AS BIGINT)", kScalar,
     kExact, u"n >= 64 and n <= 64"},
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
