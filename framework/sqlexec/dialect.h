// How much of Trino's language an engine has.
//
// Plain data.
#pragma once

namespace ivm {

enum class SqlDialect {
    Trino,  // all that its statements are cheapest with
    Plain,  // without UNNEST in joins, rows that are ordered, and current_timezone()
};

}  // namespace ivm
