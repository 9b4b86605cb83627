// The syntax tree of Trino's SQL: queries, relations (ast_relation.h), expressions (ast_call.h,
// ast_operator.h) and names and types (ast_type.h). Statements are in statement.h.
//
// Nodes are plain data, immutable once built and shared by std::shared_ptr<const …>: cheap to copy,
// safe to read from any thread. Field names are those of Trino's grammar. A tree holds no pointer
// into the text that it came from.
//
// Shape of a tree: parentheses leave no node; an expression's span includes its own parentheses, so
// the text under a span stands for itself. Long chains are flat (Logical, Arithmetic,
// Concatenation, SetOperation), and the parser bounds how deep a tree can be (kMaxDepth), so plain
// recursion over a parsed tree is safe. `fields()` names all parts of a node but its spans: equal.h
// and visit.h are built on it.
//
// The spans answer what an edit of the user's own text needs: a pin goes to Table::name.span.end
// (or replaces Table::period->span), a first WHERE to Select::fromSpan.end, a wider condition
// around Select::where->span.
#pragma once

#include "framework/sql/ast_relation.h"

namespace ivm::sql {

struct SelectItem {
    ExprPtr expression;  // null for *; for t.* what stands before the dot
    bool star = false;
    std::optional<Identifier> alias;        // never with star
    std::vector<Identifier> columnAliases;  // t.* AS (a, b)
    Span span;
    auto fields() const { return std::tie(expression, star, alias, columnAliases); }
};

struct GroupingSet {
    std::vector<ExprPtr> expressions;
    Span span;
    auto fields() const { return std::tie(expressions); }
};
struct GroupingElement {
    enum class Kind { Simple, Rollup, Cube, GroupingSets };
    Kind kind = Kind::Simple;
    std::vector<GroupingSet>
        sets;  // exactly one when Simple; (a, b) and a, b alike, () has no expression
    Span span;
    auto fields() const { return std::tie(kind, sets); }
};
struct GroupBy {
    SetQuantifier quantifier = SetQuantifier::All;
    std::vector<GroupingElement> elements;
    Span span;  // from GROUP
    auto fields() const { return std::tie(quantifier, elements); }
};
struct WindowDefinition {
    Identifier name;
    WindowSpecification specification;
    auto fields() const { return std::tie(name, specification); }
};

struct Select {
    SetQuantifier quantifier = SetQuantifier::All;
    std::vector<SelectItem> items;
    std::vector<RelationPtr> from;  // separated by commas; empty without FROM
    ExprPtr where;                  // null when absent
    std::optional<GroupBy> groupBy;
    ExprPtr having;  // null when absent
    std::vector<WindowDefinition> windows;
    Span span;        // from SELECT to the end of its last clause
    Span itemsSpan;   // all items
    Span fromSpan;    // from FROM; without FROM the empty span at the end of the items
    Span whereSpan;   // from WHERE; empty without
    Span havingSpan;  // from HAVING; empty without
    auto fields() const
    {
        return std::tie(quantifier, items, from, where, groupBy, having, windows);
    }
};

struct QueryBody;
using QueryBodyPtr = std::shared_ptr<const QueryBody>;

// first UNION second EXCEPT third …, from the left; the steps of one node are all INTERSECT or all
// of {UNION, EXCEPT}.
struct SetOperation {
    enum class Op { Union, Intersect, Except };
    struct Step {
        Op op = Op::Union;
        SetQuantifier quantifier = SetQuantifier::Distinct;
        QueryBodyPtr operand;
        Span opSpan;
        auto fields() const { return std::tie(op, quantifier, operand); }
    };
    QueryBodyPtr first;
    std::vector<Step> rest;
    auto fields() const { return std::tie(first, rest); }
};
struct Values {
    std::vector<ExprPtr> rows;  // a row of several columns is a RowConstructor
    auto fields() const { return std::tie(rows); }
};
// TABLE name, short for SELECT * FROM name.
struct TableQuery {
    RelationPtr table;
    auto fields() const { return std::tie(table); }
};
// (… ORDER BY … LIMIT …): in parentheses because it has an order or a limit of its own.
struct ParenthesizedQuery {
    QueryPtr query;
    auto fields() const { return std::tie(query); }
};

struct QueryBody {
    std::variant<Select, SetOperation, Values, TableQuery, ParenthesizedQuery> node;
    Span span;
    auto fields() const { return std::tie(node); }
};

struct NamedQuery {
    Identifier name;
    std::vector<Identifier> columns;
    QueryPtr query;
    Span span;
    auto fields() const { return std::tie(name, columns, query); }
};
struct With {
    bool recursive = false;
    std::vector<NamedQuery> queries;
    Span span;
    auto fields() const { return std::tie(recursive, queries); }
};
// LIMIT n, LIMIT ALL, FETCH FIRST n ROWS ONLY | WITH TIES. FETCH FIRST ROW ONLY has no count.
struct Limit {
    enum class Kind { Limit, LimitAll, Fetch, FetchWithTies };
    Kind kind = Kind::Limit;
    ExprPtr count;  // an IntegerLiteral or a Parameter
    Span span;
    auto fields() const { return std::tie(kind, count); }
};

struct Query {
    std::optional<With> with;
    QueryBodyPtr body;
    std::vector<SortItem> orderBy;
    ExprPtr offset;  // null when absent
    std::optional<Limit> limit;
    Span span;
    Span orderBySpan;  // from ORDER; empty without
    Span offsetSpan;   // from OFFSET; empty without
    auto fields() const { return std::tie(with, body, orderBy, offset, limit); }

    // The SELECT when the body is one (with or without WITH, ORDER BY, LIMIT), else nullptr.
    const Select *select() const { return body ? std::get_if<Select>(&body->node) : nullptr; }
};

}  // namespace ivm::sql
