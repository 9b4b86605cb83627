#include "framework/sql/lexer.h"
#include "tests/fuzz/golden_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

QString targetName() { return QStringLiteral("lexer"); }

int usualInputs() { return 100'000; }

QList<QByteArray> seeds() { return goldenLines(QStringLiteral("sql")); }

QList<QByteArray> words() { return sqlWords(); }

// Tokens follow one another within the text, and one End is the last; a refusal has its place.
QString complaint(const QByteArray &input)
{
    const QString text = QString::fromUtf8(input);
    const auto tokens = sql::tokenize(text);
    if (!tokens) {
        const Error &error = tokens.error();
        const bool placed = error.place.line >= 1 && error.place.column >= 1;
        return placed && error.kind == ErrorKind::Invalid ? QString() : error.text();
    }
    qsizetype end = 0;
    for (const auto &token : *tokens) {
        const bool isEnd = token.kind == sql::TokenKind::End;
        if (token.span.begin < end || token.span.end > text.size() ||
            (token.span.begin >= token.span.end && !isEnd))
            return QStringLiteral("the token at %1..%2 is out of order")
                .arg(token.span.begin)
                .arg(token.span.end);
        if (isEnd != (&token == &tokens->back()))
            return QStringLiteral("an End is in the wrong place");
        end = token.span.end;
    }
    return tokens->empty() ? QStringLiteral("there is no End") : QString();
}

}  // namespace ivm::fuzz
