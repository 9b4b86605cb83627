#include "framework/sql/lexer.h"

#include <array>

namespace ivm::sql {

namespace {

bool isDigit(QChar c) { return c >= u'0' && c <= u'9'; }
bool isLetter(QChar c) { return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z'); }
bool isHexDigit(QChar c)
{
    return isDigit(c) || (c >= u'a' && c <= u'f') || (c >= u'A' && c <= u'F');
}
bool isNamePart(QChar c) { return isLetter(c) || isDigit(c) || c == u'_'; }

// Longest first, so that the first match is the longest.
constexpr std::array<QStringView, 24> kSymbols = {
    u"<>", u"!=", u"<=", u">=", u"||", u"->", u"=>", u"=", u"<", u">", u"+", u"-",
    u"*",  u"/",  u"%",  u"?",  u";",  u"(",  u")",  u"[", u"]", u",", u".", u":"};

class Lexer {
public:
    explicit Lexer(QStringView text) : m_text(text) {}

    Result<std::vector<Token>> all()
    {
        std::vector<Token> tokens;
        while (true) {
            IVM_CHECK(skipBlanks());
            if (m_at == m_text.size())
                break;
            const qsizetype begin = m_at;
            IVM_TRY(const TokenKind kind, next());
            tokens.push_back({kind, {begin, m_at}});
        }
        tokens.push_back({TokenKind::End, {m_at, m_at}});
        return tokens;
    }

    std::optional<qsizetype> lineComment() const { return m_lineComment; }

private:
    // NUL past the end: it starts and continues nothing.
    QChar peek(qsizetype ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : QChar();
    }
    std::unexpected<Error> failAt(qsizetype offset, const QString &message) const
    {
        return fail(syntaxError(m_text, offset, message));
    }

    Status skipBlanks();
    Status skipComment();
    Result<TokenKind> next();
    Result<TokenKind> delimited(TokenKind kind, qsizetype prefix, QStringView what);
    Result<TokenKind> number();
    Result<TokenKind> symbol();
    qsizetype digitsEnd(qsizetype from, bool (*isOne)(QChar)) const;
    qsizetype basedIntegerEnd() const;
    std::optional<qsizetype> exponentEnd(qsizetype from) const;
    qsizetype plainDigitsEnd(qsizetype from) const;
    qsizetype mantissaEnd() const;

    QStringView m_text;
    qsizetype m_at = 0;
    std::optional<qsizetype> m_lineComment;  // where the first starts
};

Status Lexer::skipBlanks()
{
    while (m_at < m_text.size()) {
        const QChar c = peek();
        if (c == u' ' || c == u'\t' || c == u'\r' || c == u'\n') {
            ++m_at;
        } else if ((c == u'-' && peek(1) == u'-') || (c == u'/' && peek(1) == u'*')) {
            IVM_CHECK(skipComment());
        } else {
            break;
        }
    }
    return {};
}

Status Lexer::skipComment()
{
    if (peek() == u'-') {
        m_lineComment = m_lineComment.value_or(m_at);
        while (m_at < m_text.size() && peek() != u'\n' && peek() != u'\r')
            ++m_at;
        return {};
    }
    const qsizetype end = m_text.indexOf(u"*/", m_at + 2);
    if (end < 0)
        return failAt(m_at, QStringLiteral("the comment that starts here has no end, expected */"));
    m_at = end + 2;
    return {};
}

Result<TokenKind> Lexer::next()
{
    const QChar c = peek();
    if (c == u'\'')
        return delimited(TokenKind::String, 0, u"string");
    if (c == u'"')
        return delimited(TokenKind::QuotedName, 0, u"quoted name");
    if ((c == u'x' || c == u'X') && peek(1) == u'\'')
        return delimited(TokenKind::Binary, 1, u"binary literal");
    if ((c == u'u' || c == u'U') && peek(1) == u'&' && peek(2) == u'\'')
        return delimited(TokenKind::UnicodeString, 2, u"string");
    if (isDigit(c) || (c == u'.' && isDigit(peek(1))))
        return number();
    if (isLetter(c) || c == u'_') {
        while (isNamePart(peek()))
            ++m_at;
        return TokenKind::Word;
    }
    return symbol();
}

// From the opening quote (after a prefix of so many characters) to the closing one; a doubled quote
// stands for itself.
Result<TokenKind> Lexer::delimited(TokenKind kind, qsizetype prefix, QStringView what)
{
    const qsizetype begin = m_at;
    const QChar quote = peek(prefix);
    m_at += prefix + 1;
    while (m_at < m_text.size()) {
        if (m_text[m_at++] != quote)
            continue;
        if (kind == TokenKind::Binary || peek() != quote || m_at == m_text.size()) {
            if (kind == TokenKind::QuotedName && m_at - begin == 2)
                return failAt(begin,
                              QStringLiteral("found \"\", expected a name between the quotes"));
            return kind;
        }
        ++m_at;
    }
    return failAt(
        begin,
        QStringLiteral("the %1 that starts here has no end, expected %2").arg(what).arg(quote));
}

// The end of digits that single underscores may separate, from `from`; `from` itself where there is
// none.
qsizetype Lexer::digitsEnd(qsizetype from, bool (*isOne)(QChar)) const
{
    qsizetype at = from;
    while (at < m_text.size()) {
        const qsizetype digit = m_text[at] == u'_' ? at + 1 : at;
        if (digit >= m_text.size() || !isOne(m_text[digit]))
            break;
        at = digit + 1;
    }
    return at;
}

qsizetype Lexer::plainDigitsEnd(qsizetype from) const
{
    while (from < m_text.size() && isDigit(m_text[from]))
        ++from;
    return from;
}

// The end of 0x…, 0o… or 0b…; where there is none, where the next token starts.
qsizetype Lexer::basedIntegerEnd() const
{
    bool (*isOne)(QChar) = nullptr;
    switch (peek(1).toLower().unicode()) {
    case u'x': isOne = isHexDigit; break;
    case u'o': isOne = [](QChar c) { return c >= u'0' && c <= u'7'; }; break;
    case u'b': isOne = [](QChar c) { return c == u'0' || c == u'1'; }; break;
    default: return m_at;
    }
    if (peek() != u'0')
        return m_at;
    const qsizetype end = digitsEnd(m_at + 2, isOne);
    return end > m_at + 2 ? end : m_at;
}

std::optional<qsizetype> Lexer::exponentEnd(qsizetype from) const
{
    if (from >= m_text.size() || m_text[from].toLower() != u'e')
        return std::nullopt;
    const bool hasSign =
        from + 1 < m_text.size() && (m_text[from + 1] == u'+' || m_text[from + 1] == u'-');
    const qsizetype digits = from + (hasSign ? 2 : 1);
    const qsizetype end = plainDigitsEnd(digits);
    return end > digits ? std::optional(end) : std::nullopt;
}

// The longest of an integer, a decimal and a double. Letters right behind make it a name that
// starts with a digit, which Trino refuses; only behind a decimal point they start a word of their
// own.
Result<TokenKind> Lexer::number()
{
    const qsizetype begin = m_at;
    TokenKind kind = TokenKind::Integer;
    qsizetype end = basedIntegerEnd();
    if (end == begin) {
        end = isDigit(peek()) ? digitsEnd(begin, isDigit) : begin;
        if (end < m_text.size() && m_text[end] == u'.') {
            kind = TokenKind::Decimal;
            ++end;
            if (end < m_text.size() && isDigit(m_text[end]))
                end = digitsEnd(end, isDigit);
        }
        if (const auto exponent = exponentEnd(mantissaEnd()); exponent && *exponent > end) {
            kind = TokenKind::Double;
            end = *exponent;
        }
    }
    qsizetype name = begin;
    while (name < m_text.size() && isNamePart(m_text[name]))
        ++name;
    if (name > end) {
        return failAt(
            begin, QStringLiteral(
                       "found '%1', expected a number or a name; a name that starts with a digit "
                       "needs double quotes")
                       .arg(m_text.sliced(begin, name - begin).left(40)));
    }
    m_at = end;
    return kind;
}

// The end of the digits of a double: without underscores, with or without a point.
qsizetype Lexer::mantissaEnd() const
{
    const qsizetype whole = plainDigitsEnd(m_at);
    return whole < m_text.size() && m_text[whole] == u'.' ? plainDigitsEnd(whole + 1) : whole;
}

Result<TokenKind> Lexer::symbol()
{
    for (const QStringView one : kSymbols) {
        if (m_text.sliced(m_at).startsWith(one)) {
            m_at += one.size();
            return TokenKind::Symbol;
        }
    }
    const QChar c = peek();
    if (c == u'`')
        return failAt(m_at,
                      QStringLiteral("found `, expected SQL; names are quoted with double quotes"));
    const bool printable = c.isPrint() && !c.isSurrogate() && !c.isSpace();
    const QString number =
        QStringLiteral("U+%1").arg(c.unicode(), 4, 16, QLatin1Char('0')).toUpper();
    const QString shown = printable ? QStringLiteral("'%1' (%2)").arg(c).arg(number) : number;
    const bool partOfName = c.isLetterOrNumber() || c.isSurrogate();
    return failAt(
        m_at, QStringLiteral("found the character %1, expected SQL%2")
                  .arg(shown, partOfName ? QStringLiteral(
                                               "; outside a-z and 0-9 a name needs double quotes")
                                         : QString()));
}

}  // namespace

Error syntaxError(QStringView text, qsizetype offset, const QString &message)
{
    return invalidError(message).withCode(u"syntax").at(placeOf(text, offset));
}

Result<std::vector<Token>> tokenize(QStringView text) { return Lexer(text).all(); }

std::optional<qsizetype> findLineComment(QStringView text)
{
    Lexer lexer(text);
    (void)lexer.all();
    return lexer.lineComment();
}

}  // namespace ivm::sql
