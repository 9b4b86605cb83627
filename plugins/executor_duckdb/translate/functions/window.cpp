// Window functions; aggregates may stand with OVER as well.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

constexpr FunctionRow kRows[] = {
    {u"row_number", u"", u"bigint", u"row_number(){f}", kWindow, kAnyOrder},
    {u"rank", u"", u"bigint", u"rank(){f}", kWindow},
    {u"dense_rank", u"", u"bigint", u"dense_rank(){f}", kWindow},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> windowFunctions() { return kRows; }

}  // namespace ivm::duckdb
