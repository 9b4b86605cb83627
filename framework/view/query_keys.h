// Which output columns identify a row, as far as the query tells.
//
// Pure; any thread.
#pragma once

#include "framework/view/columns.h"
#include "framework/view/refusal.h"
#include "framework/view/shape.h"

namespace ivm {

struct QueryKeys {
    std::optional<KeySource> source;  // none: the query does not tell
    QList<qsizetype> keys;            // of the source
    QList<qsizetype> grouped;         // the columns that GROUP BY names
    sql::ExprPtr unselected;          // the first thing in GROUP BY that is no column
};

// Of `shape` the text and the columns are known. Refused where GROUP BY counts beyond the columns.
std::expected<QueryKeys, Refusal> readQueryKeys(const sql::Select &select,
                                                const RelationNames &names, const ViewShape &shape);

}  // namespace ivm
