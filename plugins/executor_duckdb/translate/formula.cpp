#include "plugins/executor_duckdb/translate/formula.h"

#include "plugins/executor_duckdb/translate/zone.h"

#include <algorithm>
#include <limits>

namespace ivm::duckdb {

namespace {

constexpr QStringView kInUtc = u"utc";

// Reads a formula from the left; the tables' own texts are well formed (a test reads them all).
class Formula {
public:
    Formula(QStringView text, const Bindings &bindings) : m_text(text), m_bindings(bindings) {}

    qint64 sum()
    {
        qint64 value = product();
        while (true) {
            if (take(u'+'))
                value += product();
            else if (take(u'-'))
                value -= product();
            else
                return value;
        }
    }

private:
    qint64 product()
    {
        qint64 value = factor();
        while (true) {
            if (take(u'*'))
                value *= factor();
            else if (take(u'/'))
                value /= factor();
            else
                return value;
        }
    }

    qint64 factor()
    {
        if (take(u'(')) {
            const qint64 value = sum();
            take(u')');
            return value;
        }
        const QStringView word = takeWord();
        if (take(u'('))
            return call(word);
        if (word[0].isDigit())
            return word.toInt();
        return m_bindings.numbers.value(word[0]);
    }

    qint64 call(QStringView name)
    {
        const qint64 a = sum();
        if (name == u"pow10") {
            take(u')');
            qint64 power = 1;
            for (qint64 i = 0; i < a; ++i)
                power *= 10;
            return power;
        }
        take(u',');
        const qint64 b = sum();
        take(u')');
        return name == u"min" ? std::min(a, b) : std::max(a, b);
    }

    bool take(QChar c)
    {
        while (m_at < m_text.size() && m_text[m_at] == u' ')
            ++m_at;
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    QStringView takeWord()
    {
        take(u' ');
        const qsizetype start = m_at;
        while (m_at < m_text.size() && m_text[m_at].isLetterOrNumber())
            ++m_at;
        return m_text.sliced(start, m_at - start);
    }

    QStringView m_text;
    const Bindings &m_bindings;
    qsizetype m_at = 0;
};

bool comparisonHolds(QStringView text, const Bindings &bindings)
{
    if (text == kInUtc)
        return !bindings.zoned || isUtc(*bindings.zoned);
    for (const QStringView op : {u"<=", u">=", u"<", u">"}) {
        const qsizetype at = text.indexOf(op);
        if (at < 0)
            continue;
        const int left = evaluate(text.left(at), bindings);
        const int right = evaluate(text.sliced(at + op.size()), bindings);
        if (op == u"<=")
            return left <= right;
        if (op == u">=")
            return left >= right;
        return op == u"<" ? left < right : left > right;
    }
    return false;
}

}  // namespace

int evaluate(QStringView formula, const Bindings &bindings)
{
    constexpr qint64 kLargest = std::numeric_limits<int>::max();
    return int(std::min(kLargest, Formula(formula, bindings).sum()));
}

bool holds(QStringView guard, const Bindings &bindings)
{
    if (guard.isEmpty())
        return true;
    const auto parts = guard.toString().split(QStringLiteral(" and "));
    return std::all_of(parts.begin(), parts.end(),
                       [&](const QString &part) { return comparisonHolds(part, bindings); });
}

}  // namespace ivm::duckdb
