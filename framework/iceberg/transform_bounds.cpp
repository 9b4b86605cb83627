#include "framework/iceberg/transform.h"

#include <QDate>

#include <limits>
#include <utility>

namespace ivm::iceberg {

namespace {

constexpr qint64 kMicrosPerHour = 3'600'000'000;
constexpr qint64 kMicrosPerDay = 24 * kMicrosPerHour;
constexpr qint64 kEpochJulianDay = 2440588;

// From the first value on, up to the one before the next partition's first.
using Span = std::pair<qint64, qint64>;

std::optional<Span> spanOf(qint64 index, qint64 width)
{
    qint64 first = 0;
    qint64 last = 0;
    if (__builtin_mul_overflow(index, width, &first) ||
        __builtin_add_overflow(first, width - 1, &last))
        return {};
    return Span{first, last};
}

// Days from the first of a month, counted from 1970, to the end of `months` months.
std::optional<Span> daysOfMonths(qint64 month, int months)
{
    // Far beyond every timestamp, and within what QDate takes.
    constexpr qint64 kLimit = 12 * 1'000'000;
    if (month < -kLimit || month > kLimit)
        return {};
    const auto firstOf = [](qint64 index) {
        const qint64 year = 1970 + (index >= 0 ? index / 12 : (index - 11) / 12);
        const auto monthOfYear = int(index - (year - 1970) * 12) + 1;
        return QDate(int(year > 0 ? year : year - 1), monthOfYear, 1).toJulianDay() -
               kEpochJulianDay;
    };
    return Span{firstOf(month), firstOf(month + months) - 1};
}

std::optional<Span> microsOfDays(std::optional<Span> days)
{
    if (!days)
        return {};
    const auto first = spanOf(days->first, kMicrosPerDay);
    const auto last = spanOf(days->second, kMicrosPerDay);
    if (!first || !last)
        return {};
    return Span{first->first, last->second};
}

std::optional<Span> spanOfValue(const PartitionTransform &transform, const FieldType &source,
                                qint64 value)
{
    const auto inUnits = [&](std::optional<Span> days) {
        return source.id == TypeId::Date ? days : microsOfDays(days);
    };
    switch (*transform.kind) {
    case Transform::Year: {
        qint64 month = 0;
        if (__builtin_mul_overflow(value, qint64(12), &month))
            return {};
        return inUnits(daysOfMonths(month, 12));
    }
    case Transform::Month: return inUnits(daysOfMonths(value, 1));
    case Transform::Day: return inUnits(Span{value, value});
    case Transform::Hour: return spanOf(value, kMicrosPerHour);
    case Transform::Truncate: {
        qint64 last = 0;
        constexpr qint64 kLastInt = std::numeric_limits<qint32>::max();
        // What wrapped round when it was truncated, as an int perhaps before the column was
        // widened, looks like this.
        if (__builtin_add_overflow(value, qint64(transform.argument - 1), &last) ||
            (value <= kLastInt && last > kLastInt))
            return {};
        return Span{value, last};
    }
    default: return {};
    }
}

// Iceberg's Java library up to 0.10 numbered periods before 1970 one too high, days of dates
// excepted: a number up to 0 may stand for the period before it as well.
bool mayBeTooHigh(const PartitionTransform &transform, const FieldType &source, qint64 value)
{
    switch (*transform.kind) {
    case Transform::Year:
    case Transform::Month:
    case Transform::Hour: return value <= 0;
    case Transform::Day: return value <= 0 && source.id != TypeId::Date;
    default: return false;
    }
}

}  // namespace

FileBounds boundsOfPartition(const PartitionTransform &transform, const FieldType &source,
                             const Literal &value)
{
    FileBounds bounds;
    if (!transform.kind || transform.kind == Transform::Void || !transformedType(transform, source))
        return bounds;
    // Each of these transforms gives NULL for NULL and for nothing else.
    bounds.nullState = value.isNull() ? NullState::Always : NullState::Never;
    if (value.isNull() || transform.kind == Transform::Bucket)
        return bounds;
    if (transform.kind == Transform::Identity) {
        bounds.lower = bounds.upper = boundUnits(source, value);
        return bounds;
    }
    const auto *whole = std::get_if<qint64>(&value.data);
    const auto span = whole ? spanOfValue(transform, source, *whole) : std::nullopt;
    if (!span)
        return bounds;
    const auto first =
        mayBeTooHigh(transform, source, *whole) ? spanOfValue(transform, source, *whole - 1) : span;
    if (first)
        bounds.lower = first->first;
    bounds.upper = span->second;
    return bounds;
}

std::optional<qint64> boundUnits(const FieldType &type, const Literal &value)
{
    switch (type.id) {
    case TypeId::Int:
    case TypeId::Long:
    case TypeId::Date:
    case TypeId::Timestamp:
    case TypeId::Timestamptz: break;
    default: return {};
    }
    const auto *whole = std::get_if<qint64>(&value.data);
    return whole ? std::optional(*whole) : std::nullopt;
}

}  // namespace ivm::iceberg
