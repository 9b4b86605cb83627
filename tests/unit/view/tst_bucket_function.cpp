#include "framework/view/bucket_function.h"

#include "framework/view/zone.h"

#include <QDateTime>
#include <QRandomGenerator>
#include <QTest>

using namespace ivm;

namespace {

constexpr qint64 kLowest = std::numeric_limits<qint64>::min();
constexpr qint64 kHighest = std::numeric_limits<qint64>::max();
constexpr Micros kHour = 3'600 * kMicrosPerSecond;

Micros at(const char *text)
{
    const auto time = QDateTime::fromString(QLatin1StringView(text), Qt::ISODate);
    return QDateTime(time.date(), time.time(), Qt::UTC).toSecsSinceEpoch() * kMicrosPerSecond;
}

QList<BucketFunction> someFunctions()
{
    using enum BucketFunction::Domain;
    return {{Time, Time, {Truncate{BucketUnit::Hour}}},
            {Time, Time, {Truncate{BucketUnit::Minute, 5}}},
            {Time, Time, {Truncate{BucketUnit::Month}, Shift{-62 * kMicrosPerDay, 0}}},
            {Number, Number, {Divide{300}, Multiply{300}}},
            {Number, Time, {Divide{1'000}, Multiply{kMicrosPerSecond}, Truncate{BucketUnit::Day}}},
            {Time, Time, {ToLocal{QStringLiteral("America/Chicago")}, Truncate{BucketUnit::Day}}},
            {Time, Time, {Shift{1 - kHour, 0, QStringLiteral("Australia/Lord_Howe")}}}};
}

bool isWithin(const ValueInterval &inner, const ValueInterval &outer)
{
    return outer.low <= inner.low && inner.high <= outer.high;
}

}  // namespace

class tst_BucketFunction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void widensWithWhatItIsGiven();
    void goesBackToWhereItCameFrom();
    void staysOpenWhereItIsOpen();
    void endsABucketWhereTheNextStarts();
    void truncatesNumbersTowardZero();
    void knowsZones_data();
    void knowsZones();
    void stepsOverDaysThatTheDateLineTook_data();
    void stepsOverDaysThatTheDateLineTook();
    void spreadsWithoutEnd();
    void fitsItsTypesOnly();
};

// The keys of a part lie within the keys of the whole, where nothing runs over.
void tst_BucketFunction::widensWithWhatItIsGiven()
{
    QRandomGenerator random(5);
    for (const auto &function : someFunctions()) {
        for (int i = 0; i < 2'000; ++i) {
            const auto any = [&] { return qint64(random.generate64()) >> (12 + i % 40); };
            const auto [low, high] = std::minmax({any(), any()});
            const qint64 part = low + (high / 2 - low / 2);
            QVERIFY(isWithin(function.keysOf({part, part}), function.keysOf({low, high})));
            QVERIFY(isWithin(function.columnsOf({part, part}), function.columnsOf({low, high})));
        }
    }
}

void tst_BucketFunction::goesBackToWhereItCameFrom()
{
    QRandomGenerator random(6);
    for (const auto &function : someFunctions()) {
        for (int i = 0; i < 2'000; ++i) {
            const qint64 value = qint64(random.generate64()) >> (i % 40);
            const auto keys = function.keysOf({value, value});
            QVERIFY(keys.low <= keys.high);
            QVERIFY(isWithin({value, value}, function.columnsOf(keys)));
        }
    }
}

void tst_BucketFunction::staysOpenWhereItIsOpen()
{
    for (const auto &function : someFunctions()) {
        QCOMPARE(function.keysOf({kLowest, kHighest}), (ValueInterval{kLowest, kHighest}));
        QCOMPARE(function.columnsOf({kLowest, kHighest}), (ValueInterval{kLowest, kHighest}));
        QCOMPARE(function.bucketsOf(kLowest, kHighest), (BucketRange{}));
        QCOMPARE(function.columnRange({}), (BucketRange{}));
    }
}

void tst_BucketFunction::endsABucketWhereTheNextStarts()
{
    const BucketFunction fiveMinutes{.steps = {Truncate{BucketUnit::Minute, 5}}};
    QCOMPARE(fiveMinutes.bucketsOf(at("2001-01-01T00:07:30"), at("2001-01-01T00:10:00")),
             (BucketRange{at("2001-01-01T00:05:00"), at("2001-01-01T00:15:00")}));
    QCOMPARE(fiveMinutes.bucketsOf(-1, -1), (BucketRange{-300 * kMicrosPerSecond, 0}));
    const BucketFunction month{.steps = {Truncate{BucketUnit::Month}}};
    QCOMPARE(month.bucketsOf(at("2000-02-29T12:00:00"), at("2000-02-29T12:00:00")),
             (BucketRange{at("2000-02-01T00:00:00"), at("2000-03-01T00:00:00")}));
    QCOMPARE(month.ofKeys().bucketsOf(at("2000-02-01T00:00:00"), at("2000-02-02T00:00:00")),
             (BucketRange{at("2000-02-01T00:00:00"), at("2000-03-01T00:00:00")}));
    const BucketFunction shifted{.steps = {Truncate{BucketUnit::Day}, Shift{7, 7}}};
    QCOMPARE(shifted.bucketsOf(5, 5), (BucketRange{7, 8}));
    QCOMPARE(shifted.ofKeys().bucketsOf(5, 9), (BucketRange{5, 10}));
}

// Bucket 0 is twice as wide as any other.
void tst_BucketFunction::truncatesNumbersTowardZero()
{
    using enum BucketFunction::Domain;
    const BucketFunction steps{Number, Number, {Divide{300}, Multiply{300}}};
    QCOMPARE(steps.bucketsOf(-1, -1), (BucketRange{0, 1}));
    QCOMPARE(steps.bucketsOf(-299, 299), (BucketRange{0, 1}));
    QCOMPARE(steps.bucketsOf(-300, -300), (BucketRange{-300, -299}));
    QVERIFY(isWithin({-299, 299}, steps.columnsOf({0, 0})));
    QVERIFY(isWithin({-899, -600}, steps.columnsOf({-600, -600})));
}

void tst_BucketFunction::knowsZones_data()
{
    QTest::addColumn<QString>("zone");
    QTest::addColumn<Micros>("from");
    QTest::addColumn<Micros>("to");
    QTest::addColumn<Micros>("low");
    QTest::addColumn<Micros>("high");
    const auto row = [](const char *name, const char *zone, const char *from, const char *to,
                        Micros low, Micros high) {
        QTest::newRow(name) << QString::fromLatin1(zone) << at(from) << at(to) << low << high;
    };
    row("winter", "America/Chicago", "2001-01-01T00:00:00", "2001-01-02T00:00:00", -10 * kHour,
        -2 * kHour);
    row("from winter to summer", "America/Chicago", "2001-04-01T07:00:00", "2001-04-01T09:00:00",
        -10 * kHour, -1 * kHour);
    row("summer between two winters", "America/Chicago", "2001-01-01T00:00:00",
        "2002-01-01T00:00:00", -10 * kHour, -1 * kHour);
    row("half an hour", "Australia/Lord_Howe", "2026-04-04T14:00:00", "2026-04-04T16:00:00",
        6 * kHour + kHour / 2, 15 * kHour);
    row("a day that was skipped", "Pacific/Apia", "2011-12-30T09:00:00", "2011-12-30T11:00:00",
        -14 * kHour, 18 * kHour);
    row("years ahead", "Europe/Berlin", "2400-07-01T00:00:00", "2400-07-02T00:00:00", -2 * kHour,
        6 * kHour);
    row("long ago", "America/Chicago", "1971-12-31T23:59:59", "1972-01-01T00:00:01", -18 * kHour,
        18 * kHour);
    row("too far ahead", "America/Chicago", "9998-12-31T00:00:00", "9999-01-02T00:00:00",
        -18 * kHour, 18 * kHour);
    row("nowhere", "Moon/Tycho", "2001-01-01T00:00:00", "2001-01-01T00:00:00", -18 * kHour,
        18 * kHour);
    row("UTC", "utc", "1001-01-01T00:00:00", "2001-01-01T00:00:00", 0, 0);
    row("a fixed offset", "-05:30", "1001-01-01T00:00:00", "2001-01-01T00:00:00",
        -5 * kHour - kHour / 2, -5 * kHour - kHour / 2);
    for (const char *fixed : {"+05:00", "+5", "+05", "GMT+5", "UTC+05", "UT+5", "UTC+05:00"})
        row(fixed, fixed, "2001-01-01T00:00:00", "2001-01-01T00:00:00", 5 * kHour, 5 * kHour);
    row("a fixed offset west of Greenwich", "GMT-5", "2001-01-01T00:00:00", "2001-01-01T00:00:00",
        -5 * kHour, -5 * kHour);
    row("a name with the sign of POSIX", "Etc/GMT+5", "2001-01-01T00:00:00", "2001-01-01T00:00:00",
        -9 * kHour, -1 * kHour);
    row("a rule of POSIX", "ABC+5", "2001-01-01T00:00:00", "2001-01-01T00:00:00", -18 * kHour,
        18 * kHour);
    row("no fixed offset", "+5:300", "2001-01-01T00:00:00", "2001-01-01T00:00:00", -18 * kHour,
        18 * kHour);
}

void tst_BucketFunction::knowsZones()
{
    QFETCH(QString, zone);
    QFETCH(Micros, from);
    QFETCH(Micros, to);
    QFETCH(Micros, low);
    QFETCH(Micros, high);
    const auto range = zoneOffsets(zone, from, to);
    QCOMPARE(range.low / kMicrosPerSecond, low / kMicrosPerSecond);
    QCOMPARE(range.high / kMicrosPerSecond, high / kMicrosPerSecond);
}

void tst_BucketFunction::stepsOverDaysThatTheDateLineTook_data()
{
    QTest::addColumn<QString>("zone");
    QTest::addColumn<qint64>("days");
    QTest::addColumn<Micros>("from");
    QTest::addColumn<Micros>("key");
    const auto row = [](const char *name, const char *zone, qint64 days, const char *from,
                        const char *key) {
        QTest::newRow(name) << QString::fromLatin1(zone) << days << at(from) << at(key);
    };
    row("Apia, forward", "Pacific/Apia", 2, "2011-12-29T10:00:00", "2011-12-30T10:00:00");
    row("Apia, back", "Pacific/Apia", -2, "2011-12-30T10:00:00", "2011-12-29T10:00:00");
    row("Fakaofo", "Pacific/Fakaofo", 7, "2011-12-29T11:00:00", "2012-01-04T11:00:00");
    row("Kiritimati", "Pacific/Kiritimati", 1, "1994-12-31T09:59:59", "1994-12-31T10:00:00");
    row("no such zone here", "Moon/Tycho", 2, "2011-12-29T10:00:00", "2011-12-30T10:00:00");
}

// So many days later on the zone's clock is a day less or more in all.
void tst_BucketFunction::stepsOverDaysThatTheDateLineTook()
{
    QFETCH(QString, zone);
    QFETCH(qint64, days);
    QFETCH(Micros, from);
    QFETCH(Micros, key);
    const BucketFunction step{.steps = {Shift{days * kMicrosPerDay, days * kMicrosPerDay, zone}}};
    QVERIFY(isWithin({key, key}, step.keysOf({from, from})));
    QVERIFY(isWithin({from, from}, step.columnsOf({key, key})));
    const Micros later = from + 200 * kMicrosPerDay;
    const auto keys = step.keysOf({later, later});
    if (zone != u"Moon/Tycho")
        QCOMPARE(keys.high - keys.low, 8 * kHour);
}

void tst_BucketFunction::spreadsWithoutEnd()
{
    constexpr qint64 far = 9'000'000'000'000'000'000;
    QCOMPARE((BucketFunction{.steps = {Shift{-far, far}}}.spread()), kHighest);
    QCOMPARE((BucketFunction{.steps = {Shift{0, far}, Shift{0, far}}}.spread()), kHighest);
}

void tst_BucketFunction::fitsItsTypesOnly()
{
    using enum BucketFunction::Domain;
    const Type bigint{.kind = TypeKind::Bigint};
    const Type number{.kind = TypeKind::Double};
    const Type date{.kind = TypeKind::Date};
    const BucketFunction epoch{Number, Time, {}};
    QVERIFY(epoch.fits(bigint, date));
    QVERIFY(!epoch.fits(number, date));
    QVERIFY(!epoch.fits(date, date));
    QVERIFY(!epoch.fits(bigint, bigint));
}

QTEST_GUILESS_MAIN(tst_BucketFunction)
#include "tst_bucket_function.moc"
