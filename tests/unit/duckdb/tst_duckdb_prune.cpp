#include "framework/sql/parser.h"
#include "plugins/executor_duckdb/table/prune.h"

#include <QTest>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

constexpr qint64 kDay = 86'400'000'000;

// id integer 1, ts timestamp 2, tz timestamp with time zone 3, d date 4, s varchar 5.
iceberg::Schema schema()
{
    using iceberg::TypeId;
    return {.id = 0,
            .fields = {{.id = 1, .name = QStringLiteral("id"), .type = {.id = TypeId::Long}},
                       {.id = 2, .name = QStringLiteral("ts"), .type = {.id = TypeId::Timestamp}},
                       {.id = 3, .name = QStringLiteral("tz"), .type = {.id = TypeId::Timestamptz}},
                       {.id = 4, .name = QStringLiteral("d"), .type = {.id = TypeId::Date}},
                       {.id = 5, .name = QStringLiteral("s"), .type = {.id = TypeId::String}}}};
}

QString end(const std::optional<qint64> &bound)
{
    return bound ? QString::number(*bound) : QStringLiteral("*");
}

// "1:[5,6) 2:[0,*)null", fields in order.
QString text(QList<iceberg::ScanFilter> filters)
{
    std::ranges::sort(filters, {}, &iceberg::ScanFilter::fieldId);
    QStringList parts;
    for (const auto &filter : filters) {
        QString part = QString::number(filter.fieldId) + u':';
        for (const auto &range : filter.ranges)
            part += u'[' + end(range.from) + u',' + end(range.to) + u')';
        parts.append(filter.nulls ? QString(part + QStringLiteral("null")) : part);
    }
    return parts.join(u' ');
}

}  // namespace

class tst_DuckdbPrune : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsConditions_data();
    void readsConditions();
    void looksAtConstantsThroughTheEngine();
    void neverLooksAtWhatChanges_data();
    void neverLooksAtWhatChanges();
    void boundsTheNumberOfRanges();
    void findsValues_data();
    void findsValues();
    void findsThePathsThatAreAskedFor_data();
    void findsThePathsThatAreAskedFor();
    void findsTheConditionOfEachTable_data();
    void findsTheConditionOfEachTable();
};

void tst_DuckdbPrune::readsConditions_data()
{
    QTest::addColumn<QString>("condition");
    QTest::addColumn<QString>("filters");
    const auto row = [](const char *name, const char *condition, const QString &filters) {
        QTest::newRow(name) << QString::fromLatin1(condition) << filters;
    };
    row("equal", "id = 5", QStringLiteral("1:[5,6)"));
    row("turned around", "5 >= id", QStringLiteral("1:[*,6)"));
    row("less", "id < 5", QStringLiteral("1:[*,5)"));
    row("above, rounded outward", "id > 5", QStringLiteral("1:[5,*)"));
    row("largest number", "id = 9223372036854775807", QStringLiteral("1:[9223372036854775807,*)"));
    row("not equal says nothing", "id <> 5", QString());
    row("between", "id BETWEEN 1 AND 3", QStringLiteral("1:[1,4)"));
    row("not between says nothing", "id NOT BETWEEN 1 AND 3", QString());
    row("in", "id IN (1, 7)", QStringLiteral("1:[1,2)[7,8)"));
    row("in with something else", "id IN (1, id + 1)", QString());
    row("null", "id IS NULL", QStringLiteral("1:null"));
    row("not null", "id IS NOT NULL", QStringLiteral("1:[*,*)"));
    row("and narrows", "id >= 1 AND id < 9 AND id >= 4", QStringLiteral("1:[4,9)"));
    row("and of what cannot be", "id < 1 AND id > 5", QStringLiteral("1:"));
    row("and over columns", "id = 1 AND d = DATE '1970-01-02'", QStringLiteral("1:[1,2) 4:[1,2)"));
    row("and with something else", "id = 1 AND s = 'x'", QStringLiteral("1:[1,2)"));
    row("or widens", "id = 1 OR id IS NULL", QStringLiteral("1:[1,2)null"));
    row("or over columns says nothing", "id = 1 OR d = DATE '1970-01-02'", QString());
    row("or with something else says nothing", "id = 1 OR s = 'x'", QString());
    row("not says nothing", "NOT id = 1", QString());
    row("text says nothing", "s = 'x'", QString());
    row("a column of another name says nothing", "x = 1", QString());
    row("qualified", "T.id = 1", QStringLiteral("1:[1,2)"));
    row("qualified by something else", "u.id = 1", QString());
    row("timestamp", "ts >= TIMESTAMP '1970-01-02 00:00:00.000001'",
        QStringLiteral("2:[%1,*)").arg(kDay + 1));
    row("timestamp by a date", "ts < DATE '1970-01-02'", QStringLiteral("2:[*,%1)").arg(kDay));
    row("timestamp by one with a zone", "ts < TIMESTAMP '1970-01-02 00:00:00 UTC'",
        QStringLiteral("2:[*,%1)").arg(kDay));
    row("timestamp with time zone", "tz >= TIMESTAMP '1970-01-01 02:00:00 +02:00'",
        QStringLiteral("3:[0,*)"));
    row("timestamp with time zone by one without", "tz >= TIMESTAMP '1970-01-02 00:00:00'",
        QStringLiteral("3:[%1,*)").arg(kDay));
    row("a region says nothing", "tz >= TIMESTAMP '1970-01-02 00:00:00 America/Chicago'",
        QString());
    row("date below a timestamp inside the day", "d < TIMESTAMP '1970-01-02 12:00:00'",
        QStringLiteral("4:[*,2)"));
    row("date up to a timestamp inside the day", "d <= TIMESTAMP '1970-01-02 12:00:00'",
        QStringLiteral("4:[*,2)"));
    row("date above a timestamp inside the day", "d > TIMESTAMP '1970-01-02 12:00:00'",
        QStringLiteral("4:[1,*)"));
    row("date before 1970", "d >= TIMESTAMP '1969-12-31 12:00:00'", QStringLiteral("4:[-1,*)"));
    row("a date for a number says nothing", "id = DATE '1970-01-02'", QString());
    row("no date says nothing", "d = DATE '1970-02-31'", QString());
}

void tst_DuckdbPrune::readsConditions()
{
    QFETCH(QString, condition);
    QFETCH(QString, filters);
    const auto parsed = sql::parseExpression(condition);
    QVERIFY(parsed);
    const auto found = fileFilter({{QStringLiteral("t"), true}, *parsed}, schema(),
                                  [](const auto &) { return std::nullopt; });
    QCOMPARE(text(found.columns), filters);
}

void tst_DuckdbPrune::looksAtConstantsThroughTheEngine()
{
    const auto parsed = sql::parseExpression(
        u"ts < date_trunc('day', TIMESTAMP '2001-01-01 23:00:00') + INTERVAL '1' DAY");
    QVERIFY(parsed);
    int asked = 0;
    const auto found =
        fileFilter({{QStringLiteral("t"), true}, *parsed}, schema(), [&](const sql::ExprPtr &) {
            ++asked;
            return std::optional(QStringLiteral("1970-01-02 00:00:00.000"));
        });
    QCOMPARE(text(found.columns), QStringLiteral("2:[*,%1)").arg(kDay));
    QCOMPARE(asked, 1);
}

void tst_DuckdbPrune::neverLooksAtWhatChanges_data()
{
    QTest::addColumn<QString>("expression");
    QTest::newRow("the time of day") << "current_timestamp";
    QTest::newRow("a column") << "tz + INTERVAL '1' DAY";
    QTest::newRow("an unknown function") << "random_time(1)";
    QTest::newRow("a subquery") << "(SELECT max(ts) FROM u)";
}

void tst_DuckdbPrune::neverLooksAtWhatChanges()
{
    QFETCH(QString, expression);
    const auto parsed = sql::parseExpression(QString(u"ts < " + expression));
    QVERIFY(parsed);
    int asked = 0;
    const auto found =
        fileFilter({{QStringLiteral("t"), true}, *parsed}, schema(), [&](const sql::ExprPtr &) {
            ++asked;
            return std::optional(QStringLiteral("1970-01-02"));
        });
    QVERIFY(found.columns.isEmpty());
    QCOMPARE(asked, 0);
}

void tst_DuckdbPrune::boundsTheNumberOfRanges()
{
    QStringList numbers;
    for (int i = 0; i < 5000; ++i)
        numbers.append(QString::number(i * 2));
    const auto parsed = sql::parseExpression(QStringLiteral("id IN (%1)").arg(numbers.join(u',')));
    QVERIFY(parsed);
    const auto found = fileFilter({{QStringLiteral("t"), true}, *parsed}, schema(),
                                  [](const auto &) { return std::nullopt; });
    QCOMPARE(found.columns.size(), 1);
    QVERIFY(found.columns[0].ranges.size() <= 200);
    QCOMPARE(found.columns[0].ranges.front().from, std::optional<qint64>(0));
    QCOMPARE(found.columns[0].ranges.back().to, std::optional<qint64>(9999));
}

void tst_DuckdbPrune::findsValues_data()
{
    QTest::addColumn<QString>("condition");
    QTest::addColumn<QString>("values");  // "1:5,6 5:a", fields in order
    const auto row = [](const char *condition, const char *values) {
        QTest::newRow(condition) << QString::fromLatin1(condition) << QString::fromLatin1(values);
    };
    row("s = 'a'", "5:a");
    row("'a' = s", "5:a");
    row("s IN ('a', 'b')", "5:a,b");
    row("s IN ('a', concat('b', 'c'))", "");
    row("s NOT IN ('a', 'b')", "");
    row("s <> 'a'", "");
    row("s < 'a'", "");
    row("NOT s = 'a'", "");
    row("s = 'a' OR s = 'b'", "5:a,b");
    row("s = 'a' OR id = 1", "");
    row("s = 'a' AND id = 1", "1:1 5:a");
    row("s IN ('a', 'b') AND s = 'b'", "5:b");
    row("s = 'a' AND (id = 1 OR id = 2)", "1:1,2 5:a");
    row("id = '1'", "");
    row("id = 1.0", "");
    row("d = DATE '1970-01-02'", "4:1");
    row("ts = TIMESTAMP '1970-01-02 00:00:00'", "");
    row("upper(s) = 'A'", "");
    row("other.s = 'a'", "");
}

void tst_DuckdbPrune::findsValues()
{
    QFETCH(QString, condition);
    QFETCH(QString, values);
    const auto parsed = sql::parseExpression(condition);
    QVERIFY(parsed);
    const auto filter = fileFilter({{QStringLiteral("t"), true}, *parsed}, schema(),
                                   [](const sql::ExprPtr &) { return std::nullopt; });
    QStringList found;
    for (const auto &[id, literals] : filter.values.asKeyValueRange()) {
        QStringList texts;
        for (const auto &literal : literals)
            texts.append(literal.text());
        found.append(QStringLiteral("%1:%2").arg(id).arg(texts.join(u',')));
    }
    QCOMPARE(found.join(u' '), values);
}

void tst_DuckdbPrune::findsThePathsThatAreAskedFor_data()
{
    QTest::addColumn<QString>("condition");
    QTest::addColumn<QString>("paths");  // "-": any
    QTest::newRow("a list") << "\"$path\" IN ('b', 'a')" << "a b";
    QTest::newRow("one") << "\"$path\" = 'a'" << "a";
    QTest::newRow("beside something else") << "id = 1 AND t.\"$path\" = 'a'" << "a";
    QTest::newRow("or something else") << "id = 1 OR \"$path\" = 'a'" << "-";
    QTest::newRow("another") << "\"$path\" <> 'a'" << "-";
    QTest::newRow("not these") << "\"$path\" NOT IN ('a')" << "-";
    QTest::newRow("no constant") << "\"$path\" IN ('a', s)" << "-";
    QTest::newRow("of another table") << "u.\"$path\" = 'a'" << "-";
}

void tst_DuckdbPrune::findsThePathsThatAreAskedFor()
{
    QFETCH(QString, condition);
    QFETCH(QString, paths);
    const auto parsed = sql::parseExpression(condition);
    QVERIFY(parsed);
    const auto found = fileFilter({{QStringLiteral("t"), true}, *parsed}, schema(),
                                  [](const auto &) { return std::nullopt; });
    QStringList texts = found.paths.value_or(QSet<QString>()).values();
    texts.sort();
    QCOMPARE(found.paths ? texts.join(u' ') : QStringLiteral("-"), paths);
}

void tst_DuckdbPrune::findsTheConditionOfEachTable_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("found");  // table, qualifier, whether bare names are its own
    QTest::newRow("one table") << "SELECT 1 FROM a WHERE x = 1" << "a/a/bare";
    QTest::newRow("with an alias") << "SELECT 1 FROM a AS b WHERE x = 1" << "a/b/bare";
    QTest::newRow("with renamed columns") << "SELECT 1 FROM a AS b(y) WHERE x = 1" << "";
    QTest::newRow("without a condition") << "SELECT 1 FROM a" << "";
    QTest::newRow("inner join") << "SELECT 1 FROM a JOIN b ON a.k = b.k WHERE a.x = 1"
                                << "a/a/ b/b/";
    QTest::newRow("left join keeps the right side whole")
        << "SELECT 1 FROM a LEFT JOIN b ON a.k = b.k WHERE a.x = 1" << "a/a/";
    QTest::newRow("right join keeps the left side whole")
        << "SELECT 1 FROM a RIGHT JOIN b ON a.k = b.k WHERE b.x = 1" << "b/b/";
    QTest::newRow("full join keeps both whole")
        << "SELECT 1 FROM a FULL JOIN b ON a.k = b.k WHERE a.x = 1" << "";
    QTest::newRow("one name twice") << "SELECT 1 FROM a, a WHERE x = 1" << "";
    QTest::newRow("in a subquery")
        << "SELECT 1 FROM (SELECT * FROM a WHERE x = 1) WHERE y = 2" << "a/a/bare";
    QTest::newRow("in a union")
        << "SELECT 1 FROM a WHERE x = 1 UNION ALL SELECT 2 FROM b WHERE y = 2"
        << "a/a/bare b/b/bare";
    QTest::newRow("in WITH")
        << "WITH w AS (SELECT * FROM a WHERE x = 1) SELECT 1 FROM w WHERE x = 2"
        << "a/a/bare w/w/bare";
}

void tst_DuckdbPrune::findsTheConditionOfEachTable()
{
    QFETCH(QString, query);
    QFETCH(QString, found);
    const auto parsed = sql::parseQuery(query);
    QVERIFY2(parsed, parsed ? "" : qPrintable(parsed.error().text()));
    const auto restrictions = restrictionsOf(*parsed);
    QStringList texts;
    for (const auto &[place, restriction] : restrictions.asKeyValueRange()) {
        texts.append(query.mid(place, 1) + u'/' + restriction.names.qualifier + u'/' +
                     (restriction.names.bare ? QStringLiteral("bare") : QString()));
    }
    texts.sort();
    QCOMPARE(texts.join(u' '), found);
}

QTEST_GUILESS_MAIN(tst_DuckdbPrune)
#include "tst_duckdb_prune.moc"
