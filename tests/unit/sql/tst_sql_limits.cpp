// Text that is deep, long or meant to hurt: it is parsed or refused, and the stack holds.
#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/printer.h"
#include "framework/sql/visit.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;

namespace {

QString repeated(QStringView part, qsizetype times) { return part.toString().repeated(times); }

const QString kTooDeep = QStringLiteral("nested too deeply here, expected at most 500 levels");

}  // namespace

class TestSqlLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Each form nested 50 times is fine, 10,000 times is refused.
    void nesting_data()
    {
        QTest::addColumn<QString>("opening");
        QTest::addColumn<QString>("middle");
        QTest::addColumn<QString>("closing");
        const auto row = [](const char *name, const char *opening, const char *middle,
                            const char *closing) {
            QTest::newRow(name) << QString::fromUtf8(opening) << QString::fromUtf8(middle)
                                << QString::fromUtf8(closing);
        };
        row("parentheses", "(", "a", ")");
        row("calls", "f(", "a", ")");
        row("NOT", "NOT ", "a", "");
        row("signs", "- ", "a", "");
        row("subqueries", "(SELECT ", "a", ")");
        row("subqueries in parentheses", "((SELECT 1) + ", "a", ")");
        row("subqueries in FROM", "(SELECT 1 FROM (SELECT ", "a", "))");
        row("parentheses around a query", "(", "SELECT 1", ")");
        row("set operations", "(SELECT 1 UNION ", "(SELECT 1)", ")");
        row("WITH", "(WITH x AS ", "(SELECT 1)", " SELECT 1)");
        row("joins in parentheses", "(SELECT 1 FROM t JOIN (t CROSS JOIN ", "t", ") ON true)");
        row("joins without ON", "(SELECT 1 FROM t JOIN ", "t", " ON true)");
        row("IN lists", "a IN (", "a", ")");
        row("IN subqueries", "a IN (SELECT ", "a", ")");
        row("CASE", "CASE WHEN a THEN ", "a", " END");
        row("lambdas", "x -> ", "a", "");
        row("subscripts", "a[", "a", "]");
        row("a chain of subscripts", "", "a", "[1]");
        row("a chain of fields", "", "a", ".b");
        row("a chain of time zones", "", "a", " AT TIME ZONE 'x'");
        row("chains within parentheses", "(", "a", "[1][1][1][1])");
        row("types", "CAST(a AS ", "b", ")");
        row("arrays", "ARRAY[", "a", "]");
        row("rows", "ROW(a, ", "a", ")");
        row("EXISTS", "EXISTS (SELECT 1 WHERE ", "a", ")");
        row("windows", "f(a) OVER (ORDER BY ", "a", ")");
    }
    void nesting()
    {
        QFETCH(QString, opening);
        QFETCH(QString, middle);
        QFETCH(QString, closing);
        const bool types = opening.startsWith(u"CAST");
        const auto nested = [&](qsizetype times) -> QString {
            if (types)
                return opening + repeated(u"array(", times) + middle + repeated(closing, times + 1);
            return repeated(opening, times) + middle + repeated(closing, times);
        };
        const bool isQuery = middle == u"SELECT 1";
        const auto parse = [&](const QString &text) {
            return parseExpression(isQuery ? QString(u'(' + text + u')') : text);
        };
        const auto shallow = parse(nested(50));
        QVERIFY2(shallow, qPrintable(shallow ? QString() : shallow.error().text()));
        const auto again = parseExpression(print(*shallow));
        QVERIFY2(again, qPrintable(again ? QString() : again.error().text()));
        QVERIFY(equal(*shallow, *again));

        const auto deep = parse(nested(10'000));
        QVERIFY(!deep);
        QVERIFY2(deep.error().message.contains(kTooDeep), qPrintable(deep.error().text()));
    }

    // The deepest text that is accepted is printed, compared, walked and freed.
    void theDeepestThatIsAccepted_data()
    {
        QTest::addColumn<QString>("opening");
        QTest::addColumn<QString>("closing");
        QTest::newRow("parentheses in a chain") << QStringLiteral("(1 + ") << QStringLiteral(")");
        QTest::newRow("every operator")
            << QStringLiteral("(a OR b AND NOT c = d || e + f * -f(") << QStringLiteral("))");
        QTest::newRow("subqueries")
            << QStringLiteral("(SELECT a FROM t WHERE b IN (SELECT ") << QStringLiteral("))");
        QTest::newRow("subqueries in FROM")
            << QStringLiteral("(SELECT a FROM (t JOIN (SELECT ") << QStringLiteral(") x ON b))");
    }
    void theDeepestThatIsAccepted()
    {
        QFETCH(QString, opening);
        QFETCH(QString, closing);
        const auto nested = [&](qsizetype times) -> QString {
            return repeated(opening, times) + u'a' + repeated(closing, times);
        };
        qsizetype accepted = 1;
        qsizetype refused = 1000;
        QVERIFY(parseExpression(nested(accepted)) && !parseExpression(nested(refused)));
        while (refused - accepted > 1) {
            const qsizetype middle = (accepted + refused) / 2;
            (parseExpression(nested(middle)) ? accepted : refused) = middle;
        }
        QVERIFY(accepted >= 30);
        auto deepest = parseExpression(nested(accepted));
        QVERIFY(deepest);
        const auto again = parseExpression(print(*deepest));
        QVERIFY2(again, qPrintable(again ? QString() : again.error().text()));
        QVERIFY(equal(*deepest, *again));
        int count = 0;
        forEachExpression(*deepest, [&](const ExprPtr &) { ++count; });
        QVERIFY(count >= accepted);
        deepest->reset();
    }

    void longChains_data()
    {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("more");
        const auto row = [](const char *name, const char *first, const char *more) {
            QTest::newRow(name) << QString::fromUtf8(first) << QString::fromUtf8(more);
        };
        row("AND", "a", " AND a");
        row("OR", "a", " OR a");
        row("AND and OR by turns", "a", " AND b OR c");
        row("plus of qualified names", "t.a", " + t.a");
        row("plus and minus", "a", " + 1 - b");
        row("sums of products", "a", " + a * b");
        row("concatenation", "a", " || a");
        row("arguments", "f(a)", " + f(a, b)");
        row("negations", "a", " AND NOT a");
        row("time zones", "a", " + a AT TIME ZONE 'x'");
    }
    void longChains()
    {
        QFETCH(QString, first);
        QFETCH(QString, more);
        constexpr qsizetype kTerms = 10'000;
        const auto expr = parseExpression(QString(first + repeated(more, kTerms)));
        QVERIFY2(expr, qPrintable(expr ? QString() : expr.error().text()));
        const auto again = parseExpression(print(*expr));
        QVERIFY(again && equal(*expr, *again));
        qsizetype count = 0;
        forEachExpression(*expr, [&](const ExprPtr &) { ++count; });
        QVERIFY(count > kTerms);
    }

    void longListsOfClauses()
    {
        const QString items = QStringLiteral("t.a.b") + repeated(u", t.a.b", 5'000);
        const QString tables = QStringLiteral("t") + repeated(u", t", 5'000);
        const QString text = QStringLiteral("SELECT ") + items + u" FROM " + tables +
                             u" GROUP BY " + items + u" ORDER BY " + items;
        const auto query = parseQuery(text);
        QVERIFY2(query, qPrintable(query ? QString() : query.error().text()));
        const auto again = parseQuery(print(*query));
        QVERIFY(again && equal(*query, *again));
    }

    void longUnions()
    {
        const QString unions =
            QStringLiteral("SELECT 1") + repeated(u" UNION ALL SELECT 1", 10'000);
        const auto query = parseQuery(unions);
        QVERIFY2(query, qPrintable(query ? QString() : query.error().text()));
        const auto again = parseQuery(print(*query));
        QVERIFY(again && equal(*query, *again));
    }

    void manyJoins()
    {
        const auto joined = [](qsizetype times) -> QString {
            return QStringLiteral("SELECT 1 FROM t") + repeated(u" CROSS JOIN t", times);
        };
        QVERIFY(parseQuery(joined(400)));
        const auto tooMany = parseQuery(joined(10'000));
        QVERIFY(!tooMany);
        QVERIFY(tooMany.error().message.contains(kTooDeep));
    }

    void theLongestText()
    {
        const QString longest =
            QStringLiteral("SELECT '") + QString(kMaxTextLength - 9, u'x') + u'\'';
        QCOMPARE(longest.size(), kMaxTextLength);
        QVERIFY(parseQuery(longest));
        const auto tooLong = parseQuery(QString(longest + u' '));
        QVERIFY(!tooLong);
        QCOMPARE(tooLong.error().text(),
                 QStringLiteral("1:1: the SQL has 1048577 characters, expected at most 1048576"));
        QCOMPARE(tooLong.error().code, QStringLiteral("syntax"));
    }

    // Whatever repeats without an end is refused; looking back again and again would take minutes.
    void endlessRepetition_data()
    {
        QTest::addColumn<QString>("part");
        for (const char *part :
             {"(",        "[",     "a ",       "a.",           "a,",     "(a,",    "(a) ",
              "/*",       "- ",    "NOT ",     "-> ",          "x -> ",  "f(",     "SELECT ",
              "(SELECT ", "CASE ", "1 ",       "1.",           "a = ",   "a AND ", "(a, b, ",
              "ARRAY[",   "ROW(",  "U&'",      "WITH a AS (",  "a IN (", "UNION ", "? ",
              ";",        ":",     "a OVER (", "INTERVAL '1' "}) {
            QTest::newRow(part) << QString::fromUtf8(part);
        }
    }
    void endlessRepetition()
    {
        QFETCH(QString, part);
        const QString text = repeated(part, kMaxTextLength / 32 / part.size());
        const auto query = parseQuery(QString(QStringLiteral("SELECT * FROM t WHERE ") + text));
        QVERIFY(!query);
        QCOMPARE(query.error().code, QStringLiteral("syntax"));
        QVERIFY(!parseStatement(text));
    }
};

QTEST_GUILESS_MAIN(TestSqlLimits)
#include "tst_sql_limits.moc"
