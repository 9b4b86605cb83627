// When two trees say the same. Spellings that mean the same are in tests/golden/sql/same.
#include "framework/sql/equal.h"
#include "framework/sql/parser.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;

class TestSqlEqual : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void differentExpressions_data()
    {
        QTest::addColumn<QString>("left");
        QTest::addColumn<QString>("right");
        const auto row = [](const char *name, const char *left, const char *right) {
            QTest::newRow(name) << QString::fromUtf8(left) << QString::fromUtf8(right);
        };
        row("strings have a case", "'A'", "'a'");
        row("decimals have a scale", "1.5", "1.50");
        row("an integer is no decimal", "1", "1.");
        row("a string is no typed literal", "'2024-01-01'", "DATE '2024-01-01'");
        row("a literal is no column", "'a'", "a");
        row("the order of operands", "a + b", "b + a");
        row("the operator", "a + b", "a - b");
        row("where parentheses stand", "a - (b - c)", "a - b - c");
        row("qualified and not", "t.a", "a");
        row("the function", "min(a)", "max(a)");
        row("DISTINCT", "count(DISTINCT a)", "count(a)");
        row("FILTER", "count(a) FILTER (WHERE b)", "count(a)");
        row("the order of an aggregate", "array_agg(a ORDER BY b)", "array_agg(a ORDER BY b DESC)");
        row("OVER", "f(a) OVER ()", "f(a)");
        row("a negation", "a IN (1)", "a NOT IN (1)");
        row("the type of a cast", "CAST(a AS varchar(1))", "CAST(a AS varchar(2))");
        row("CAST and TRY_CAST", "CAST(a AS bigint)", "TRY_CAST(a AS bigint)");
        row("which parameter", "f(?, a)", "f(a, ?)");
        row("a parameter's number", "? + 1 + ?", "? + 1 + 1");
        row("ELSE NULL", "CASE WHEN a THEN b END", "CASE WHEN a THEN b ELSE NULL END");
        row("a minus inside and outside", "-(1)", "-1");
    }
    void differentExpressions()
    {
        QFETCH(QString, left);
        QFETCH(QString, right);
        const auto a = parseExpression(left);
        const auto b = parseExpression(right);
        QVERIFY(a && b);
        QVERIFY(!equal(*a, *b));
        QVERIFY(equal(*a, *parseExpression(left)));
    }

    void spansDoNotCount()
    {
        QVERIFY(equal(*parseExpression(u"a+b"), *parseExpression(u" ( a  +  /* x */ b ) ")));
        QVERIFY(equal(*parseQuery(u"SELECT a FROM t"), *parseQuery(u"select  A\nfrom  \"t\"")));
    }

    void builtAndParsed()
    {
        const ExprPtr column = makeExpr(ColumnReference{{QStringLiteral("a"), false, {}}});
        FunctionCall call;
        call.name.parts = {{QStringLiteral("date"), false, {}}};
        call.arguments = {column};
        QVERIFY(equal(makeExpr(call), *parseExpression(u"date(\"A\")")));
    }

    void nullPointers()
    {
        const auto expr = parseExpression(u"a");
        QVERIFY(equal(ExprPtr(), ExprPtr()));
        QVERIFY(!equal(*expr, ExprPtr()));
        QVERIFY(!equal(ExprPtr(), *expr));
    }

    void names()
    {
        QVERIFY(equal(*parseName(u"a.B"), *parseName(u"\"A\".b")));
        QVERIFY(!equal(*parseName(u"a.b"), *parseName(u"b")));
        QVERIFY(sameName(u"Straße", u"STRAßE"));
        QVERIFY(!sameName(u"a", u"ab"));
    }

    void differentQueries_data()
    {
        QTest::addColumn<QString>("left");
        QTest::addColumn<QString>("right");
        const auto row = [](const char *name, const char *left, const char *right) {
            QTest::newRow(name) << QString::fromUtf8(left) << QString::fromUtf8(right);
        };
        row("an alias", "SELECT a AS b", "SELECT a");
        row("UNION and UNION ALL", "SELECT 1 UNION SELECT 2", "SELECT 1 UNION ALL SELECT 2");
        row("the kind of join", "SELECT 1 FROM a JOIN b ON c", "SELECT 1 FROM a LEFT JOIN b ON c");
        row("a pin", "SELECT 1 FROM a FOR VERSION AS OF 1", "SELECT 1 FROM a");
        row("LIMIT", "SELECT 1 LIMIT 1", "SELECT 1 LIMIT 2");
        row("parentheses with an order of their own", "SELECT 1 UNION (SELECT 2 ORDER BY 1)",
            "SELECT 1 UNION SELECT 2 ORDER BY 1");
    }
    void differentQueries()
    {
        QFETCH(QString, left);
        QFETCH(QString, right);
        const auto a = parseQuery(left);
        const auto b = parseQuery(right);
        QVERIFY(a && b);
        QVERIFY(!equal(*a, *b));
    }
};

QTEST_GUILESS_MAIN(TestSqlEqual)
#include "tst_sql_equal.moc"
