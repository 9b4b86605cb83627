// Primaries: what operators work on.
#include "framework/sql/parser_core.h"

#include <array>

namespace ivm::sql {

Result<ExprPtr> Parser::primary()
{
    Level level(*this, 0);
    IVM_TRY(ExprPtr base, primaryWithoutPostfix());
    return postfix(std::move(base));
}

Result<ExprPtr> Parser::primaryWithoutPostfix()
{
    switch (peek().kind) {
    case TokenKind::Integer:
    case TokenKind::Decimal:
    case TokenKind::Double: return number();
    case TokenKind::String:
    case TokenKind::UnicodeString: return stringLiteral();
    case TokenKind::Binary: return binaryLiteral();
    case TokenKind::QuotedName: return namePrimary();
    case TokenKind::Word: return wordPrimary();
    default: break;
    }
    if (atSymbol(u"("))
        return parenthesized();
    if (atSymbol(u"?"))
        return parameter();
    if (atSymbol(u"-"))
        return number();
    if (atSymbol(u"["))
        return array();
    return unexpected(QStringLiteral("an expression"));
}

// value[index], value.field, value AT TIME ZONE zone.
Result<ExprPtr> Parser::postfix(ExprPtr base)
{
    const qsizetype start = base->span.begin;
    while (true) {
        const bool field = atSymbol(u".") && !atSymbol(u"*", 1);  // t.* belongs to the select item
        if (!field && !atSymbol(u"["))
            break;
        advance();
        IVM_CHECK(wrap());
        if (field) {
            IVM_TRY(Identifier name, expectIdentifier(u"a name after the dot"));
            base = makeExpr(Dereference{std::move(base), std::move(name)}, spanFrom(start));
        } else {
            IVM_TRY(ExprPtr index, value());
            IVM_CHECK(expectSymbol(u"]"));
            base = makeExpr(Subscript{std::move(base), std::move(index)}, spanFrom(start));
        }
    }
    return atTimeZone(std::move(base));
}

Result<ExprPtr> Parser::atTimeZone(ExprPtr value)
{
    const qsizetype start = value->span.begin;
    while (acceptWords({u"AT", u"TIME", u"ZONE"})) {
        IVM_CHECK(wrap());
        const bool isInterval = atWord(u"INTERVAL");
        if (!isInterval && !atString())
            return unexpected(
                QStringLiteral("a time zone: a string like 'Europe/Berlin', or an interval"));
        IVM_TRY(ExprPtr zone, isInterval ? intervalLiteral() : stringLiteral());
        value = makeExpr(AtTimeZone{std::move(value), std::move(zone)}, spanFrom(start));
    }
    return value;
}

// Words with a syntax of their own come first; any other word that is not reserved is a name.
Result<ExprPtr> Parser::wordPrimary()
{
    struct Special {
        QStringView word;
        QStringView next;  // the sign that must follow for the syntax to be meant; empty where the
                           // word is reserved
        Result<ExprPtr> (Parser::*parse)();
    };
    static constexpr std::array<Special, 32> kSpecials = {{
        {u"ARRAY", u"[", &Parser::array},
        {u"CASE", {}, &Parser::caseExpression},
        {u"CAST", {}, &Parser::cast},
        {u"CURRENT_CATALOG", {}, &Parser::currentValue},
        {u"CURRENT_DATE", {}, &Parser::currentValue},
        {u"CURRENT_PATH", {}, &Parser::currentValue},
        {u"CURRENT_SCHEMA", {}, &Parser::currentValue},
        {u"CURRENT_TIME", {}, &Parser::currentValue},
        {u"CURRENT_TIMESTAMP", {}, &Parser::currentValue},
        {u"CURRENT_USER", {}, &Parser::currentValue},
        {u"EXISTS", {}, &Parser::exists},
        {u"EXTRACT", {}, &Parser::extract},
        {u"FALSE", {}, &Parser::constant},
        {u"GROUPING", {}, &Parser::grouping},
        {u"JSON_ARRAY", {}, &Parser::jsonFunction},
        {u"JSON_EXISTS", {}, &Parser::jsonFunction},
        {u"JSON_OBJECT", {}, &Parser::jsonFunction},
        {u"JSON_QUERY", {}, &Parser::jsonFunction},
        {u"JSON_VALUE", {}, &Parser::jsonFunction},
        {u"LISTAGG", {}, &Parser::listagg},
        {u"LOCALTIME", {}, &Parser::currentValue},
        {u"LOCALTIMESTAMP", {}, &Parser::currentValue},
        {u"NORMALIZE", {}, &Parser::normalize},
        {u"NULL", {}, &Parser::constant},
        {u"POSITION", u"(", &Parser::position},
        {u"ROW", u"(", &Parser::row},
        {u"SUBSTRING", u"(", &Parser::substring},
        {u"TRIM", {}, &Parser::trim},
        {u"TRUE", {}, &Parser::constant},
        {u"TRY_CAST", u"(", &Parser::cast},
        {u"INTERVAL", {}, &Parser::intervalOrName},
        {u"DOUBLE", {}, &Parser::doublePrecisionOrName},
    }};
    for (const Special &special : kSpecials) {
        if (atWord(special.word) && (special.next.empty() || atSymbol(special.next, 1)))
            return (this->*special.parse)();
    }
    return namePrimary();
}

// A column, a function call, a typed literal or a lambda.
Result<ExprPtr> Parser::namePrimary()
{
    if (!atIdentifier()) {
        auto error = unexpected(QStringLiteral("an expression"));
        if (atAnyWord({u"SELECT", u"WITH", u"VALUES"}))
            return fail(std::move(error).error().withHint(u"A subquery stands in parentheses"));
        return error;
    }
    if (atString(1))
        return typedLiteral();
    if (atLambda())
        return lambda();
    qsizetype last = 0;  // of a.b.c
    while (atSymbol(u".", last + 1) && atIdentifier(last + 2))
        last += 2;
    if (atSymbol(u"(", last + 1))
        return functionCall();
    const qsizetype start = begin();
    IVM_TRY(Identifier name, expectIdentifier(u"an expression"));
    return makeExpr(ColumnReference{std::move(name)}, spanFrom(start));
}

Result<ExprPtr> Parser::parenthesized()
{
    if (atLambda())
        return lambda();
    const qsizetype start = begin();
    advance();
    IVM_TRY(auto content, queryOrExpression());
    if (content.query && !content.inOwnParentheses) {
        IVM_CHECK(expectSymbol(u")"));
        return makeExpr(SubqueryExpression{std::make_shared<Query>(*std::move(content.query))},
                        spanFrom(start));
    }
    return closeParenthesis(start, asExpression(std::move(content)));
}

// The rest of (first) or of the row (first, second …).
Result<ExprPtr> Parser::closeParenthesis(qsizetype begin, ExprPtr first)
{
    RowConstructor row{{std::move(first)}};
    while (acceptSymbol(u",")) {
        IVM_TRY(ExprPtr item, expression());
        row.items.push_back(std::move(item));
    }
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("')'"));
    if (row.items.size() > 1)
        return makeExpr(std::move(row), spanFrom(begin));
    return widened(std::move(row.items.front()), spanFrom(begin));
}

// What follows an opening parenthesis: all of a query, or one expression.
Result<Parser::QueryOr<ExprPtr>> Parser::queryOrExpression()
{
    QueryOr<ExprPtr> content;
    if (atQuery()) {
        const qsizetype start = begin();
        IVM_TRY(content.query, query());
        content.span = spanFrom(start);
        return content;
    }
    if (atQueryOrNested())
        return queryInParenthesesOrExpression();
    IVM_TRY(content.other, expression());
    return content;
}

// ((SELECT 1)), ((SELECT 1) UNION SELECT 2) or ((SELECT 1) + 2), from the second parenthesis on.
Result<Parser::QueryOr<ExprPtr>> Parser::queryInParenthesesOrExpression()
{
    Level level(*this);
    IVM_CHECK(checkDepth());
    const qsizetype start = begin();
    advance();
    IVM_TRY(auto inner, queryOrExpression());
    QueryOr<ExprPtr> content;
    if (!inner.query || atSymbol(u",")) {
        IVM_TRY(ExprPtr closed, closeParenthesis(start, asExpression(std::move(inner))));
        IVM_TRY(content.other, continued(std::move(closed)));
        return content;
    }
    IVM_CHECK(expectSymbol(u")"));
    const Span span = spanFrom(start);
    const bool goesOn = (atSetOperation() || atQueryTail()) && !inner.query->with;
    if (goesOn) {
        IVM_TRY(content.query, queryNoWith(asBody(*std::move(inner.query), span)));
        content.span = spanFrom(start);
    } else if (atSymbol(u")")) {
        content = {std::move(inner.query), true, span, {}};
    } else {
        IVM_TRY(content.other, continued(asExpression({std::move(inner.query), true, span, {}})));
    }
    return content;
}

ExprPtr Parser::asExpression(QueryOr<ExprPtr> content)
{
    if (!content.query)
        return std::move(content.other);
    return makeExpr(SubqueryExpression{std::make_shared<Query>(*std::move(content.query))},
                    content.span);
}

// x -> …, () -> …, (x, y) -> …
bool Parser::atLambda() const
{
    if (atIdentifier())
        return atSymbol(u"->", 1);
    if (!atSymbol(u"("))
        return false;
    qsizetype at = 1;
    while (atIdentifier(at) && atSymbol(u",", at + 1))
        at += 2;
    if (atIdentifier(at))
        ++at;
    else if (at > 1)
        return false;
    return atSymbol(u")", at) && atSymbol(u"->", at + 1);
}

Result<ExprPtr> Parser::lambda()
{
    const qsizetype start = begin();
    Lambda node;
    const bool inParentheses = acceptSymbol(u"(");
    while (!atSymbol(u")") && !atSymbol(u"->")) {
        IVM_TRY(Identifier name, expectIdentifier(u"the name of a lambda's parameter"));
        node.parameters.push_back(std::move(name));
        acceptSymbol(u",");
    }
    if (inParentheses)
        advance();
    IVM_CHECK(expectSymbol(u"->"));
    IVM_TRY(node.body, expression());
    return makeExpr(std::move(node), spanFrom(start));
}

Result<ExprPtr> Parser::row()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(std::vector<ExprPtr> items, expressions());
    IVM_CHECK(expectSymbol(u")"));
    return makeExpr(RowConstructor{std::move(items)}, spanFrom(start));
}

Result<ExprPtr> Parser::array()
{
    const qsizetype start = begin();
    acceptWord(u"ARRAY");
    IVM_CHECK(expectSymbol(u"["));
    ArrayConstructor node;
    if (!atSymbol(u"]")) {
        IVM_TRY(node.items, expressions());
    }
    IVM_CHECK(expectSymbol(u"]"));
    return makeExpr(std::move(node), spanFrom(start));
}

Result<ExprPtr> Parser::exists()
{
    const qsizetype start = begin();
    advance();
    IVM_TRY(QueryPtr query, queryInParentheses());
    return makeExpr(Exists{std::move(query)}, spanFrom(start));
}

Result<ExprPtr> Parser::caseExpression()
{
    const qsizetype start = begin();
    advance();
    Case node;
    if (!atWord(u"WHEN")) {
        IVM_TRY(node.operand, expression());
    }
    if (!atWord(u"WHEN"))
        return unexpected(QStringLiteral("WHEN"));
    while (acceptWord(u"WHEN")) {
        IVM_TRY(ExprPtr condition, expression());
        IVM_CHECK(expectWord(u"THEN"));
        IVM_TRY(ExprPtr result, expression());
        node.whenClauses.push_back({std::move(condition), std::move(result)});
    }
    if (acceptWord(u"ELSE")) {
        IVM_TRY(node.elseExpression, expression());
    }
    if (!acceptWord(u"END"))
        return unexpected(node.elseExpression ? QStringLiteral("END")
                                              : QStringLiteral("WHEN, ELSE or END"));
    return makeExpr(std::move(node), spanFrom(start));
}

Result<ExprPtr> Parser::cast()
{
    const qsizetype start = begin();
    const bool safe = atWord(u"TRY_CAST");
    advance();
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(ExprPtr operand, expression());
    IVM_CHECK(expectWord(u"AS"));
    IVM_TRY(TypePtr target, type());
    IVM_CHECK(expectSymbol(u")"));
    return makeExpr(Cast{std::move(operand), std::move(target), safe}, spanFrom(start));
}

}  // namespace ivm::sql
