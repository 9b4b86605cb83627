#include "plugins/executor_duckdb/translate/signature.h"

#include "plugins/executor_duckdb/translate/literal_text.h"
#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/pattern_text.h"
#include "plugins/executor_duckdb/translate/typing.h"
#include "plugins/executor_duckdb/translate/zone.h"

#include <algorithm>
#include <limits>

namespace ivm::duckdb {

namespace {

constexpr QStringView kOneOf = u"one of ";
constexpr QStringView kExactly = u"exactly ";
constexpr QStringView kZone = u"zone";
constexpr QStringView kConstant = u"constant ";
constexpr QStringView kArray = u"array(";
constexpr QStringView kMap = u"map(";
constexpr QStringView kRegex = u"regex";
constexpr QStringView kNonEmptyRegex = u"nonempty regex";
constexpr QStringView kExtractionRegex = u"extraction regex";
constexpr QStringView kSplittingRegex = u"splitting regex";
constexpr QStringView kGroup = u"group ";
constexpr QStringView kReplacement = u"replacement";
constexpr QStringView kMysqlFormat = u"mysql format";
constexpr QStringView kMysqlDate = u"mysql date";
constexpr QStringView kJavaFormat = u"java format";
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

constexpr QStringView kSharedPattern =
    u"a literal pattern without lookaround, back references, flags, word boundaries, possessive "
    u"quantifiers and repeated groups that can match nothing";

constexpr ParameterForm kForms[] = {
    {u"E", u"a value of any type"},
    {u"T", u"a value of a type that has an order"},
    {u"D", u"a value of a type that has an order, but real and double"},
    {u"K",
     u"a value of a type that has an order, or an array, map or row of such; keys of maps but "
     u"real and double"},
    {u"S", u"such an array, map or row"},
    {u"O", u"an array or row of values of types that have an order, but real and double"},
    {u"F", u"real or double"},
    {u"N", u"a number"},
    {u"I", u"tinyint to bigint"},
    {u"V", u"varchar"},
    {u"M", u"date or timestamp, with a time zone or without"},
    {kZone, u"a literal name of a time zone, or a distance from UTC as in '+05:30'"},
    {kRegex, kSharedPattern},
    {kExtractionRegex, u"such a pattern without $"},
    {kNonEmptyRegex, u"such a pattern without $ that does not match the empty text"},
    {kSplittingRegex, u"such a pattern without $ and ^ that does not match the empty text"},
    {u"group", u"a literal number of a group of the pattern that takes part in every match"},
    {kReplacement, u"a literal with $1 for groups that take part in every match, and no backslash"},
    {kMysqlFormat, u"a literal format of %a %b %c %d %e %f %H %h %I %i %j %k %l %M %m %p %r %S %s "
                   u"%T %W %Y %y %%"},
    {kMysqlDate,
     u"a literal format of %Y, and of %m %d %H %i %s %S %T %M %b %e %c %k at most once"},
    {kJavaFormat, u"a literal format of yyyy yy MMMM MMM MM M dd d HH H hh h mm m ss s SSS a EEE "
                  u"EEEE and what is no letter"},
    {u"constant", u"a literal whole number"},
};

bool isTextForm(QStringView parameter)
{
    return parameter == kRegex || parameter == kNonEmptyRegex || parameter == kExtractionRegex ||
           parameter == kSplittingRegex || parameter == kReplacement || parameter == kMysqlFormat ||
           parameter == kMysqlDate || parameter == kJavaFormat;
}

bool isNested(QStringView text) { return text.startsWith(kArray) || text.startsWith(kMap); }

// What stands in the parentheses of array(E), map(D,E).
QList<QStringView> insideOf(QStringView nested)
{
    const qsizetype open = nested.indexOf(u'(') + 1;
    return splitOutside(nested.sliced(open).chopped(1), u',');
}

bool isLetter(QStringView text) { return text.size() == 1 && text[0].isUpper(); }

bool inClass(QChar letter, const Type &type)
{
    switch (letter.unicode()) {
    case u'E': return true;
    case u'T': return isOrderable(type);
    case u'D': return isOrderable(type) && !type.isFloat();
    case u'K': return isEquatable(type);
    case u'O': return isNestedOrder(type);
    case u'S': return type.isNested() && isEquatable(type);
    case u'F': return type.isFloat();
    case u'N': return isNumeric(type);
    case u'I': return type.isInteger();
    case u'V': return isVarchar(type);
    case u'M': return type.is(TypeKind::Date) || isTimestamp(type);
    default: return false;
    }
}

// Of a varchar; unbounded is the greatest length there is.
constexpr int kUnbounded = std::numeric_limits<int>::max();

int lengthOf(const Type &type)
{
    return type.precision == 0 ? kUnbounded : std::max(0, type.precision);
}

Type ofLength(int length)
{
    return length == kUnbounded ? simpleType(TypeKind::Varchar) : varcharType(length);
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
            if (isLetter(parameters[i]) || isNested(parameters[i]))
                m_match.types[i] = *resultType(parameters[i], m_match.bindings);
        }
        const auto &types = m_match.bindings.types;
        for (auto bound = types.cbegin(); bound != types.cend(); ++bound) {
            if (!inClass(bound.key(), bound.value()))
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
        if (parameter.startsWith(kConstant))
            return takeConstant(parameter.sliced(kConstant.size())[0], operand);
        if (parameter.startsWith(kGroup)) {
            const qint64 group = operand.number.value_or(0);
            return group > 0 && m_pattern.groups.value(group - 1, false) &&
                   takeConstant(parameter.sliced(kGroup.size())[0], operand);
        }
        if (isTextForm(parameter))
            return takeText(parameter, operand);
        if (isNested(parameter))
            return takeNested(parameter, operand.type);
        const bool exactly = parameter.startsWith(kExactly);
        const QStringView type = exactly ? parameter.sliced(kExactly.size()) : parameter;
        if (type.contains(u'('))
            return takeFamily(familyOf(type), operand.type, exactly);
        if (exactly && *parseType(type) != operand.type)
            return false;
        return takeType(*parseType(type), operand.type);
    }

    bool takeConstant(QChar letter, const Operand &operand)
    {
        m_match.types.append(operand.type);
        constexpr qint64 kLargest = 1'000'000;
        if (!operand.number || std::abs(*operand.number) > kLargest)
            return false;
        m_match.bindings.numbers[letter] = int(*operand.number);
        return true;
    }

    bool takeText(QStringView form, const Operand &operand)
    {
        const auto text = operand.word ? textFor(form, *operand.word) : std::nullopt;
        const auto quoted = text ? stringText(*text) : std::nullopt;
        if (!quoted)
            return false;
        m_match.texts[m_match.types.size()] = *quoted;
        takeFamily(familyOf(u"varchar(r)"), operand.type, false);
        return true;
    }

    std::optional<QString> textFor(QStringView form, const QString &word)
    {
        if (form == kMysqlFormat)
            return mysqlFormat(word);
        if (form == kMysqlDate)
            return mysqlDate(word);
        if (form == kJavaFormat)
            return javaFormat(word);
        if (form == kReplacement)
            return replacementText(word, m_pattern);
        const auto pattern = readPattern(word);
        // $ takes a line feed with it, which only does not matter where the match is not looked at.
        const bool canBeEmpty = form == kRegex || form == kExtractionRegex;
        const bool fits = pattern && (canBeEmpty || !pattern->canBeEmpty) &&
                          (form == kRegex || !pattern->endsAnywhere) &&
                          (form != kSplittingRegex || !pattern->startsAnywhere);
        if (!fits)
            return std::nullopt;
        m_pattern = *pattern;
        return pattern->text;
    }

    // array(E) and map(D,E): the letters stand for the types of the parts.
    bool takeNested(QStringView parameter, const Type &type)
    {
        m_match.types.append(type);
        const auto letters = insideOf(parameter);
        const auto kind = parameter.startsWith(kArray) ? TypeKind::Array : TypeKind::Map;
        if (!type.is(kind))
            return false;
        for (qsizetype i = 0; i < letters.size(); ++i) {
            if (!bind(letters[i][0], type.fields[i].type))
                return false;
        }
        return true;
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
        return bind(letter, type);
    }

    bool bind(QChar letter, const Type &type)
    {
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
        const bool text = member->is(TypeKind::Varchar);
        const int numbers[] = {text ? lengthOf(*member) : member->precision, member->scale};
        for (qsizetype i = 0; i < family.numbers.size(); ++i)
            m_match.bindings.numbers[family.numbers[i][0]] = numbers[i];
        return true;
    }

    Coercion m_coercion;
    Match m_match;
    Pattern m_pattern;  // the last one
};

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
    if (isNested(result)) {
        Type nested{.kind = result.startsWith(kArray) ? TypeKind::Array : TypeKind::Map};
        for (const auto part : insideOf(result)) {
            const auto type = resultType(part, bindings);
            if (!type)
                return std::nullopt;
            nested.fields.append({{}, *type});
        }
        return nested;
    }
    const Family family = familyOf(result);
    if (family.kind == TypeKind::Varchar)
        return ofLength(evaluate(family.numbers[0], bindings));
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

std::span<const ParameterForm> parameterForms() { return kForms; }

}  // namespace ivm::duckdb
