#include "framework/base/nearest.h"

#include <QElapsedTimer>
#include <QTest>

using namespace ivm;

class tst_Nearest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void finds_data();
    void finds();
    void aVeryLongNameCostsNothing();
};

void tst_Nearest::finds_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    QTest::newRow("one letter less")
        << QStringLiteral("refresh_interval_second") << QStringLiteral("refresh_interval_seconds");
    QTest::newRow("two letters swapped") << QStringLiteral("qurey") << QStringLiteral("query");
    QTest::newRow("another case") << QStringLiteral("Query") << QStringLiteral("query");
    QTest::newRow("one letter of a short name") << QStringLiteral("nam") << QStringLiteral("name");
    QTest::newRow("too far away") << QStringLiteral("warehouse") << QString();
    QTest::newRow("too far for a short name") << QStringLiteral("nmx") << QString();
    QTest::newRow("empty") << QString() << QString();
}

void tst_Nearest::finds()
{
    QFETCH(QString, name);
    QFETCH(QString, expected);
    QCOMPARE(nearestName(name, {QStringLiteral("name"), QStringLiteral("query"),
                                QStringLiteral("refresh_interval_seconds")}),
             expected);
}

void tst_Nearest::aVeryLongNameCostsNothing()
{
    QElapsedTimer timer;
    timer.start();
    QVERIFY(nearestName(QString(1'000'000, u'x'), {QString(1'000'000, u'x')}).isEmpty());
    QVERIFY(timer.elapsed() < 1000);
}

QTEST_GUILESS_MAIN(tst_Nearest)
#include "tst_nearest.moc"
