// Function calls: name([DISTINCT] arguments [ORDER BY …]) [FILTER …] [IGNORE NULLS] [OVER …].
#include "framework/sql/parser_core.h"

namespace ivm::sql {

Result<ExprPtr> Parser::functionCall()
{
    const qsizetype start = begin();
    FunctionCall call;
    IVM_TRY(call.name, qualifiedName(u"a function"));
    IVM_CHECK(expectSymbol(u"("));
    if (acceptSymbol(u"*")) {
        call.star = true;
    } else if (!atSymbol(u")")) {
        IVM_CHECK(callArguments(call));
    }
    if (!acceptSymbol(u")"))
        return unexpected(call.star ? QStringLiteral("')'") : QStringLiteral("',' or ')'"));
    IVM_TRY(call.filter, filter());
    if (acceptWords({u"IGNORE", u"NULLS"}))
        call.nullTreatment = FunctionCall::NullTreatment::Ignore;
    else if (acceptWords({u"RESPECT", u"NULLS"}))
        call.nullTreatment = FunctionCall::NullTreatment::Respect;
    IVM_TRY(call.over, over());
    if (call.nullTreatment != FunctionCall::NullTreatment::Unsaid && !call.over)
        return unexpected(QStringLiteral("OVER"));
    return makeExpr(std::move(call), spanFrom(start));
}

Status Parser::callArguments(FunctionCall &call)
{
    if (acceptQuantifier(call.quantifier) || !atWord(u"ORDER")) {
        IVM_TRY(call.arguments, expressions());
    }
    if (acceptWords({u"ORDER", u"BY"})) {
        IVM_TRY(call.orderBy, sortItems());
    }
    return {};
}

// DISTINCT or ALL. A column may be called `all`, so what follows decides.
bool Parser::acceptQuantifier(SetQuantifier &quantifier)
{
    if (acceptWord(u"DISTINCT")) {
        quantifier = SetQuantifier::Distinct;
        return true;
    }
    if (!atQuantifierAll())
        return false;
    advance();
    quantifier = SetQuantifier::All;
    return true;
}

bool Parser::atQuantifierAll() const
{
    if (!atWord(u"ALL"))
        return false;
    switch (peek(1).kind) {
    case TokenKind::End: return false;
    case TokenKind::Word: return atOperandAfterAll();
    case TokenKind::Symbol: {
        const bool allColumns =
            atSymbol(u"*", 1) &&
            (atSymbol(u",", 2) || atSymbol(u")", 2) || peek(2).kind == TokenKind::End ||
             atAnyWord({u"FROM", u"WHERE", u"GROUP", u"HAVING", u"ORDER", u"UNION", u"INTERSECT",
                        u"EXCEPT"},
                       2) ||
             atLimit(2) || atWindowClause(2));
        return allColumns || atSymbol(u"(", 1) || atSymbol(u"[", 1) || atSymbol(u"+", 1) ||
               atSymbol(u"-", 1) || atSymbol(u"?", 1);
    }
    default: return true;
    }
}

// Whether the word after ALL starts an expression rather than goes on after a column: AS, FROM, IN.
bool Parser::atOperandAfterAll() const
{
    if (atWord(u"NOT", 1))
        return !atAnyWord({u"BETWEEN", u"IN", u"LIKE"}, 2);
    if (atIdentifier(1))
        return !atWords({u"AT", u"TIME", u"ZONE"}, 1) && !atLimit(1) && !atWindowClause(1);
    return atAnyWord({u"CASE",
                      u"CAST",
                      u"EXISTS",
                      u"EXTRACT",
                      u"FALSE",
                      u"GROUPING",
                      u"JSON_ARRAY",
                      u"JSON_EXISTS",
                      u"JSON_OBJECT",
                      u"JSON_QUERY",
                      u"JSON_VALUE",
                      u"LISTAGG",
                      u"NORMALIZE",
                      u"NULL",
                      u"TRIM",
                      u"TRUE",
                      u"CURRENT_DATE",
                      u"CURRENT_TIME",
                      u"CURRENT_TIMESTAMP",
                      u"CURRENT_USER",
                      u"CURRENT_CATALOG",
                      u"CURRENT_SCHEMA",
                      u"CURRENT_PATH",
                      u"LOCALTIME",
                      u"LOCALTIMESTAMP",
                      u"ROLLUP",
                      u"CUBE"},
                     1);
}

Result<ExprPtr> Parser::filter()
{
    if (!atWord(u"FILTER") || !atSymbol(u"(", 1))
        return ExprPtr();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    IVM_CHECK(expectWord(u"WHERE"));
    IVM_TRY(ExprPtr condition, expression());
    IVM_CHECK(expectSymbol(u")"));
    return condition;
}

// OVER window, OVER (…); `over` alone is an alias.
Result<std::optional<Over>> Parser::over()
{
    if (!atWord(u"OVER") || (!atSymbol(u"(", 1) && !atIdentifier(1)))
        return std::nullopt;
    advance();
    if (!atSymbol(u"(")) {
        IVM_TRY(Identifier window, expectIdentifier(u"a window"));
        return Over(std::move(window));
    }
    advance();
    IVM_TRY(WindowSpecification specification, windowSpecification());
    IVM_CHECK(expectSymbol(u")"));
    return Over(std::move(specification));
}

// What stands between the parentheses of OVER (…) and WINDOW w AS (…).
Result<WindowSpecification> Parser::windowSpecification()
{
    const qsizetype start = begin();
    WindowSpecification window;
    const bool partition = atWords({u"PARTITION", u"BY"});
    const bool frame = atAnyWord({u"RANGE", u"ROWS", u"GROUPS"}) && !atSymbol(u")", 1) &&
                       !atWord(u"ORDER", 1) && !atWords({u"PARTITION", u"BY"}, 1) &&
                       !(atAnyWord({u"RANGE", u"ROWS", u"GROUPS"}, 1) &&
                         atAnyWord({u"BETWEEN", u"UNBOUNDED", u"CURRENT"}, 2));
    if (atIdentifier() && !partition && !frame) {
        IVM_TRY(window.existingWindow, expectIdentifier(u"a window"));
    }
    if (acceptWords({u"PARTITION", u"BY"})) {
        IVM_TRY(window.partitionBy, expressions());
    }
    if (acceptWords({u"ORDER", u"BY"})) {
        IVM_TRY(window.orderBy, sortItems());
    }
    IVM_TRY(window.frame, windowFrame());
    window.span = atSymbol(u")") && begin() == start ? Span{start, start} : spanFrom(start);
    return window;
}

Result<std::optional<WindowFrame>> Parser::windowFrame()
{
    WindowFrame frame;
    if (acceptWord(u"RANGE"))
        frame.kind = WindowFrame::Kind::Range;
    else if (acceptWord(u"ROWS"))
        frame.kind = WindowFrame::Kind::Rows;
    else if (acceptWord(u"GROUPS"))
        frame.kind = WindowFrame::Kind::Groups;
    else
        return std::nullopt;
    const bool between = acceptWord(u"BETWEEN");
    IVM_TRY(frame.start, frameBound());
    if (between) {
        IVM_CHECK(expectWord(u"AND"));
        IVM_TRY(frame.end, frameBound());
    }
    return frame;
}

Result<FrameBound> Parser::frameBound()
{
    using Kind = FrameBound::Kind;
    if (acceptWords({u"UNBOUNDED", u"PRECEDING"}))
        return FrameBound{Kind::UnboundedPreceding, {}};
    if (acceptWords({u"UNBOUNDED", u"FOLLOWING"}))
        return FrameBound{Kind::UnboundedFollowing, {}};
    if (acceptWords({u"CURRENT", u"ROW"}))
        return FrameBound{Kind::CurrentRow, {}};
    IVM_TRY(ExprPtr distance, expression());
    if (acceptWord(u"PRECEDING"))
        return FrameBound{Kind::Preceding, std::move(distance)};
    if (acceptWord(u"FOLLOWING"))
        return FrameBound{Kind::Following, std::move(distance)};
    return unexpected(QStringLiteral("PRECEDING or FOLLOWING"));
}

}  // namespace ivm::sql
