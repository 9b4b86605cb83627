// Literals, names and operators in the syntax tree. ast.h says what holds for all nodes.
#pragma once

#include "framework/sql/ast_type.h"

#include <QByteArray>

namespace ivm::sql {

struct NullLiteral {
    auto fields() const { return std::tie(); }
};
struct BooleanLiteral {
    bool value = false;
    auto fields() const { return std::tie(value); }
};
// A minus that directly precedes a number belongs to the literal, as in Trino: the value may be
// negative.
struct IntegerLiteral {
    qint64 value = 0;
    auto fields() const { return std::tie(value); }
};
// The digits as written, underscores removed: they decide the type (1.50 is a decimal(3, 2)).
struct DecimalLiteral {
    QString text;
    auto fields() const { return std::tie(text); }
};
// As written with a small `e`: "-1.5e3".
struct DoubleLiteral {
    QString text;
    auto fields() const { return std::tie(text); }
};
// Both '…' and U&'…', unescaped.
struct StringLiteral {
    QString value;
    auto fields() const { return std::tie(value); }
};
struct BinaryLiteral {
    QByteArray value;
    auto fields() const { return std::tie(value); }
};
// DATE '2024-01-01', TIMESTAMP '…', DECIMAL '…', any_type '…'. The text inside is not checked.
struct TypedLiteral {
    Identifier type;
    QString value;
    auto fields() const { return std::tie(type, value); }
};
struct IntervalLiteral {
    bool negative = false;
    QString value;
    IntervalField from = IntervalField::Day;
    std::optional<IntervalField> to;
    auto fields() const { return std::tie(negative, value, from, to); }
};
// The n-th `?` of the text, from 0.
struct Parameter {
    int index = 0;
    auto fields() const { return std::tie(index); }
};
struct ColumnReference {
    Identifier name;
    auto fields() const { return std::tie(name); }
};
// base.field: a table's column, or a field of a row; the grammar cannot tell which.
struct Dereference {
    ExprPtr base;
    Identifier field;
    auto fields() const { return std::tie(base, field); }
};

enum class LogicalOp { And, Or };
enum class ComparisonOp { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };
enum class ArithmeticOp { Add, Subtract, Multiply, Divide, Modulo };
enum class Sign { Plus, Minus };

// At least two terms; none of them is a Logical of the same op.
struct Logical {
    LogicalOp op = LogicalOp::And;
    std::vector<ExprPtr> terms;
    auto fields() const { return std::tie(op, terms); }
};
struct Not {
    ExprPtr value;
    auto fields() const { return std::tie(value); }
};
struct Comparison {
    ComparisonOp op = ComparisonOp::Equal;
    ExprPtr left;
    ExprPtr right;
    auto fields() const { return std::tie(op, left, right); }
};
struct QuantifiedComparison {
    enum class Quantifier { All, Any };  // SOME is Any
    ComparisonOp op = ComparisonOp::Equal;
    Quantifier quantifier = Quantifier::All;
    ExprPtr value;
    QueryPtr query;
    auto fields() const { return std::tie(op, quantifier, value, query); }
};
struct Between {
    ExprPtr value;
    ExprPtr min;
    ExprPtr max;
    bool negated = false;
    auto fields() const { return std::tie(value, min, max, negated); }
};
struct InList {
    ExprPtr value;
    std::vector<ExprPtr> items;
    bool negated = false;
    auto fields() const { return std::tie(value, items, negated); }
};
struct InSubquery {
    ExprPtr value;
    QueryPtr query;
    bool negated = false;
    auto fields() const { return std::tie(value, query, negated); }
};
struct Like {
    ExprPtr value;
    ExprPtr pattern;
    ExprPtr escape;  // null when absent
    bool negated = false;
    auto fields() const { return std::tie(value, pattern, escape, negated); }
};
struct IsNull {
    ExprPtr value;
    bool negated = false;
    auto fields() const { return std::tie(value, negated); }
};
struct IsDistinctFrom {
    ExprPtr left;
    ExprPtr right;
    bool negated = false;
    auto fields() const { return std::tie(left, right, negated); }
};
// first op operand op operand …, applied from the left; the ops of one node are all of {+ -} or all
// of {* / %}.
struct Arithmetic {
    struct Step {
        ArithmeticOp op = ArithmeticOp::Add;
        ExprPtr operand;
        Span opSpan;
        auto fields() const { return std::tie(op, operand); }
    };
    ExprPtr first;
    std::vector<Step> rest;  // at least one
    auto fields() const { return std::tie(first, rest); }
};
// a || b || …, from the left; at least two.
struct Concatenation {
    std::vector<ExprPtr> operands;
    auto fields() const { return std::tie(operands); }
};
struct Unary {
    Sign sign = Sign::Minus;
    ExprPtr value;
    auto fields() const { return std::tie(sign, value); }
};
// The zone is a StringLiteral or an IntervalLiteral.
struct AtTimeZone {
    ExprPtr value;
    ExprPtr zone;
    auto fields() const { return std::tie(value, zone); }
};
struct Subscript {
    ExprPtr base;
    ExprPtr index;
    auto fields() const { return std::tie(base, index); }
};

}  // namespace ivm::sql
