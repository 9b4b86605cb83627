#include "framework/view/bucket.h"

#include <QDateTime>
#include <QRandomGenerator>
#include <QTest>
#include <QTimeZone>

#include <limits>

using namespace ivm;

namespace {

const Type kTimestamp{.kind = TypeKind::Timestamp, .precision = 6};

Micros instant(const char *text)
{
    const auto time = QDateTime::fromString(QLatin1StringView(text), Qt::ISODate);
    return QDateTime(time.date(), time.time(), Qt::UTC).toMSecsSinceEpoch() * 1'000;
}

}  // namespace

class tst_Bucket : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsStartAndNext_data();
    void findsStartAndNext();
    void holdsEveryInstantOfTwoCenturies_data();
    void holdsEveryInstantOfTwoCenturies();
    void saturatesAtTheEnds_data();
    void saturatesAtTheEnds();
    void spellsLiterals();
    void knowsItsUnitsByName();
};

void tst_Bucket::findsStartAndNext_data()
{
    QTest::addColumn<QString>("unit");
    QTest::addColumn<Micros>("at");
    QTest::addColumn<Micros>("start");
    QTest::addColumn<Micros>("next");
    const auto row = [](const char *unit, const char *at, const char *start, const char *next) {
        QTest::addRow("%s of %s", unit, at)
            << QString::fromLatin1(unit) << instant(at) << instant(start) << instant(next);
    };
    row("minute", "2001-03-01T12:34:56", "2001-03-01T12:34:00", "2001-03-01T12:35:00");
    row("minute", "1969-12-31T23:59:59", "1969-12-31T23:59:00", "1970-01-01T00:00:00");
    row("hour", "2001-03-01T23:34:56", "2001-03-01T23:00:00", "2001-03-02T00:00:00");
    row("day", "2000-02-28T12:00:00", "2000-02-28T00:00:00", "2000-02-29T00:00:00");
    row("day", "1900-02-28T12:00:00", "1900-02-28T00:00:00", "1900-03-01T00:00:00");
    row("week", "2001-01-07T23:59:59", "2001-01-01T00:00:00", "2001-01-08T00:00:00");
    row("week", "1970-01-01T00:00:00", "1969-12-29T00:00:00", "1970-01-05T00:00:00");
    row("month", "2000-02-29T12:00:00", "2000-02-01T00:00:00", "2000-03-01T00:00:00");
    row("month", "1969-12-31T23:59:59", "1969-12-01T00:00:00", "1970-01-01T00:00:00");
    row("quarter", "2001-05-15T00:00:00", "2001-04-01T00:00:00", "2001-07-01T00:00:00");
    row("quarter", "2001-12-31T00:00:00", "2001-10-01T00:00:00", "2002-01-01T00:00:00");
    row("year", "2000-12-31T23:59:59", "2000-01-01T00:00:00", "2001-01-01T00:00:00");
}

void tst_Bucket::findsStartAndNext()
{
    QFETCH(QString, unit);
    QFETCH(Micros, at);
    QFETCH(Micros, start);
    QFETCH(Micros, next);
    const auto bucket = bucketUnitFromName(unit).value();
    QCOMPARE(bucketStart(bucket, at), start);
    QCOMPARE(nextBucketStart(bucket, start), next);
}

void tst_Bucket::holdsEveryInstantOfTwoCenturies_data()
{
    QTest::addColumn<int>("unit");
    for (int unit = 0; unit <= int(BucketUnit::Year); ++unit)
        QTest::newRow(qPrintable(bucketUnitName(BucketUnit(unit)))) << unit;
}

// The laws that planning rests on: a bucket holds its instant, starts at itself, and ends where the
// next one starts.
void tst_Bucket::holdsEveryInstantOfTwoCenturies()
{
    QFETCH(int, unit);
    const auto bucket = BucketUnit(unit);
    QRandomGenerator random(20011);
    const Micros first = instant("1870-01-01T00:00:00");
    const Micros last = instant("2070-01-01T00:00:00");
    for (int i = 0; i < 20'000; ++i) {
        const Micros at = first + Micros(random.generate64() % quint64(last - first));
        const Micros start = bucketStart(bucket, at);
        const Micros next = nextBucketStart(bucket, start);
        QVERIFY(start <= at && at < next);
        QCOMPARE(bucketStart(bucket, start), start);
        QCOMPARE(bucketStart(bucket, next - 1), start);
        QCOMPARE(bucketStart(bucket, next), next);
    }
}

void tst_Bucket::saturatesAtTheEnds_data() { holdsEveryInstantOfTwoCenturies_data(); }

void tst_Bucket::saturatesAtTheEnds()
{
    QFETCH(int, unit);
    const auto bucket = BucketUnit(unit);
    constexpr Micros lowest = std::numeric_limits<Micros>::min();
    constexpr Micros highest = std::numeric_limits<Micros>::max();
    for (const Micros at : {lowest, lowest + 1, lowest / 2, highest / 2, highest - 1, highest}) {
        const Micros start = bucketStart(bucket, at);
        QVERIFY(start <= at);
        QVERIFY(nextBucketStart(bucket, start) > at || nextBucketStart(bucket, start) == highest);
    }
    QCOMPARE(microsFromColumnUnit({.kind = TypeKind::Date}, highest), highest);
    QCOMPARE(microsFromColumnUnit({.kind = TypeKind::Date}, lowest), lowest);
}

void tst_Bucket::spellsLiterals()
{
    const Type date{.kind = TypeKind::Date};
    const Type withZone{.kind = TypeKind::TimestampWithTimeZone, .precision = 3};
    const Micros at = instant("2001-02-03T04:05:06");
    QCOMPARE(*bucketLiteral(date, at), QStringLiteral("DATE '2001-02-03'"));
    QCOMPARE(*bucketLiteral(kTimestamp, at), QStringLiteral("TIMESTAMP '2001-02-03 04:05:06'"));
    QCOMPARE(*bucketLiteral(kTimestamp, at + 7),
             QStringLiteral("TIMESTAMP '2001-02-03 04:05:06.000007'"));
    QCOMPARE(*bucketLiteral(withZone, at), QStringLiteral("TIMESTAMP '2001-02-03 04:05:06 UTC'"));
    QCOMPARE(*bucketLiteral(kTimestamp, instant("0001-01-01T00:00:00")),
             QStringLiteral("TIMESTAMP '0001-01-01 00:00:00'"));
    QVERIFY(!bucketLiteral(kTimestamp, instant("0001-01-01T00:00:00") - 1));
    QCOMPARE(*bucketText(kTimestamp, instant("9999-12-31T23:59:59")),
             QStringLiteral("9999-12-31 23:59:59"));
    QVERIFY(!bucketText(kTimestamp, instant("9999-12-31T23:59:59") + kMicrosPerSecond));
    QVERIFY(!bucketText(kTimestamp, std::numeric_limits<Micros>::max()));
}

void tst_Bucket::knowsItsUnitsByName()
{
    QCOMPARE(bucketUnitFromName(u"HOUR"), BucketUnit::Hour);
    QVERIFY(!bucketUnitFromName(u"fortnight"));
    QVERIFY(!bucketUnitFromName(u""));
}

QTEST_GUILESS_MAIN(tst_Bucket)
#include "tst_bucket.moc"
