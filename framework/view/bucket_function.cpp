#include "framework/view/bucket_function.h"

#include "framework/view/zone.h"

#include <algorithm>

namespace ivm {

namespace {

constexpr qint64 kLowest = std::numeric_limits<qint64>::min();
constexpr qint64 kHighest = std::numeric_limits<qint64>::max();

// A clock that shows at most 18 hours more or less than UTC passes any time of it within 36 hours.
constexpr Micros kClockWindow = 36 * 3'600 * kMicrosPerSecond;

bool isOpen(qint64 value) { return value == kLowest || value == kHighest; }

// No bound stays none; one that runs over becomes none.
qint64 plus(qint64 value, qint64 by)
{
    qint64 sum = 0;
    if (isOpen(value))
        return value;
    if (__builtin_add_overflow(value, by, &sum))
        return by > 0 ? kHighest : kLowest;
    return sum;
}

qint64 minus(qint64 value, qint64 by) { return by == kLowest ? kHighest : plus(value, -by); }

qint64 times(qint64 value, qint64 by)
{
    qint64 product = 0;
    if (isOpen(value))
        return value;
    if (__builtin_mul_overflow(value, by, &product))
        return value < 0 ? kLowest : kHighest;
    return product;
}

// What a clock's being set may put a time off that lies between, or near, the two.
qint64 slackNear(const QString &zone, qint64 a, qint64 b)
{
    return zoneSlack(zone, minus(std::min(a, b), 2 * kClockWindow),
                     plus(std::max(a, b), 2 * kClockWindow));
}

qint64 longest(const Truncate &step) { return step.count * longestBucket(step.unit); }

qint64 truncated(const Truncate &step, qint64 value)
{
    if (isOpen(value) || step.count == 1)
        return isOpen(value) ? value : bucketStart(step.unit, value);
    const qint64 length = step.count * longestBucket(step.unit);
    const qint64 rest = value % length;
    return plus(value, rest < 0 ? -rest - length : -rest);
}

// Each step forward and backward: an interval to the interval of all that it may become, or come
// from.
struct Forward {
    ValueInterval v;

    ValueInterval operator()(const Truncate &step) const
    {
        // Past the years that the calendar here has, the last bucket it knows is too early.
        const qint64 high = truncated(step, v.high);
        const bool isKnown = isOpen(high) || v.high - high < longest(step);
        return {truncated(step, v.low), isKnown ? high : kHighest};
    }
    ValueInterval operator()(const Shift &step) const
    {
        const qint64 low = plus(v.low, step.low);
        const qint64 high = plus(v.high, step.high);
        return {minus(low, slackNear(step.zone, low, v.low)),
                plus(high, slackNear(step.zone, high, v.high))};
    }
    ValueInterval operator()(const Divide &step) const
    {
        return {isOpen(v.low) ? v.low : v.low / step.by,
                isOpen(v.high) ? v.high : v.high / step.by};
    }
    ValueInterval operator()(const Multiply &step) const
    {
        return {times(v.low, step.by), times(v.high, step.by)};
    }
    // Instants after `low` may show less on the clock, those before `high` more, if it was set
    // back between.
    ValueInterval operator()(const ToLocal &step) const
    {
        return {plus(v.low, zoneOffsets(step.zone, v.low, plus(v.low, kClockWindow)).low),
                plus(v.high, zoneOffsets(step.zone, minus(v.high, kClockWindow), v.high).high)};
    }
};

struct Backward {
    ValueInterval v;

    ValueInterval operator()(const Truncate &step) const
    {
        return {v.low, plus(v.high, longest(step) - 1)};
    }
    ValueInterval operator()(const Shift &step) const
    {
        const qint64 low = minus(v.low, step.high);
        const qint64 high = minus(v.high, step.low);
        return {minus(low, slackNear(step.zone, low, v.low)),
                plus(high, slackNear(step.zone, high, v.high))};
    }
    ValueInterval operator()(const Divide &step) const
    {
        return {minus(times(v.low, step.by), step.by - 1),
                plus(times(v.high, step.by), step.by - 1)};
    }
    ValueInterval operator()(const Multiply &step) const
    {
        const auto part = [&](qint64 value, qint64 outward) {
            return isOpen(value) ? value : plus(value / step.by, outward);
        };
        return {part(v.low, -1), part(v.high, 1)};
    }
    ValueInterval operator()(const ToLocal &step) const
    {
        const auto around = [&](qint64 value) {
            return zoneOffsets(step.zone, minus(value, kClockWindow), plus(value, kClockWindow));
        };
        return {minus(v.low, around(v.low).high), minus(v.high, around(v.high).low)};
    }
};

// What ran over at the wrong end tells nothing.
ValueInterval opened(const ValueInterval &v)
{
    return {v.low == kHighest ? kLowest : v.low, v.high == kLowest ? kHighest : v.high};
}

std::optional<qint64> bound(qint64 value)
{
    return isOpen(value) ? std::nullopt : std::optional(value);
}

struct SpreadOf {
    qint64 operator()(const Truncate &step) const { return longest(step); }
    qint64 operator()(const Shift &step) const { return minus(step.high, step.low); }
    qint64 operator()(const Divide &step) const { return step.by; }
    qint64 operator()(const Multiply &) const { return 0; }
    qint64 operator()(const ToLocal &) const { return 0; }
};

bool isOfDomain(const Type &type, BucketFunction::Domain domain)
{
    return domain == BucketFunction::Domain::Time ? isTimeType(type) : type.isInteger();
}

}  // namespace

ValueInterval BucketFunction::keysOf(ValueInterval columns) const
{
    for (const auto &step : steps)
        columns = opened(std::visit(Forward{columns}, step));
    return columns;
}

ValueInterval BucketFunction::columnsOf(ValueInterval keys) const
{
    for (auto step = steps.crbegin(); step != steps.crend(); ++step)
        keys = opened(std::visit(Backward{keys}, *step));
    return keys;
}

BucketRange BucketFunction::bucketsOf(qint64 lowest, qint64 highest) const
{
    const ValueInterval keys = keysOf({lowest, highest});
    const auto *last = steps.isEmpty() ? nullptr : std::get_if<Truncate>(&steps.last());
    if (!last || isOpen(keys.high))
        return {bound(keys.low), bound(plus(keys.high, 1))};
    const qint64 next =
        last->count == 1 ? nextBucketStart(last->unit, keys.high) : plus(keys.high, longest(*last));
    return {bound(keys.low), bound(next)};
}

BucketRange BucketFunction::columnRange(const BucketRange &range) const
{
    const ValueInterval columns =
        columnsOf({range.from.value_or(kLowest), range.to ? plus(*range.to, -1) : kHighest});
    return {bound(columns.low), bound(plus(columns.high, 1))};
}

BucketFunction BucketFunction::ofKeys() const
{
    BucketFunction same{keyDomain, keyDomain, {}};
    if (!steps.isEmpty() && std::holds_alternative<Truncate>(steps.last()))
        same.steps.append(steps.last());
    return same;
}

qint64 BucketFunction::spread() const
{
    qint64 sum = 0;
    for (const auto &step : steps)
        sum = plus(sum, std::visit(SpreadOf{}, step));
    return sum;
}

bool BucketFunction::fits(const Type &column, const Type &key) const
{
    return isOfDomain(column, columnDomain) && isOfDomain(key, keyDomain);
}

}  // namespace ivm
