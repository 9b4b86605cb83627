// The forms of SQL that people write buckets with.
//
// Pure; any thread.
#pragma once

#include "framework/sql/ast.h"
#include "framework/view/bucket.h"

#include <optional>

namespace ivm {

BucketUnit unitOf(sql::IntervalField field);

std::optional<QString> stringOf(const sql::ExprPtr &expr);

// A positive whole number, in any of its spellings: 300, 300.0, 3e2.
std::optional<qint64> wholeNumber(const sql::ExprPtr &expr);

// `x / 5` as its two sides.
struct Quotient {
    sql::ExprPtr value;
    sql::ExprPtr by;
};
std::optional<Quotient> quotientIn(const sql::ExprPtr &expr);

// floor(to_unixtime(ts) / 300) * 300 is understood as a whole only: between floor and product
// it counts other things than seconds.
struct FloorProduct {
    Quotient quotient;
    qint64 factor = 1;
};
std::optional<FloorProduct> floorProduct(const sql::Arithmetic &arithmetic);

// A call of one of Trino's own functions without any of the clauses that a call may have.
bool isPlain(const sql::FunctionCall &call, QStringView name, size_t arguments);

}  // namespace ivm
