// Which columns a name can mean, from the inside out.
//
// Plain data; a scope points to the one around it, which outlives it.
#pragma once

#include "framework/api/types.h"
#include "framework/base/result.h"
#include "framework/sql/ast.h"

#include <QSet>

#include <optional>
#include <vector>

namespace ivm::duckdb {

// A column that was used outside of aggregates.
struct LooseColumn {
    QString name;
    sql::Span span;
};

// An expression whose names and types are known.
struct Bound {
    QString sql;  // DuckDB's; stands as an operand anywhere
    Type type;
    std::optional<QString> word = {};  // of a string literal
    std::optional<qint64> whole = {};  // of a literal whole number
    bool number = false;               // a literal number, so neither NULL nor NaN
    bool positive = false;             // a literal number above zero
    // The first column that is neither grouped by nor inside an aggregate.
    std::optional<LooseColumn> loose = {};
};

struct Field {
    QString name;  // empty: nothing can name it
    QStringList
        qualifier;  // what may stand before it: {"t"}, {"iceberg", "main", "t"}; may be empty
    Type type;
    QString sql;
    bool hidden = false;  // found by its name, but not by *
};

// The DuckDB texts of the expressions that a query groups by.
using Grouping = QSet<QString>;

struct Scope {
    std::vector<Field> fields;
    const Scope *outer = nullptr;
    const Grouping *outerGrouping = nullptr;  // of the query around, when it is aggregated
};

// A field and how it was found.
struct Found {
    const Field *field = nullptr;
    const Grouping *grouping = nullptr;  // of an outer query: the field has to be one of these
    bool outer = false;
};

// Looks up a name of one or more parts. Invalid: unknown_column with a hint, ambiguous_column.
Result<Found> findField(const Scope &scope, const QStringList &parts);

// Whether `qualifier`, as written, names the relation of the field.
bool isQualifiedBy(const Field &field, const QStringList &qualifier);

}  // namespace ivm::duckdb
