// What others' refreshes got wrong: rows that stay, rows that come twice, views that are left out.
#include "tests/cases/case_test.h"

using namespace ivm;
using namespace ivm::test;

class tst_CasesRefresh : public QObject, CaseTest {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { end(); }

    void case_C006();
    void case_C024();
    void case_C025_data();
    void case_C025();
    void case_C025_approximate();
    void case_C027_data();
    void case_C027();
    void case_C028();
    void case_C028_failing();
    void case_C028_cycle();
};

// timescale/timescaledb#3047, #2331: rows that were deleted in bulk stayed in the aggregate.
void tst_CasesRefresh::case_C006()
{
    begin();
    run({QStringLiteral("DROP TABLE @.ev"),
         QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar, v bigint) "
                        "WITH (partitioning = ARRAY['hour(ts)'])")});
    run({QStringLiteral("INSERT INTO @.ev SELECT ts, dev, 1 FROM (VALUES %1, %2, %3) AS t(ts) "
                        "CROSS JOIN (VALUES 'a', 'b') AS d(dev)")
             .arg(at(9), at(10), at(11))});
    QCOMPARE(refreshed(), kRebuild);
    QCOMPARE(counts().size(), 6);
    run({QStringLiteral("DELETE FROM @.ev WHERE ts >= %1 AND ts < %2").arg(at(9, 0), at(10, 0))});
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringLiteral("10 a 1,10 b 1,11 a 1,11 b 1").split(u','));
    run({QStringLiteral("DELETE FROM @.ev WHERE dev = 'b' AND ts = %1").arg(at(10))});
    const auto outcome = scenario().refresh(hourly());
    QCOMPARE(outcome.rowsDeleted, 1);
    QCOMPARE(outcome.rowsWritten, 0);
    QCOMPARE(refreshed(), kNone);
    QCOMPARE(counts(), QStringLiteral("10 a 1,11 a 1,11 b 1").split(u','));
    run({QStringLiteral("DELETE FROM @.ev")});
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringList());
    insert(12, QStringLiteral("a"));
    QCOMPARE(refreshed(), kIncremental);
    run({QStringLiteral("TRUNCATE TABLE @.ev")});
    insert(13, QStringLiteral("a"));
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringList(QStringLiteral("13 a 1")));
}

// dbt-labs/dbt-adapters#159: a MERGE by '=' inserted groups with a NULL key again at each refresh.
void tst_CasesRefresh::case_C024()
{
    const auto addToEach = [this] {
        run({QStringLiteral(
            "INSERT INTO @.ev SELECT TIMESTAMP '2026-03-01 10:15:00 UTC', dev, region, 1 FROM "
            "(VALUES (NULL, 'r'), ('a', NULL), (NULL, NULL), ('', 'r')) AS s(dev, region)")});
    };
    const auto groups = [this] {
        return rows(QStringLiteral("SELECT dev, region, n FROM @.by_region ORDER BY 1, 2"));
    };
    begin();
    run({QStringLiteral("DROP TABLE @.ev"),
         QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar, region "
                        "varchar, v bigint)")});
    const auto view = scenario().view(
        QStringLiteral("by_region"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, region, count(*) AS n, sum(v) AS "
                       "total FROM @.ev GROUP BY 1, 2, 3"));
    addToEach();
    QCOMPARE(scenario().refreshed(view), kRebuild);
    QCOMPARE(groups(), QStringLiteral("|r|1 a|NULL|1 NULL|r|1 NULL|NULL|1").split(u' '));
    addToEach();
    QCOMPARE(scenario().refreshed(view), kIncremental);
    QCOMPARE(scenario().refreshed(view), kNone);
    QCOMPARE(scenario().refreshed(view), kNone);
    QCOMPARE(groups(), QStringLiteral("|r|2 a|NULL|2 NULL|r|2 NULL|NULL|2").split(u' '));
    run({QStringLiteral("DELETE FROM @.ev WHERE dev IS NULL AND region IS NULL")});
    QCOMPARE(scenario().refreshed(view), kIncremental);
    QCOMPARE(groups(), QStringLiteral("|r|2 a|NULL|2 NULL|r|2").split(u' '));
}

// trinodb/trino#28696: rows that were computed earlier kept the old value of a function that gives
// another one each time.
void tst_CasesRefresh::case_C025_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("refusal");
    const auto row = [](const char *name, const char *query, const char *refusal) {
        QTest::newRow(name) << QString::fromLatin1(query) << QString::fromLatin1(refusal);
    };
    row("a measure", "SELECT dev, max(current_timestamp) AS at FROM ev GROUP BY 1",
        "the current date, time or user is another one at each refresh");
    row("a window that slides",
        "SELECT dev, count(*) AS n FROM ev WHERE ts > now() - INTERVAL '7' DAY GROUP BY 1",
        "now() gives another answer each time");
    row("a sample", "SELECT dev, count_if(random() < 0.1) AS n FROM ev GROUP BY 1",
        "random() gives another answer each time");
    row("a bucket",
        "SELECT date_trunc('hour', coalesce(ts, current_timestamp)) AS hr, count(*) AS n FROM ev "
        "GROUP BY 1",
        "the current date, time or user is another one at each refresh");
}

void tst_CasesRefresh::case_C025()
{
    QFETCH(QString, query);
    QFETCH(QString, refusal);
    begin();
    QCOMPARE(scenario().refusal(QStringLiteral("v"), query),
             QStringLiteral("views.yaml:3:12: view 'v': %1; a view's rows must follow from its "
                            "source's")
                 .arg(refusal));
}

// What is loose by nature is kept, and a difference in it is no drift.
void tst_CasesRefresh::case_C025_approximate()
{
    begin();
    const View estimate = scenario().view(
        QStringLiteral("estimate"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS hr, approx_distinct(dev) AS devs FROM "
                       "@.ev GROUP BY 1"));
    const View some = scenario().view(
        QStringLiteral("some"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS hr, arbitrary(dev) AS dev, count(*) AS n "
                       "FROM @.ev GROUP BY 1"));
    insert(10, QStringLiteral("a"));
    if (kEngine == Engine::Embedded) {
        QCOMPARE(scenario().refreshed(estimate),
                 QStringLiteral("views.yaml:3:12: view 'estimate': function 'approx_distinct' is "
                                "not in the embedded engine. count(DISTINCT x) counts exactly"));
    } else {
        QCOMPARE(scenario().refreshed(estimate), kRebuild);
    }
    QCOMPARE(scenario().refreshed(some), kRebuild);
    insert(11, QStringLiteral("b"));
    QCOMPARE(scenario().refreshed(some), kIncremental);
    run({QStringLiteral("UPDATE @.some SET dev = 'z' WHERE dev = 'b'")});
    const auto verified = scenario().verify(some);
    QVERIFY(verified.equal);
    QCOMPARE(verified.reported.size(), 1);
    QCOMPARE(verified.reported.front().column, QStringLiteral("dev"));
    QCOMPARE(verified.reported.front().rows, 1);
}

// ClickHouse/ClickHouse#67967: a change of the second table of a join never reached the view. Such
// views wait for the issue of views over several tables: until then they are refused, at the other
// table.
void tst_CasesRefresh::case_C027_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("refusal");
    const auto row = [](const char *name, const char *query, const char *refusal) {
        QTest::newRow(name) << QString::fromLatin1(query) << QString::fromLatin1(refusal);
    };
    row("a join",
        "SELECT date_trunc('hour', e.ts) AS hr, d.site, sum(e.v) AS v FROM ev e JOIN dim d ON "
        "e.dev = d.dev GROUP BY 1, 2",
        "JOIN is not supported in a view yet: it would read ev and dim");
    row("an outer join",
        "SELECT date_trunc('hour', e.ts) AS hr, d.site, sum(e.v) AS v FROM ev e LEFT JOIN dim d ON "
        "e.dev = d.dev GROUP BY 1, 2",
        "JOIN is not supported in a view yet: it would read ev and dim");
    row("a union", "SELECT dev FROM ev UNION ALL SELECT dev FROM ev_old",
        "UNION, INTERSECT or EXCEPT is not supported in a view yet: it would read ev and ev_old. "
        "Make each side a view of its own");
    row("a scalar subquery",
        "SELECT dev, count(*) AS n FROM ev WHERE v > (SELECT max(x) FROM cfg) GROUP BY 1",
        "a subquery in an expression is not supported in a view yet: it would read ev and cfg");
    row("a subquery in IN",
        "SELECT dev, count(*) AS n FROM ev WHERE dev IN (SELECT dev FROM allow) GROUP BY 1",
        "a subquery in an expression is not supported in a view yet: it would read ev and allow");
}

void tst_CasesRefresh::case_C027()
{
    QFETCH(QString, query);
    QFETCH(QString, refusal);
    begin();
    QCOMPARE(scenario().refusal(QStringLiteral("v"), query),
             QStringLiteral("views.yaml:3:12: view 'v': ") + refusal);
}

namespace {

const auto kDaily =
    QStringLiteral("SELECT date_trunc('day', hr) AS d, sum(n) AS n FROM @.ev_hourly GROUP BY 1");

QList<View> inOrder(const QList<View> &views)
{
    QList<View> ordered;
    for (const auto index : refreshOrder(views).order)
        ordered.append(views[index]);
    return ordered;
}

QStringList actions(const QList<RefreshOutcome> &outcomes)
{
    QStringList out;
    for (const auto &outcome : outcomes)
        out.append(outcome.view + u' ' + actionName(outcome.action));
    return out;
}

}  // namespace

// StarRocks/starrocks#13997, xelixdev/django-pgviews-redux#44: a view over another one was
// refreshed before it, and called fresh.
void tst_CasesRefresh::case_C028()
{
    begin();
    const View daily = scenario().view(QStringLiteral("daily"), kDaily);
    const auto views = inOrder({daily, hourly()});
    insert(10, QStringLiteral("a"));
    QCOMPARE(actions(scenario().refresh(views)),
             QStringLiteral("ev_hourly rebuild,daily rebuild").split(u','));
    insert(10, QStringLiteral("a"));
    insert(11, QStringLiteral("b"));
    QCOMPARE(actions(scenario().refresh(views)),
             QStringLiteral("ev_hourly incremental,daily incremental").split(u','));
    QCOMPARE(rows(QStringLiteral("SELECT n FROM @.daily")), QStringList(QStringLiteral("3")));
    // All files of the hourly view's table are replaced.
    run({QStringLiteral("DROP TABLE @.ev_hourly")});
    QCOMPARE(actions(scenario().refresh(views)),
             QStringLiteral("ev_hourly rebuild,daily diff").split(u','));
    QCOMPARE(scenario().refreshed(daily), kNone);
}

// Where the one that it reads fails, it is kept equal to the rows that are there: it has nothing to
// do, and its bookmark says of which rows.
void tst_CasesRefresh::case_C028_failing()
{
    begin();
    const View daily = scenario().view(QStringLiteral("daily"), kDaily);
    insert(10, QStringLiteral("a"));
    scenario().refresh(QList<View>{hourly(), daily});
    insert(10, QStringLiteral("a"));
    run({QStringLiteral("ALTER TABLE @.ev RENAME TO @.moved")});
    const auto outcomes = scenario().refresh(QList<View>{hourly(), daily});
    QCOMPARE(actions(outcomes), QStringLiteral("ev_hourly error,daily none").split(u','));
    QCOMPARE(scenario().refreshed(daily), kNone);
    QCOMPARE(rows(QStringLiteral("SELECT n FROM @.daily")), QStringList(QStringLiteral("1")));
}

void tst_CasesRefresh::case_C028_cycle()
{
    begin();
    const QList<View> views{
        scenario().view(QStringLiteral("daily"), kDaily),
        scenario().view(QStringLiteral("ev_hourly"),
                        QStringLiteral("SELECT d AS hr, sum(n) AS n FROM @.daily GROUP BY 1"))};
    QCOMPARE(refreshOrder(views).inCycle, QList<qsizetype>({0, 1}));
    QCOMPARE(cycleError(views, 0).text(),
             QStringLiteral("views.yaml:3:12: view 'daily' reads itself through ev_hourly. Let one "
                            "of them read another table"));
}

QTEST_GUILESS_MAIN(tst_CasesRefresh)
#include "tst_cases_refresh.moc"
