#include "plugins/executor_duckdb/translate/pattern_text.h"

#include <QHash>

namespace ivm::duckdb {

namespace {

constexpr QStringView kSpecial = u"\\^$.|?*+()[]{}";
constexpr int kMostRepeats = 1000;

bool isAscii(QChar c) { return c >= u' ' && c < QChar(0x7f); }
bool isDigit(QChar c) { return c >= u'0' && c <= u'9'; }
bool isPunctuation(QChar c) { return isAscii(c) && !c.isLetterOrNumber() && c != u' '; }

// What a part of a pattern can match.
struct Part {
    bool canBeEmpty = false;
};

// Reads a pattern by descent and writes RE2's spelling as it goes.
class PatternReader {
public:
    explicit PatternReader(const QString &pattern) : m_pattern(pattern) {}

    std::optional<Pattern> run()
    {
        const auto whole = alternatives();
        if (!whole || m_at < m_pattern.size() || !m_pattern.isValidUtf16())
            return std::nullopt;
        m_result.canBeEmpty = whole->canBeEmpty;
        return m_result;
    }

private:
    bool atEnd() const { return m_at >= m_pattern.size(); }
    bool sees(QStringView text) const
    {
        return QStringView(m_pattern).sliced(m_at).startsWith(text);
    }
    QChar next() { return m_pattern[m_at++]; }
    void write(QStringView text) { m_result.text += text; }

    // a|b|c: none of the groups inside is always passed through.
    std::optional<Part> alternatives()
    {
        const qsizetype firstGroup = m_result.groups.size();
        Part whole{.canBeEmpty = false};
        for (int count = 1;; ++count) {
            const auto one = sequence();
            if (!one)
                return std::nullopt;
            whole.canBeEmpty = whole.canBeEmpty || one->canBeEmpty;
            if (count > 1)
                forgetGroups(firstGroup);
            if (!sees(u"|"))
                return whole;
            write(QString(next()));
        }
    }

    void forgetGroups(qsizetype first)
    {
        for (qsizetype i = first; i < m_result.groups.size(); ++i)
            m_result.groups[i] = false;
    }

    std::optional<Part> sequence()
    {
        Part whole{.canBeEmpty = true};
        while (!atEnd() && !sees(u"|") && !sees(u")")) {
            const qsizetype firstGroup = m_result.groups.size();
            m_isGroup = false;
            m_isAssertion = false;
            const auto one = atom();
            if (!one)
                return std::nullopt;
            const auto part = repeated(*one, firstGroup);
            if (!part)
                return std::nullopt;
            whole.canBeEmpty = whole.canBeEmpty && part->canBeEmpty;
        }
        return whole;
    }

    std::optional<Part> repeated(Part part, qsizetype firstGroup)
    {
        const bool isGroup = m_isGroup;
        const bool isAssertion = m_isAssertion;
        int least = 1;
        if (!quantifier(least))
            return m_failed ? std::nullopt : std::optional(part);
        if (isAssertion || (isGroup && part.canBeEmpty))
            return std::nullopt;
        if (least == 0)
            forgetGroups(firstGroup);
        // A lazy one is shared; a possessive one, or a second one behind it, is not.
        if (sees(u"?"))
            write(QString(next()));
        if (sees(u"?") || sees(u"*") || sees(u"+") || sees(u"{"))
            return std::nullopt;
        return Part{.canBeEmpty = part.canBeEmpty || least == 0};
    }

    bool quantifier(int &least)
    {
        if (sees(u"{"))
            return counted(least);
        if (!sees(u"*") && !sees(u"+") && !sees(u"?"))
            return false;
        const QChar sign = next();
        least = sign == u'+' ? 1 : 0;
        write(QString(sign));
        return true;
    }

    // {2} {2,} {2,5}
    bool counted(int &least)
    {
        const qsizetype close = m_pattern.indexOf(u'}', m_at);
        const QString inside = close < 0 ? QString() : m_pattern.mid(m_at + 1, close - m_at - 1);
        const QStringList bounds = inside.split(u',');
        bool formed = close > 0 && bounds.size() <= 2;
        for (qsizetype i = 0; formed && i < bounds.size(); ++i) {
            const bool open = i == 1 && bounds[i].isEmpty();
            formed = open || (!bounds[i].isEmpty() &&
                              std::all_of(bounds[i].begin(), bounds[i].end(), isDigit) &&
                              bounds[i].size() <= 4 && bounds[i].toInt() <= kMostRepeats);
        }
        if (!formed) {
            m_failed = true;
            return false;
        }
        least = bounds[0].toInt();
        write(QString(u'{' + inside + u'}'));
        m_at = close + 1;
        return true;
    }

    std::optional<Part> atom()
    {
        const QChar c = next();
        if (c == u'(')
            return group();
        if (c == u'[')
            return characterClass();
        if (c == u'\\')
            return escape();
        if (c == u'^' || c == u'$')
            return assertion(c);
        if (c == u'.') {
            write(u".");
            return Part{};
        }
        if (kSpecial.contains(c))
            return std::nullopt;
        return literal(c);
    }

    std::optional<Part> literal(QChar c)
    {
        QString text(c);
        if (c.isHighSurrogate() && !atEnd())
            text += next();
        write(text);
        return Part{};
    }

    // $ also stands before a last line feed. It has to end its branch.
    std::optional<Part> assertion(QChar c)
    {
        m_isAssertion = true;
        if (c == u'^') {
            m_result.startsAnywhere = true;
            write(u"^");
            return Part{.canBeEmpty = true};
        }
        if (!atEnd() && !sees(u"|") && !sees(u")"))
            return std::nullopt;
        m_result.endsAnywhere = true;
        write(u"\\n?\\z");
        return Part{.canBeEmpty = true};
    }

    std::optional<Part> group()
    {
        const bool captures = !sees(u"?");
        if (!captures && !sees(u"?:"))
            return std::nullopt;
        write(captures ? QStringView(u"(") : QStringView(u"(?:"));
        m_at += captures ? 0 : 2;
        if (captures)
            m_result.groups.append(true);
        const auto inside = alternatives();
        if (!inside || !sees(u")"))
            return std::nullopt;
        write(QString(next()));
        m_isGroup = true;
        m_isAssertion = false;
        return inside;
    }

    std::optional<Part> escape()
    {
        if (atEnd())
            return std::nullopt;
        const QChar c = next();
        if (c == u's')
            write(u"[\\s\\x0b]");
        else if (c == u'S')
            write(u"[^\\s\\x0b]");
        else if (QStringView(u"dDwWntrf").contains(c) || isPunctuation(c))
            write(QString(QStringLiteral("\\") + c));
        else
            return std::nullopt;
        return Part{};
    }

    // [a-z0-9_] and [^…], with ranges of ASCII characters.
    std::optional<Part> characterClass()
    {
        write(u"[");
        if (sees(u"^"))
            write(QString(next()));
        bool empty = true;
        while (!atEnd() && !sees(u"]")) {
            if (sees(u"[") || sees(u"&") || !classItem())
                return std::nullopt;
            empty = false;
        }
        if (atEnd() || empty)
            return std::nullopt;
        write(QString(next()));
        return Part{};
    }

    bool classItem()
    {
        QChar c = next();
        if (c == u'\\') {
            if (atEnd())
                return false;
            c = next();
            if (c == u's') {
                write(u"\\s\\x0b");
                return true;
            }
            if (!QStringView(u"dwntrf").contains(c) && !isPunctuation(c))
                return false;
            write(QString(QStringLiteral("\\") + c));
            return !sees(u"-") || sees(u"-]");
        }
        if (c == u'-' && m_result.text.back() != u'[' && !sees(u"]"))
            return false;
        literal(c);
        if (!sees(u"-") || sees(u"-]"))
            return true;
        m_at += 1;
        if (atEnd() || !isAscii(c) || !isAscii(m_pattern[m_at]))
            return false;
        const QChar last = next();
        if (last < c || !last.isLetterOrNumber() || !c.isLetterOrNumber())
            return false;
        write(QString(QStringLiteral("-") + last));
        return true;
    }

    const QString &m_pattern;
    qsizetype m_at = 0;
    Pattern m_result;
    bool m_failed = false;
    bool m_isGroup = false;
    bool m_isAssertion = false;
};

}  // namespace

std::optional<Pattern> readPattern(const QString &pattern) { return PatternReader(pattern).run(); }

std::optional<QString> replacementText(const QString &replacement, const Pattern &pattern)
{
    QString text;
    for (qsizetype i = 0; i < replacement.size(); ++i) {
        const QChar c = replacement[i];
        if (c == u'\\')
            return std::nullopt;
        if (c != u'$') {
            text += c;
            continue;
        }
        ++i;
        const bool single = i < replacement.size() && isDigit(replacement[i]) &&
                            (i + 1 == replacement.size() || !isDigit(replacement[i + 1]));
        const int group = single ? replacement[i].digitValue() : -1;
        if (!single || (group > 0 && !pattern.groups.value(group - 1, false)))
            return std::nullopt;
        text += QStringLiteral("\\") + replacement[i];
    }
    return text;
}

std::optional<QString> mysqlFormat(const QString &format)
{
    static const QHash<QChar, QString> fields{
        {u'a', QStringLiteral("%a")},          {u'b', QStringLiteral("%b")},
        {u'c', QStringLiteral("%-m")},         {u'd', QStringLiteral("%d")},
        {u'e', QStringLiteral("%-d")},         {u'f', QStringLiteral("%f")},
        {u'H', QStringLiteral("%H")},          {u'h', QStringLiteral("%I")},
        {u'I', QStringLiteral("%I")},          {u'i', QStringLiteral("%M")},
        {u'j', QStringLiteral("%j")},          {u'k', QStringLiteral("%-H")},
        {u'l', QStringLiteral("%-I")},         {u'M', QStringLiteral("%B")},
        {u'm', QStringLiteral("%m")},          {u'p', QStringLiteral("%p")},
        {u'r', QStringLiteral("%I:%M:%S %p")}, {u'S', QStringLiteral("%S")},
        {u's', QStringLiteral("%S")},          {u'T', QStringLiteral("%H:%M:%S")},
        {u'W', QStringLiteral("%A")},          {u'Y', QStringLiteral("%Y")},
        {u'y', QStringLiteral("%y")},          {u'%', QStringLiteral("%%")}};
    QString text;
    for (qsizetype i = 0; i < format.size(); ++i) {
        if (format[i] != u'%') {
            text += format[i];
            continue;
        }
        ++i;
        if (i >= format.size() || !fields.contains(format[i]))
            return std::nullopt;
        text += fields[format[i]];
    }
    return text;
}

std::optional<QString> mysqlDate(const QString &format)
{
    constexpr QStringView kFields = u"YmdHisSTMbeck";
    QString seen;
    for (qsizetype i = 0; i + 1 < format.size(); ++i) {
        if (format[i] != u'%')
            continue;
        const QChar field = format[++i];
        if (!kFields.contains(field) || seen.contains(field))
            return std::nullopt;
        seen += field;
    }
    return seen.contains(u'Y') ? mysqlFormat(format) : std::nullopt;
}

std::optional<QString> javaFormat(const QString &format)
{
    static const QHash<QString, QString> fields{{QStringLiteral("yyyy"), QStringLiteral("%Y")},
                                                {QStringLiteral("yy"), QStringLiteral("%y")},
                                                {QStringLiteral("MMMM"), QStringLiteral("%B")},
                                                {QStringLiteral("MMM"), QStringLiteral("%b")},
                                                {QStringLiteral("MM"), QStringLiteral("%m")},
                                                {QStringLiteral("M"), QStringLiteral("%-m")},
                                                {QStringLiteral("dd"), QStringLiteral("%d")},
                                                {QStringLiteral("d"), QStringLiteral("%-d")},
                                                {QStringLiteral("HH"), QStringLiteral("%H")},
                                                {QStringLiteral("H"), QStringLiteral("%-H")},
                                                {QStringLiteral("hh"), QStringLiteral("%I")},
                                                {QStringLiteral("h"), QStringLiteral("%-I")},
                                                {QStringLiteral("mm"), QStringLiteral("%M")},
                                                {QStringLiteral("m"), QStringLiteral("%-M")},
                                                {QStringLiteral("ss"), QStringLiteral("%S")},
                                                {QStringLiteral("s"), QStringLiteral("%-S")},
                                                {QStringLiteral("SSS"), QStringLiteral("%g")},
                                                {QStringLiteral("a"), QStringLiteral("%p")},
                                                {QStringLiteral("EEE"), QStringLiteral("%a")},
                                                {QStringLiteral("EEEE"), QStringLiteral("%A")}};
    QString text;
    for (qsizetype i = 0; i < format.size();) {
        const QChar c = format[i];
        qsizetype end = i + 1;
        while (end < format.size() && format[end] == c)
            ++end;
        if (c.isLetter() && !fields.contains(format.mid(i, end - i)))
            return std::nullopt;
        if (c == u'\'' || c == u'%')
            return std::nullopt;
        text += c.isLetter() ? fields[format.mid(i, end - i)] : format.mid(i, end - i);
        i = end;
    }
    return text;
}

}  // namespace ivm::duckdb
