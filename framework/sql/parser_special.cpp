// What looks like a call but has a syntax of its own. Where Trino turns it into a plain call, so
// does this.
#include "framework/sql/parser_core.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ivm::sql {

namespace {

QualifiedName functionName(QStringView name, Span span)
{
    return {{Identifier{name.toString(), false, span}}, span};
}

}  // namespace

Result<ExprPtr> Parser::plainCall(qsizetype begin, QualifiedName name,
                                  std::vector<ExprPtr> arguments)
{
    IVM_CHECK(expectSymbol(u")"));
    FunctionCall call;
    call.name = std::move(name);
    call.arguments = std::move(arguments);
    return makeExpr(std::move(call), spanFrom(begin));
}

// EXTRACT(field FROM value)
Result<ExprPtr> Parser::extract()
{
    static constexpr std::array<QStringView, 17> kFields = {
        u"year",         u"quarter",      u"month",        u"week",
        u"day",          u"day_of_month", u"day_of_week",  u"dow",
        u"day_of_year",  u"doy",          u"year_of_week", u"yow",
        u"hour",         u"minute",       u"second",       u"timezone_minute",
        u"timezone_hour"};
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    const auto isField = [this](QStringView field) { return atWord(field); };
    if (!std::ranges::any_of(kFields, isField) && !atIdentifier())
        return unexpected(QStringLiteral("a field of a date or time: YEAR, MONTH, DAY, HOUR …"));
    IVM_TRY(Identifier field, expectIdentifier(u"a field"));
    if (std::ranges::find(kFields, QStringView(field.value)) == kFields.end()) {
        return failAt(field.span.begin,
                      QStringLiteral("found '%1', expected a field of a date or time: YEAR, MONTH, "
                                     "DAY, HOUR …")
                          .arg(field.value.left(40)));
    }
    IVM_CHECK(expectWord(u"FROM"));
    IVM_TRY(ExprPtr source, value());
    IVM_CHECK(expectSymbol(u")"));
    return makeExpr(Extract{std::move(field), std::move(source)}, spanFrom(start));
}

// POSITION(needle IN haystack) is strpos(haystack, needle); any other use of the name is a plain
// call.
Result<ExprPtr> Parser::position()
{
    if (!atValueArgument())
        return functionCall();
    const qsizetype start = begin();
    const Token keyword = advance();
    advance();
    IVM_TRY(ExprPtr first, value());
    if (acceptWord(u"IN")) {
        IVM_TRY(ExprPtr haystack, value());
        return plainCall(start, functionName(u"strpos", keyword.span),
                         {std::move(haystack), std::move(first)});
    }
    IVM_TRY(auto arguments, argumentsFrom(std::move(first)));
    return plainCall(start, functionName(u"position", keyword.span), std::move(arguments));
}

// SUBSTRING(text FROM start [FOR length]) is substr(text, start[, length]); with commas it is a
// plain call.
Result<ExprPtr> Parser::substring()
{
    if (!atValueArgument())
        return functionCall();
    const qsizetype start = begin();
    const Token keyword = advance();
    advance();
    IVM_TRY(ExprPtr first, value());
    if (acceptWord(u"FROM")) {
        std::vector<ExprPtr> arguments{std::move(first)};
        IVM_TRY(ExprPtr from, value());
        arguments.push_back(std::move(from));
        if (acceptWord(u"FOR")) {
            IVM_TRY(ExprPtr length, value());
            arguments.push_back(std::move(length));
        }
        return plainCall(start, functionName(u"substr", keyword.span), std::move(arguments));
    }
    IVM_TRY(auto arguments, argumentsFrom(std::move(first)));
    return plainCall(start, functionName(u"substring", keyword.span), std::move(arguments));
}

// Whether name( is followed by something that may be the first argument of a form with a syntax of
// its own.
bool Parser::atValueArgument() const
{
    return !atSymbol(u")", 2) && !atSymbol(u"*", 2) && !atAnyWord({u"DISTINCT", u"NOT"}, 2);
}

// The arguments of a plain call when the first was read as a value only.
Result<std::vector<ExprPtr>> Parser::argumentsFrom(ExprPtr first)
{
    IVM_TRY(ExprPtr whole, climb(std::move(first), power::kOr, power::kPredicate));
    std::vector<ExprPtr> arguments{std::move(whole)};
    while (acceptSymbol(u",")) {
        IVM_TRY(ExprPtr argument, expression());
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

// TRIM([LEADING | TRAILING | BOTH] [characters] FROM text), TRIM(text), TRIM(text, characters):
// ltrim, rtrim or trim.
Result<ExprPtr> Parser::trim()
{
    const qsizetype start = begin();
    const Token keyword = advance();
    IVM_CHECK(expectSymbol(u"("));
    QStringView function = u"trim";
    // A column may be called leading; the word is meant when an operand or FROM follows it.
    const bool isColumn =
        atSymbol(u")", 1) || atSymbol(u",", 1) || atSymbol(u".", 1) || atSymbol(u"||", 1);
    if (atAnyWord({u"LEADING", u"TRAILING", u"BOTH"}) && !isColumn) {
        function = atWord(u"LEADING") ? u"ltrim" : atWord(u"TRAILING") ? u"rtrim" : u"trim";
        advance();
        if (acceptWord(u"FROM")) {
            IVM_TRY(ExprPtr source, value());
            return plainCall(start, functionName(function, keyword.span), {std::move(source)});
        }
        IVM_TRY(ExprPtr characters, value());
        IVM_CHECK(expectWord(u"FROM"));
        IVM_TRY(ExprPtr source, value());
        return plainCall(start, functionName(function, keyword.span),
                         {std::move(source), std::move(characters)});
    }
    IVM_TRY(ExprPtr first, value());
    if (acceptWord(u"FROM")) {
        IVM_TRY(ExprPtr source, value());
        return plainCall(start, functionName(function, keyword.span),
                         {std::move(source), std::move(first)});
    }
    std::vector<ExprPtr> arguments{std::move(first)};
    if (acceptSymbol(u",")) {
        IVM_TRY(ExprPtr characters, value());
        arguments.push_back(std::move(characters));
    }
    return plainCall(start, functionName(function, keyword.span), std::move(arguments));
}

// NORMALIZE(text [, NFC | NFD | NFKC | NFKD]) is normalize(text, 'form').
Result<ExprPtr> Parser::normalize()
{
    const qsizetype start = begin();
    const Token keyword = advance();
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(ExprPtr source, value());
    QString form = QStringLiteral("NFC");
    Span formSpan{begin(), begin()};
    if (acceptSymbol(u",")) {
        if (!atAnyWord({u"NFC", u"NFD", u"NFKC", u"NFKD"}))
            return unexpected(QStringLiteral("NFC, NFD, NFKC or NFKD"));
        form = word().toString().toUpper();
        formSpan = advance().span;
    }
    return plainCall(start, functionName(u"normalize", keyword.span),
                     {std::move(source), makeExpr(StringLiteral{form}, formSpan)});
}

// LISTAGG([DISTINCT] value [, separator] [ON OVERFLOW …]) WITHIN GROUP (ORDER BY …) [FILTER …]
Result<ExprPtr> Parser::listagg()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    Listagg node;
    acceptQuantifier(node.quantifier);
    IVM_TRY(node.value, expression());
    if (acceptSymbol(u",")) {
        IVM_TRY(node.separator, string(u"a string with the separator"));
    }
    IVM_CHECK(listaggOverflow(node));
    IVM_CHECK(expectSymbol(u")"));
    IVM_CHECK(expectWords({u"WITHIN", u"GROUP"}));
    IVM_CHECK(expectSymbol(u"("));
    IVM_CHECK(expectWords({u"ORDER", u"BY"}));
    IVM_TRY(node.orderBy, sortItems());
    IVM_CHECK(expectSymbol(u")"));
    IVM_TRY(node.filter, filter());
    return makeExpr(std::move(node), spanFrom(start));
}

Status Parser::listaggOverflow(Listagg &listagg)
{
    if (!acceptWord(u"ON"))
        return {};
    IVM_CHECK(expectWord(u"OVERFLOW"));
    if (acceptWord(u"ERROR"))
        return {};
    if (!acceptWord(u"TRUNCATE"))
        return unexpected(QStringLiteral("ERROR or TRUNCATE"));
    if (atString()) {
        IVM_TRY(listagg.filler, string(u"a string"));
    }
    const bool with = acceptWord(u"WITH");
    if (!with)
        IVM_CHECK(expectWord(u"WITHOUT"));
    listagg.overflow =
        with ? Listagg::Overflow::TruncateWithCount : Listagg::Overflow::TruncateWithoutCount;
    return expectWord(u"COUNT");
}

// GROUPING(a, t.b)
Result<ExprPtr> Parser::grouping()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    Grouping node;
    do {
        Level level(*this, 0);
        IVM_TRY(const QualifiedName name, qualifiedName(u"a column"));
        ExprPtr column = makeExpr(ColumnReference{name.parts.front()}, name.parts.front().span);
        for (size_t i = 1; i < name.parts.size(); ++i) {
            IVM_CHECK(wrap());
            column = makeExpr(Dereference{std::move(column), name.parts[i]},
                              spanned(name.span, name.parts[i].span));
        }
        node.columns.push_back(std::move(column));
    } while (acceptSymbol(u","));
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    return makeExpr(std::move(node), spanFrom(start));
}

// current_date, current_timestamp(3), localtime, current_user …
Result<ExprPtr> Parser::currentValue()
{
    static constexpr std::array<QStringView, 9> kWords = {
        u"CURRENT_DATE",    u"CURRENT_TIME",   u"CURRENT_TIMESTAMP",
        u"LOCALTIME",       u"LOCALTIMESTAMP", u"CURRENT_USER",
        u"CURRENT_CATALOG", u"CURRENT_SCHEMA", u"CURRENT_PATH"};
    const qsizetype start = begin();
    const auto index =
        std::ranges::find_if(kWords, [this](QStringView one) { return atWord(one); }) -
        kWords.begin();
    advance();
    CurrentValue node{static_cast<CurrentValue::Kind>(index), std::nullopt};
    const bool takesPrecision =
        node.kind != CurrentValue::Kind::Date && node.kind < CurrentValue::Kind::User;
    if (takesPrecision && acceptSymbol(u"(")) {
        IVM_TRY(const qint64 precision, integer(u"the number of digits after the second"));
        node.precision =
            static_cast<int>(std::min<qint64>(precision, std::numeric_limits<int>::max()));
        IVM_CHECK(expectSymbol(u")"));
    }
    return makeExpr(node, spanFrom(start));
}

Result<ExprPtr> Parser::jsonFunction()
{
    return failUnsupported(
        QStringLiteral("%1 is not supported yet").arg(word().toString().toUpper()));
}

}  // namespace ivm::sql
