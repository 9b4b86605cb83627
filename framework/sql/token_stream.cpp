#include "framework/sql/token_stream.h"

#include "framework/sql/keywords.h"
#include "framework/sql/lexer.h"
#include "framework/sql/literals.h"

#include <algorithm>

namespace ivm::sql {

const Token &TokenStream::peek(qsizetype ahead) const
{
    const auto last = static_cast<qsizetype>(m_tokens.size()) - 1;
    return m_tokens[static_cast<size_t>(std::min(m_next + ahead, last))];
}

Token TokenStream::advance()
{
    const Token token = peek();
    m_lastEnd = token.span.end;
    if (token.kind != TokenKind::End)
        ++m_next;
    return token;
}

bool TokenStream::atWord(QStringView keyword, qsizetype ahead) const
{
    return peek(ahead).kind == TokenKind::Word && sameWord(word(ahead), keyword);
}

bool TokenStream::atWords(std::initializer_list<QStringView> keywords, qsizetype ahead) const
{
    return std::ranges::all_of(keywords,
                               [&](QStringView keyword) { return atWord(keyword, ahead++); });
}

bool TokenStream::atAnyWord(std::initializer_list<QStringView> keywords, qsizetype ahead) const
{
    return std::ranges::any_of(keywords,
                               [&](QStringView keyword) { return atWord(keyword, ahead); });
}

bool TokenStream::atSymbol(QStringView symbol, qsizetype ahead) const
{
    return peek(ahead).kind == TokenKind::Symbol && word(ahead) == symbol;
}

bool TokenStream::atString(qsizetype ahead) const
{
    const TokenKind kind = peek(ahead).kind;
    return kind == TokenKind::String || kind == TokenKind::UnicodeString;
}

bool TokenStream::atIdentifier(qsizetype ahead) const
{
    const TokenKind kind = peek(ahead).kind;
    return kind == TokenKind::QuotedName || (kind == TokenKind::Word && !isReserved(word(ahead)));
}

bool TokenStream::acceptWord(QStringView keyword)
{
    const bool there = atWord(keyword);
    if (there)
        advance();
    return there;
}

bool TokenStream::acceptWords(std::initializer_list<QStringView> keywords)
{
    const bool there = atWords(keywords);
    if (there)
        std::ranges::for_each(keywords, [&](QStringView) { advance(); });
    return there;
}

bool TokenStream::acceptSymbol(QStringView symbol)
{
    const bool there = atSymbol(symbol);
    if (there)
        advance();
    return there;
}

QStringView TokenStream::lastWord() const
{
    if (m_next == 0 || m_tokens[size_t(m_next - 1)].kind != TokenKind::Word)
        return {};
    return m_tokens[size_t(m_next - 1)].span.of(m_text);
}

Status TokenStream::expectWord(QStringView keyword)
{
    if (!acceptWord(keyword))
        return unexpected(keyword.toString());
    return {};
}

Status TokenStream::expectWords(std::initializer_list<QStringView> keywords)
{
    for (const QStringView keyword : keywords)
        IVM_CHECK(expectWord(keyword));
    return {};
}

Status TokenStream::expectSymbol(QStringView symbol)
{
    if (!acceptSymbol(symbol))
        return unexpected(QStringLiteral("'%1'").arg(symbol));
    return {};
}

Result<Identifier> TokenStream::expectIdentifier(QStringView what)
{
    if (!atIdentifier()) {
        auto error = unexpected(what.toString());
        if (peek().kind == TokenKind::Word) {
            return fail(std::move(error).error().withHint(
                QStringLiteral("%1 is a reserved word: as a name it needs double quotes, \"%2\"")
                    .arg(word().toString().toUpper(), word())));
        }
        return error;
    }
    const Token token = advance();
    const QStringView written = token.span.of(m_text);
    if (token.kind == TokenKind::QuotedName)
        return Identifier{unquoted(written), true, token.span};
    return Identifier{written.toString().toLower(), false, token.span};
}

std::unexpected<Error> TokenStream::unexpected(const QString &expected) const
{
    return failAt(begin(), QStringLiteral("found %1, expected %2").arg(found(), expected));
}

std::unexpected<Error> TokenStream::failAt(qsizetype offset, const QString &message) const
{
    return fail(syntaxError(m_text, offset, message));
}

std::unexpected<Error> TokenStream::failUnsupported(const QString &message) const
{
    return fail(
        unsupportedError(message).withCode(u"unsupported_syntax").at(placeOf(m_text, begin())));
}

// The current token for a reader: as written, cut when it is long, on one line.
QString TokenStream::found() const
{
    if (atEnd())
        return QStringLiteral("the end of the text");
    constexpr qsizetype kMost = 40;
    QString shown = word().left(kMost).toString();
    for (QChar &c : shown) {
        if (!c.isPrint() && !c.isSurrogate())
            c = u' ';
    }
    if (word().size() > kMost)
        shown += QStringLiteral("…");
    return atString() ? shown : QString(u'\'' + shown + u'\'');
}

}  // namespace ivm::sql
