// The first build of a view in chunks, killed in the middle, on the engine that ctest names
// (IVM_TEST_ENGINE): what changes before it goes on is neither lost nor taken twice.
#include "tests/cases/ivmctl.h"
#include "tests/e2e/each_engine.h"

#include <QLoggingCategory>

using namespace ivm;
using namespace ivm::test;

namespace {

const auto kDaily = QStringLiteral(
    "SELECT k, date_trunc('day', ts) AS d, count(*) AS n, sum(x) AS total FROM @.ev GROUP BY 1, 2");

}  // namespace

class tst_Builds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init();
    void cleanup() { m_scenario.reset(); }

    void aBuildInChunks();
    void goesOnWhereItWasKilled_data();
    void goesOnWhereItWasKilled();
    void beginsAgainWhereItMust_data();
    void beginsAgainWhereItMust();

private:
    View daily(const QString &query = kDaily) const
    {
        View view = m_scenario->view(QStringLiteral("daily"), query);
        view.spec.fullRefreshChunk = QStringLiteral("month");
        return view;
    }
    // A first build by a process that dies at that point.
    void killBuildAt(const QString &point);
    QStringList months()
    {
        return m_scenario->rows(
            QStringLiteral("SELECT month(d), sum(n) FROM @.daily GROUP BY 1 ORDER BY 1"));
    }

    std::unique_ptr<Scenario> m_scenario;
};

// Three months, and rows that have no time.
void tst_Builds::init()
{
    m_scenario = std::make_unique<Scenario>(kEngine);
    QStringList rows{QStringLiteral("(NULL, 'a', 1)"), QStringLiteral("(NULL, NULL, 1)")};
    for (int day = 0; day < 60; ++day)
        rows.append(QStringLiteral("(TIMESTAMP '%1 10:00:00', '%2', %3)")
                        .arg(QDate(2024, 1, 15).addDays(day).toString(Qt::ISODate),
                             day % 2 ? QStringLiteral("a") : QStringLiteral("b"))
                        .arg(day));
    m_scenario->run({QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), k varchar, x bigint)"),
                     QStringLiteral("INSERT INTO @.ev VALUES ") + rows.join(QStringLiteral(", "))});
}

void tst_Builds::killBuildAt(const QString &point)
{
    Ivmctl ivmctl(*m_scenario, QStringLiteral("views:\n- name: daily\n  target_table: "
                                              "iceberg.@.daily\n  full_refresh_chunk: month\n"
                                              "  query: ") +
                                   kDaily);
    ivmctl.set(QStringLiteral("IVM_FAIL_POINT"), point + QStringLiteral("=kill"));
    const auto ran = ivmctl.run({QStringLiteral("refresh")});
    QVERIFY2(ran.died, qPrintable(ran.out + ran.err));
}

void tst_Builds::aBuildInChunks()
{
    QCOMPARE(m_scenario->refreshed(daily()), kRebuild);
    // The table is made, then filled month by month.
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM @.\"daily$snapshots\"")),
             QStringList(kIsTrino ? QStringLiteral("4") : QStringLiteral("3")));
    QCOMPARE(months(), QStringLiteral("1|17,2|29,3|14,NULL|2").split(u','));
    m_scenario->run(QStringLiteral("DELETE FROM @.ev WHERE x = 3 OR ts IS NULL"));
    QCOMPARE(m_scenario->refreshed(daily()), kIncremental);
}

void tst_Builds::goesOnWhereItWasKilled_data()
{
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("goesOn");
    const auto row = [](const char *point, const char *goesOn) {
        QTest::newRow(point) << QString::fromLatin1(point) << QString::fromLatin1(goesOn);
    };
    row("refresh.bookmark_saved:1", "2024-02-01 00:00:00");
    row("refresh.committed:2", "2024-03-01 00:00:00");
    if (kIsTrino) {
        row("trino.merge_running:2", "2024-0");
        return;
    }
    row("refresh.target_made", "empty");
    row("refresh.intent_saved:1", "start");
    row("refresh.intent_saved:3", "2024-03-01 00:00:00");
    row("refresh.bookmark_saved:2", "2024-03-01 00:00:00");
    row("refresh.bookmark_saved:3", "none");
}

// Rows come, move and go in months that were done and in those that were not.
void tst_Builds::goesOnWhereItWasKilled()
{
    QFETCH(QString, point);
    QFETCH(QString, goesOn);
    killBuildAt(point);
    m_scenario->run(
        {QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2023-12-24 00:00:00', 'a', 1), "
                        "(TIMESTAMP '2024-01-20 00:00:00', 'a', 1), (TIMESTAMP '2024-07-01 "
                        "00:00:00', 'a', 1), (NULL, 'new', 1)"),
         QStringLiteral("UPDATE @.ev SET ts = ts + INTERVAL '31' DAY WHERE x = 4"),
         QStringLiteral("DELETE FROM @.ev WHERE x = 9 OR x = 59"),
         QStringLiteral("ALTER TABLE @.ev ADD COLUMN more bigint")});
    const auto outcome = m_scenario->refresh(daily());
    QVERIFY2(!outcome.error, qPrintable(outcome.reason));
    if (goesOn.startsWith(u"2024") || goesOn == u"start") {
        QCOMPARE(actionName(outcome.action), kRebuild);
        QVERIFY2(outcome.reason.startsWith(QStringLiteral("the build goes on at ") + goesOn),
                 qPrintable(outcome.reason));
        // First for the state that it began with, then for what changed since.
        QCOMPARE(m_scenario->difference(daily()), QString());
    } else {
        QCOMPARE(actionName(outcome.action), goesOn == u"empty" ? kDiff : kIncremental);
    }
    // A table that was made, and no more, is filled month by month too: five of them have rows.
    if (goesOn == u"empty")
        QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM @.\"daily$snapshots\"")),
                 QStringList(QStringLiteral("5")));
    QCOMPARE(m_scenario->refreshed(daily()), kNone);
}

void tst_Builds::beginsAgainWhereItMust_data()
{
    QTest::addColumn<QString>("meanwhile");
    const auto row = [](const char *name, const char *meanwhile) {
        QTest::newRow(name) << QString::fromLatin1(meanwhile);
    };
    row("another definition", "");
    row("the state is gone", "DELETE FROM @.ev WHERE x < 9; ALTER TABLE @.ev EXECUTE "
                             "expire_snapshots(retention_threshold => '0s')");
    row("rows in the target", "INSERT INTO @.daily SELECT * FROM @.daily");
    if (kIsTrino)
        return;
    row("the target is gone", "DROP TABLE @.daily");
    row("the target is another",
        "CREATE OR REPLACE TABLE @.daily AS SELECT * FROM @.daily WHERE k = 'a'");
    row("the source is another", "CREATE OR REPLACE TABLE @.ev AS SELECT * FROM @.ev WHERE x > 7");
    row("another column of the name", "ALTER TABLE @.ev DROP COLUMN x; ALTER TABLE @.ev ADD COLUMN "
                                      "x bigint");
    row("the source is emptied", "TRUNCATE TABLE @.ev");
}

void tst_Builds::beginsAgainWhereItMust()
{
    QFETCH(QString, meanwhile);
    killBuildAt(QStringLiteral("refresh.bookmark_saved:1"));
    m_scenario->run(meanwhile.split(QStringLiteral("; "), Qt::SkipEmptyParts));
    const View view = daily(meanwhile.isEmpty() ? QString(kDaily).replace(QStringLiteral("sum(x)"),
                                                                          QStringLiteral("max(x)"))
                                                : kDaily);
    const auto outcome = m_scenario->refresh(view);
    QVERIFY2(!outcome.error, qPrintable(outcome.reason));
    QVERIFY(m_scenario->verify(view).equal);
    const QString after = m_scenario->refreshed(view);
    QVERIFY2(after == kNone || after == kIncremental, qPrintable(after));
    QCOMPARE(m_scenario->refreshed(view), kNone);
}

QTEST_GUILESS_MAIN(tst_Builds)
#include "tst_builds.moc"
