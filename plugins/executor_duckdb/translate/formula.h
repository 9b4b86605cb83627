// The formulas and guards in the texts of signature.h, over what a signature bound.
//
// Pure functions; any thread. The texts are the tables' own, never a user's.
#pragma once

#include "framework/api/types.h"

#include <QHash>

#include <optional>

namespace ivm::duckdb {

struct Bindings {
    QHash<QChar, int> numbers;
    QHash<QChar, Type> types;
    std::optional<Type> zoned;  // a type with the result's time zone
};

int evaluate(QStringView formula, const Bindings &bindings);

// "q >= p", comparisons joined by `and`, and `utc`: the result's zone is; an empty guard holds.
bool holds(QStringView guard, const Bindings &bindings);

}  // namespace ivm::duckdb
