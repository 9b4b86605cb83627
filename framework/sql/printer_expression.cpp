// Literals, names and operators, with parentheses only where precedence asks for them.
#include "framework/sql/power.h"
#include "framework/sql/printer_core.h"

namespace ivm::sql {

namespace {

int powerOf(const Logical &node) { return node.op == LogicalOp::Or ? power::kOr : power::kAnd; }
int powerOf(const Not &) { return power::kNot; }
int powerOf(const Comparison &) { return power::kPredicate; }
int powerOf(const QuantifiedComparison &) { return power::kPredicate; }
int powerOf(const Between &) { return power::kPredicate; }
int powerOf(const InList &) { return power::kPredicate; }
int powerOf(const InSubquery &) { return power::kPredicate; }
int powerOf(const Like &) { return power::kPredicate; }
int powerOf(const IsNull &) { return power::kPredicate; }
int powerOf(const IsDistinctFrom &) { return power::kPredicate; }
int powerOf(const Concatenation &) { return power::kConcat; }
int powerOf(const Unary &) { return power::kUnary; }
int powerOf(const AtTimeZone &) { return power::kAtTimeZone; }
int powerOf(const Lambda &) { return power::kNone; }  // its body takes all that follows
int powerOf(const Arithmetic &node)
{
    const ArithmeticOp op = node.rest.front().op;
    return op == ArithmeticOp::Add || op == ArithmeticOp::Subtract ? power::kAdd : power::kMultiply;
}
template <typename Primary>
int powerOf(const Primary &)
{
    return power::kPrimary;
}

QStringView sign(ComparisonOp op)
{
    switch (op) {
    case ComparisonOp::Equal: return u"=";
    case ComparisonOp::NotEqual: return u"<>";
    case ComparisonOp::Less: return u"<";
    case ComparisonOp::LessOrEqual: return u"<=";
    case ComparisonOp::Greater: return u">";
    case ComparisonOp::GreaterOrEqual: return u">=";
    }
    Q_UNREACHABLE();
}

QStringView sign(ArithmeticOp op)
{
    switch (op) {
    case ArithmeticOp::Add: return u" + ";
    case ArithmeticOp::Subtract: return u" - ";
    case ArithmeticOp::Multiply: return u" * ";
    case ArithmeticOp::Divide: return u" / ";
    case ArithmeticOp::Modulo: return u" % ";
    }
    Q_UNREACHABLE();
}

QStringView word(IntervalField field)
{
    switch (field) {
    case IntervalField::Year: return u"YEAR";
    case IntervalField::Month: return u"MONTH";
    case IntervalField::Day: return u"DAY";
    case IntervalField::Hour: return u"HOUR";
    case IntervalField::Minute: return u"MINUTE";
    case IntervalField::Second: return u"SECOND";
    }
    Q_UNREACHABLE();
}

bool isNumber(const Expr &expr)
{
    return std::holds_alternative<IntegerLiteral>(expr.node) ||
           std::holds_alternative<DecimalLiteral>(expr.node) ||
           std::holds_alternative<DoubleLiteral>(expr.node);
}

}  // namespace

void Printer::expression(const Expr &expr, int minPower)
{
    std::visit(
        [&](const auto &one) {
            const bool parentheses = powerOf(one) < minPower;
            if (parentheses)
                write(u"(");
            node(one);
            if (parentheses)
                write(u")");
        },
        expr.node);
}

void Printer::expressions(const std::vector<ExprPtr> &all)
{
    list(all, [this](const ExprPtr &one) { expression(*one); });
}

void Printer::node(const BinaryLiteral &one)
{
    write(u"X'");
    write(QString::fromLatin1(one.value.toHex().toUpper()));
    write(u"'");
}

void Printer::node(const TypedLiteral &one)
{
    const QString typeName = one.type.value.toLower();
    if (isPlainBeforeString(typeName))
        write(typeName.toUpper());
    else
        name(one.type);
    write(u" ");
    string(one.value);
}

void Printer::node(const IntervalLiteral &one)
{
    write(one.negative ? u"INTERVAL -" : u"INTERVAL ");
    string(one.value);
    write(u" ");
    write(word(one.from));
    if (one.to) {
        write(u" TO ");
        write(word(*one.to));
    }
}

void Printer::node(const IntervalType &one)
{
    write(u"interval ");
    write(word(one.from).toString().toLower());
    if (one.to != one.from) {
        write(u" to ");
        write(word(one.to).toString().toLower());
    }
}

// The dot after a number would be its decimal point.
void Printer::node(const Dereference &one)
{
    expression(*one.base, isNumber(*one.base) ? power::kPrimary + 1 : power::kPrimary);
    write(u".");
    name(one.field);
}

void Printer::node(const Subscript &one)
{
    expression(*one.base, power::kPrimary);
    write(u"[");
    expression(*one.index, power::kConcat);
    write(u"]");
}

void Printer::node(const Logical &one)
{
    for (const ExprPtr &term : one.terms) {
        if (&term != &one.terms.front())
            write(one.op == LogicalOp::Or ? u" OR " : u" AND ");
        expression(*term, powerOf(one) + 1);
    }
}

void Printer::node(const Not &one)
{
    write(u"NOT ");
    expression(*one.value, power::kNot);
}

void Printer::node(const Comparison &one)
{
    expression(*one.left, power::kConcat);
    write(u" ");
    write(sign(one.op));
    write(u" ");
    expression(*one.right, power::kConcat);
}

void Printer::node(const QuantifiedComparison &one)
{
    expression(*one.value, power::kConcat);
    write(u" ");
    write(sign(one.op));
    write(one.quantifier == QuantifiedComparison::Quantifier::All ? u" ALL " : u" ANY ");
    subquery(*one.query);
}

void Printer::node(const Between &one)
{
    expression(*one.value, power::kConcat);
    write(one.negated ? u" NOT BETWEEN " : u" BETWEEN ");
    expression(*one.min, power::kConcat);
    write(u" AND ");
    expression(*one.max, power::kConcat);
}

void Printer::node(const InList &one)
{
    expression(*one.value, power::kConcat);
    write(one.negated ? u" NOT IN (" : u" IN (");
    expressions(one.items);
    write(u")");
}

void Printer::node(const InSubquery &one)
{
    expression(*one.value, power::kConcat);
    write(one.negated ? u" NOT IN " : u" IN ");
    subquery(*one.query);
}

void Printer::node(const Like &one)
{
    expression(*one.value, power::kConcat);
    write(one.negated ? u" NOT LIKE " : u" LIKE ");
    expression(*one.pattern, power::kConcat);
    if (one.escape) {
        write(u" ESCAPE ");
        expression(*one.escape, power::kConcat);
    }
}

void Printer::node(const IsNull &one)
{
    expression(*one.value, power::kConcat);
    write(one.negated ? u" IS NOT NULL" : u" IS NULL");
}

void Printer::node(const IsDistinctFrom &one)
{
    expression(*one.left, power::kConcat);
    write(one.negated ? u" IS NOT DISTINCT FROM " : u" IS DISTINCT FROM ");
    expression(*one.right, power::kConcat);
}

void Printer::node(const Arithmetic &one)
{
    expression(*one.first, powerOf(one));
    for (const Arithmetic::Step &step : one.rest) {
        write(sign(step.op));
        expression(*step.operand, powerOf(one) + 1);
    }
}

void Printer::node(const Concatenation &one)
{
    for (const ExprPtr &operand : one.operands) {
        const bool first = &operand == &one.operands.front();
        if (!first)
            write(u" || ");
        expression(*operand, first ? power::kConcat : power::kAdd);
    }
}

// A minus before a digit would make it a negative number, before a minus the start of a comment.
void Printer::node(const Unary &one)
{
    write(one.sign == Sign::Minus ? u"-" : u"+");
    const qsizetype operand = m_out.size();
    expression(*one.value, power::kUnary);
    const QChar next = m_out[operand];
    const bool joins = next == u'-' || next == u'.' || (next >= u'0' && next <= u'9');
    if (one.sign == Sign::Minus && joins) {
        m_out.insert(operand, u'(');
        write(u")");
    }
}

void Printer::node(const AtTimeZone &one)
{
    expression(*one.value, power::kAtTimeZone);
    write(u" AT TIME ZONE ");
    expression(*one.zone);
}

}  // namespace ivm::sql
