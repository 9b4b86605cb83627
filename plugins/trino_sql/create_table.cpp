#include "plugins/trino_sql/create_table.h"

namespace ivm::trino {

namespace {

struct Token {
    enum Kind { Word, Name, Text, Sign, End };

    Kind kind = End;
    QString text;  // unquoted; a sign is one character
    qsizetype start = 0;
    qsizetype end = 0;

    bool isSign(QChar sign) const { return kind == Sign && text == sign; }
    bool isWord(QStringView word) const
    {
        return kind == Word && word.compare(text, Qt::CaseInsensitive) == 0;
    }
};

// "…" or '…' from `at`, a doubled quote standing for one; ends at the end of an unclosed one.
Token quotedToken(QStringView text, qsizetype at)
{
    const QChar quote = text[at];
    Token token{.kind = quote == u'"' ? Token::Name : Token::Text, .text = {}, .start = at};
    for (++at; at < text.size(); ++at) {
        if (text[at] == quote) {
            if (at + 1 >= text.size() || text[at + 1] != quote)
                break;
            ++at;
        }
        token.text += text[at];
    }
    token.end = qMin(at + 1, text.size());
    return token;
}

QList<Token> tokensOf(QStringView text)
{
    QList<Token> tokens;
    qsizetype at = 0;
    while (at < text.size()) {
        if (text[at].isSpace()) {
            ++at;
            continue;
        }
        if (text[at] == u'"' || text[at] == u'\'') {
            tokens.append(quotedToken(text, at));
        } else {
            qsizetype end = at;
            while (end < text.size() && (text[end].isLetterOrNumber() || text[end] == u'_'))
                ++end;
            const auto kind = end > at ? Token::Word : Token::Sign;
            end = qMax(end, at + 1);
            tokens.append({kind, text.sliced(at, end - at).toString(), at, end});
        }
        at = tokens.last().end;
    }
    tokens.append({Token::End, {}, text.size(), text.size()});
    return tokens;
}

class Reader {
public:
    explicit Reader(QStringView text) : m_text(text), m_tokens(tokensOf(text)) {}

    Result<CreateTable> read()
    {
        if (!now().isWord(u"CREATE"))
            return fail(problem());
        while (!now().isSign(u'(')) {
            if (now().kind == Token::End)
                return fail(problem());
            ++m_at;
        }
        do {
            ++m_at;
            IVM_CHECK(readColumn());
        } while (now().isSign(u','));
        if (!now().isSign(u')'))
            return fail(problem());
        IVM_CHECK(readProperties());
        return m_table;
    }

private:
    const Token &now() const { return m_tokens[m_at]; }
    const Token &next() const { return m_tokens[qMin(m_at + 1, m_tokens.size() - 1)]; }

    Error problem() const
    {
        return corruptError(QStringLiteral("SHOW CREATE TABLE printed what cannot be read at '%1'")
                                .arg(m_text.sliced(now().start).left(60)));
    }

    bool endsType() const
    {
        return now().isWord(u"NOT") || now().isWord(u"COMMENT") || now().isWord(u"DEFAULT") ||
               (now().isWord(u"WITH") && !next().isWord(u"time"));
    }

    // Up to a comma or closing parenthesis of this level.
    template <typename Stop>
    Status skipUntil(Stop &&stop)
    {
        int depth = 0;
        while (depth > 0 || (!now().isSign(u',') && !now().isSign(u')') && !stop())) {
            if (now().kind == Token::End)
                return fail(problem());
            if (now().isSign(u'(') || now().isSign(u'['))
                ++depth;
            else if (now().isSign(u')') || now().isSign(u']'))
                --depth;
            ++m_at;
        }
        return {};
    }

    Status readColumn()
    {
        if (now().kind != Token::Name && now().kind != Token::Word)
            return fail(problem());
        Column column{.name = now().text, .type = {}};
        ++m_at;
        const qsizetype start = now().start;
        IVM_CHECK(skipUntil([this] { return endsType(); }));
        const QString typeText = m_text.sliced(start, now().start - start).trimmed().toString();
        const auto type = parseType(typeText);
        if (!type)
            return fail(
                unsupportedError(QStringLiteral("column %1 has type %2, which is not handled")
                                     .arg(column.name, typeText.left(80))));
        column.type = *type;
        if (now().isWord(u"NOT")) {
            column.nullable = false;
            m_at += 2;
        }
        if (now().isWord(u"COMMENT") && next().kind == Token::Text)
            column.comment = next().text;
        IVM_CHECK(skipUntil([] { return false; }));
        m_table.columns.append(column);
        return {};
    }

    Status readProperties()
    {
        ++m_at;
        while (now().kind != Token::End && !now().isWord(u"WITH")) {
            if (now().isWord(u"COMMENT") && next().kind == Token::Text)
                m_table.comment = next().text;
            ++m_at;
        }
        if (now().kind == Token::End)
            return {};
        ++m_at;
        do {
            ++m_at;
            const QString name = now().text;
            const qsizetype first = m_at + 1;
            IVM_CHECK(skipUntil([] { return false; }));
            IVM_CHECK(takeProperty(name, m_tokens.sliced(first, m_at - first)));
        } while (now().isSign(u','));
        return {};
    }

    Status takeProperty(const QString &name, const QList<Token> &value)
    {
        for (const auto &token : value) {
            if (token.kind != Token::Text)
                continue;
            if (name == u"sorted_by")
                m_table.sortedBy.append(token.text);
            if (name != u"partitioning")
                continue;
            IVM_TRY(const auto field, parsePartitionField(token.text));
            m_table.partitioning.append(field);
        }
        return {};
    }

    QStringView m_text;
    QList<Token> m_tokens;
    qsizetype m_at = 0;
    CreateTable m_table;
};

}  // namespace

Result<CreateTable> readCreateTable(QStringView text) { return Reader(text).read(); }

}  // namespace ivm::trino
