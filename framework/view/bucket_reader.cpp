#include "framework/view/bucket_reader.h"

#include "framework/view/bucket_syntax.h"
#include "framework/view/unix_time.h"
#include "framework/view/zone.h"

#include <algorithm>

namespace ivm {

namespace {

using Domain = Following::Domain;

struct ClockPart {
    QStringView name;
    ValueInterval bounds;
    std::optional<BucketUnit> unit;
};
const ClockPart kClockParts[] = {
    {u"millisecond", {0, 999}, BucketUnit::Millisecond},
    {u"second", {0, 59}, BucketUnit::Second},
    {u"minute", {0, 59}, BucketUnit::Minute},
    {u"hour", {0, 23}, BucketUnit::Hour},
    {u"day", {1, 31}, {}},
    {u"day_of_month", {1, 31}, {}},
    {u"day_of_week", {1, 7}, {}},
    {u"dow", {1, 7}, {}},
    {u"day_of_year", {1, 366}, {}},
    {u"doy", {1, 366}, {}},
    {u"week", {1, 53}, {}},
    {u"week_of_year", {1, 53}, {}},
    {u"month", {1, 12}, {}},
    {u"quarter", {1, 4}, {}},
    {u"year", {}, {}},
    {u"year_of_week", {}, {}},
    {u"yow", {}, {}},
};

class Reader {
public:
    explicit Reader(const RelationNames &names) : m_names(names) {}

    const QString &column() const { return m_column; }
    sql::Span columnSpan() const { return m_columnSpan; }

    MaybeValue read(const sql::ExprPtr &expr)
    {
        if (const auto name = m_names.column(expr))
            return readColumn(*name, expr->span);
        return std::visit([this](const auto &node) { return readNode(node); }, expr->node);
    }

private:
    // A key that is made of two columns follows none.
    MaybeValue readColumn(const QString &name, sql::Span span)
    {
        if (!m_column.isEmpty() && m_column != name)
            return {};
        m_column = name;
        m_columnSpan = span;
        Following column;
        column.words = name;
        return column;
    }

    std::optional<Following> following(const sql::ExprPtr &expr, Domain domain)
    {
        const auto value = read(expr);
        const auto *found = value ? std::get_if<Following>(&*value) : nullptr;
        return found ? found->as(domain) : std::nullopt;
    }
    std::optional<Following> time(const sql::ExprPtr &expr)
    {
        return following(expr, Domain::Time);
    }

    template <typename Node>
    MaybeValue readNode(const Node &)
    {
        return {};
    }
    MaybeValue readNode(const sql::IntegerLiteral &literal)
    {
        return Amount{{literal.value, literal.value}, {}};
    }
    MaybeValue readNode(const sql::IntervalLiteral &literal)
    {
        bool ok = false;
        const qint64 count = literal.value.toInt(&ok);
        if (!ok || literal.to)
            return {};
        return Duration{unitLength(unitOf(literal.from), literal.negative ? -count : count),
                        Amount{{1, 1}, {}}};
    }
    MaybeValue readNode(const sql::Unary &unary)
    {
        const auto value = read(unary.value);
        return !value || unary.sign == sql::Sign::Plus ? value : negated(*value);
    }
    MaybeValue readNode(const sql::Extract &extract)
    {
        return readPart(extract.field.value.toLower(), extract.value);
    }
    MaybeValue readNode(const sql::AtTimeZone &shown)
    {
        const auto zone = stringOf(shown.zone);
        return zone ? inZone(shown.value, *zone) : std::nullopt;
    }

    MaybeValue readNode(const sql::Arithmetic &arithmetic)
    {
        const auto product = floorProduct(arithmetic);
        auto value = product ? floorOfQuotient(*product) : read(arithmetic.first);
        for (size_t i = product ? 1 : 0; value && i < arithmetic.rest.size(); ++i) {
            const auto operand = read(arithmetic.rest[i].operand);
            value = operand ? applied(arithmetic.rest[i].op, *value, *operand) : std::nullopt;
            if (value && isTooLong(*value))
                return {};
        }
        return value;
    }

    // A sum of thousands of terms is no bucket that anybody wrote.
    static bool isTooLong(const BucketValue &value)
    {
        const auto *following = std::get_if<Following>(&value);
        return following && following->steps.size() > 40;
    }

    MaybeValue floorOfQuotient(const FloorProduct &product)
    {
        const auto &[quotient, factor] = product;
        const auto value = read(quotient.value);
        const auto by = wholeNumber(quotient.by);
        if (!value || !by)
            return {};
        const auto *seconds = std::get_if<Following>(&*value);
        if (seconds && seconds->domain == Domain::Seconds) {
            if (factor != *by || *by > 1'000'000'000)
                return {};
            return flooredSeconds(*seconds, *by);
        }
        // Of whole numbers the quotient is one already; of others it is not, and not followed.
        if (!sql::as<sql::IntegerLiteral>(quotient.by))
            return {};
        const auto whole = divided(*value, Amount{{*by, *by}, {}});
        return whole ? times(*whole, Amount{{factor, factor}, {}}) : std::nullopt;
    }

    static MaybeValue applied(sql::ArithmeticOp op, const BucketValue &left,
                              const BucketValue &right)
    {
        switch (op) {
        case sql::ArithmeticOp::Add: return plus(left, right);
        case sql::ArithmeticOp::Subtract: return minus(left, right);
        case sql::ArithmeticOp::Multiply: return times(left, right);
        case sql::ArithmeticOp::Divide: return divided(left, right);
        case sql::ArithmeticOp::Modulo: return modulo(left, right);
        }
        Q_UNREACHABLE();
    }

    MaybeValue readNode(const sql::Cast &cast)
    {
        if (cast.safe)
            return {};
        if (const auto *dateTime = std::get_if<sql::DateTimeType>(&cast.type->node))
            return readTimestampCast(cast.value, *dateTime);
        const auto *generic = std::get_if<sql::GenericType>(&cast.type->node);
        if (!generic || !generic->parameters.empty())
            return {};
        if (sql::sameName(generic->name.value, u"date"))
            return dateOf(cast.value);
        for (const QStringView name : {u"bigint", u"integer", u"int"}) {
            if (sql::sameName(generic->name.value, name))
                return readIntegerCast(cast.value);
        }
        return {};
    }

    MaybeValue readIntegerCast(const sql::ExprPtr &expr)
    {
        auto value = read(expr);
        const auto *found = value ? std::get_if<Following>(&*value) : nullptr;
        if (!found || found->domain != Domain::Seconds)
            return found && found->domain == Domain::Time ? std::nullopt : value;
        return roundedSeconds(*found);
    }

    MaybeValue readTimestampCast(const sql::ExprPtr &expr, const sql::DateTimeType &type)
    {
        const auto *precision = type.precision ? std::get_if<qint64>(&*type.precision) : nullptr;
        if (type.base != sql::DateTimeType::Base::Timestamp || (type.precision && !precision))
            return {};
        auto value = time(expr);
        if (!value)
            return {};
        if (!type.withTimeZone)
            value = toLocal(*value);
        const int digits = int(std::clamp(precision ? *precision : 3, qint64(0), qint64(6)));
        if (digits == 6)
            return *value;
        Micros rounding = kMicrosPerSecond;
        for (int i = 0; i < digits; ++i)
            rounding /= 10;
        Following rounded = value->with(Shift{-rounding, rounding, value->zone}, value->words);
        rounded.digits = std::min(rounded.digits, digits);
        return rounded;
    }

    static Following toLocal(const Following &time)
    {
        if (isUtc(time.zone))
            return time;
        Following local = time.with(ToLocal{time.zone}, time.words);
        local.zone.clear();
        return local;
    }

    MaybeValue dateOf(const sql::ExprPtr &expr)
    {
        const auto value = time(expr);
        if (!value)
            return {};
        return floorTo(BucketUnit::Day, toLocal(*value));
    }

    MaybeValue inZone(const sql::ExprPtr &expr, const QString &zone)
    {
        auto value = time(expr);
        if (!value)
            return {};
        value->zone = isUtc(zone) ? QString() : zone;
        value->floorOf.reset();
        value->startsUnit.reset();
        if (!isUtc(zone))
            value->words += QStringLiteral(" in ") + zone;
        return *value;
    }

    MaybeValue readNode(const sql::FunctionCall &call)
    {
        const auto &arguments = call.arguments;
        if (isPlain(call, u"date_trunc", 2))
            return dateTrunc(arguments[0], arguments[1]);
        if (isPlain(call, u"date", 1))
            return dateOf(arguments[0]);
        if (isPlain(call, u"date_add", 3))
            return dateAdd(arguments[0], arguments[1], arguments[2]);
        if (isPlain(call, u"date_diff", 3))
            return dateDiff(arguments[1], arguments[2]);
        if (isPlain(call, u"at_timezone", 2)) {
            const auto zone = stringOf(arguments[1]);
            return zone ? inZone(arguments[0], *zone) : std::nullopt;
        }
        if (isPlain(call, u"to_unixtime", 1))
            return toUnixtime(arguments[0]);
        if (isPlain(call, u"from_unixtime", 1))
            return fromUnixtime(arguments[0]);
        if (isPlain(call, u"mod", 2)) {
            const auto left = read(arguments[0]);
            const auto right = read(arguments[1]);
            return left && right ? modulo(*left, *right) : std::nullopt;
        }
        if (isPlain(call, u"floor", 1))
            return wholeAlready(arguments[0]);
        if (call.arguments.size() == 1 && isPlain(call, call.name.last().value, 1))
            return readPart(call.name.last().value.toLower(), arguments[0]);
        return {};
    }

    MaybeValue dateTrunc(const sql::ExprPtr &unitName, const sql::ExprPtr &expr)
    {
        const auto name = stringOf(unitName);
        const auto unit = name ? bucketUnitFromName(*name) : std::nullopt;
        const auto value = unit ? time(expr) : std::nullopt;
        return value ? MaybeValue(floorTo(*unit, *value)) : std::nullopt;
    }

    MaybeValue dateAdd(const sql::ExprPtr &unitName, const sql::ExprPtr &countOf,
                       const sql::ExprPtr &expr)
    {
        const auto name = stringOf(unitName);
        const auto unit = name ? bucketUnitFromName(*name) : std::nullopt;
        const auto count = unit ? read(countOf) : std::nullopt;
        const auto value = count ? time(expr) : std::nullopt;
        if (!value || !std::holds_alternative<Amount>(*count))
            return {};
        // The sum is rounded to the time's own digits.
        if (*unit == BucketUnit::Millisecond && value->digits < 3)
            return {};
        return plus(*value, Duration{unitLength(*unit, 1), std::get<Amount>(*count)});
    }

    // Any number at all; what makes a bucket of it is the remainder that is taken next.
    MaybeValue dateDiff(const sql::ExprPtr &from, const sql::ExprPtr &to)
    {
        const auto isTime = [&](const sql::ExprPtr &expr) {
            return sql::as<sql::TypedLiteral>(expr) || time(expr);
        };
        return isTime(from) && isTime(to) ? MaybeValue(Amount{}) : std::nullopt;
    }

    MaybeValue toUnixtime(const sql::ExprPtr &expr)
    {
        const auto value = time(expr);
        return value ? MaybeValue(secondsOf(*value)) : std::nullopt;
    }

    MaybeValue fromUnixtime(const sql::ExprPtr &expr)
    {
        if (const auto quotient = quotientIn(expr);
            quotient && !sql::as<sql::IntegerLiteral>(quotient->by))
            return fromFraction(*quotient);
        const auto value = read(expr);
        const auto *found = value ? std::get_if<Following>(&*value) : nullptr;
        if (!found)
            return {};
        if (found->domain == Domain::Seconds)
            return instantOf(*found);
        const auto number = found->as(Domain::Number);
        return number ? MaybeValue(instantOf(*number, kMicrosPerSecond, 0, m_column))
                      : std::nullopt;
    }

    // from_unixtime(ms / 1000.0): a decimal quotient may be rounded to few digits.
    MaybeValue fromFraction(const Quotient &quotient)
    {
        const auto by = wholeNumber(quotient.by);
        if (!by || kMicrosPerSecond % *by != 0)
            return {};
        const auto number = following(quotient.value, Domain::Number);
        if (!number)
            return {};
        return instantOf(*number, kMicrosPerSecond / *by, kMicrosPerSecond, m_column);
    }

    // floor() of a whole number is that number.
    MaybeValue wholeAlready(const sql::ExprPtr &expr)
    {
        const auto value = read(expr);
        const auto *found = value ? std::get_if<Following>(&*value) : nullptr;
        return found && found->domain != Domain::Number ? std::nullopt : value;
    }

    MaybeValue readPart(const QString &name, const sql::ExprPtr &expr)
    {
        const auto part = std::ranges::find(kClockParts, QStringView(name), &ClockPart::name);
        const auto value = part != std::end(kClockParts) ? time(expr) : std::nullopt;
        if (!value)
            return {};
        return Amount{part->bounds, PartOf{PartOf::Kind::Whole, part->unit, *value, 1, false}};
    }

    const RelationNames &m_names;
    QString m_column;
    sql::Span m_columnSpan;
};

}  // namespace

std::optional<BucketReading> readBucket(const sql::ExprPtr &expression, const RelationNames &names)
{
    Reader reader(names);
    const auto value = reader.read(expression);
    const auto *found = value ? std::get_if<Following>(&*value) : nullptr;
    if (!found || found->steps.isEmpty() || found->domain == Domain::Seconds ||
        found->domain == Domain::Column)
        return {};
    const auto keyDomain = found->domain == Domain::Time ? BucketFunction::Domain::Time
                                                         : BucketFunction::Domain::Number;
    return BucketReading{{found->columnDomain, keyDomain, found->steps},
                         reader.column(),
                         reader.columnSpan(),
                         found->words};
}

}  // namespace ivm
