// What chooses among its arguments.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

constexpr FunctionRow kRows[] = {
    {u"coalesce", u"E, E...", u"E", u"coalesce({*})"},
    {u"if", u"boolean, E", u"E", u"CASE WHEN {0} THEN {1} END"},
    {u"if", u"boolean, E, E", u"E", u"CASE WHEN {0} THEN {1} ELSE {2} END"},
    {u"greatest", u"D...", u"D", u"CASE WHEN {nulls} THEN NULL ELSE greatest({*}) END"},
    {u"greatest", u"F...", u"F",
     u"CASE WHEN {nulls} THEN NULL ELSE coalesce(greatest({each:CASE WHEN NOT isnan(#) THEN # END})"
     u", CAST('NaN' AS {T})) END"},
    {u"least", u"T...", u"T", u"CASE WHEN {nulls} THEN NULL ELSE least({*}) END"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> conditionalFunctions() { return kRows; }

}  // namespace ivm::duckdb
