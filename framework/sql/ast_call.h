// Calls, constructors and the expression node itself. ast.h says what holds for all nodes.
#pragma once

#include "framework/sql/ast_operator.h"

namespace ivm::sql {

struct FrameBound {
    enum class Kind { UnboundedPreceding, Preceding, CurrentRow, Following, UnboundedFollowing };
    Kind kind = Kind::CurrentRow;
    ExprPtr value;  // of Preceding and Following only
    auto fields() const { return std::tie(kind, value); }
};
struct WindowFrame {
    enum class Kind { Range, Rows, Groups };
    Kind kind = Kind::Range;
    FrameBound start;
    std::optional<FrameBound> end;
    auto fields() const { return std::tie(kind, start, end); }
};
struct WindowSpecification {
    std::optional<Identifier> existingWindow;
    std::vector<ExprPtr> partitionBy;
    std::vector<SortItem> orderBy;
    std::optional<WindowFrame> frame;
    Span span;
    auto fields() const { return std::tie(existingWindow, partitionBy, orderBy, frame); }
};
// OVER name, or OVER (…).
using Over = std::variant<Identifier, WindowSpecification>;

// Every call written name(…). SUBSTRING(x FROM a FOR b), POSITION(a IN b), TRIM(…) and NORMALIZE(x,
// form) become what Trino makes of them: substr(x, a, b), strpos(b, a), trim/ltrim/rtrim(x[,
// chars]) and normalize(x, 'form').
struct FunctionCall {
    enum class NullTreatment { Unsaid, Respect, Ignore };
    QualifiedName name;
    SetQuantifier quantifier = SetQuantifier::All;
    bool star = false;  // count(*), then there are no arguments
    std::vector<ExprPtr> arguments;
    std::vector<SortItem> orderBy;
    ExprPtr filter;  // null when absent
    NullTreatment nullTreatment = NullTreatment::Unsaid;
    std::optional<Over> over;
    auto fields() const
    {
        return std::tie(name, quantifier, star, arguments, orderBy, filter, nullTreatment, over);
    }
};
struct Listagg {
    enum class Overflow { Error, TruncateWithCount, TruncateWithoutCount };
    SetQuantifier quantifier = SetQuantifier::All;
    ExprPtr value;
    QString separator;
    Overflow overflow = Overflow::Error;
    std::optional<QString> filler;
    std::vector<SortItem> orderBy;
    ExprPtr filter;
    auto fields() const
    {
        return std::tie(quantifier, value, separator, overflow, filler, orderBy, filter);
    }
};
struct Lambda {
    std::vector<Identifier> parameters;
    ExprPtr body;
    auto fields() const { return std::tie(parameters, body); }
};
// ROW(a, b), also written (a, b).
struct RowConstructor {
    std::vector<ExprPtr> items;
    auto fields() const { return std::tie(items); }
};
// ARRAY[a, b], also written [a, b].
struct ArrayConstructor {
    std::vector<ExprPtr> items;
    auto fields() const { return std::tie(items); }
};
struct SubqueryExpression {
    QueryPtr query;
    auto fields() const { return std::tie(query); }
};
struct Exists {
    QueryPtr query;
    auto fields() const { return std::tie(query); }
};
struct WhenClause {
    ExprPtr condition;
    ExprPtr result;
    auto fields() const { return std::tie(condition, result); }
};
struct Case {
    ExprPtr operand;  // null in the searched form
    std::vector<WhenClause> whenClauses;
    ExprPtr elseExpression;  // null when absent
    auto fields() const { return std::tie(operand, whenClauses, elseExpression); }
};
struct Cast {
    ExprPtr value;
    TypePtr type;
    bool safe = false;  // TRY_CAST
    auto fields() const { return std::tie(value, type, safe); }
};
struct Extract {
    Identifier field;  // one of Trino's: year … timezone_hour
    ExprPtr value;
    auto fields() const { return std::tie(field, value); }
};
// current_date, current_timestamp(3), localtime, current_user …
struct CurrentValue {
    enum class Kind {
        Date,
        Time,
        Timestamp,
        LocalTime,
        LocalTimestamp,
        User,
        Catalog,
        Schema,
        Path
    };
    Kind kind = Kind::Date;
    std::optional<int> precision;
    auto fields() const { return std::tie(kind, precision); }
};
// GROUPING(a, t.b): column references and dereferences.
struct Grouping {
    std::vector<ExprPtr> columns;
    auto fields() const { return std::tie(columns); }
};

struct Expr {
    using Node =
        std::variant<NullLiteral, BooleanLiteral, IntegerLiteral, DecimalLiteral, DoubleLiteral,
                     StringLiteral, BinaryLiteral, TypedLiteral, IntervalLiteral, Parameter,
                     ColumnReference, Dereference, Logical, Not, Comparison, QuantifiedComparison,
                     Between, InList, InSubquery, Like, IsNull, IsDistinctFrom, Arithmetic,
                     Concatenation, Unary, AtTimeZone, Subscript, FunctionCall, Listagg, Lambda,
                     RowConstructor, ArrayConstructor, SubqueryExpression, Exists, Case, Cast,
                     Extract, CurrentValue, Grouping>;
    Node node;
    Span span;  // includes the expression's own parentheses

    auto fields() const { return std::tie(node); }
};

// ExprPtr cast = makeExpr(Cast{value, type});
inline ExprPtr makeExpr(Expr::Node node, Span span = {})
{
    return std::make_shared<Expr>(Expr{std::move(node), span});
}

// The node when the expression is of that kind, else nullptr; `expr` may be null.
template <typename Node>
const Node *as(const ExprPtr &expr)
{
    return expr ? std::get_if<Node>(&expr->node) : nullptr;
}

}  // namespace ivm::sql
