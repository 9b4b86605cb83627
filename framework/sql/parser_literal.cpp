#include "framework/sql/literals.h"
#include "framework/sql/parser_core.h"

#include <array>

namespace ivm::sql {

Result<ExprPtr> Parser::number()
{
    const qsizetype start = begin();
    const bool negative = acceptSymbol(u"-");
    const Token token = peek();
    QString digits = token.span.of(text()).toString().toLower().remove(u'_');
    if (negative)
        digits.prepend(u'-');
    switch (token.kind) {
    case TokenKind::Integer: {
        advance();
        IVM_TRY(const qint64 value, integerValue(text(), token, negative));
        return makeExpr(IntegerLiteral{value}, spanFrom(start));
    }
    case TokenKind::Decimal: advance(); return makeExpr(DecimalLiteral{digits}, spanFrom(start));
    case TokenKind::Double: advance(); return makeExpr(DoubleLiteral{digits}, spanFrom(start));
    default: return unexpected(QStringLiteral("a number"));
    }
}

// A string in either form, with what it stands for.
Result<QString> Parser::string(QStringView what)
{
    if (!atString())
        return unexpected(what.toString());
    const Token token = advance();
    if (token.kind == TokenKind::String)
        return unquoted(token.span.of(text()));
    QChar escape = u'\\';
    if (acceptWord(u"UESCAPE")) {
        if (peek().kind != TokenKind::String)
            return unexpected(QStringLiteral("a string with the escape character"));
        const Token escapeToken = advance();
        const QString character = unquoted(escapeToken.span.of(text()));
        const QChar c = character.size() == 1 ? character[0] : QChar();
        const bool isHexDigit =
            (c >= u'0' && c <= u'9') || (c.toLower() >= u'a' && c.toLower() <= u'f');
        if (c <= u' ' || c >= QChar(0x7F) || isHexDigit || c == u'"' || c == u'\'' || c == u'+') {
            return failAt(
                escapeToken.span.begin,
                QStringLiteral(
                    "found the escape '%1', expected one visible ASCII character other than a "
                    "hexadecimal digit, a quote and +")
                    .arg(character.left(20)));
        }
        escape = c;
    }
    return unicodeString(text(), token, escape);
}

Result<ExprPtr> Parser::stringLiteral()
{
    const qsizetype start = begin();
    IVM_TRY(QString value, string(u"a string"));
    return makeExpr(StringLiteral{std::move(value)}, spanFrom(start));
}

Result<ExprPtr> Parser::binaryLiteral()
{
    const Token token = advance();
    IVM_TRY(QByteArray value, binaryValue(text(), token));
    return makeExpr(BinaryLiteral{std::move(value)}, token.span);
}

// NULL, TRUE, FALSE.
Result<ExprPtr> Parser::constant()
{
    const bool isNull = atWord(u"NULL");
    const bool isTrue = atWord(u"TRUE");
    const Span span = advance().span;
    return isNull ? makeExpr(NullLiteral{}, span) : makeExpr(BooleanLiteral{isTrue}, span);
}

Result<ExprPtr> Parser::parameter()
{
    const Span span = advance().span;
    return makeExpr(Parameter{m_parameters++}, span);
}

// DATE '2024-01-01'
Result<ExprPtr> Parser::typedLiteral()
{
    const qsizetype start = begin();
    IVM_TRY(Identifier typeName, expectIdentifier(u"a type"));
    IVM_TRY(QString value, string(u"a string"));
    return makeExpr(TypedLiteral{std::move(typeName), std::move(value)}, spanFrom(start));
}

Result<ExprPtr> Parser::doublePrecisionOrName()
{
    if (!atWord(u"PRECISION", 1) || !atString(2))
        return namePrimary();
    const qsizetype start = begin();
    advance();
    const Identifier typeName{QStringLiteral("double"), false, spanFrom(start)};
    advance();
    IVM_TRY(QString value, string(u"a string"));
    return makeExpr(TypedLiteral{typeName, std::move(value)}, spanFrom(start));
}

// `interval` may also be a column: interval - '1' is a subtraction unless a field follows.
Result<ExprPtr> Parser::intervalOrName()
{
    const bool sign = atSymbol(u"+", 1) || atSymbol(u"-", 1);
    const bool isLiteral = atString(1) || (sign && atString(2) && atIntervalField(3));
    return isLiteral ? intervalLiteral() : namePrimary();
}

// INTERVAL '2' DAY, INTERVAL -'1-2' YEAR TO MONTH
Result<ExprPtr> Parser::intervalLiteral()
{
    const qsizetype start = begin();
    IVM_CHECK(expectWord(u"INTERVAL"));
    IntervalLiteral node;
    node.negative = acceptSymbol(u"-");
    if (!node.negative)
        acceptSymbol(u"+");
    IVM_TRY(node.value, string(u"a string with the interval's length"));
    IVM_TRY(node.from, intervalField());
    if (atWord(u"TO") && atIntervalField(1)) {
        advance();
        IVM_TRY(node.to, intervalField());
    }
    return makeExpr(std::move(node), spanFrom(start));
}

bool Parser::atIntervalField(qsizetype ahead) const
{
    return atAnyWord({u"YEAR", u"MONTH", u"DAY", u"HOUR", u"MINUTE", u"SECOND"}, ahead);
}

Result<IntervalField> Parser::intervalField()
{
    static constexpr std::array<QStringView, 6> kFields = {u"YEAR", u"MONTH",  u"DAY",
                                                           u"HOUR", u"MINUTE", u"SECOND"};
    for (size_t i = 0; i < kFields.size(); ++i) {
        if (acceptWord(kFields[i]))
            return static_cast<IntervalField>(i);
    }
    return unexpected(QStringLiteral("YEAR, MONTH, DAY, HOUR, MINUTE or SECOND"));
}

Result<qint64> Parser::integer(QStringView what)
{
    if (peek().kind != TokenKind::Integer)
        return unexpected(what.toString());
    return integerValue(text(), advance(), false);
}

}  // namespace ivm::sql
