#include "plugins/executor_duckdb/translate/signature.h"

#include "plugins/executor_duckdb/translate/typing.h"
#include "plugins/executor_duckdb/translate/zone.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

constexpr QStringView kOneOf = u"one of ";
constexpr QStringView kExactly = u"exactly ";
constexpr QStringView kZone = u"zone";
constexpr QStringView kInUtc = u"utc";
constexpr int kMaxDigits = 38;

// A family of types: "timestamp(p) with time zone" without its numbers.
struct Family {
    TypeKind kind = TypeKind::Unknown;
    QList<QStringView> numbers;  // what stands in the parentheses
};

Family familyOf(QStringView text)
{
    const qsizetype open = text.indexOf(u'(');
    if (open < 0)
        return {parseType(text)->kind, {}};
    const qsizetype close = text.lastIndexOf(u')');
    const QString bare = text.left(open) + text.sliced(close + 1);
    return {parseType(bare)->kind, splitOutside(text.sliced(open + 1, close - open - 1), u',')};
}

bool isLetter(QStringView text) { return text.size() == 1 && text[0].isUpper(); }

bool inClass(QChar letter, const Type &type)
{
    switch (letter.unicode()) {
    case u'E': return true;
    case u'T': return isOrderable(type);
    case u'D': return isOrderable(type) && !type.isFloat();
    case u'F': return type.isFloat();
    case u'N': return isNumeric(type);
    case u'I': return type.isInteger();
    case u'M': return type.is(TypeKind::Date) || isTimestamp(type);
    default: return false;
    }
}

int integerDigits(const Type &type) { return commonSuperType(type, decimalType(1, 0))->precision; }

// The member of a family that a value of another type becomes.
std::optional<Type> adapted(const Type &type, TypeKind family)
{
    if (type.is(family))
        return type;
    const bool unknown = type.is(TypeKind::Unknown);
    switch (family) {
    case TypeKind::Decimal:
        if (type.isInteger())
            return decimalType(integerDigits(type), 0);
        return unknown ? std::optional(decimalType(1, 0)) : std::nullopt;
    case TypeKind::Varchar: return unknown ? std::optional(varcharType(0)) : std::nullopt;
    case TypeKind::Timestamp:
        return unknown || type.is(TypeKind::Date) ? std::optional(simpleType(family))
                                                  : std::nullopt;
    case TypeKind::TimestampWithTimeZone:
        if (unknown || type.is(TypeKind::Date) || type.is(TypeKind::Timestamp))
            return simpleType(family, type.precision);
        return std::nullopt;
    default: return unknown ? std::optional(simpleType(family)) : std::nullopt;
    }
}

// Matches one list of parameters to the operands.
class Matcher {
public:
    explicit Matcher(Coercion coercion) : m_coercion(coercion) {}

    std::optional<Match> run(const QList<QStringView> &parameters, const QList<Operand> &operands)
    {
        for (qsizetype i = 0; i < operands.size(); ++i) {
            if (!take(parameters[i], operands[i]))
                return std::nullopt;
        }
        for (qsizetype i = 0; i < operands.size(); ++i) {
            if (!isLetter(parameters[i]))
                continue;
            m_match.types[i] = m_match.bindings.types.value(parameters[i][0]);
            if (!inClass(parameters[i][0], m_match.types[i]))
                return std::nullopt;
        }
        return m_match;
    }

private:
    bool take(QStringView parameter, const Operand &operand)
    {
        if (isLetter(parameter))
            return takeLetter(parameter[0], operand.type);
        if (parameter.startsWith(kOneOf)) {
            m_match.types.append(operand.type);
            const auto words = parameter.sliced(kOneOf.size()).split(u' ');
            return operand.word && words.contains(operand.word->toLower());
        }
        if (parameter == kZone)
            return takeZone(operand);
        const bool exactly = parameter.startsWith(kExactly);
        const QStringView type = exactly ? parameter.sliced(kExactly.size()) : parameter;
        if (type.contains(u'('))
            return takeFamily(familyOf(type), operand.type, exactly);
        return takeType(*parseType(type), operand.type);
    }

    bool takeZone(const Operand &operand)
    {
        m_match.types.append(operand.type);
        const auto zone = operand.word ? zoneId(*operand.word) : std::nullopt;
        if (zone)
            m_match.bindings.zoned = inZone(simpleType(TypeKind::TimestampWithTimeZone), *zone);
        return zone.has_value();
    }

    void takeZoneOf(const Type &type)
    {
        if (type.is(TypeKind::TimestampWithTimeZone) && !m_match.bindings.zoned)
            m_match.bindings.zoned = type;
    }

    bool takeLetter(QChar letter, const Type &type)
    {
        takeZoneOf(type);
        m_match.types.append(type);
        auto &bound = m_match.bindings.types;
        if (!bound.contains(letter)) {
            bound[letter] = type;
            return true;
        }
        if (m_coercion == Coercion::None)
            return bound[letter] == type;
        const auto common = commonSuperType(bound[letter], type);
        if (common)
            bound[letter] = *common;
        return common.has_value();
    }

    bool takeType(const Type &wanted, const Type &type)
    {
        m_match.types.append(wanted);
        return m_coercion == Coercion::None ? type == wanted : canCoerce(type, wanted);
    }

    bool takeFamily(const Family &family, const Type &type, bool exactly)
    {
        const auto member = adapted(type, family.kind);
        const bool asItIs = exactly || m_coercion == Coercion::None;
        if (!member || (asItIs && *member != type))
            return false;
        m_match.types.append(*member);
        takeZoneOf(*member);
        const int numbers[] = {member->precision, member->scale};
        for (qsizetype i = 0; i < family.numbers.size(); ++i)
            m_match.bindings.numbers[family.numbers[i][0]] = numbers[i];
        return true;
    }

    Coercion m_coercion;
    Match m_match;
};

// Reads a formula from the left; the tables' own texts are well formed (a test reads them all).
class Formula {
public:
    Formula(QStringView text, const Bindings &bindings) : m_text(text), m_bindings(bindings) {}

    int sum()
    {
        int value = product();
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
    int product()
    {
        int value = factor();
        while (take(u'*'))
            value *= factor();
        return value;
    }

    int factor()
    {
        if (take(u'(')) {
            const int value = sum();
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

    int call(QStringView name)
    {
        const int a = sum();
        if (name == u"pow10") {
            take(u')');
            int power = 1;
            for (int i = 0; i < a; ++i)
                power *= 10;
            return power;
        }
        take(u',');
        const int b = sum();
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

// "bigint, varchar..." for three operands becomes bigint, varchar, varchar; empty when it does not
// fit.
std::optional<QList<QStringView>> parametersFor(QStringView text, qsizetype operands)
{
    QList<QStringView> parameters = splitOutside(text, u',');
    constexpr QStringView kMore = u"...";
    if (!parameters.isEmpty() && parameters.last().endsWith(kMore)) {
        parameters.last().chop(kMore.size());
        while (parameters.size() < operands)
            parameters.append(parameters.last());
    }
    if (parameters.size() != operands)
        return std::nullopt;
    return parameters;
}

}  // namespace

QList<QStringView> splitOutside(QStringView text, QChar separator)
{
    QList<QStringView> parts;
    int depth = 0;
    qsizetype start = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == u'(')
            ++depth;
        else if (text[i] == u')')
            --depth;
        else if (text[i] == separator && depth == 0) {
            parts.append(text.sliced(start, i - start).trimmed());
            start = i + 1;
        }
    }
    const QStringView last = text.sliced(start).trimmed();
    if (!last.isEmpty() || !parts.isEmpty())
        parts.append(last);
    return parts;
}

std::optional<Match> match(QStringView parameters, const QList<Operand> &operands,
                           Coercion coercion)
{
    const auto fitting = parametersFor(parameters, operands.size());
    if (!fitting)
        return std::nullopt;
    return Matcher(coercion).run(*fitting, operands);
}

std::optional<Type> resultType(QStringView result, const Bindings &bindings)
{
    if (isLetter(result))
        return bindings.types.value(result[0]);
    if (!result.contains(u'('))
        return *parseType(result);
    const Family family = familyOf(result);
    Type type = simpleType(family.kind, evaluate(family.numbers[0], bindings));
    if (type.is(TypeKind::TimestampWithTimeZone) && bindings.zoned)
        type.fields = bindings.zoned->fields;
    if (!type.is(TypeKind::Decimal))
        return type;
    type.scale = evaluate(family.numbers[1], bindings);
    const bool possible = type.precision >= 1 && type.precision <= kMaxDigits && type.scale >= 0 &&
                          type.scale <= type.precision;
    return possible ? std::optional(type) : std::nullopt;
}

int evaluate(QStringView formula, const Bindings &bindings)
{
    return Formula(formula, bindings).sum();
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
