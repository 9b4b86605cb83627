// The forms of SQL that a view cannot have: found by one walk over the query, refused by name at
// their place.
//
// Pure; any thread.
#pragma once

#include "framework/base/result.h"
#include "framework/sql/ast.h"

namespace ivm {

// A refusal before it knows its file: the place is an offset into the query.
struct Refusal {
    Error error;
    qsizetype offset = 0;
};

// The first form in the order of the text that is not kept exact, or not yet; nothing when there is
// none.
std::optional<Refusal> findRefusedForm(const sql::Query &query);

}  // namespace ivm
