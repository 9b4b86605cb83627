#include "framework/view/zone.h"

#include <QDateTime>
#include <QTimeZone>

#include <algorithm>

namespace ivm {

namespace {

constexpr Micros kMicrosPerHour = 3'600 * kMicrosPerSecond;
constexpr Micros kLargestOffset = 18 * kMicrosPerHour;
constexpr Micros kSlack = 4 * kMicrosPerHour;

// 1972-01-01 and 9999-01-01: what lies between is told from Qt's database.
constexpr Micros kFirstKnown = 63'072'000 * kMicrosPerSecond;
constexpr Micros kLastKnown = 253'370'764'800 * kMicrosPerSecond;
// A window that is longer than this has the largest offsets in it anyway, or nearly.
constexpr Micros kLongestWindow = 400 * kMicrosPerDay;

std::optional<Micros> fixedOffset(QStringView zone)
{
    if (isUtc(zone))
        return 0;
    if (zone.size() != 6 || (zone[0] != u'+' && zone[0] != u'-') || zone[3] != u':')
        return {};
    bool hoursOk = false;
    bool minutesOk = false;
    const uint hours = zone.sliced(1, 2).toUInt(&hoursOk);
    const uint minutes = zone.sliced(4, 2).toUInt(&minutesOk);
    if (!hoursOk || !minutesOk || hours > 17 || minutes > 59)
        return {};
    const Micros offset = (qint64(hours) * 60 + minutes) * 60 * kMicrosPerSecond;
    return zone[0] == u'-' ? -offset : offset;
}

QDateTime dateTimeOf(Micros instant)
{
    return QDateTime::fromSecsSinceEpoch(instant / kMicrosPerSecond, Qt::UTC);
}

bool isTold(Micros from, Micros to)
{
    return from >= kFirstKnown && to <= kLastKnown && to - from <= kLongestWindow;
}

std::optional<OffsetRange> toldByQt(QStringView zone, Micros from, Micros to)
{
    if (!isTold(from, to))
        return {};
    const QTimeZone known(zone.toUtf8());
    if (!known.isValid())
        return {};
    Micros low = kLargestOffset;
    Micros high = -kLargestOffset;
    const auto take = [&](int seconds) {
        low = std::min(low, seconds * kMicrosPerSecond);
        high = std::max(high, seconds * kMicrosPerSecond);
    };
    take(known.offsetFromUtc(dateTimeOf(from)));
    take(known.offsetFromUtc(dateTimeOf(to)));
    for (const auto &transition : known.transitions(dateTimeOf(from), dateTimeOf(to)))
        take(transition.offsetFromUtc);
    return OffsetRange{low, high};
}

}  // namespace

bool isUtc(QStringView zone)
{
    return zone.isEmpty() || zone.compare(u"UTC", Qt::CaseInsensitive) == 0 ||
           zone.compare(u"Z", Qt::CaseInsensitive) == 0 ||
           zone.compare(u"GMT", Qt::CaseInsensitive) == 0;
}

OffsetRange zoneOffsets(QStringView zone, Micros from, Micros to)
{
    if (const auto fixed = fixedOffset(zone))
        return {*fixed, *fixed};
    const auto told = toldByQt(zone, from, to);
    if (!told)
        return {-kLargestOffset, kLargestOffset};
    return {std::max(told->low - kSlack, -kLargestOffset),
            std::min(told->high + kSlack, kLargestOffset)};
}

Micros zoneSlack(QStringView zone, Micros from, Micros to)
{
    if (fixedOffset(zone))
        return 0;
    return from >= kFirstKnown && to <= kLastKnown ? kSlack : 2 * kLargestOffset;
}

}  // namespace ivm
