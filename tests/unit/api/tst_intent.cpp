#include "framework/api/change.h"

#include <QTest>

using namespace ivm;

namespace {

Intent exampleIntent()
{
    return {.id = QStringLiteral("i-1"),
            .view = QStringLiteral("hourly"),
            .target = {QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("hourly")},
            // Above 2^53: damaged by any trip through double.
            .targetHead = {QStringLiteral("id-2"), QStringLiteral("m2.json"), 9007199254740993},
            .statementId = QStringLiteral("20261129_000000_00001_abcde"),
            .summary = {{QStringLiteral("ivm.intent"), QStringLiteral("i-1")}}};
}

}  // namespace

class tst_Intent : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsEverythingInJson();
    void refusesDamagedJson_data();
    void refusesDamagedJson();
};

void tst_Intent::keepsEverythingInJson()
{
    const auto intent = exampleIntent();
    const auto read = Intent::fromJson(intent.toJson(), u"a test");
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(*read, intent);
}

void tst_Intent::refusesDamagedJson_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray whole = exampleIntent().toJson();
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("cut off") << whole.first(whole.size() / 2);
    QTest::newRow("a fractional snapshot") << QByteArray(whole).replace("9007199254740993", "1.5");
    QTest::newRow("no target") << QByteArray(whole).replace("\"target\"", "\"targets\"");
    QTest::newRow("a number in the summary")
        << QByteArray(whole).replace("\"ivm.intent\":\"i-1\"", "\"ivm.intent\":1");
}

void tst_Intent::refusesDamagedJson()
{
    QFETCH(QByteArray, bytes);
    QVERIFY(!Intent::fromJson(bytes, u"a test"));
}

QTEST_GUILESS_MAIN(tst_Intent)
#include "tst_intent.moc"
