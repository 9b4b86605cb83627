#include "framework/view/graph.h"

#include "tests/support/views.h"

#include <QTest>

using namespace ivm;

namespace {

// "a<b" is a view a that reads table b.
QList<View> viewsOf(const QStringList &edges)
{
    QList<View> views;
    for (const auto &edge : edges) {
        const QString query =
            QStringLiteral("SELECT k, count(*) AS n FROM %1 GROUP BY 1").arg(edge.section(u'<', 1));
        views.append(test::viewOf(edge.section(u'<', 0, 0), query));
    }
    return views;
}

}  // namespace

class tst_Graph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ordersSourcesFirst_data();
    void ordersSourcesFirst();
    void namesTheCycle();
};

void tst_Graph::ordersSourcesFirst_data()
{
    QTest::addColumn<QStringList>("edges");
    QTest::addColumn<QList<qsizetype>>("order");
    QTest::addColumn<QList<qsizetype>>("inCycle");
    using Indexes = QList<qsizetype>;
    QTest::newRow("none") << QStringList() << Indexes() << Indexes();
    QTest::newRow("unrelated stay as given")
        << QStringList{QStringLiteral("b<t"), QStringLiteral("a<t")} << Indexes{0, 1} << Indexes();
    QTest::newRow("a chain given backwards")
        << QStringList{QStringLiteral("c<b"), QStringLiteral("b<a"), QStringLiteral("a<t")}
        << Indexes{2, 1, 0} << Indexes();
    QTest::newRow("a cycle of two")
        << QStringList{QStringLiteral("a<b"), QStringLiteral("b<a"), QStringLiteral("c<t")}
        << Indexes{2} << Indexes{0, 1};
    QTest::newRow("a view behind a cycle still runs")
        << QStringList{QStringLiteral("c<b"), QStringLiteral("a<b"), QStringLiteral("b<a")}
        << Indexes{0} << Indexes{1, 2};
}

void tst_Graph::ordersSourcesFirst()
{
    QFETCH(QStringList, edges);
    QFETCH(QList<qsizetype>, order);
    QFETCH(QList<qsizetype>, inCycle);
    const auto result = refreshOrder(viewsOf(edges));
    QCOMPARE(result.order, order);
    QCOMPARE(result.inCycle, inCycle);
}

void tst_Graph::namesTheCycle()
{
    const auto views =
        viewsOf({QStringLiteral("a<c"), QStringLiteral("b<a"), QStringLiteral("c<b")});
    QCOMPARE(cycleError(views, 0).text(),
             QStringLiteral("views.yaml:4:7: view 'a' reads itself through c, b. "
                            "Let one of them read another table"));
}

QTEST_GUILESS_MAIN(tst_Graph)
#include "tst_graph.moc"
