// What the parser reads from: tokens with look-ahead, and the wording of "found x, expected y".
//
// Not thread-safe; lives no longer than the text it was given. There is always a token to look at:
// past the last one it is End.
#pragma once

#include "framework/sql/ast_type.h"
#include "framework/base/result.h"
#include "framework/sql/token.h"

#include <initializer_list>
#include <vector>

namespace ivm::sql {

class TokenStream {
public:
    TokenStream(QStringView text, std::vector<Token> tokens)
        : m_text(text), m_tokens(std::move(tokens))
    {
    }

    const Token &peek(qsizetype ahead = 0) const;
    QStringView word(qsizetype ahead = 0) const { return peek(ahead).span.of(m_text); }
    Token advance();

    // The token before this one, where it is a word; else empty.
    QStringView lastWord() const;
    bool atEnd() const { return peek().kind == TokenKind::End; }
    bool atWord(QStringView keyword, qsizetype ahead = 0) const;
    bool atWords(std::initializer_list<QStringView> keywords, qsizetype ahead = 0) const;
    bool atAnyWord(std::initializer_list<QStringView> keywords, qsizetype ahead = 0) const;
    bool atSymbol(QStringView symbol, qsizetype ahead = 0) const;
    bool atString(qsizetype ahead = 0) const;
    // A quoted name, or a word that is not reserved.
    bool atIdentifier(qsizetype ahead = 0) const;

    // Step over what is there, or do nothing.
    bool acceptWord(QStringView keyword);
    bool acceptWords(std::initializer_list<QStringView> keywords);
    bool acceptSymbol(QStringView symbol);

    Status expectWord(QStringView keyword);
    Status expectWords(std::initializer_list<QStringView> keywords);
    Status expectSymbol(QStringView symbol);
    // `what` names the wanted thing in the error: "a table name".
    Result<Identifier> expectIdentifier(QStringView what);

    // "found 'x', expected …" at the current token.
    std::unexpected<Error> unexpected(const QString &expected) const;
    std::unexpected<Error> failAt(qsizetype offset, const QString &message) const;

    // What Trino knows and this parser does not: Unsupported, code `unsupported_syntax`, at the
    // current token.
    std::unexpected<Error> failUnsupported(const QString &message) const;

    qsizetype begin() const { return peek().span.begin; }
    // From an offset to the end of the token that was last stepped over.
    Span spanFrom(qsizetype begin) const { return {begin, m_lastEnd}; }
    QStringView text() const { return m_text; }

private:
    QString found() const;

    QStringView m_text;
    std::vector<Token> m_tokens;
    qsizetype m_next = 0;
    qsizetype m_lastEnd = 0;
};

}  // namespace ivm::sql
