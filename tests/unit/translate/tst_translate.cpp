// What the translator writes, and what it refuses with which words.
#include "framework/sql/parser.h"
#include "tests/support/golden.h"
#include "tests/unit/translate/tables.h"

using namespace ivm;
using namespace ivm::duckdb;

namespace {

QString translation(const QString &text)
{
    const auto query = sql::parseQuery(text);
    if (!query)
        return query.error().text();
    TestTables tables;
    const auto translated = translateQuery(*query, {text, tables});
    if (!translated)
        return translated.error().text();
    QStringList columns;
    for (const auto &column : translated->columns)
        columns.append(column.name + u' ' + column.type.text());
    return translated->sql + u'\n' + columns.join(QStringLiteral(", "));
}

// What INSERT INTO a table of these columns makes of the query.
QString insertion(const QString &text, const QList<Column> &columns)
{
    const auto query = sql::parseQuery(text);
    TestTables tables;
    const auto translated = translateInsert(*query, columns, {text, tables});
    return translated ? translated->sql : translated.error().text();
}

RowScope flightsRow()
{
    return {{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("flights")},
            TestTables::flights(),
            QStringLiteral("target")};
}

QString conditionText(const QString &text)
{
    const auto expr = sql::parseExpression(text);
    TestTables tables;
    const auto translated = translateCondition(*expr, flightsRow(), {text, tables});
    return translated ? translated->sql : translated.error().text();
}

QString assignmentText(const QString &text, const char *type)
{
    const auto expr = sql::parseExpression(text);
    TestTables tables;
    const Column column = TestTables::columns({{"x", type}})[0];
    const auto translated = translateAssignment(*expr, column, flightsRow(), {text, tables});
    return translated ? translated->sql : translated.error().text();
}

// "ROW(1, 1, …)" of 300 fields.
QString wide(QStringView field)
{
    return QStringLiteral("ROW(") + QString(field + QStringLiteral(", ")).repeated(299) + field +
           u')';
}

}  // namespace

class tst_Translate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        test::updateGolden(QStringLiteral("embedded_refusals"), translation);
        test::updateGolden(QStringLiteral("embedded_sql"), translation);
    }

    void refuses_data() { test::addGoldenRows(QStringLiteral("embedded_refusals")); }
    void refuses()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        QCOMPARE(translation(input), expected);
    }

    void refusalsHavePlaceAndCode_data()
    {
        test::addGoldenRows(QStringLiteral("embedded_refusals"));
    }
    void refusalsHavePlaceAndCode()
    {
        QFETCH(QString, input);
        const auto query = sql::parseQuery(input);
        QVERIFY(query);
        TestTables tables;
        const auto translated = translateQuery(*query, {input, tables});
        QVERIFY(!translated);
        const Error &error = translated.error();
        QVERIFY(error.place.line > 0 && error.place.column > 0);
        const bool ofSource =
            error.kind == ErrorKind::NotFound ||
            error.message.startsWith(QStringLiteral("there is no table function"));
        QVERIFY(ofSource || error.code != errorKindName(error.kind));
        QVERIFY(ofSource || error.kind == ErrorKind::Invalid ||
                error.kind == ErrorKind::Unsupported);
    }

    void writes_data() { test::addGoldenRows(QStringLiteral("embedded_sql")); }
    void writes()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        QCOMPARE(translation(input), expected);
    }

    void theTimeIsThatOfTheStatement_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sql");
        const auto add = [](const char *text, const char *sql) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(sql);
        };
        add("current_date", "CAST('2001-02-03' AS DATE)");
        add("current_timestamp", "CAST('2001-02-03 04:05:06.000+00' AS TIMESTAMPTZ)");
        add("now()", "CAST('2001-02-03 04:05:06.000+00' AS TIMESTAMPTZ)");
        add("current_timestamp(6)", "CAST('2001-02-03 04:05:06.000789+00' AS TIMESTAMPTZ)");
        add("current_timestamp(0)", "CAST('2001-02-03 04:05:06+00' AS TIMESTAMPTZ)");
        add("localtimestamp", "CAST('2001-02-03 04:05:06.000' AS TIMESTAMP)");
        add("localtimestamp(5)", "CAST('2001-02-03 04:05:06.00078' AS TIMESTAMP)");
    }
    void theTimeIsThatOfTheStatement()
    {
        QFETCH(QString, text);
        QFETCH(QString, sql);
        using namespace std::chrono;
        const sys_time now = sys_days(2001y / 2 / 3) + 4h + 5min + 6s + 789us;
        const QString select = QStringLiteral("SELECT ") + text;
        const auto query = sql::parseQuery(select);
        TestTables tables;
        const auto translated = translateQuery(*query, {select, tables, now});
        QVERIFY2(translated, qPrintable(translated ? QString() : translated.error().text()));
        QCOMPARE(translated->sql, QStringLiteral("SELECT %1 AS \"_col0\"").arg(sql));
    }

    void insertsConvertToTheTablesTypes()
    {
        const auto table = TestTables::columns({{"k", "bigint"}, {"v", "decimal(10,1)"}});
        QCOMPARE(insertion(QStringLiteral("VALUES (1, 2.25)"), table),
                 QStringLiteral("SELECT CAST(r1.c0 AS BIGINT) AS \"k\", CAST(r1.c1 AS "
                                "DECIMAL(10,1)) AS \"v\" FROM (SELECT r0.c0 "
                                "AS c0, r0.c1 AS c1 FROM (VALUES (CAST(1 AS INTEGER), CAST('2.25' "
                                "AS DECIMAL(3,2)))) AS r0(c0, "
                                "c1)) AS r1"));
    }

    void insertsConvertRowsByPosition()
    {
        const auto table = TestTables::columns({{"r", "row(a bigint, b varchar)"}});
        QCOMPARE(insertion(QStringLiteral("SELECT ROW(delay, origin) FROM flights"), table),
                 QStringLiteral(
                     "SELECT CASE WHEN r1.c0 IS NOT NULL THEN struct_pack(\"a\" := "
                     "CAST(struct_extract_at(r1.c0, 1) AS BIGINT), \"b\" := "
                     "struct_extract_at(r1.c0, 2)) END AS \"r\" FROM (SELECT struct_pack(\"$1\" "
                     ":= r0.\"delay\", \"$2\" := r0.\"origin\") AS c0 FROM flights AS r0) AS "
                     "r1"));
        QCOMPARE(insertion(QStringLiteral("SELECT ROW(delay) FROM flights"), table),
                 QStringLiteral("1:1: column 'r' is of type row(a bigint, b varchar), the value is "
                                "row(integer)"));
    }

    void insertsTakeArraysOfShorterTexts()
    {
        const auto table = TestTables::columns({{"tags", "array(varchar)"}});
        QCOMPARE(
            insertion(QStringLiteral("SELECT ARRAY['bad', NULL]"), table),
            QStringLiteral("SELECT r0.c0 AS \"tags\" FROM (SELECT ['bad', CAST(NULL AS VARCHAR)] "
                           "AS c0) AS r0"));
        QCOMPARE(assignmentText(QStringLiteral("ARRAY['bad']"), "array(varchar)"),
                 QStringLiteral("['bad']"));
        QCOMPARE(assignmentText(QStringLiteral("ARRAY[]"), "array(varchar)"),
                 QStringLiteral(
                     "list_transform(CAST([] AS INTEGER[]), lambda x0: CAST(NULL AS VARCHAR))"));
    }

    void insertsNarrowNumbersAsTrinoDoes()
    {
        const auto table = TestTables::columns({{"k", "integer"}});
        QCOMPARE(insertion(QStringLiteral("SELECT BIGINT '1'"), table),
                 QStringLiteral("SELECT CAST(r0.c0 AS INTEGER) AS \"k\" FROM (SELECT CAST('1' AS "
                                "BIGINT) AS c0) AS r0"));
    }

    void insertsRefuseOtherTypes()
    {
        const auto table = TestTables::columns({{"k", "integer"}});
        QCOMPARE(insertion(QStringLiteral("SELECT origin FROM flights"), table),
                 QStringLiteral("1:1: column 'k' is of type integer, the value is varchar"));
    }

    void insertsRefuseAnotherNumberOfColumns()
    {
        const auto table = TestTables::columns({{"k", "integer"}});
        QCOMPARE(insertion(QStringLiteral("SELECT 1, 2"), table),
                 QStringLiteral("1:1: the query gives 2 columns for 1"));
    }

    void conditionsNameTheRow()
    {
        QCOMPARE(conditionText(QStringLiteral("flights.delay > 5 AND main.flights.origin = 'ORD'")),
                 QStringLiteral(
                     "((target.\"delay\" > CAST(5 AS INTEGER)) AND (target.\"origin\" = 'ORD'))"));
        QCOMPARE(conditionText(QStringLiteral("delay")),
                 QStringLiteral("1:1: WHERE condition has to be a boolean, it is integer"));
        QCOMPARE(conditionText(QStringLiteral("delai > 1")),
                 QStringLiteral("1:1: there is no column 'delai'. Did you mean 'delay'?"));
        QCOMPARE(
            conditionText(QStringLiteral("delay > max(delay)")),
            QStringLiteral(
                "1:9: aggregate max cannot stand in WHERE. Conditions on groups stand in HAVING"));
    }

    void assignmentsConvertToTheColumn()
    {
        QCOMPARE(assignmentText(QStringLiteral("delay + 1"), "bigint"),
                 QStringLiteral("CAST((target.\"delay\" + CAST(1 AS INTEGER)) AS BIGINT)"));
        QCOMPARE(assignmentText(QStringLiteral("NULL"), "varchar"),
                 QStringLiteral("CAST(NULL AS VARCHAR)"));
        QCOMPARE(assignmentText(QStringLiteral("origin"), "integer"),
                 QStringLiteral("1:1: column 'x' is of type integer, the value is varchar"));
        QCOMPARE(assignmentText(QStringLiteral("date + INTERVAL '1' DAY"), "timestamp(6)"),
                 QStringLiteral("(target.\"date\" + to_microseconds(CAST(86400000 AS BIGINT) * "
                                "CAST(1000 AS BIGINT)))"));
    }

    void typesOfDefinitions_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a simple type") << "bigint" << "BIGINT";
        QTest::newRow("a decimal") << "decimal(12, 2)" << "DECIMAL(12,2)";
        QTest::newRow("a timestamp") << "timestamp(6) with time zone" << "TIMESTAMPTZ";
        QTest::newRow("an array of rows") << "array(row(a bigint, b varchar))"
                                          << "STRUCT(\"a\" BIGINT, \"b\" VARCHAR)[]";
        QTest::newRow("a map") << "map(varchar, double)" << "MAP(VARCHAR, DOUBLE)";
        QTest::newRow("no type") << "money" << "1:1: 'money' is not a type";
        QTest::newRow("too fine a timestamp")
            << "timestamp(9)" << "1:1: the embedded engine has no type timestamp(9)";
        QTest::newRow("padded text") << "char(3)" << "1:1: the embedded engine has no type char(3)";
    }
    void typesOfDefinitions()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const auto parsed = sql::parseType(text);
        QVERIFY(parsed);
        const auto type = boundType(*parsed, text);
        if (!type) {
            QCOMPARE(type.error().text(), expected);
            return;
        }
        QCOMPARE(*duckdbType(*type), expected);
    }

    void deepAndLongInputEnds_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("a long sum")
            << QString(QStringLiteral("SELECT 1") + QStringLiteral(" + 1").repeated(5000));
        QTest::newRow("nested divisions") << QString(
            QStringLiteral("SELECT delay FROM flights WHERE 1 = ") +
            QStringLiteral("delay / (").repeated(100) + u'1' + QStringLiteral(")").repeated(100));
        QTest::newRow("a long AND") << QString(QStringLiteral("SELECT 1 WHERE true") +
                                               QStringLiteral(" AND true").repeated(5000));
        QTest::newRow("nested subqueries")
            << QString(QStringLiteral("SELECT * FROM (").repeated(100) +
                       QStringLiteral("SELECT 1 AS x") + QStringLiteral(")").repeated(100));
        QTest::newRow("casts of a wide row") << QString(
            QStringLiteral("SELECT ") + QStringLiteral("CAST(").repeated(20) + wide(u"1") +
            QStringLiteral(" AS row(%1)) AS row(%2))")
                .arg(wide(u"bigint").sliced(4).chopped(1), wide(u"integer").sliced(4).chopped(1))
                .repeated(10));
        const QString deep =
            QStringLiteral("ROW(").repeated(100) + u'1' + QStringLiteral(")").repeated(100);
        QTest::newRow("equal rows in rows") << QString(u"SELECT " + deep + u" = " + deep);
        QTest::newRow("rows in rows in order") << QString(u"SELECT " + deep + u" < " + deep);
        QTest::newRow("equal arrays in arrays") << QString(
            u"SELECT " + QStringLiteral("ARRAY[").repeated(100) + u'1' +
            QStringLiteral("]").repeated(100) + u" = " + QStringLiteral("ARRAY[").repeated(100) +
            u"1.5" + QStringLiteral("]").repeated(100));
    }
    void deepAndLongInputEnds()
    {
        QFETCH(QString, text);
        const QString result = translation(text);
        QVERIFY2(result.size() < 20'000'000, qPrintable(QString::number(result.size())));
        QVERIFY(!result.isEmpty());
    }
};

QTEST_GUILESS_MAIN(tst_Translate)
#include "tst_translate.moc"
