// The law of every bucket spelling, checked against an engine: the key that the engine makes of a
// value lies where planning says, alone and among its neighbours, and back from the key to the
// value. Instants lie around every boundary that spellings and zones have.
//
// For test programs; one thread.
#pragma once

#include "framework/api/rows.h"
#include "tests/support/views.h"

#include <QDateTime>
#include <QRandomGenerator>
#include <QRegularExpression>

#include <algorithm>
#include <chrono>
#include <functional>

namespace ivm::test {

struct Spelling {
    const char *key;
    const char *type;  // of the column x
    qint64 most;       // how wide the range of one value may be, for values since 1972
};

inline constexpr qint64 kSecond = kMicrosPerSecond;
inline constexpr qint64 kMinute = 60 * kSecond;
inline constexpr qint64 kHour = 60 * kMinute;
inline constexpr qint64 kDay = 24 * kHour;
inline constexpr const char *kPlain = "timestamp(6)";
inline constexpr const char *kZoned = "timestamp(6) with time zone";

// An hour in a zone may be up to four hours off either way, and a bucket that is counted from an
// instant begins one bucket earlier.
inline constexpr qint64 kZoneHours = 9 * kHour + 2 * kSecond;

// A day in a zone, and a step by days from there, over a day that the date line took: 28 hours off
// either way for each.
inline constexpr qint64 kStepOverDay = kDay + 4 * 28 * kHour + 2 * kSecond;

inline constexpr Spelling kSpellings[] = {
    {"date_trunc('millisecond', x)", kPlain, 1'000},
    {"date_trunc('second', x)", kPlain, kSecond},
    {"date_trunc('minute', x)", kZoned, kMinute},
    {"date_trunc('hour', x)", kPlain, kHour},
    {"date_trunc('day', x)", kPlain, kDay},
    {"date_trunc('week', x)", kPlain, 7 * kDay},
    {"date_trunc('week', x)", "date", 7 * kDay},
    {"date_trunc('month', x)", kZoned, 31 * kDay},
    {"date_trunc('quarter', x)", kPlain, 92 * kDay},
    {"date_trunc('quarter', x)", "date", 92 * kDay},
    {"date_trunc('year', x)", kZoned, 366 * kDay},
    {"date(x)", kPlain, kDay},
    {"CAST(x AS date)", kZoned, kDay},
    {"date_trunc('month', date(x))", kPlain, 31 * kDay},
    {"date_trunc('minute', CAST(x AS timestamp(0)))", kPlain, 2 * kMinute},
    {"date_trunc('hour', x - INTERVAL '90' MINUTE)", kPlain, kHour},
    {"date_trunc('year', x - INTERVAL '3' MONTH)", kPlain, 2 * 366 * kDay},

    {"date_trunc('hour', x) + INTERVAL '5' MINUTE * (minute(x) / 5)", kPlain, 5 * kMinute},
    {"date_trunc('hour', x) + minute(x) / 7 * INTERVAL '7' MINUTE", kZoned, 7 * kMinute},
    {"date_trunc('minute', x) - INTERVAL '1' MINUTE * (minute(x) % 5)", kPlain, 5 * kMinute},
    {"date_trunc('minute', x) - (extract(minute FROM x) % 7) * INTERVAL '1' MINUTE", kPlain,
     7 * kMinute},
    {"date_trunc('day', x) + INTERVAL '6' HOUR * (hour(x) / 6)", kPlain, 6 * kHour},
    {"date_trunc('second', x) - INTERVAL '1' SECOND * (second(x) % 15)", kPlain, 15 * kSecond},
    {"date_trunc('month', x) - INTERVAL '1' MONTH * ((month(x) - 1) % 2)", kPlain, 63 * kDay},

    {"time_bucket('5 minutes', x)", kPlain, 5 * kMinute},
    {"time_bucket('250 milliseconds', x)", kPlain, 250'000},
    {"time_bucket('90 minutes', x)", kZoned, 90 * kMinute},
    {"time_bucket('36 hours', x)", kPlain, 36 * kHour},
    {"time_bucket('3 days', x)", kPlain, 3 * kDay},
    {"time_bucket('10 days', x)", "date", 10 * kDay},
    {"time_bucket('2 weeks', x)", kPlain, 14 * kDay},
    {"time_bucket('5 months', x)", kPlain, 156 * kDay},
    {"time_bucket('2 quarters', x)", kZoned, 187 * kDay},
    {"time_bucket('7 years', x)", kPlain, 7 * 373 * kDay},

    {"from_unixtime(floor(to_unixtime(x) / 300) * 300)", kPlain, 5 * kMinute + kSecond},
    {"from_unixtime(CAST(to_unixtime(x) AS bigint) / 300 * 300)", kZoned, 6 * kMinute},
    {"x / 300 * 300", "bigint", 300},
    {"x - x % 300", "bigint", 300},
    {"x - mod(x, 300)", "bigint", 300},
    {"x / 300", "bigint", 1},
    {"date_trunc('hour', from_unixtime(x))", "bigint", kHour},
    {"date(from_unixtime(x / 1000))", "bigint", kDay},
    {"date_trunc('minute', from_unixtime(x / 1000.0))", "bigint", 2 * kMinute},

    {"date_trunc('hour', CAST(x AT TIME ZONE 'America/Chicago' AS timestamp))", kZoned, 11 * kHour},
    {"CAST(date_trunc('hour', x AT TIME ZONE 'America/Chicago') AS timestamp(6))", kPlain,
     5 * kZoneHours},
    {"date_trunc('hour', x AT TIME ZONE 'Australia/Lord_Howe') AT TIME ZONE 'UTC'", kZoned,
     kZoneHours + kHour},
    {"date_trunc('day', x AT TIME ZONE 'America/Sao_Paulo') AT TIME ZONE 'UTC'", kZoned,
     kDay + 10 * kHour + 2 * kSecond},
    {"date_trunc('week', x AT TIME ZONE 'Pacific/Apia') AT TIME ZONE 'UTC'", kZoned,
     7 * kDay + 2 * 28 * kHour + 2 * kSecond},
    {"date_trunc('year', x AT TIME ZONE 'Pacific/Kiritimati') AT TIME ZONE 'UTC'", kZoned,
     366 * kDay + 2 * 28 * kHour + 2 * kSecond},
    {"date(x AT TIME ZONE 'America/Chicago')", kZoned, 2 * kDay},
    {"date(x AT TIME ZONE 'Pacific/Apia')", kZoned, 3 * kDay},
    {"CAST(x AT TIME ZONE 'Asia/Kathmandu' AS date)", kZoned, 2 * kDay},
    {"date(x AT TIME ZONE '-05:30')", kZoned, kDay},
    {"date_trunc('hour', CAST(x AT TIME ZONE 'Antarctica/Casey' AS timestamp(6)))", kZoned,
     13 * kHour},
    {"date_trunc('minute', CAST(x AT TIME ZONE 'Pacific/Kwajalein' AS timestamp(6)))", kZoned,
     2 * kDay},
    {"date_add('day', 2, date_trunc('day', x AT TIME ZONE 'Pacific/Apia')) AT TIME ZONE 'UTC'",
     kZoned, kStepOverDay},
    {"date_add('day', -2, date_trunc('day', x AT TIME ZONE 'Pacific/Fakaofo')) AT TIME ZONE 'UTC'",
     kZoned, kStepOverDay},
    {"date_add('week', 1, date_trunc('day', x AT TIME ZONE 'Pacific/Kiritimati')) AT TIME ZONE "
     "'UTC'",
     kZoned, kStepOverDay},
    {"date_add('week', -1, date_trunc('hour', x AT TIME ZONE 'Pacific/Enderbury')) AT TIME ZONE "
     "'UTC'",
     kZoned, kStepOverDay},
    {"date_add('month', 1, date_trunc('day', x AT TIME ZONE 'Pacific/Kwajalein')) AT TIME ZONE "
     "'UTC'",
     kZoned, kStepOverDay + 3 * kDay},
    {"date_add('month', -1, date_trunc('day', x AT TIME ZONE 'Pacific/Apia')) AT TIME ZONE 'UTC'",
     kZoned, kStepOverDay + 3 * kDay},
    {"time_bucket('7 days', x AT TIME ZONE 'Europe/London') AT TIME ZONE 'UTC'", kZoned,
     8 * kDay + 30 * kHour},
    {"time_bucket('2 weeks', x AT TIME ZONE 'America/New_York') AT TIME ZONE 'UTC'", kZoned,
     21 * kDay + 30 * kHour},
    {"time_bucket('2 years', x AT TIME ZONE 'Australia/Sydney') AT TIME ZONE 'UTC'", kZoned,
     3 * 372 * kDay + 6 * 36 * kHour},
    {"time_bucket('4 days', x AT TIME ZONE 'America/Sao_Paulo') AT TIME ZONE 'UTC'", kZoned,
     6 * kDay + 30 * kHour},
    {"time_bucket('15 minutes', CAST(x AT TIME ZONE 'Asia/Kolkata' AS timestamp(6)))", kZoned,
     kZoneHours},
};

// Buckets in zones that are set: instants, and the start of each one's bucket on the zone's clock.
struct ZonedBuckets {
    const char *width;
    const char *zone;
    std::initializer_list<std::pair<const char *, const char *>> starts;
};

inline const ZonedBuckets kZonedBuckets[] = {
    {"7 days",
     "Europe/London",
     {{"2001-01-10T12:00:00", "2001-01-08T00:00:00"},
      {"2001-03-25T12:00:00", "2001-03-19T00:00:00"},
      {"2001-07-01T22:59:59", "2001-06-25T00:00:00"},
      {"2001-07-01T23:00:00", "2001-07-02T00:00:00"}}},
    {"2 weeks",
     "America/New_York",
     {{"2001-04-01T16:00:00", "2001-03-26T00:00:00"},
      {"2001-04-09T03:59:59", "2001-03-26T00:00:00"},
      {"2001-04-09T04:00:00", "2001-04-09T00:00:00"}}},
    {"2 years",
     "Australia/Sydney",
     {{"2001-07-01T00:00:00", "2000-01-01T00:00:00"},
      {"2001-12-31T12:59:59", "2000-01-01T00:00:00"},
      {"2001-12-31T13:00:00", "2002-01-01T00:00:00"}}},
    {"5 months",
     "America/New_York",
     {{"2001-04-01T03:59:59", "2000-11-01T00:00:00"},
      {"2001-04-01T05:00:00", "2001-04-01T00:00:00"}}},
    // The clock goes from midnight to one o'clock on 1999-10-03.
    {"10 days",
     "America/Sao_Paulo",
     {{"1999-10-02T12:00:00", "1999-09-25T00:00:00"},
      {"1999-10-03T12:00:00", "1999-09-25T00:00:00"}}},
    {"4 days",
     "America/Sao_Paulo",
     {{"1999-10-03T12:00:00", "1999-10-03T01:00:00"},
      {"1999-10-06T12:00:00", "1999-10-03T01:00:00"},
      {"1999-10-07T12:00:00", "1999-10-07T00:00:00"}}},
};

inline qint64 instantOf(const char *text)
{
    const auto time = QDateTime::fromString(QLatin1StringView(text), Qt::ISODate);
    return QDateTime(time.date(), time.time(), Qt::UTC).toSecsSinceEpoch() * kSecond;
}

// The ends of time, and where zones that spellings name have been set.
inline QList<qint64> corners()
{
    QList<qint64> found;
    for (const char *text : {"0001-01-20T00:00:00", "9999-11-20T00:00:00", "1582-10-15T00:00:00",
                             "1883-11-18T18:00:00", "1900-03-01T00:00:00", "1969-09-30T13:00:00",
                             "1970-01-01T00:00:00", "1972-01-01T00:00:00", "1993-08-20T12:00:00",
                             "1994-12-31T10:00:00", "1995-01-01T10:00:00", "2000-01-03T00:00:00",
                             "2000-03-01T00:00:00", "2001-04-01T08:00:00", "2001-10-28T07:00:00",
                             "2010-03-04T15:00:00", "2011-12-30T10:00:00", "2018-11-04T03:00:00",
                             "2023-03-08T19:00:00", "2026-04-04T15:00:00", "2026-10-03T15:30:00",
                             "2026-11-01T07:00:00", "2037-03-29T01:00:00", "2400-02-29T00:00:00"})
        found.append(instantOf(text));
    return found;
}

inline QList<qint64> boundaryInstants()
{
    QList<qint64> found;
    for (const qint64 corner : corners()) {
        for (const qint64 off :
             {-kDay, -kHour - 1, -1800 * kSecond, -kSecond, qint64(-1), qint64(0), qint64(1),
              qint64(999), qint64(500'000), kSecond - 1, kMinute - 1, 5 * kMinute, 30 * kMinute,
              kHour - 1, kHour, 2 * kHour + 600 * kSecond, kDay - 1})
            found.append(corner + off);
    }
    QRandomGenerator random(20'260'404);
    const auto between = [&](const char *from, const char *to, qint64 step) {
        const qint64 low = instantOf(from) / step;
        const qint64 high = instantOf(to) / step;
        return (low + qint64(random.generate64() % quint64(high - low))) * step;
    };
    for (int i = 0; i < 60; ++i) {
        const qint64 step = QList<qint64>{1, kSecond, 5 * kMinute, kDay}[i % 4];
        found.append(between("1972-01-01T00:00:00", "2037-01-01T00:00:00", step) - i % 2);
        found.append(between("0001-02-01T00:00:00", "9999-11-01T00:00:00", step) - i % 2);
    }
    return found;
}

struct Pair {
    qint64 value = 0;
    qint64 key = 0;
};

// Values of a column of the type, as literals: each `stride`th of them.
inline QStringList literalsFor(const Type &type, qsizetype stride)
{
    QStringList literals;
    for (const qint64 instant : boundaryInstants()) {
        if (const auto literal =
                bucketLiteral(type, type.isInteger() ? instant / kSecond : instant))
            literals.append(*literal);
    }
    for (qint64 small = -1'300; type.isInteger() && small <= 1'300; small += 50) {
        for (const qint64 off : {-1, 0, 1})
            literals.append(QString::number(small + off));
    }
    literals.removeDuplicates();
    QStringList some{QStringLiteral("CAST(NULL AS %1)").arg(type.text())};
    for (qsizetype i = 0; i < literals.size(); i += stride)
        some.append(literals[i]);
    return some;
}

// A number, or a date or time as Trino prints it: of any year, and of UTC where it has a zone.
inline std::optional<qint64> numberOf(const Value &value)
{
    if (const auto *number = std::get_if<qint64>(&value.data))
        return *number;
    const auto *text = std::get_if<QString>(&value.data);
    static const QRegularExpression pattern(
        QStringLiteral("^(-?\\d+)-(\\d\\d)-(\\d\\d)(?: (\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d+))?)?"
                       "(?: UTC)?$"));
    const auto match = pattern.match(text ? *text : QString());
    if (!match.hasMatch())
        return {};
    const auto part = [&](int index) { return match.captured(index).toInt(); };
    const auto day =
        std::chrono::sys_days(std::chrono::year(part(1)) / std::chrono::month(unsigned(part(2))) /
                              std::chrono::day(unsigned(part(3))));
    const qint64 seconds = (part(4) * 60 + part(5)) * 60 + part(6);
    const qint64 fraction = match.captured(7).leftJustified(6, u'0').toLongLong();
    return qint64(day.time_since_epoch().count()) * kDay + seconds * kSecond + fraction;
}

inline bool isIn(const ValueInterval &interval, qint64 value)
{
    return interval.low <= value && value <= interval.high;
}

// What is wrong with the pairs of a spelling, or nothing.
inline QString brokenLaw(const BucketFunction &function, QList<Pair> pairs, qint64 most)
{
    const auto say = [](const char *what, const Pair &pair) {
        return QStringLiteral("%1: %2 has the key %3")
            .arg(QLatin1StringView(what))
            .arg(pair.value)
            .arg(pair.key);
    };
    const bool isNumber = function.columnDomain == BucketFunction::Domain::Number;
    const qint64 known = instantOf("1972-06-01T00:00:00") / (isNumber ? kSecond : 1);
    const qint64 unknown = instantOf("9998-01-01T00:00:00") / (isNumber ? kSecond : 1);
    for (const auto &pair : pairs) {
        if (!isIn(function.keysOf({pair.value, pair.value}), pair.key))
            return say("outside of keysOf", pair);
        if (!isIn(function.columnsOf({pair.key, pair.key}), pair.value))
            return say("outside of columnsOf", pair);
        const BucketRange range = function.bucketsOf(pair.value, pair.value);
        if ((range.from && pair.key < *range.from) || (range.to && pair.key >= *range.to))
            return say("outside of bucketsOf", pair);
        if (pair.value < known || pair.value > unknown)
            continue;
        if (!range.from || !range.to || *range.to - *range.from > most)
            return say("touches too much", pair);
    }
    std::ranges::sort(pairs, {}, &Pair::value);
    QRandomGenerator random(7);
    for (int i = 0; i < 200; ++i) {
        const auto first = random.bounded(pairs.size());
        const auto last = std::min(pairs.size() - 1, first + random.bounded(40));
        const auto keys = function.keysOf({pairs[first].value, pairs[last].value});
        const auto [low, high] = std::minmax({pairs[first].key, pairs[last].key});
        const auto columns = function.columnsOf({low, high});
        for (qsizetype at = 0; at < pairs.size(); ++at) {
            if (at >= first && at <= last && !isIn(keys, pairs[at].key))
                return say("outside of keysOf among others", pairs[at]);
            if (low <= pairs[at].key && pairs[at].key <= high && !isIn(columns, pairs[at].value))
                return say("outside of columnsOf among others", pairs[at]);
        }
    }
    return {};
}

using RunQuery = std::function<Result<Rows>(const QString &sql)>;

// What the engine does that planning does not expect of the spelling, or nothing.
inline Result<QString> brokenLaw(const Spelling &spelling, qsizetype stride, const RunQuery &run)
{
    const QString key = QString::fromLatin1(spelling.key);
    const Type type = parseType(QString::fromLatin1(spelling.type)).value();
    const auto view =
        viewOf(QStringLiteral("v"),
               QStringLiteral("SELECT %1 AS k, count(*) AS n FROM t GROUP BY 1").arg(key));
    if (!view.shape.isRanges() || view.shape.bucket->column != u"x")
        return QStringLiteral("is no bucket: %1").arg(view.shape.why);
    const QString sql = QStringLiteral("SELECT x, %1 AS k FROM (VALUES %2) AS t(x)")
                            .arg(view.shape.bucket->expression.of(view.shape.query).toString(),
                                 literalsFor(type, stride).join(QStringLiteral(", ")));
    IVM_TRY(const Rows rows, run(sql));
    const auto &function = view.shape.bucket->function;
    if (!function.fits(rows.columns[0].type, rows.columns[1].type))
        return QStringLiteral("a %1 of %2 does not fit")
            .arg(rows.columns[1].type.text(), rows.columns[0].type.text());
    QList<Pair> pairs;
    for (const auto &row : rows.rows) {
        if (row[0].isNull() != row[1].isNull())
            return QStringLiteral("%1 has the key %2").arg(row[0].text(), row[1].text());
        if (row[0].isNull())
            continue;
        const auto value = numberOf(row[0]);
        const auto made = numberOf(row[1]);
        if (!value || !made)
            return QStringLiteral("cannot read %1, %2").arg(row[0].text(), row[1].text());
        pairs.append({*value, *made});
    }
    if (pairs.size() < 20)
        return QStringLiteral("only %1 values were looked at").arg(pairs.size());
    return brokenLaw(function, pairs, spelling.most);
}

// Which of the zoned buckets starts elsewhere, or nothing.
inline Result<QString> wrongZonedBucket(const RunQuery &run)
{
    QStringList wrong;
    const Type type = parseType(QString::fromLatin1(kZoned)).value();
    for (const auto &[width, zone, starts] : kZonedBuckets) {
        const auto view = viewOf(
            QStringLiteral("v"),
            QStringLiteral("SELECT CAST(time_bucket('%1', x AT TIME ZONE '%2') AS timestamp(6)) "
                           "AS k, count(*) AS n FROM t GROUP BY 1")
                .arg(QLatin1StringView(width), QLatin1StringView(zone)));
        QStringList instants;
        for (const auto &[instant, start] : starts)
            instants.append(bucketLiteral(type, instantOf(instant)).value());
        IVM_TRY(const Rows rows,
                run(QStringLiteral("SELECT x, %1 AS k FROM (VALUES %2) AS t(x) ORDER BY x")
                        .arg(view.shape.columns[0].expression.of(view.shape.query).toString(),
                             instants.join(QStringLiteral(", ")))));
        size_t at = 0;
        for (const auto &[instant, start] : starts) {
            const Value &key = rows.rows[at++][1];
            if (numberOf(key) != instantOf(start))
                wrong.append(QStringLiteral("%1 in %2 of %3: %4")
                                 .arg(QLatin1StringView(width), QLatin1StringView(zone),
                                      QLatin1StringView(instant), key.text()));
        }
    }
    return wrong.join(u'\n');
}

}  // namespace ivm::test
