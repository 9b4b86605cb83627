// What others read out of a file's statistics that is not in them.
#include "tests/cases/case_test.h"

#include <QRegularExpression>

using namespace ivm;
using namespace ivm::test;

class tst_CasesMeasure : public QObject, CaseTest {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { end(); }

    void case_C012();
    void case_C013_data();
    void case_C013();
    void case_C013_wide();
    void case_C014();
    void case_C016();
    void case_C016_text();
    void case_C018();
};

// turbolytics/sql-flow#358: one row from the far future made every right row count as late.
void tst_CasesMeasure::case_C012()
{
    begin();
    insert(9, QStringLiteral("a"));
    QCOMPARE(refreshed(), kRebuild);
    QStringList values(10, QStringLiteral("(%1, 'a', 1)").arg(at(10)));
    values << QStringLiteral("(TIMESTAMP '1970-01-01 00:00:00 UTC', 'a', 1)")
           << QStringLiteral("(TIMESTAMP '9999-12-31 23:00:00 UTC', 'a', 1)");
    run({QStringLiteral("INSERT INTO @.ev VALUES ") + values.join(u',')});
    const auto explained = scenario().explain(hourly());
    QCOMPARE(explained.plan.ranges.ranges().size(), 3);
    QVERIFY2(explained.statement.size() < 1'000, qPrintable(explained.statement));
    QCOMPARE(refreshed(), kIncremental);
    const auto all = QStringLiteral("SELECT CAST(year(hr) AS varchar) || ' ' || CAST(n AS varchar) "
                                    "FROM @.ev_hourly ORDER BY hr");
    QCOMPARE(rows(all), QStringLiteral("1970 1,2026 1,2026 10,9999 1").split(u','));
    insert(11, QStringLiteral("a"), 2);
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(rows(all), QStringLiteral("1970 1,2026 1,2026 10,2026 2,9999 1").split(u','));
}

// apache/iceberg#11950: a column without bounds was taken for one without rows.
void tst_CasesMeasure::case_C013_data()
{
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("mode");
    QTest::newRow("none of the column")
        << QStringLiteral("write.metadata.metrics.column.ts") << QStringLiteral("none");
    QTest::newRow("counts of all columns")
        << QStringLiteral("write.metadata.metrics.default") << QStringLiteral("counts");
}

void tst_CasesMeasure::case_C013()
{
    QFETCH(QString, property);
    QFETCH(QString, mode);
    begin(Catalog::Shared);
    insert(9, QStringLiteral("a"));
    QCOMPARE(refreshed(), kRebuild);
    scenario().python(QStringLiteral("set_properties"), QStringLiteral("ev"),
                      {{QStringLiteral("properties"), QJsonObject{{property, mode}}}});
    // The engines keep bounds whatever the property says.
    scenario().python(
        QStringLiteral("write"), QStringLiteral("ev"),
        {{QStringLiteral("rows"), QJsonArray{QJsonArray{microsAt(10), QStringLiteral("a"), 1},
                                             QJsonArray{microsAt(11), QStringLiteral("a"), 1}}}});
    QTest::ignoreMessage(QtInfoMsg,
                         QRegularExpression(QStringLiteral("tell no bounds of 'ts' are read")));
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringLiteral("9 a 1,10 a 1,11 a 1").split(u','));
    run({QStringLiteral("DELETE FROM @.ev WHERE ts = %1").arg(at(10))});
    QVERIFY(refreshed() != kNone);
    QCOMPARE(counts(), QStringLiteral("9 a 1,11 a 1").split(u','));
}

// The same where writers keep bounds of the first 100 columns only.
void tst_CasesMeasure::case_C013_wide()
{
    begin();
    QStringList columns;
    for (int i = 1; i <= 130; ++i)
        columns.append(i == 120 ? QStringLiteral("ts timestamp(6) with time zone")
                                : QStringLiteral("c%1 bigint").arg(i));
    run({QStringLiteral("CREATE TABLE @.wide (%1)").arg(columns.join(QStringLiteral(", ")))});
    const auto view = scenario().view(
        QStringLiteral("of_wide"),
        QStringLiteral(
            "SELECT date_trunc('hour', ts) AS hr, count(*) AS n FROM @.wide GROUP BY 1"));
    const auto insertAt = [&](int first, int second) {
        run({QStringLiteral("INSERT INTO @.wide (c1, ts) VALUES (1, %1), (2, %2)")
                 .arg(at(first), at(second))});
    };
    insertAt(9, 10);
    QCOMPARE(scenario().refreshed(view), kRebuild);
    insertAt(11, 12);
    QCOMPARE(scenario().refreshed(view), kIncremental);
    QCOMPARE(rows(QStringLiteral("SELECT n FROM @.of_wide")).size(), 4);
    run({QStringLiteral("DELETE FROM @.wide WHERE ts = %1").arg(at(11))});
    QVERIFY(scenario().refreshed(view) != kNone);
    QCOMPARE(rows(QStringLiteral("SELECT n FROM @.of_wide")).size(), 3);
}

// apache/iceberg#8559: files whose column is NULL throughout counted as files that do not match.
void tst_CasesMeasure::case_C014()
{
    begin();
    const auto unknown = QStringLiteral("INSERT INTO @.ev VALUES (NULL, 'a', 1), (NULL, 'a', 2)");
    run({QStringLiteral("INSERT INTO @.ev VALUES (NULL, 'a', 1), (NULL, 'a', 1), (NULL, 'a', 2)")});
    const auto groups = [this] {
        return rows(QStringLiteral("SELECT hr IS NULL, n, total FROM @.ev_hourly ORDER BY 1, 2"));
    };
    QCOMPARE(refreshed(), kRebuild);
    QCOMPARE(groups(), QStringList(QStringLiteral("true|3|4")));
    run({QStringLiteral("INSERT INTO @.ev VALUES (NULL, 'a', 1), (NULL, 'a', 2), (%1, 'a', 1)")
             .arg(at(10))});
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(groups(), QStringLiteral("false|1|1,true|5|7").split(u','));
    run({QStringLiteral("DELETE FROM @.ev WHERE ts IS NULL AND v = 1")});
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(groups(), QStringLiteral("false|1|1,true|2|4").split(u','));
    QCOMPARE(refreshed(), kNone);
    // A file of nothing else, when the view is there already.
    run({unknown});
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(groups(), QStringLiteral("false|1|1,true|4|7").split(u','));
}

// duckdb/duckdb-iceberg#1418, apache/iceberg#3760: the cut bound of a text, no longer UTF-8, or
// none at all, made the metadata unreadable.
void tst_CasesMeasure::case_C016()
{
    begin(Catalog::Shared);
    const auto write = [this](int hour, const QString &text) {
        const QJsonArray row{microsAt(hour), text, 1};
        scenario().python(QStringLiteral("write"), QStringLiteral("ev"),
                          {{QStringLiteral("rows"), QJsonArray{row}},
                           {QStringLiteral("cut"), QStringLiteral("dev")}});
    };
    insert(9, QStringLiteral("a"));
    QCOMPARE(refreshed(), kRebuild);
    write(10, QStringLiteral("fifteen letters\u2019 and more"));
    QCOMPARE(refreshed(), kIncremental);
    write(11, QString::fromUcs4(std::u32string(20, U'\U0010FFFF').c_str()));
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(rows(QStringLiteral("SELECT count(*) FROM @.ev_hourly")),
             QStringList(QStringLiteral("3")));
}

// The bounds of a text are no times, cut or not: such a view is recomputed as a whole.
void tst_CasesMeasure::case_C016_text()
{
    begin();
    run({QStringLiteral("CREATE TABLE @.texts (iso varchar, v bigint)")});
    const auto view = scenario().view(
        QStringLiteral("by_text"),
        QStringLiteral("SELECT date_trunc('hour', from_iso8601_timestamp(iso)) AS hr, sum(v) AS "
                       "total FROM @.texts GROUP BY 1"));
    const auto insertText = [this](const char *iso) {
        run({QStringLiteral("INSERT INTO @.texts VALUES ('%1', 1)").arg(QLatin1String(iso))});
    };
    insertText("2026-03-01T10:15:00.123456Z");
    QCOMPARE(actionName(scenario().refresh(view).action), kRebuild);
    insertText("2026-03-01T10:15:59.999999Z");
    insertText("2026-03-01T11:15:00.123456Z");
    QCOMPARE(actionName(scenario().refresh(view).action), kDiff);
    QVERIFY(scenario().verify(view).equal);
    QCOMPARE(rows(QStringLiteral("SELECT total FROM @.by_text ORDER BY hr")),
             QStringLiteral("2,1").split(u','));
}

// apache/auron#2321, #2375: columns found by name read NULL after a rename, and dropped data after
// a column of that name was made again. The migration that changes the view's SQL waits for
// `ivmctl migrate`; here the definition is changed by hand.
void tst_CasesMeasure::case_C018()
{
    begin();
    insert(10, QStringLiteral("a"), 2);
    QCOMPARE(refreshed(), kRebuild);
    const QString known = scenario().head(QStringLiteral("ev")).token;
    run({QStringLiteral("ALTER TABLE @.ev RENAME COLUMN v TO val"),
         QStringLiteral("ALTER TABLE @.ev RENAME COLUMN ts TO event_ts")});
    const QString missed = refreshed();
    QVERIFY2(missed.contains(u"view 'ev_hourly'") && missed.contains(u"'ts'"), qPrintable(missed));
    QCOMPARE(counts(), QStringList(QStringLiteral("10 a 2")));
    const auto bookmark = scenario().services().store.bookmark(QStringLiteral("ev_hourly"));
    QVERIFY(bookmark && *bookmark);
    QCOMPARE((*bookmark)->sources.front().head.token, known);
    const View view = scenario().view(
        QStringLiteral("ev_hourly"),
        QStringLiteral("SELECT date_trunc('hour', event_ts) AS hr, dev, count(*) AS n, sum(val) AS "
                       "total FROM @.ev GROUP BY 1, 2"));
    const auto totals = [this] {
        return rows(QStringLiteral("SELECT hour(hr), n, total FROM @.ev_hourly ORDER BY 1"));
    };
    insert(11, QStringLiteral("a"));
    QCOMPARE(scenario().refreshed(view), kDiff);
    QCOMPARE(totals(), QStringLiteral("10|2|2,11|1|1").split(u','));
    insert(10, QStringLiteral("a"));
    QCOMPARE(scenario().refreshed(view), kIncremental);
    QCOMPARE(totals(), QStringLiteral("10|3|3,11|1|1").split(u','));
    run({QStringLiteral("ALTER TABLE @.ev DROP COLUMN val"),
         QStringLiteral("ALTER TABLE @.ev ADD COLUMN val bigint")});
    insert(12, QStringLiteral("a"));
    QCOMPARE(scenario().refreshed(view), kDiff);
    QCOMPARE(totals(), QStringLiteral("10|3|NULL,11|1|NULL,12|1|1").split(u','));
    QCOMPARE(actionName(scenario().refresh(view, RefreshMode::Full).action), kDiff);
    QCOMPARE(totals(), QStringLiteral("10|3|NULL,11|1|NULL,12|1|1").split(u','));
}

QTEST_GUILESS_MAIN(tst_CasesMeasure)
#include "tst_cases_measure.moc"
