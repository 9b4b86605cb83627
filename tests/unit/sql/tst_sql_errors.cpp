// What a reader is told about a mistake. The short ones are in tests/golden/sql/*/refused.txt.
#include "framework/sql/parser.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;

class TestSqlErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placesOnLaterLines()
    {
        const auto query = parseQuery(u"SELECT a,\r\n       b c d\nFROM t");
        QVERIFY(!query);
        QCOMPARE(query.error().place.line, 2);
        QCOMPARE(query.error().place.column, 12);
        QCOMPARE(query.error().text(),
                 QStringLiteral("2:12: found 'd', expected the end of the query"));
    }

    void theEndOfTheTextIsBehindTheLastCharacter()
    {
        const auto query = parseQuery(u"SELECT a FROM t WHERE\n");
        QVERIFY(!query);
        QCOMPARE(query.error().text(),
                 QStringLiteral("2:1: found the end of the text, expected an expression"));
    }

    void kindsAndCodes()
    {
        const auto syntax = parseQuery(u"SELECT");
        QVERIFY(!syntax);
        QCOMPARE(syntax.error().kind, ErrorKind::Invalid);
        QCOMPARE(syntax.error().code, QStringLiteral("syntax"));
        QVERIFY(syntax.error().place.file.isEmpty());

        const auto known = parseQuery(u"SELECT json_value(a, 'lax $')");
        QVERIFY(!known);
        QCOMPARE(known.error().kind, ErrorKind::Unsupported);
        QCOMPARE(known.error().code, QStringLiteral("unsupported_syntax"));

        const auto statement = parseStatement(u"EXPLAIN SELECT 1");
        QVERIFY(!statement);
        QCOMPARE(statement.error().kind, ErrorKind::Unsupported);
        QCOMPARE(statement.error().code, QStringLiteral("unsupported_statement"));
    }

    void longAndUnprintableTokensAreCut()
    {
        const auto longName = parseExpression(QString(u"a " + QString(1000, u'x')));
        QVERIFY(!longName);
        QCOMPARE(longName.error().message,
                 QStringLiteral("found '%1…', expected the end of the expression")
                     .arg(QString(40, u'x')));
        const auto lines = parseExpression(u"a 'b\n\tc'");
        QVERIFY(lines);  // a typed literal
        const auto broken = parseExpression(u"1 'b\n\tc'");
        QVERIFY(!broken);
        QCOMPARE(broken.error().message,
                 QStringLiteral("found 'b  c', expected the end of the expression"));
    }

    void aSemicolonBehindAViewsQuery()
    {
        const auto query = parseQuery(u"SELECT 1 ; -- one");
        QVERIFY(query);
        QCOMPARE(query->span, (Span{0, 8}));
        const auto two = parseQuery(u"SELECT 1; SELECT 2");
        QVERIFY(!two);
        QCOMPARE(two.error().message,
                 QStringLiteral("found 'SELECT', expected the end of the query"));
        QCOMPARE(two.error().hint, QStringLiteral("A view is one query"));
        QVERIFY(parseStatement(u"SELECT 1;"));
    }

    void aReservedWordAsAName()
    {
        const auto query = parseQuery(u"SELECT a AS Order FROM t");
        QVERIFY(!query);
        QCOMPARE(query.error().message, QStringLiteral("found 'Order', expected a column name"));
        QCOMPARE(query.error().hint,
                 QStringLiteral(
                     "ORDER is a reserved word: as a name it needs double quotes, \"Order\""));
    }

    void wholeTextsOnly()
    {
        QVERIFY(parseType(u" varchar(10) "));
        QVERIFY(!parseType(u"varchar(10) x"));
        QVERIFY(parseName(u"a.\"b c\".d"));
        QVERIFY(!parseName(u"a.b c"));
        QVERIFY(!parseName(u""));
        QCOMPARE(parseName(u"a.").error().text(),
                 QStringLiteral("1:3: found the end of the text, expected a name after the dot"));
    }
};

QTEST_GUILESS_MAIN(TestSqlErrors)
#include "tst_sql_errors.moc"
