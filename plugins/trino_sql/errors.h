// Trino's errors as the framework's.
//
// Plain data; any thread. Source: Trino's `StandardErrorCode`, `IcebergErrorCode` and `QueryError`.
#pragma once

#include "framework/base/error.h"
#include "plugins/trino_sql/raw_json.h"

namespace ivm::trino {

struct TrinoError {
    QString message;
    QString name;  // TABLE_NOT_FOUND
    QString type;  // USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES, EXTERNAL
    Place place;   // in the statement, where Trino tells

    bool operator==(const TrinoError &) const = default;

    // The kind by name, else by type; the code is the name in lower case. The message without the
    // place in front of it.
    Error toError() const;
    // Whether a writing statement that ended so has certainly written nothing: it was refused
    // before it came to its commit.
    bool leavesNothing() const;
    // Whether not even Trino may know if it wrote: it was interrupted, or its catalog did not
    // answer the commit.
    bool leavesDoubt() const;
    // The second of these: even the end of the query settles nothing.
    bool catalogDidNotAnswer() const;
};

// The member `error` of an answer.
TrinoError readTrinoError(const JsonNode &node);

}  // namespace ivm::trino
