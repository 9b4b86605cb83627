// Planning's knowledge of buckets against the embedded engine's calendar and arithmetic.
#include "tests/support/bucket_law.h"
#include "tests/support/language.h"

using namespace ivm;

class tst_DuckdbBuckets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto opened = m_embedded.open();
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().text()));
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
            test::brokenLaw(test::kSpellings[spelling], 7,
                            [this](const QString &sql) { return m_embedded.run(sql); });
        QVERIFY2(broken, broken ? "" : qPrintable(broken.error().text()));
        QCOMPARE(*broken, QString());
    }

    void bucketsInZonesStartOnTheirClocks()
    {
        const auto wrong =
            test::wrongZonedBucket([this](const QString &sql) { return m_embedded.run(sql); });
        QVERIFY2(wrong, wrong ? "" : qPrintable(wrong.error().text()));
        QCOMPARE(*wrong, QString());
    }

private:
    test::EmbeddedLanguage m_embedded;
};

QTEST_GUILESS_MAIN(tst_DuckdbBuckets)
#include "tst_duckdb_buckets.moc"
