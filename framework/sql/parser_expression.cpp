// Operators by precedence. A chain of one level is read in a loop into one flat node.
#include "framework/sql/parser.h"
#include "framework/sql/parser_core.h"

namespace ivm::sql {

namespace {

void appendTerms(std::vector<ExprPtr> &terms, ExprPtr term, LogicalOp op)
{
    const Logical *same = as<Logical>(term);
    if (!same || same->op != op) {
        terms.push_back(std::move(term));
        return;
    }
    for (ExprPtr &inner : take<Logical>(term).terms)
        terms.push_back(std::move(inner));
}

int arithmeticPower(ArithmeticOp op)
{
    return op == ArithmeticOp::Add || op == ArithmeticOp::Subtract ? power::kAdd : power::kMultiply;
}

std::optional<ArithmeticOp> arithmeticOp(const TokenStream &tokens)
{
    if (tokens.peek().kind != TokenKind::Symbol || tokens.peek().span.size() != 1)
        return std::nullopt;
    switch (tokens.word().front().unicode()) {
    case u'+': return ArithmeticOp::Add;
    case u'-': return ArithmeticOp::Subtract;
    case u'*': return ArithmeticOp::Multiply;
    case u'/': return ArithmeticOp::Divide;
    case u'%': return ArithmeticOp::Modulo;
    default: return std::nullopt;
    }
}

}  // namespace

// What was read so far in this level becomes a part of one more node.
Status Parser::wrap()
{
    ++m_height;
    return checkDepth();
}

Status Parser::checkDepth() const
{
    if (m_depth + m_height > kMaxDepth) {
        return failAt(
            begin(), QStringLiteral("the SQL is nested too deeply here, expected at most %1 levels")
                         .arg(kMaxDepth));
    }
    return {};
}

Result<ExprPtr> Parser::expression()
{
    Level level(*this);
    IVM_CHECK(checkDepth());
    return operand(power::kOr);
}

// What the grammar calls valueExpression: no comparison, AND, OR or NOT outside of parentheses.
Result<ExprPtr> Parser::value()
{
    Level level(*this);
    IVM_CHECK(checkDepth());
    return operand(power::kConcat);
}

// Everything that binds at least as tightly as `minPower`.
Result<ExprPtr> Parser::operand(int minPower)
{
    if (atWord(u"NOT")) {
        if (minPower > power::kNot)
            return unexpected(QStringLiteral("a value; write NOT … in parentheses"));
        IVM_TRY(ExprPtr negation, notOrSign());
        return climb(std::move(negation), minPower, power::kAnd);
    }
    const bool sign = atSymbol(u"-") || atSymbol(u"+");
    IVM_TRY(ExprPtr left, sign ? notOrSign() : primary());
    return climb(std::move(left), minPower, power::kPrimary);
}

// NOT x, -x, +x, and negative numbers.
Result<ExprPtr> Parser::notOrSign()
{
    Level level(*this);
    IVM_CHECK(checkDepth());
    const TokenKind next = peek(1).kind;
    const bool beforeNumber =
        next == TokenKind::Integer || next == TokenKind::Decimal || next == TokenKind::Double;
    if (atSymbol(u"-") && beforeNumber)
        return primary();
    const qsizetype start = begin();
    if (acceptWord(u"NOT")) {
        IVM_TRY(ExprPtr negated, operand(power::kNot));
        return makeExpr(Not{std::move(negated)}, spanFrom(start));
    }
    const Sign sign = atSymbol(u"-") ? Sign::Minus : Sign::Plus;
    advance();
    IVM_TRY(ExprPtr signedValue, operand(power::kUnary));
    return makeExpr(Unary{sign, std::move(signedValue)}, spanFrom(start));
}

// Reads the operators behind `left` that bind at least as tightly as `minPower` and at most as
// `maxPower`.
Result<ExprPtr> Parser::climb(ExprPtr left, int minPower, int maxPower)
{
    while (true) {
        const int opPower = infixPower();
        if (opPower == power::kNone || opPower < minPower || opPower > maxPower)
            return left;
        IVM_TRY(left, infix(std::move(left), opPower));
        // Only what is looser may follow: a chain has taken all of its own level, and predicates do
        // not chain.
        maxPower = opPower - 1;
    }
}

// The rest of an expression whose first primary was already read.
Result<ExprPtr> Parser::continued(ExprPtr primary)
{
    IVM_TRY(ExprPtr whole, postfix(std::move(primary)));
    return climb(std::move(whole), power::kOr, power::kPrimary);
}

int Parser::infixPower() const
{
    if (peek().kind == TokenKind::Symbol) {
        if (const auto op = arithmeticOp(*this))
            return arithmeticPower(*op);
        if (atSymbol(u"||"))
            return power::kConcat;
        return comparisonOp() ? power::kPredicate : power::kNone;
    }
    if (peek().kind != TokenKind::Word)
        return power::kNone;
    if (atWord(u"AND"))
        return power::kAnd;
    if (atWord(u"OR"))
        return power::kOr;
    return atPredicate() ? power::kPredicate : power::kNone;
}

Result<ExprPtr> Parser::infix(ExprPtr left, int opPower)
{
    switch (opPower) {
    case power::kOr: return logical(std::move(left), LogicalOp::Or);
    case power::kAnd: return logical(std::move(left), LogicalOp::And);
    case power::kPredicate: return predicate(std::move(left));
    case power::kConcat: return concatenation(std::move(left));
    default: return arithmetic(std::move(left), opPower);
    }
}

Result<ExprPtr> Parser::logical(ExprPtr left, LogicalOp op)
{
    const qsizetype start = left->span.begin;
    const QStringView keyword = op == LogicalOp::And ? u"AND" : u"OR";
    Logical node{op, {}};
    appendTerms(node.terms, std::move(left), op);
    while (acceptWord(keyword)) {
        IVM_TRY(ExprPtr term, operand(op == LogicalOp::And ? power::kNot : power::kAnd));
        appendTerms(node.terms, std::move(term), op);
    }
    return makeExpr(std::move(node), spanFrom(start));
}

Result<ExprPtr> Parser::arithmetic(ExprPtr left, int opPower)
{
    const qsizetype start = left->span.begin;
    const Arithmetic *chain = as<Arithmetic>(left);
    const bool goesOn = chain && arithmeticPower(chain->rest.front().op) == opPower;
    Arithmetic node = goesOn ? take<Arithmetic>(left) : Arithmetic{std::move(left), {}};
    while (infixPower() == opPower) {
        const ArithmeticOp op = *arithmeticOp(*this);
        const Span opSpan = advance().span;
        IVM_TRY(ExprPtr right, operand(opPower + 1));
        node.rest.push_back({op, std::move(right), opSpan});
    }
    return makeExpr(std::move(node), spanFrom(start));
}

Result<ExprPtr> Parser::concatenation(ExprPtr left)
{
    const qsizetype start = left->span.begin;
    Concatenation node =
        as<Concatenation>(left) ? take<Concatenation>(left) : Concatenation{{std::move(left)}};
    while (acceptSymbol(u"||")) {
        IVM_TRY(ExprPtr right, operand(power::kAdd));
        node.operands.push_back(std::move(right));
    }
    return makeExpr(std::move(node), spanFrom(start));
}

Result<std::vector<ExprPtr>> Parser::expressions()
{
    std::vector<ExprPtr> list;
    do {
        IVM_TRY(ExprPtr one, expression());
        list.push_back(std::move(one));
    } while (acceptSymbol(u","));
    return list;
}

}  // namespace ivm::sql
