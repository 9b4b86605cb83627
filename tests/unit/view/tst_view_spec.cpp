#include "framework/view/view_spec.h"

#include "tests/support/views.h"

#include <QTest>

using namespace ivm;

class tst_ViewSpec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsPlacesInTheFile();
    void hashesWhatDecidesTheRows();
};

void tst_ViewSpec::findsPlacesInTheFile()
{
    auto spec = test::specOf(QStringLiteral("v"), QStringLiteral("SELECT a\nFROM t"));
    QCOMPARE(spec.placeInFile(1, 8), (Place{QStringLiteral("views.yaml"), 4, 14}));
    QCOMPARE(spec.placeInFile(2, 1), (Place{QStringLiteral("views.yaml"), 5, 7}));
    QCOMPARE(spec.placeInQuery(spec.placeInFile(1, 8)), (Place{{}, 1, 8}));
    QCOMPARE(spec.placeInQuery({QStringLiteral("views.yaml"), 3, 9}), Place());
    QCOMPARE(spec.placeInQuery({QStringLiteral("views.yaml"), 4, 6}), Place());
    spec.queryIndent = -1;
    QCOMPARE(spec.placeInFile(2, 1), (Place{QStringLiteral("views.yaml"), 4, 7}));
}

void tst_ViewSpec::hashesWhatDecidesTheRows()
{
    const auto spec = test::specOf(QStringLiteral("v"), QStringLiteral("SELECT 1"));
    auto same = spec;
    same.refreshInterval = std::chrono::seconds(5);
    same.query += QStringLiteral("  \n");
    QCOMPARE(same.definitionHash(), spec.definitionHash());
    auto other = spec;
    other.query = QStringLiteral("SELECT 2");
    QVERIFY(other.definitionHash() != spec.definitionHash());
    const auto hashOf = [](const char *query) {
        return test::specOf(QStringLiteral("v"), QString::fromLatin1(query)).definitionHash();
    };
    QCOMPARE(hashOf("select A , 'x y'\n-- why\nFROM t"), hashOf("SELECT a, 'x y' from T"));
    QVERIFY(hashOf("SELECT a, 'x y' FROM t") != hashOf("SELECT a, 'x  y' FROM t"));
    QVERIFY(hashOf("SELECT a, 'X' FROM t") != hashOf("SELECT a, 'x' FROM t"));
    QVERIFY(hashOf("SELECT a b FROM t") != hashOf("SELECT ab FROM t"));
    auto elsewhere = spec;
    elsewhere.target = test::tableNamed(QStringLiteral("w"));
    QVERIFY(elsewhere.definitionHash() != spec.definitionHash());
}

QTEST_GUILESS_MAIN(tst_ViewSpec)
#include "tst_view_spec.moc"
