// Finds out how a key follows a column: date_trunc(unit, ts), five minutes by arithmetic, the day
// in a zone, steps of an epoch column.
//
// Expressions are valued roughly, as a time or number of the column or as an amount between two
// bounds; what stays within bounds of one column is understood, whatever way it is spelled. What
// is not understood gives nothing. Every function that is taken gives NULL for NULL alone, so a
// key is NULL where its column is. Sources: Trino's documentation, "Date and time functions and
// operators", "Mathematical functions and operators".
//
// Pure; any thread.
#pragma once

#include "framework/view/bucket_function.h"
#include "framework/view/columns.h"

namespace ivm {

struct BucketReading {
    BucketFunction function;
    QString column;        // lower case
    sql::Span columnSpan;  // one place where the expression names it
    QString words;         // for people: "the hour of ts in America/Chicago"
};

// Nothing for a bare column, too: what it holds is not known here.
std::optional<BucketReading> readBucket(const sql::ExprPtr &expression, const RelationNames &names);

}  // namespace ivm
