#include "framework/api/store.h"

#include <QTest>

using namespace ivm;

namespace {

Bookmark exampleBookmark()
{
    const TableName source{QStringLiteral("iceberg"), QStringLiteral("main"),
                           QStringLiteral("flights")};
    const TableName target{QStringLiteral("iceberg"), QStringLiteral("main"),
                           QStringLiteral("hourly")};
    return {
        .view = QStringLiteral("hourly"),
        .definitionHash = QStringLiteral("abc"),
        .outputs = {{QStringLiteral("origin"), {.kind = TypeKind::Varchar}, ColumnClass::Key},
                    {QStringLiteral("avg_delay"), {.kind = TypeKind::Double}, ColumnClass::Float}},
        .sources = {{.table = source,
                     .role = SourceRole::Driving,
                     // Above 2^53: damaged by any trip through double.
                     .head = {QStringLiteral("id-1"), QStringLiteral("m1.json"), 9007199254740993},
                     .columns = {{.name = QStringLiteral("origin"),
                                  .type = {.kind = TypeKind::Varchar},
                                  .fieldId = 3},
                                 {.name = QStringLiteral("delay"),
                                  .type = {.kind = TypeKind::Integer},
                                  .fieldId = 2}},
                     .pinnable = true,
                     .exact = false}},
        .target = target,
        .targetHead = {QStringLiteral("id-2"), QStringLiteral("m2.json"), std::nullopt},
        .targetColumns = {{.name = QStringLiteral("origin"),
                           .type = {.kind = TypeKind::Varchar},
                           .fieldId = 1}},
        .resumeFrom = {}};
}

}  // namespace

class tst_Bookmark : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsEverythingInJson();
    void refusesDamagedJson_data();
    void refusesDamagedJson();
};

void tst_Bookmark::keepsEverythingInJson()
{
    const auto bookmark = exampleBookmark();
    const auto read = Bookmark::fromJson(bookmark.toJson(), u"a test");
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(*read, bookmark);
    QCOMPARE(read->toJson(), bookmark.toJson());
}

void tst_Bookmark::refusesDamagedJson_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray whole = exampleBookmark().toJson();
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("cut off") << whole.first(whole.size() / 2);
    QTest::newRow("a list") << QByteArray("[]");
    QTest::newRow("a fractional snapshot") << QByteArray(whole).replace("9007199254740993", "1.5");
    QTest::newRow("an unknown type") << QByteArray(whole).replace("varchar", "varchars");
    QTest::newRow("an unknown class") << QByteArray(whole).replace("\"float\"", "\"floats\"");
    QTest::newRow("no sources") << QByteArray(whole).replace("\"sources\"", "\"source\"");
}

void tst_Bookmark::refusesDamagedJson()
{
    QFETCH(QByteArray, bytes);
    QVERIFY(!Bookmark::fromJson(bytes, u"a test"));
}

QTEST_GUILESS_MAIN(tst_Bookmark)
#include "tst_bookmark.moc"
