// Comparisons and the other tests that give a boolean. They do not chain: a = b = c is refused, as
// in Trino.
#include "framework/base/nearest.h"
#include "framework/sql/parser_core.h"

namespace ivm::sql {

bool Parser::atPredicate() const
{
    if (atAnyWord({u"BETWEEN", u"IN", u"LIKE", u"IS"}))
        return true;
    return atWord(u"NOT") && atAnyWord({u"BETWEEN", u"IN", u"LIKE"}, 1);
}

std::optional<ComparisonOp> Parser::comparisonOp() const
{
    const QStringView sign = word();
    if (peek().kind != TokenKind::Symbol || sign.size() > 2)
        return std::nullopt;
    if (sign == u"=")
        return ComparisonOp::Equal;
    if (sign == u"<>" || sign == u"!=")
        return ComparisonOp::NotEqual;
    if (sign == u"<")
        return ComparisonOp::Less;
    if (sign == u"<=")
        return ComparisonOp::LessOrEqual;
    if (sign == u">")
        return ComparisonOp::Greater;
    return sign == u">=" ? std::optional(ComparisonOp::GreaterOrEqual) : std::nullopt;
}

Status Parser::expectEnd(QStringView what) const
{
    if (atEnd())
        return {};
    auto error = unexpected(QStringLiteral("the end of the %1").arg(what));
    // SELECT a FORM t: what was meant as a keyword was taken for a name.
    static const QStringList kClauses{QStringLiteral("FROM"),  QStringLiteral("WHERE"),
                                      QStringLiteral("GROUP"), QStringLiteral("HAVING"),
                                      QStringLiteral("ORDER"), QStringLiteral("LIMIT")};
    const QString hint = didYouMean(lastWord(), kClauses);
    if (!hint.isEmpty())
        return fail(std::move(error).error().withHint(hint));
    if (infixPower() != power::kPredicate)
        return error;
    return fail(std::move(error).error().withHint(
        u"Comparisons do not chain: put the first in parentheses, or say AND"));
}

Result<ExprPtr> Parser::predicate(ExprPtr left)
{
    if (const auto op = comparisonOp()) {
        advance();
        return comparison(std::move(left), *op);
    }
    if (acceptWord(u"IS"))
        return is(std::move(left));
    const bool negated = acceptWord(u"NOT");
    if (acceptWord(u"BETWEEN"))
        return between(std::move(left), negated);
    if (acceptWord(u"IN"))
        return in(std::move(left), negated);
    advance();  // LIKE
    return like(std::move(left), negated);
}

Result<ExprPtr> Parser::comparison(ExprPtr left, ComparisonOp op)
{
    const qsizetype start = left->span.begin;
    const bool all = atWord(u"ALL");
    if ((all || atAnyWord({u"ANY", u"SOME"})) && atSymbol(u"(", 1) && atQueryOrNested(2)) {
        advance();
        using Quantifier = QuantifiedComparison::Quantifier;
        IVM_TRY(QueryPtr query, queryInParentheses());
        return makeExpr(QuantifiedComparison{op, all ? Quantifier::All : Quantifier::Any,
                                             std::move(left), std::move(query)},
                        spanFrom(start));
    }
    IVM_TRY(ExprPtr right, operand(power::kConcat));
    return makeExpr(Comparison{op, std::move(left), std::move(right)}, spanFrom(start));
}

Result<ExprPtr> Parser::between(ExprPtr left, bool negated)
{
    const qsizetype start = left->span.begin;
    IVM_TRY(ExprPtr min, operand(power::kConcat));
    IVM_CHECK(expectWord(u"AND"));
    IVM_TRY(ExprPtr max, operand(power::kConcat));
    return makeExpr(Between{std::move(left), std::move(min), std::move(max), negated},
                    spanFrom(start));
}

// IN ((SELECT 1)) is a list of one scalar subquery, IN (SELECT 1) a subquery: as in Trino.
Result<ExprPtr> Parser::in(ExprPtr left, bool negated)
{
    const qsizetype start = left->span.begin;
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(auto content, queryOrExpression());
    if (content.query && !content.inOwnParentheses) {
        IVM_CHECK(expectSymbol(u")"));
        auto query = std::make_shared<Query>(*std::move(content.query));
        return makeExpr(InSubquery{std::move(left), std::move(query), negated}, spanFrom(start));
    }
    InList list{std::move(left), {asExpression(std::move(content))}, negated};
    while (acceptSymbol(u",")) {
        IVM_TRY(ExprPtr item, expression());
        list.items.push_back(std::move(item));
    }
    IVM_CHECK(expectSymbol(u")"));
    return makeExpr(std::move(list), spanFrom(start));
}

Result<ExprPtr> Parser::like(ExprPtr left, bool negated)
{
    const qsizetype start = left->span.begin;
    IVM_TRY(ExprPtr pattern, operand(power::kConcat));
    ExprPtr escape;
    if (acceptWord(u"ESCAPE")) {
        IVM_TRY(escape, operand(power::kConcat));
    }
    return makeExpr(Like{std::move(left), std::move(pattern), std::move(escape), negated},
                    spanFrom(start));
}

Result<ExprPtr> Parser::is(ExprPtr left)
{
    const qsizetype start = left->span.begin;
    const bool negated = acceptWord(u"NOT");
    if (acceptWord(u"NULL"))
        return makeExpr(IsNull{std::move(left), negated}, spanFrom(start));
    if (!acceptWords({u"DISTINCT", u"FROM"})) {
        return unexpected(negated ? QStringLiteral("NULL or DISTINCT FROM")
                                  : QStringLiteral("NULL, NOT NULL or [NOT] DISTINCT FROM"));
    }
    IVM_TRY(ExprPtr right, operand(power::kConcat));
    return makeExpr(IsDistinctFrom{std::move(left), std::move(right), negated}, spanFrom(start));
}

}  // namespace ivm::sql
