// Planning's knowledge of buckets against the real Trino: its calendar, its arithmetic and its time
// zone database.
#include "framework/view/zone.h"
#include "tests/support/bucket_law.h"
#include "tests/trino/real_trino.h"

#include <QTimeZone>

using namespace ivm;

class tst_TrinoBuckets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString missing = m_trino.open();
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
    }

    void keysLieWherePlanningSays_data()
    {
        QTest::addColumn<int>("spelling");
        for (int i = 0; i < int(std::size(test::kSpellings)); ++i)
            QTest::addRow("%s of %s", test::kSpellings[i].key, test::kSpellings[i].type) << i;
    }
    void keysLieWherePlanningSays()
    {
        QFETCH(int, spelling);
        const auto broken =
            test::brokenLaw(test::kSpellings[spelling], 2, [this](const QString &sql) {
                return query(m_trino.session(), sql, Call{});
            });
        QVERIFY2(broken, broken ? "" : qPrintable(broken.error().text()));
        QCOMPARE(*broken, QString());
    }

    void bucketsInZonesStartOnTheirClocks()
    {
        const auto wrong = test::wrongZonedBucket(
            [this](const QString &sql) { return query(m_trino.session(), sql, Call{}); });
        QVERIFY2(wrong, wrong ? "" : qPrintable(wrong.error().text()));
        QCOMPARE(*wrong, QString());
    }

    void zonesStayWithinTheirOffsets();

    void cleanupTestCase() { m_trino.close(); }

private:
    trino::RealTrino m_trino;
};

// Every zone that Qt knows, at instants of its own and of all: Trino's clock is within what
// planning takes, and since 1972 within three hours of what Qt's database says, so that the fourth
// is to spare.
void tst_TrinoBuckets::zonesStayWithinTheirOffsets()
{
    QStringList zones;
    for (const auto &zone : QTimeZone::availableTimeZoneIds()) {
        if (!zone.startsWith("posix/") && !zone.startsWith("right/"))
            zones.append(quotedLiteral(QString::fromLatin1(zone)));
    }
    QVERIFY(zones.size() > 300);
    for (const char *zone :
         {"US/Central", "Cuba", "EST5EDT", "Etc/GMT+5", "GMT+5", "GMT-05", "UT+5", "UTC+05:30",
          "UTC-05:30", "+5", "-05", "+05:30", "GMT+5:30", "+0530"})
        zones.append(quotedLiteral(QString::fromLatin1(zone)));
    QStringList instants;
    QRandomGenerator random(1972);
    for (const qint64 corner : test::corners())
        instants.append(QString::number(corner / test::kSecond + 1'800));
    for (int i = 0; i < 40; ++i)
        instants.append(QString::number(63'072'000 + random.bounded(2'100'000'000)));
    const auto rows = query(
        m_trino.session(),
        QStringLiteral("SELECT z, s, TRY(CAST(at_timezone(from_unixtime(s), z) AS timestamp(6))) "
                       "FROM UNNEST(ARRAY[%1]) AS a(z) CROSS JOIN UNNEST(ARRAY[%2]) AS b(s)")
            .arg(zones.join(u','), instants.join(u',')),
        Call{});
    QVERIFY2(rows, rows ? "" : qPrintable(rows.error().text()));
    qsizetype known = 0;
    for (const auto &row : rows->rows) {
        const auto local = test::numberOf(row[2]);
        if (!local)
            continue;
        ++known;
        const QString zone = std::get<QString>(row[0].data);
        const Micros instant = std::get<qint64>(row[1].data) * test::kSecond;
        const Micros offset = *local - instant;
        const auto range = zoneOffsets(zone, instant, instant);
        const auto where =
            QStringLiteral("%1 at %2: %3 s").arg(zone).arg(instant).arg(offset / 1'000'000);
        QVERIFY2(range.low <= offset && offset <= range.high, qPrintable(where));
        const bool isTold = range.high - range.low == 8 * test::kHour;
        QVERIFY2(!isTold ||
                     (range.low + test::kHour <= offset && offset <= range.high - test::kHour),
                 qPrintable(where));
    }
    QVERIFY2(known > 9 * qsizetype(rows->rows.size()) / 10, qPrintable(QString::number(known)));
}

QTEST_GUILESS_MAIN(tst_TrinoBuckets)
#include "tst_trino_buckets.moc"
