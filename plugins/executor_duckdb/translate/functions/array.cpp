// Arrays.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

// The greatest or least of elements among which no NULL is.
#define IVM_WITHOUT_NULL(value) u"CASE WHEN len({0}) = list_count({0}) THEN " value u" END"

constexpr FunctionRow kRows[] = {
    {u"cardinality", u"array(E)", u"bigint", u"len({0})"},
    {u"contains", u"array(D), D", u"boolean",
     u"CASE WHEN list_contains({0}, {1}) THEN TRUE "
     u"WHEN {1} IS NOT NULL AND len({0}) = list_count({0}) THEN FALSE END"},
    {u"element_at", u"array(E), bigint", u"E",
     u"CASE WHEN {1} = 0 THEN error('arrays count from 1, or from -1 at the end') "
     u"ELSE {0}[{1}] END"},
    {u"array_max", u"array(D)", u"D", IVM_WITHOUT_NULL(u"list_max({0})")},
    {u"array_min", u"array(D)", u"D", IVM_WITHOUT_NULL(u"list_min({0})")},
    {u"array_sort", u"array(D)", u"array(D)", u"list_sort({0}, 'ASC', 'NULLS LAST')"},
    {u"array_join", u"array(V), varchar(m)", u"varchar",
     u"CASE WHEN {nulls} THEN NULL ELSE coalesce(array_to_string({0}, {1}), '') END"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> arrayFunctions() { return kRows; }

}  // namespace ivm::duckdb
