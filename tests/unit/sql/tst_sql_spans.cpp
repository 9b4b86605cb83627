// Where nodes were written: what an edit of the user's own text relies on.
#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/visit.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;

namespace {

const QString kQuery = QStringLiteral("WITH w AS (SELECT 1)\n"
                                      "SELECT a , (b + 1) AS c, t.*\n"
                                      "FROM iceberg.main.\"T\" AS t , (u) x\n"
                                      "WHERE (a = 1 OR b)\n"
                                      "GROUP BY a, ROLLUP (b)\n"
                                      "HAVING count(*) > 1\n"
                                      "ORDER BY c DESC OFFSET 1 LIMIT 2  -- end");

QString under(const QString &text, Span span) { return span.of(text).toString(); }

}  // namespace

class TestSqlSpans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void clausesOfAQuery()
    {
        const auto query = parseQuery(kQuery);
        QVERIFY(query);
        const Select *select = query->select();
        QVERIFY(select);
        QCOMPARE(under(kQuery, query->with->span), QStringLiteral("WITH w AS (SELECT 1)"));
        QCOMPARE(under(kQuery, select->itemsSpan), QStringLiteral("a , (b + 1) AS c, t.*"));
        QCOMPARE(under(kQuery, select->fromSpan),
                 QStringLiteral("FROM iceberg.main.\"T\" AS t , (u) x"));
        QCOMPARE(under(kQuery, select->whereSpan), QStringLiteral("WHERE (a = 1 OR b)"));
        QCOMPARE(under(kQuery, select->where->span), QStringLiteral("(a = 1 OR b)"));
        QCOMPARE(under(kQuery, select->groupBy->span), QStringLiteral("GROUP BY a, ROLLUP (b)"));
        QCOMPARE(under(kQuery, select->havingSpan), QStringLiteral("HAVING count(*) > 1"));
        QCOMPARE(under(kQuery, query->orderBySpan), QStringLiteral("ORDER BY c DESC"));
        QCOMPARE(under(kQuery, query->offsetSpan), QStringLiteral("OFFSET 1"));
        QCOMPARE(under(kQuery, query->limit->span), QStringLiteral("LIMIT 2"));
        QVERIFY(under(kQuery, select->span).startsWith(u"SELECT a"));
        QVERIFY(under(kQuery, select->span).endsWith(u"> 1"));
        QVERIFY(under(kQuery, query->span).startsWith(u"WITH w"));
        QVERIFY(under(kQuery, query->span).endsWith(u"LIMIT 2"));
    }

    void partsOfClauses()
    {
        const auto query = parseQuery(kQuery);
        QVERIFY(query);
        const Select &select = *query->select();
        QCOMPARE(under(kQuery, select.items[0].span), QStringLiteral("a"));
        QCOMPARE(under(kQuery, select.items[1].span), QStringLiteral("(b + 1) AS c"));
        QCOMPARE(under(kQuery, select.items[1].expression->span), QStringLiteral("(b + 1)"));
        QCOMPARE(under(kQuery, select.items[1].alias->span), QStringLiteral("c"));
        QCOMPARE(under(kQuery, select.items[2].span), QStringLiteral("t.*"));
        QCOMPARE(under(kQuery, select.groupBy->elements[0].span), QStringLiteral("a"));
        QCOMPARE(under(kQuery, select.groupBy->elements[1].span), QStringLiteral("ROLLUP (b)"));
        QCOMPARE(under(kQuery, query->orderBy[0].span), QStringLiteral("c DESC"));
    }

    // A pin goes right behind the name, or takes the place of the pin that is there.
    void tables()
    {
        const auto query = parseQuery(kQuery);
        QVERIFY(query);
        const Relation &first = *query->select()->from[0];
        const Table &table = std::get<Table>(first.node);
        QCOMPARE(under(kQuery, table.name.span), QStringLiteral("iceberg.main.\"T\""));
        QCOMPARE(under(kQuery, first.span), QStringLiteral("iceberg.main.\"T\" AS t"));
        QCOMPARE(under(kQuery, first.alias->span), QStringLiteral("AS t"));
        QCOMPARE(under(kQuery, query->select()->from[1]->span), QStringLiteral("(u) x"));

        const QString pinned = QStringLiteral("SELECT 1 FROM t FOR VERSION AS OF 12 + 1 x");
        const auto other = parseQuery(pinned);
        QVERIFY(other);
        const auto *old = as<Table>(other->select()->from[0]);
        QVERIFY(old && old->period);
        QCOMPARE(under(pinned, old->period->span), QStringLiteral("FOR VERSION AS OF 12 + 1"));
    }

    void withoutFromAndWhere()
    {
        const QString text = QStringLiteral("SELECT 1 , 2 GROUP BY 1");
        const auto query = parseQuery(text);
        QVERIFY(query);
        QCOMPARE(query->select()->fromSpan, (Span{12, 12}));
        QVERIFY(query->select()->whereSpan.empty());
        QVERIFY(!query->select()->where);
    }

    // The text under every expression's span is that expression.
    void everyExpressionStandsForItself_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, const char *text) {
            QTest::newRow(name) << QString::fromUtf8(text);
        };
        row("operators", "a + b * -c || d AT TIME ZONE 'x' = e AND NOT (f OR g) OR h IS NULL");
        row("chains", "(a + b) - c + (d - e)");
        row("predicates", "a BETWEEN 1 AND (2) AND b IN (1, (2)) AND c LIKE d ESCAPE e");
        row("calls", "f(DISTINCT a, (b) ORDER BY c) FILTER (WHERE d > (1)) OVER (PARTITION BY e)");
        row("constructors", "ROW(a, (b, c)), ARRAY[1, (2)][ 1 ], [a].b");
        row("cases", "CASE (a) WHEN 1 THEN (b) ELSE CAST((c) AS bigint) END");
        row("lambdas", "f((x) -> (x + 1), y -> y)");
    }
    void everyExpressionStandsForItself()
    {
        QFETCH(QString, text);
        const QString query = QStringLiteral("SELECT ") + text;
        const auto parsed = parseQuery(query);
        QVERIFY2(parsed, qPrintable(query));
        QStringList wrong;
        int count = 0;
        Visitor visitor;
        visitor.expression = [&](const ExprPtr &expr) {
            ++count;
            const auto alone = parseExpression(expr->span.of(query));
            if (!alone || !equal(*alone, expr))
                wrong.append(under(query, expr->span));
            return Walk::Into;
        };
        visit(*parsed, visitor);
        QVERIFY(count > 3);
        QCOMPARE(wrong, QStringList());
    }
};

QTEST_GUILESS_MAIN(TestSqlSpans)
#include "tst_sql_spans.moc"
