// Which changes of a definition are none.
#include "framework/view/same_definition.h"

#include <QTest>

using namespace ivm;

class tst_SameDefinition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsQueriesApart_data();
    void tellsQueriesApart();
    void tellsOptionsApart();
};

void tst_SameDefinition::tellsQueriesApart_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<bool>("same");
    const auto row = [](const char *what, const char *query, bool same) {
        QTest::newRow(what) << QString::fromLatin1(query) << same;
    };
    row("itself", "SELECT s, sum(v) AS n FROM t WHERE s > 'A ' GROUP BY 1", true);
    row("spacing", "SELECT s,\n       sum( v ) AS n\nFROM t WHERE s>'A ' GROUP BY 1", true);
    row("letter case", "select S, SUM(V) as N from T where s > 'A ' group by 1", true);
    row("a comment", "SELECT s, sum(v) AS n -- why\nFROM t WHERE s > 'A ' GROUP BY 1", true);
    row("a column by its name", "SELECT s, sum(v) AS n FROM t WHERE s > 'A ' GROUP BY s", true);
    row("quotes", "SELECT \"s\", sum(v) AS n FROM t WHERE s > 'A ' GROUP BY 1", true);
    row("DISTINCT", "SELECT s, sum(DISTINCT v) AS n FROM t WHERE s > 'A ' GROUP BY 1", false);
    row(">=", "SELECT s, sum(v) AS n FROM t WHERE s >= 'A ' GROUP BY 1", false);
    row("a space in a text", "SELECT s, sum(v) AS n FROM t WHERE s > 'A' GROUP BY 1", false);
    row("the case of a text", "SELECT s, sum(v) AS n FROM t WHERE s > 'a ' GROUP BY 1", false);
    row("columns swapped", "SELECT sum(v) AS n, s FROM t WHERE s > 'A ' GROUP BY 2", false);
    row("another alias", "SELECT s, sum(v) AS m FROM t WHERE s > 'A ' GROUP BY 1", false);
    row("no SQL", "SELECT s, sum(v AS n FROM t", false);
}

void tst_SameDefinition::tellsQueriesApart()
{
    QFETCH(QString, query);
    const QString original =
        QStringLiteral("SELECT s, sum(v) AS n FROM t WHERE s > 'A ' GROUP BY 1");
    QTEST(sameQuery(original, query), "same");
    QTEST(sameQuery(query, original), "same");
    QVERIFY(sameQuery(query, query));
}

void tst_SameDefinition::tellsOptionsApart()
{
    const TableName defaults{QStringLiteral("iceberg"), QStringLiteral("main"), QString()};
    ViewSpec spec;
    spec.name = QStringLiteral("v");
    spec.query = QStringLiteral("SELECT s, sum(v) AS n FROM t GROUP BY 1");
    spec.target = {defaults.catalog, defaults.schema, spec.name};
    ViewSpec other = spec;
    other.queryPlace = {QStringLiteral("views.yaml"), 7, 3};
    QVERIFY(sameDefinition(spec, other, defaults));
    other.refreshInterval = std::chrono::seconds(5);
    QVERIFY(!sameDefinition(spec, other, defaults));
    QVERIFY(sameTable(spec, other));
    other.comment = QStringLiteral("x");
    QVERIFY(!sameTable(spec, other));
    other = spec;
    other.keys = {QStringLiteral("s")};
    QVERIFY(!sameTable(spec, other));
    other = spec;
    other.target.schema = QStringLiteral("x");
    QVERIFY(!sameTable(spec, other));
    QVERIFY(!sameDefinition(spec, other, defaults));
}

QTEST_GUILESS_MAIN(tst_SameDefinition)
#include "tst_same_definition.moc"
