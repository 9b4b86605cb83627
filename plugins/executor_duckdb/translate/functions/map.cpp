// Maps.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

constexpr FunctionRow kRows[] = {
    {u"map", u"", u"map(unknown,unknown)", u"CAST(map([], []) AS {T})"},
    {u"map", u"array(D), array(E)", u"map(D,E)",
     u"CASE WHEN {nulls} THEN NULL ELSE map({0}, {1}) END"},
    {u"cardinality", u"map(K,E)", u"bigint", u"CAST(cardinality({0}) AS BIGINT)"},
    {u"element_at", u"map(D,E), D", u"E", u"{0}[{1}]"},
    {u"map_keys", u"map(K,E)", u"array(K)", u"map_keys({0})"},
    {u"map_values", u"map(K,E)", u"array(E)", u"map_values({0})"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> mapFunctions() { return kRows; }

}  // namespace ivm::duckdb
