#include "framework/view/bucket_value.h"

#include "framework/view/zone.h"

#include <algorithm>

namespace ivm {

namespace {

constexpr qint64 kLowest = std::numeric_limits<qint64>::min();
constexpr qint64 kHighest = std::numeric_limits<qint64>::max();
constexpr ValueInterval kAnything{};

__extension__ using Wide = __int128;

qint64 narrowed(Wide value)
{
    return value <= kLowest ? kLowest : value >= kHighest ? kHighest : qint64(value);
}

// Wide enough for bounds that are none, too.
template <typename Operation>
ValueInterval combined(const ValueInterval &a, const ValueInterval &b, Operation &&operation)
{
    if (a == kAnything || b == kAnything)
        return kAnything;
    const Wide corners[] = {
        operation(Wide(a.low), Wide(b.low)), operation(Wide(a.low), Wide(b.high)),
        operation(Wide(a.high), Wide(b.low)), operation(Wide(a.high), Wide(b.high))};
    const auto [low, high] = std::ranges::minmax(corners);
    const ValueInterval found{narrowed(low), narrowed(high)};
    return found.low == kLowest || found.high == kHighest ? kAnything : found;
}

ValueInterval negatedBounds(const ValueInterval &value)
{
    return combined({0, 0}, value, [](Wide a, Wide b) { return a - b; });
}

bool isExact(const BucketStep &step)
{
    const auto *shift = std::get_if<Shift>(&step);
    return !shift || (shift->low == shift->high && isUtc(shift->zone));
}

// Whether `count` of the unit fill the next larger one on every clock.
bool fillsNextUnit(BucketUnit unit, qint64 count)
{
    return unit < BucketUnit::Day && perNextUnit(unit) % count == 0;
}

BucketUnit nextUnit(BucketUnit unit) { return BucketUnit(int(unit) + 1); }

// date_trunc('hour', ts) + INTERVAL '5' MINUTE * (minute(ts) / 5), or
// date_trunc('minute', ts) - INTERVAL '1' MINUTE * (minute(ts) % 5), in any of their spellings.
std::optional<Following> partsBucket(const Following &time, const Duration &duration, bool isAdded)
{
    const auto &part = duration.count.part;
    if (!time.floorOf || !part || !part->unit || !part->of.isSame(*time.floorOf) || part->by < 1 ||
        part->by > 1'000'000 || *part->unit >= BucketUnit::Day)
        return {};
    const bool isPlus = isAdded != part->negated;
    const Micros length = longestBucket(*part->unit);
    const auto unitIs = [&](Micros wanted) {
        return duration.unit == ValueInterval{wanted, wanted};
    };
    const bool isFloor = part->kind == PartOf::Kind::Floor && unitIs(length);
    const bool isQuotient = part->kind == PartOf::Kind::Quotient && unitIs(part->by * length);
    const bool isRemainder = part->kind == PartOf::Kind::Remainder && unitIs(length);
    const bool above = isPlus && (isFloor || isQuotient) && time.floorUnit == nextUnit(*part->unit);
    const bool below = !isPlus && isRemainder && time.floorUnit == *part->unit;
    if (!above && !below)
        return {};
    return bucketOfUnits(*time.floorOf, *part->unit, part->by);
}

// date_trunc('day', ts) less a number of days: a bucket of so many days, however it is counted.
QString wordsOfMoved(const Following &time, const Duration &duration, const ValueInterval &count)
{
    const bool isBucket = time.floorOf && count.high == 0 && count.low < 0 && count != kAnything &&
                          duration.unit == unitLength(time.floorUnit, 1);
    const QString near = QStringLiteral("a time near ");
    if (!isBucket)
        return time.words.startsWith(near) ? time.words : near + time.words;
    return QStringLiteral("%1 %2s of %3")
        .arg(1 - count.low)
        .arg(bucketUnitName(time.floorUnit), time.floorOf->words);
}

MaybeValue moved(const Following &from, const Duration &duration, bool isAdded)
{
    const auto time = from.as(Following::Domain::Time);
    if (!time)
        return {};
    if (auto bucket = partsBucket(*time, duration, isAdded))
        return *std::move(bucket);
    const ValueInterval by = isAdded ? duration.bounds() : negatedBounds(duration.bounds());
    if (by == kAnything)
        return {};
    const ValueInterval count =
        isAdded ? duration.count.bounds : negatedBounds(duration.count.bounds);
    Following there =
        time->with(Shift{by.low, by.high, time->zone}, wordsOfMoved(*time, duration, count));
    if (time->floorOf && duration.unit == unitLength(time->floorUnit, 1))
        there.startsUnit = time->floorUnit;
    return there;
}

MaybeValue moved(const Following &from, const Amount &amount, bool isAdded)
{
    const auto number = from.as(Following::Domain::Number);
    if (!number)
        return {};
    const auto &part = amount.part;
    if (!isAdded && part && part->kind == PartOf::Kind::Remainder && !part->unit &&
        !part->negated && part->of.isSame(*number))
        return number->with(Divide{part->by}, number->words)
            .with(Multiply{part->by},
                  QStringLiteral("steps of %1 of %2").arg(part->by).arg(number->words));
    const ValueInterval by = isAdded ? amount.bounds : negatedBounds(amount.bounds);
    if (by == kAnything)
        return {};
    return number->with(Shift{by.low, by.high}, QStringLiteral("a number near ") + number->words);
}

MaybeValue added(const BucketValue &left, const BucketValue &right, bool isAdded)
{
    const auto *following = std::get_if<Following>(&left);
    if (following && std::holds_alternative<Duration>(right))
        return moved(*following, std::get<Duration>(right), isAdded);
    if (following && std::holds_alternative<Amount>(right))
        return moved(*following, std::get<Amount>(right), isAdded);
    const auto *a = std::get_if<Amount>(&left);
    const auto *b = std::get_if<Amount>(&right);
    if (!a || !b)
        return {};
    return Amount{
        combined(a->bounds, b->bounds, [&](Wide x, Wide y) { return isAdded ? x + y : x - y; }),
        {}};
}

Amount amountTimes(const Amount &amount, const Amount &by)
{
    Amount product{combined(amount.bounds, by.bounds, [](Wide x, Wide y) { return x * y; }), {}};
    const auto &part = amount.part;
    if (part && part->kind == PartOf::Kind::Quotient && by.constant() == part->by) {
        product.part = part;
        product.part->kind = PartOf::Kind::Floor;
    } else if (by.constant() == 1) {
        product.part = part;
    }
    return product;
}

std::optional<qint64> positiveConstant(const BucketValue &value)
{
    const auto *amount = std::get_if<Amount>(&value);
    const auto constant = amount ? amount->constant() : std::nullopt;
    return constant && *constant > 0 ? constant : std::nullopt;
}

std::optional<PartOf> partWith(const std::optional<PartOf> &whole, PartOf::Kind kind, qint64 by)
{
    if (!whole || whole->kind != PartOf::Kind::Whole || whole->negated)
        return {};
    PartOf part = *whole;
    part.kind = kind;
    part.by = by;
    return part;
}

}  // namespace

Following Following::with(BucketStep step, QString itsWords) const
{
    Following next = *this;
    next.steps.append(std::move(step));
    next.words = std::move(itsWords);
    next.floorOf.reset();
    next.startsUnit.reset();
    return next;
}

std::optional<Following> Following::as(Domain wanted) const
{
    if (domain == wanted)
        return *this;
    if (domain != Domain::Column || wanted == Domain::Seconds)
        return {};
    Following same = *this;
    same.domain = wanted;
    same.columnDomain =
        wanted == Domain::Time ? BucketFunction::Domain::Time : BucketFunction::Domain::Number;
    return same;
}

bool Following::isSame(const Following &other) const
{
    return std::ranges::all_of(steps, isExact) && domain == other.domain && steps == other.steps &&
           zone == other.zone;
}

std::optional<qint64> Amount::constant() const
{
    return bounds.low == bounds.high ? std::optional(bounds.low) : std::nullopt;
}

Amount Amount::negated() const
{
    Amount other{negatedBounds(bounds), part};
    if (other.part)
        other.part->negated = !other.part->negated;
    return other;
}

ValueInterval Duration::bounds() const
{
    return combined(unit, count.bounds, [](Wide x, Wide y) { return x * y; });
}

MaybeValue plus(const BucketValue &left, const BucketValue &right)
{
    const bool isLength =
        std::holds_alternative<Duration>(left) || std::holds_alternative<Amount>(left);
    if (isLength && std::holds_alternative<Following>(right))
        return added(right, left, true);
    return added(left, right, true);
}

MaybeValue minus(const BucketValue &left, const BucketValue &right)
{
    return added(left, right, false);
}

MaybeValue times(const BucketValue &left, const BucketValue &right)
{
    if (const auto *following = std::get_if<Following>(&left)) {
        const auto number = following->as(Following::Domain::Number);
        const auto by = positiveConstant(right);
        if (!number || !by)
            return {};
        const auto *divide =
            number->steps.isEmpty() ? nullptr : std::get_if<Divide>(&number->steps.last());
        return number->with(Multiply{*by}, divide && divide->by == *by
                                               ? number->words
                                               : QStringLiteral("a multiple of ") + number->words);
    }
    const auto *amount = std::get_if<Amount>(&left);
    if (!std::holds_alternative<Amount>(right))
        return amount ? times(right, left) : std::nullopt;
    const auto &by = std::get<Amount>(right);
    if (amount)
        return amount->constant() && !by.constant() ? amountTimes(by, *amount)
                                                    : amountTimes(*amount, by);
    const auto &duration = std::get<Duration>(left);
    return Duration{duration.unit, amountTimes(by, duration.count)};
}

MaybeValue divided(const BucketValue &left, const BucketValue &right)
{
    const auto by = positiveConstant(right);
    if (!by)
        return {};
    if (const auto *following = std::get_if<Following>(&left)) {
        const auto number = following->as(Following::Domain::Number);
        if (!number)
            return {};
        return number->with(Divide{*by},
                            QStringLiteral("steps of %1 of %2").arg(*by).arg(number->words));
    }
    const auto *amount = std::get_if<Amount>(&left);
    if (!amount)
        return {};
    return Amount{combined(amount->bounds, {*by, *by}, [](Wide x, Wide y) { return x / y; }),
                  partWith(amount->part, PartOf::Kind::Quotient, *by)};
}

MaybeValue modulo(const BucketValue &left, const BucketValue &right)
{
    const auto by = positiveConstant(right);
    if (!by)
        return {};
    if (const auto *following = std::get_if<Following>(&left)) {
        const auto number = following->as(Following::Domain::Number);
        if (!number)
            return {};
        return Amount{{-(*by - 1), *by - 1},
                      PartOf{PartOf::Kind::Remainder, {}, *number, *by, false}};
    }
    const auto *amount = std::get_if<Amount>(&left);
    if (!amount)
        return {};
    const bool isNeverNegative = amount->bounds.low >= 0;
    const qint64 most = isNeverNegative ? std::min(amount->bounds.high, *by - 1) : *by - 1;
    return Amount{{isNeverNegative ? 0 : -(*by - 1), most},
                  partWith(amount->part, PartOf::Kind::Remainder, *by)};
}

MaybeValue negated(const BucketValue &value)
{
    if (const auto *amount = std::get_if<Amount>(&value))
        return amount->negated();
    if (const auto *duration = std::get_if<Duration>(&value))
        return Duration{duration->unit, duration->count.negated()};
    return {};
}

ValueInterval unitLength(BucketUnit unit, qint64 count)
{
    // 28 to 31 days a month, also where the day is cut to the month's last.
    const qint64 shortDays = unit == BucketUnit::Month     ? 28
                             : unit == BucketUnit::Quarter ? 84
                             : unit == BucketUnit::Year    ? 336
                                                           : 0;
    const qint64 longDays = unit == BucketUnit::Quarter ? 93 : unit == BucketUnit::Year ? 372 : 0;
    const Micros shortest = shortDays > 0 ? shortDays * kMicrosPerDay : longestBucket(unit);
    const Micros longest = longDays > 0 ? longDays * kMicrosPerDay : longestBucket(unit);
    return combined({shortest, longest}, {count, count}, [](Wide x, Wide y) { return x * y; });
}

Following floorTo(BucketUnit unit, const Following &time)
{
    const bool isStart = time.startsUnit == unit;
    if (isStart && isUtc(time.zone))
        return time;
    const QString words =
        isStart ? time.words : QStringLiteral("the %1 of %2").arg(bucketUnitName(unit), time.words);
    Following start = isUtc(time.zone)
                          ? time.with(Truncate{unit}, words)
                          : time.with(Shift{1 - longestBucket(unit), 0, time.zone}, words);
    start.floorOf = std::make_shared<Following>(time);
    start.floorUnit = unit;
    return start;
}

Following bucketOfUnits(const Following &time, BucketUnit unit, qint64 count)
{
    if (count == 1)
        return floorTo(unit, time);
    const QString words =
        QStringLiteral("%1 %2s of %3").arg(count).arg(bucketUnitName(unit), time.words);
    if (fillsNextUnit(unit, count) && isUtc(time.zone))
        return time.with(Truncate{unit, int(count)}, words);
    return time.with(Shift{1 - count * longestBucket(unit), 0, time.zone}, words);
}

}  // namespace ivm
