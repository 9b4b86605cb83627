#include "framework/view/zone.h"

#include <QDateTime>
#include <QRegularExpression>
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

// UTC+05:30, GMT+5, UT-05, +05:30: always east of UTC where the sign is plus, as Trino has it.
std::optional<Micros> fixedOffset(QStringView zone)
{
    if (isUtc(zone))
        return 0;
    static const QRegularExpression pattern(
        QStringLiteral("^(?:UTC|GMT|UT)?([+-])(?:([0-9]{1,2})|([0-9]{2}):([0-9]{2}))$"));
    const auto match = pattern.match(zone.toString());
    if (!match.hasMatch())
        return {};
    const int hours = match.capturedView(2).toInt() + match.capturedView(3).toInt();
    const int minutes = match.capturedView(4).toInt();
    if (hours > 17 || minutes > 59)
        return {};
    const Micros offset = (qint64(hours) * 60 + minutes) * 60 * kMicrosPerSecond;
    return match.capturedView(1) == u"-" ? -offset : offset;
}

// Qt also takes rules of POSIX for zones, where GMT+5 is five hours west. They have a digit; of the
// names that have one, those of a region are no rules.
bool isName(QStringView zone)
{
    const bool isOfRegion = zone.contains(u'/') && !zone.contains(u',');
    return isOfRegion || std::ranges::none_of(zone, [](QChar c) { return c.isDigit(); });
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
    if (!isTold(from, to) || !isName(zone))
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
    const auto told = toldByQt(zone, from, to);
    return told ? told->high - told->low + kSlack : 2 * kLargestOffset;
}

}  // namespace ivm
