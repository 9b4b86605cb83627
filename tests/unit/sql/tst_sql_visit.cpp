// Walks over trees: what is found, in which order, and what is left out.
#include "framework/sql/parser.h"
#include "framework/sql/printer.h"
#include "framework/sql/visit.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;

namespace {

QString tablesOf(const QString &text)
{
    QStringList found;
    const auto query = parseQuery(text);
    if (!query)
        return query.error().text();
    forEachTable(*query, [&](const Table &table, const Relation &relation) {
        const QString alias =
            relation.alias ? QString(u'=' + relation.alias->name.value) : QString();
        found.append(print(table.name) + alias);
    });
    return found.join(u' ').remove(u'"');
}

}  // namespace

class TestSqlVisit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tables_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *text, const char *expected) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(expected);
        };
        row("none", "SELECT 1", "");
        row("in FROM", "SELECT 1 FROM a, b.c AS x JOIN d ON true", "a b.c=x d");
        row("each mention", "SELECT 1 FROM a, a x", "a a=x");
        row("TABLE", "TABLE a.b", "a.b");
        row("in subqueries",
            "SELECT (SELECT 1 FROM a) FROM (SELECT 1 FROM b) x WHERE y IN (TABLE c)", "a b c");
        row("in set operations",
            "SELECT 1 FROM a UNION (SELECT 2 FROM b ORDER BY (SELECT 1 FROM c))", "a b c");
        row("in LATERAL and table functions",
            "SELECT 1 FROM LATERAL (SELECT 1 FROM a) x, TABLE(f(TABLE(b), TABLE(SELECT 1 FROM c)))",
            "a b c");
        row("a WITH query is no table", "WITH w AS (SELECT 1 FROM a) SELECT 1 FROM w, W, b", "a b");
        row("a qualified name is never a WITH query", "WITH w AS (SELECT 1) SELECT 1 FROM x.w",
            "x.w");
        row("a WITH query sees the earlier ones", "WITH v AS (TABLE a), w AS (TABLE v) TABLE w",
            "a");
        row("not itself, and not the later ones", "WITH v AS (TABLE w), w AS (TABLE w) TABLE v",
            "w w");
        row("itself when recursive", "WITH RECURSIVE w(n) AS (TABLE a UNION TABLE w) TABLE w", "a");
        row("inside subqueries too", "WITH w AS (TABLE a) SELECT (SELECT 1 FROM w) FROM (TABLE w)",
            "a");
        row("only within its own query", "SELECT 1 FROM (WITH w AS (TABLE a) TABLE w), w", "a w");
        row("an inner name hides an outer one",
            "WITH w AS (TABLE a) SELECT 1 FROM (WITH w AS (TABLE b) TABLE w), w", "a b");
    }
    void tables()
    {
        QFETCH(QString, text);
        QTEST(tablesOf(text), "expected");
    }

    void whatIsSkippedIsNotEntered()
    {
        const auto expr = parseExpression(u"f(a) + g(b)");
        QVERIFY(expr);
        QStringList found;
        Visitor visitor;
        visitor.expression = [&](const ExprPtr &one) {
            found.append(print(one));
            return as<FunctionCall>(one) ? Walk::Skip : Walk::Into;
        };
        visit(*expr, visitor);
        QCOMPARE(found.join(u' '), QStringLiteral("f(\"a\") + g(\"b\") f(\"a\") g(\"b\")"));
    }

    void relationsAndQueries()
    {
        const auto query =
            parseQuery(u"SELECT (SELECT 1 FROM b) FROM a JOIN (SELECT 2 FROM c) x ON d");
        QVERIFY(query);
        int queries = 0;
        int relations = 0;
        Visitor visitor;
        visitor.query = [&](const Query &) {
            ++queries;
            return Walk::Into;
        };
        visitor.relation = [&](const Relation &) {
            ++relations;
            return Walk::Into;
        };
        visit(*query, visitor);
        QCOMPARE(queries, 3);
        QCOMPARE(relations, 5);  // a join, its two sides, b and c
    }

    void everyExpressionOfAStatement()
    {
        const auto statement = parseStatement(
            u"MERGE INTO t USING (SELECT 1) u ON 2 WHEN MATCHED AND 3 THEN UPDATE SET a = 4, b = 5 "
            u"WHEN NOT MATCHED THEN INSERT VALUES (6)");
        QVERIFY(statement);
        QString found;
        Visitor visitor;
        visitor.expression = [&](const ExprPtr &one) {
            found += print(one);
            return Walk::Into;
        };
        visit(*statement, visitor);
        QCOMPARE(found, QStringLiteral("123456"));
    }

    void nameChains()
    {
        const auto names = nameChain(*parseExpression(u"a.\"B\".c"));
        QCOMPARE(names.size(), 3u);
        QCOMPARE(names[0].value, QStringLiteral("a"));
        QCOMPARE(names[1].value, QStringLiteral("B"));
        QVERIFY(names[1].quoted);
        QCOMPARE(names[2].value, QStringLiteral("c"));
        QVERIFY(nameChain(*parseExpression(u"f(a).b")).empty());
        QVERIFY(nameChain(*parseExpression(u"1")).empty());
        QVERIFY(nameChain(ExprPtr()).empty());
    }
};

QTEST_GUILESS_MAIN(TestSqlVisit)
#include "tst_sql_visit.moc"
