#include "framework/view/bucket.h"

#include "framework/base/floor_divide.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace ivm {

namespace {

constexpr std::array<std::pair<BucketUnit, QStringView>, 9> kUnits{{
    {BucketUnit::Millisecond, u"millisecond"},
    {BucketUnit::Second, u"second"},
    {BucketUnit::Minute, u"minute"},
    {BucketUnit::Hour, u"hour"},
    {BucketUnit::Day, u"day"},
    {BucketUnit::Week, u"week"},
    {BucketUnit::Month, u"month"},
    {BucketUnit::Quarter, u"quarter"},
    {BucketUnit::Year, u"year"},
}};

constexpr Micros kLowest = std::numeric_limits<Micros>::min();
constexpr Micros kHighest = std::numeric_limits<Micros>::max();

// Days that std::chrono's calendar can name (years -32767 to 32767), with a year to spare at each
// end.
constexpr qint64 kFirstDay = -12'687'000;
constexpr qint64 kLastDay = 11'247'000;

Micros saturatingMultiply(qint64 value, qint64 by)
{
    Micros product = 0;
    if (__builtin_mul_overflow(value, by, &product))
        return (value < 0) == (by < 0) ? kHighest : kLowest;
    return product;
}

Micros saturatingAdd(Micros value, Micros by)
{
    Micros sum = 0;
    if (__builtin_add_overflow(value, by, &sum))
        return by > 0 ? kHighest : kLowest;
    return sum;
}

std::chrono::year_month_day dateOf(qint64 day)
{
    return std::chrono::sys_days(std::chrono::days(day));
}

Micros microsOf(std::chrono::year_month_day date)
{
    return std::chrono::sys_days(date).time_since_epoch().count() * kMicrosPerDay;
}

unsigned monthsOf(BucketUnit unit)
{
    switch (unit) {
    case BucketUnit::Month: return 1;
    case BucketUnit::Quarter: return 3;
    case BucketUnit::Year: return 12;
    default: return 0;
    }
}

Micros lengthOf(BucketUnit unit)
{
    switch (unit) {
    case BucketUnit::Millisecond: return 1'000;
    case BucketUnit::Second: return kMicrosPerSecond;
    case BucketUnit::Minute: return 60 * kMicrosPerSecond;
    case BucketUnit::Hour: return 3'600 * kMicrosPerSecond;
    case BucketUnit::Day: return kMicrosPerDay;
    case BucketUnit::Week: return 7 * kMicrosPerDay;
    default: Q_UNREACHABLE();
    }
}

// 1970-01-01 was a Thursday: weeks are counted from Monday 1969-12-29.
Micros originOf(BucketUnit unit) { return unit == BucketUnit::Week ? -3 * kMicrosPerDay : 0; }

QString paddedNumber(qint64 number, int digits)
{
    return QString::number(number).rightJustified(digits, u'0');
}

}  // namespace

std::optional<BucketUnit> bucketUnitFromName(QStringView name)
{
    for (const auto &[unit, word] : kUnits) {
        if (name.compare(word, Qt::CaseInsensitive) == 0)
            return unit;
    }
    return {};
}

QString bucketUnitName(BucketUnit unit)
{
    for (const auto &[value, word] : kUnits) {
        if (value == unit)
            return word.toString();
    }
    Q_UNREACHABLE();
}

Micros longestBucket(BucketUnit unit)
{
    switch (unit) {
    case BucketUnit::Month: return 31 * kMicrosPerDay;
    case BucketUnit::Quarter: return 92 * kMicrosPerDay;
    case BucketUnit::Year: return 366 * kMicrosPerDay;
    default: return lengthOf(unit);
    }
}

int perNextUnit(BucketUnit unit)
{
    switch (unit) {
    case BucketUnit::Millisecond: return 1'000;
    case BucketUnit::Second:
    case BucketUnit::Minute: return 60;
    case BucketUnit::Hour: return 24;
    case BucketUnit::Month: return 12;
    default: return 0;
    }
}

Micros bucketStart(BucketUnit unit, Micros instant)
{
    const unsigned months = monthsOf(unit);
    if (months == 0) {
        const Micros origin = originOf(unit);
        const qint64 count = floorDivide(saturatingAdd(instant, -origin), lengthOf(unit));
        return saturatingAdd(saturatingMultiply(count, lengthOf(unit)), origin);
    }
    const qint64 day = floorDivide(instant, kMicrosPerDay);
    if (day < kFirstDay)
        return kLowest;
    const auto date = dateOf(std::min(day, kLastDay));
    const unsigned month = (unsigned(date.month()) - 1) / months * months + 1;
    return microsOf(date.year() / std::chrono::month(month) / 1);
}

Micros nextBucketStart(BucketUnit unit, Micros start)
{
    const unsigned months = monthsOf(unit);
    if (months == 0)
        return saturatingAdd(start, lengthOf(unit));
    const qint64 day = floorDivide(start, kMicrosPerDay);
    if (day < kFirstDay)
        return kFirstDay * kMicrosPerDay;
    if (day >= kLastDay - 366)
        return kHighest;
    return microsOf(dateOf(day) + std::chrono::months(months));
}

bool isTimeType(const Type &type)
{
    return type.is(TypeKind::Date) || type.is(TypeKind::Timestamp) ||
           type.is(TypeKind::TimestampWithTimeZone);
}

Micros microsFromColumnUnit(const Type &columnType, qint64 value)
{
    return columnType.is(TypeKind::Date) ? saturatingMultiply(value, kMicrosPerDay) : value;
}

std::optional<QString> bucketText(const Type &bucketType, Micros value)
{
    if (bucketType.isInteger())
        return QString::number(value);
    const qint64 dayNumber = floorDivide(value, kMicrosPerDay);
    if (dayNumber < kFirstDay || dayNumber > kLastDay)
        return {};
    const auto date = dateOf(dayNumber);
    const int year = int(date.year());
    if (year < 1 || year > 9999)
        return {};
    const QString day = paddedNumber(year, 4) + u'-' + paddedNumber(unsigned(date.month()), 2) +
                        u'-' + paddedNumber(unsigned(date.day()), 2);
    if (bucketType.is(TypeKind::Date))
        return day;
    const Micros inDay = value - dayNumber * kMicrosPerDay;
    const qint64 seconds = inDay / kMicrosPerSecond;
    QString text = day + u' ' + paddedNumber(seconds / 3'600, 2) + u':' +
                   paddedNumber(seconds / 60 % 60, 2) + u':' + paddedNumber(seconds % 60, 2);
    if (const Micros fraction = inDay % kMicrosPerSecond; fraction != 0)
        text += u'.' + paddedNumber(fraction, 6);
    return bucketType.is(TypeKind::TimestampWithTimeZone) ? text + QStringLiteral(" UTC") : text;
}

std::optional<QString> bucketLiteral(const Type &bucketType, Micros value)
{
    const auto text = bucketText(bucketType, value);
    if (!text || bucketType.isInteger())
        return text;
    const QStringView word = bucketType.is(TypeKind::Date) ? u"DATE" : u"TIMESTAMP";
    return word + QStringLiteral(" '") + *text + u'\'';
}

Micros roundedUp(const Type &bucketType, Micros value)
{
    if (!bucketType.is(TypeKind::Date) || value % kMicrosPerDay == 0)
        return value;
    return saturatingAdd(bucketStart(BucketUnit::Day, value), kMicrosPerDay);
}

}  // namespace ivm
