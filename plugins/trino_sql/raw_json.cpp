#include "plugins/trino_sql/raw_json.h"

namespace ivm::trino {

namespace {

// The statistics of a statement with many stages nest deepest, two levels a stage.
constexpr int kMaxDepth = 1000;

// A recursive-descent reader; every method leaves the position behind what it took. RFC 8259.
class Reader {
public:
    Reader(QByteArrayView bytes, QStringView what) : m_bytes(bytes), m_what(what) {}

    Result<JsonNode> readWhole()
    {
        IVM_TRY(JsonNode node, readValue(0));
        skipSpace();
        if (m_at != m_bytes.size())
            return fail(problem(u"the end"));
        return node;
    }

private:
    Error problem(QStringView wanted) const
    {
        return corruptError(QStringLiteral("%1 is not JSON: expected %2 at byte %3")
                                .arg(m_what, wanted, QString::number(m_at)));
    }

    char peek() const { return m_at < m_bytes.size() ? m_bytes[m_at] : '\0'; }

    void skipSpace()
    {
        while (m_at < m_bytes.size()) {
            const char c = m_bytes[m_at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
                return;
            ++m_at;
        }
    }

    bool take(char c)
    {
        skipSpace();
        if (m_at >= m_bytes.size() || m_bytes[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    bool takeWord(QByteArrayView word)
    {
        if (!m_bytes.sliced(m_at).startsWith(word))
            return false;
        m_at += word.size();
        return true;
    }

    Result<JsonNode> readValue(int depth)
    {
        if (depth > kMaxDepth)
            return fail(problem(u"less nesting"));
        skipSpace();
        switch (peek()) {
        case '{': return readObject(depth);
        case '[': return readArray(depth);
        case '"': {
            IVM_TRY(QString text, readString());
            return JsonNode{std::move(text)};
        }
        case 't':
            if (takeWord("true"))
                return JsonNode{true};
            break;
        case 'f':
            if (takeWord("false"))
                return JsonNode{false};
            break;
        case 'n':
            if (takeWord("null"))
                return JsonNode{};
            break;
        default: return readNumber();
        }
        return fail(problem(u"a value"));
    }

    Result<JsonNode> readObject(int depth)
    {
        ++m_at;
        JsonMembers members;
        if (take('}'))
            return JsonNode{std::move(members)};
        do {
            skipSpace();
            IVM_TRY(QString name, readString());
            if (!take(':'))
                return fail(problem(u"':'"));
            IVM_TRY(JsonNode value, readValue(depth + 1));
            members.emplace_back(std::move(name), std::move(value));
        } while (take(','));
        if (!take('}'))
            return fail(problem(u"',' or '}'"));
        return JsonNode{std::move(members)};
    }

    Result<JsonNode> readArray(int depth)
    {
        ++m_at;
        JsonItems items;
        if (take(']'))
            return JsonNode{std::move(items)};
        do {
            IVM_TRY(JsonNode value, readValue(depth + 1));
            items.push_back(std::move(value));
        } while (take(','));
        if (!take(']'))
            return fail(problem(u"',' or ']'"));
        return JsonNode{std::move(items)};
    }

    bool takeDigits()
    {
        const qsizetype start = m_at;
        while (peek() >= '0' && peek() <= '9')
            ++m_at;
        return m_at > start;
    }

    Result<JsonNode> readNumber()
    {
        const qsizetype start = m_at;
        if (peek() == '-')
            ++m_at;
        bool good = takeDigits();
        if (good && peek() == '.') {
            ++m_at;
            good = takeDigits();
        }
        if (good && (peek() == 'e' || peek() == 'E')) {
            ++m_at;
            if (peek() == '+' || peek() == '-')
                ++m_at;
            good = takeDigits();
        }
        if (!good)
            return fail(problem(u"a value"));
        return JsonNode{m_bytes.sliced(start, m_at - start)};
    }

    Result<QString> readString()
    {
        if (peek() != '"' || m_at >= m_bytes.size())
            return fail(problem(u"a string"));
        ++m_at;
        QString text;
        qsizetype start = m_at;
        while (m_at < m_bytes.size()) {
            const char c = m_bytes[m_at];
            if (c != '"' && c != '\\') {
                ++m_at;
                continue;
            }
            text += QString::fromUtf8(m_bytes.sliced(start, m_at - start));
            ++m_at;
            if (c == '"')
                return text;
            IVM_CHECK(readEscape(text));
            start = m_at;
        }
        return fail(problem(u"'\"'"));
    }

    Status readEscape(QString &text)
    {
        const char c = peek();
        ++m_at;
        switch (c) {
        case '"':
        case '\\':
        case '/': text += QLatin1Char(c); return {};
        case 'b': text += u'\b'; return {};
        case 'f': text += u'\f'; return {};
        case 'n': text += u'\n'; return {};
        case 'r': text += u'\r'; return {};
        case 't': text += u'\t'; return {};
        case 'u': break;
        default: return fail(problem(u"an escape"));
        }
        if (m_bytes.size() - m_at < 4)
            return fail(problem(u"four hexadecimal digits"));
        bool ok = false;
        const auto unit = m_bytes.sliced(m_at, 4).toUShort(&ok, 16);
        if (!ok)
            return fail(problem(u"four hexadecimal digits"));
        text += QChar(unit);
        m_at += 4;
        return {};
    }

    QByteArrayView m_bytes;
    QStringView m_what;
    qsizetype m_at = 0;
};

}  // namespace

const JsonNode *JsonNode::member(QStringView name) const
{
    const auto *all = members();
    if (!all)
        return nullptr;
    for (auto it = all->rbegin(); it != all->rend(); ++it) {
        if (it->first == name)
            return &it->second;
    }
    return nullptr;
}

QString JsonNode::memberText(QStringView name) const
{
    const auto *node = member(name);
    const auto *value = node ? node->text() : nullptr;
    return value ? *value : QString();
}

std::optional<qint64> JsonNode::memberInteger(QStringView name) const
{
    const auto *node = member(name);
    const auto *value = node ? node->number() : nullptr;
    if (!value)
        return {};
    bool ok = false;
    const qint64 whole = value->toLongLong(&ok);
    return ok ? std::optional(whole) : std::nullopt;
}

Result<JsonNode> parseRawJson(QByteArrayView bytes, QStringView what)
{
    return Reader(bytes, what).readWhole();
}

}  // namespace ivm::trino
