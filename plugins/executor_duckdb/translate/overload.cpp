#include "plugins/executor_duckdb/translate/overload.h"

#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/translate.h"
#include "plugins/executor_duckdb/translate/typing.h"
#include "plugins/executor_duckdb/translate/zone.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

constexpr QStringView kFraction = u"0.1:";
constexpr QStringView kLocal = u"local";
constexpr QStringView kOrdered = u"ordered";
constexpr QStringView kSame = u"same";

struct Search {
    std::optional<Choice> choice;
    bool guarded = false;  // a row had the types, but its guard did not hold
};

Search chooseWith(std::span<const FunctionRow> rows, QStringView name,
                  const QList<Operand> &operands, Coercion coercion)
{
    Search search;
    for (const auto &row : rows) {
        if (row.name != name)
            continue;
        const auto fit = match(row.parameters, operands, coercion);
        if (!fit)
            continue;
        const auto result =
            holds(row.guard, fit->bindings) ? resultType(row.result, fit->bindings) : std::nullopt;
        if (result) {
            search.choice = Choice{&row, *fit, *result};
            return search;
        }
        search.guarded = true;
    }
    return search;
}

// Writes one row's text. Placeholders are those of function_table.h.
class Filler {
public:
    Filler(const Filling &filling, QString duckdbResult)
        : m_filling(filling), m_type(std::move(duckdbResult))
    {
    }

    QString run(QStringView sql)
    {
        QString text;
        qsizetype at = 0;
        while (at < sql.size()) {
            const qsizetype open = sql.indexOf(u'{', at);
            if (open < 0)
                break;
            const qsizetype close = sql.indexOf(u'}', open);
            text += sql.sliced(at, open - at);
            text += placeholder(sql.sliced(open + 1, close - open - 1));
            at = close + 1;
        }
        text += sql.sliced(at);
        return text;
    }

private:
    QString placeholder(QStringView name) const
    {
        if (name.startsWith(kFraction))
            return fraction(evaluate(name.sliced(kFraction.size()), m_filling.bindings));
        if (name.startsWith(kLocal))
            return local(name.sliced(kLocal.size()).toInt());
        if (name.startsWith(kOrdered)) {
            const int operand = name.sliced(kOrdered.size()).toInt();
            return orderedText(m_filling.types[operand], m_filling.operands[operand]);
        }
        if (name.startsWith(kSame)) {
            const int operand = name.sliced(kSame.size()).toInt();
            return canonicalText(m_filling.types[operand], m_filling.operands[operand]);
        }
        if (name == u"equal")
            return equalText(m_filling.types[0], m_filling.operands[0], m_filling.operands[1]);
        if (name == u"zone")
            return zoneArguments(zoneOf(*m_filling.bindings.zoned).value_or(QString()));
        if (name == u"zonename")
            return zoneOf(m_filling.types[0]).value_or(QString());
        if (name[0].isDigit())
            return m_filling.operands.value(name.toInt());
        if (name == u"T")
            return m_type;
        if (name == u"d")
            return m_filling.distinct;
        if (name == u"f" || name == u"filter")
            return m_filling.suffix;
        if (name == u"o")
            return m_filling.order;
        if (name == u"name")
            return typeText(m_filling.result);
        if (name == u"/1" || name == u"%1")
            return divisor(name[0] == u'%');
        if (name.startsWith(u'='))
            return QString::number(evaluate(name.sliced(1), m_filling.bindings));
        return list(name);
    }

    QString local(int operand) const
    {
        const QString &value = m_filling.operands[operand];
        const Type &type = m_filling.types[operand];
        if (!type.is(TypeKind::TimestampWithTimeZone))
            return QStringLiteral("CAST(%1 AS TIMESTAMP)").arg(value);
        return wallClock(value, zoneOf(type).value_or(QString()));
    }

    static QString fraction(int place)
    {
        return QStringLiteral("0.") + QString(place - 1, u'0') + u'1';
    }

    QString list(QStringView name) const
    {
        if (name == u"nulls")
            return each(u"# IS NULL", QStringLiteral(" OR "));
        if (name.startsWith(u"join:"))
            return joined(m_filling.operands, name.sliced(5).toString());
        if (name.startsWith(u"each:"))
            return each(name.sliced(5), QStringLiteral(", "));
        return m_filling.operands.join(QStringLiteral(", "));
    }

    // In groups of groups where there are many: DuckDB bounds how deep a chain of operators is.
    static QString joined(QStringList parts, const QString &separator)
    {
        constexpr qsizetype kGroup = 100;
        while (parts.size() > kGroup) {
            QStringList groups;
            for (qsizetype i = 0; i < parts.size(); i += kGroup)
                groups.append(u'(' + parts.mid(i, kGroup).join(separator) + u')');
            parts = groups;
        }
        return parts.join(separator);
    }

    QString each(QStringView form, const QString &separator) const
    {
        const QStringList pieces = form.toString().split(u'#');
        QStringList parts;
        for (const auto &operand : m_filling.operands)
            parts.append(pieces.join(operand));
        return parts.join(separator);
    }

    QString divisor(bool ofRemainder) const
    {
        const QString &by = m_filling.operands[1];
        if (m_filling.positive.value(1))
            return by;
        const QString zero =
            QStringLiteral("CASE WHEN %1 = 0 AND %2 IS NOT NULL THEN error('Division by zero') ")
                .arg(by, m_filling.operands[0]);
        const QString minusOne =
            ofRemainder ? QString(QStringLiteral("WHEN ") + by + QStringLiteral(" = -1 THEN 1 "))
                        : QString();
        return zero + minusOne + QStringLiteral("ELSE ") + by + QStringLiteral(" END");
    }

    const Filling &m_filling;
    QString m_type;
};

// The words of the signatures that do not speak for themselves.
QString notesOn(const QString &signatures)
{
    QString notes;
    for (const auto &form : parameterForms()) {
        const bool word = form.word.size() > 1 && form.word != u"constant";
        if (word && signatures.contains(QString(QStringLiteral(", ") + form.word)))
            notes += QStringLiteral("; ") + form.word + QStringLiteral(": ") + form.text;
    }
    return notes;
}

}  // namespace

std::optional<Choice> choose(std::span<const FunctionRow> rows, QStringView name,
                             const QList<Operand> &operands)
{
    const auto plain = chooseWith(rows, name, operands, Coercion::None);
    // What Trino does with these very types is not what it does with others.
    if (plain.choice || plain.guarded)
        return plain.choice;
    return chooseWith(rows, name, operands, Coercion::Allowed).choice;
}

QStringList namesOf(std::span<const FunctionRow> rows)
{
    QStringList names;
    for (const auto &row : rows)
        names.append(row.name.toString());
    names.removeDuplicates();
    names.sort();
    return names;
}

QString signatures(std::span<const FunctionRow> rows, QStringView name)
{
    QStringList texts;
    for (const auto &row : rows) {
        if (row.name == name)
            texts.append(row.name + u'(' + row.parameters + u')');
    }
    texts.removeDuplicates();
    const QString all = texts.join(QStringLiteral(", "));
    return all + notesOn(all);
}

std::optional<CastChoice> chooseCast(const Type &from, const Type &to)
{
    for (const auto &row : castTable()) {
        const auto source = match(row.from, {{from, {}}}, Coercion::None);
        const auto target = match(row.to, {{to, {}}}, Coercion::None);
        if (!source || !target)
            continue;
        Bindings bindings = source->bindings;
        bindings.numbers.insert(target->bindings.numbers);
        if (holds(row.guard, bindings))
            return CastChoice{&row, bindings};
    }
    return std::nullopt;
}

Result<QString> fill(QStringView sql, const Filling &filling)
{
    const bool needsZone = sql.contains(u"{zone") || sql.contains(u"{local");
    const bool mixed =
        std::any_of(filling.types.begin(), filling.types.end(), [](const Type &type) {
            return type.is(TypeKind::TimestampWithTimeZone) && !zoneOf(type);
        });
    if (needsZone && mixed) {
        return fail(unsupportedError(QStringLiteral("values of several time zones meet here: the "
                                                    "zone is not known before the query runs"))
                        .withCode(u"unknown_zone")
                        .withHint(u"Write (…) AT TIME ZONE 'UTC', or the zone that you mean"));
    }
    QString type;
    if (sql.contains(u"{T}")) {
        IVM_TRY(type, duckdbType(filling.result));
    }
    return Filler(filling, std::move(type)).run(sql);
}

}  // namespace ivm::duckdb
