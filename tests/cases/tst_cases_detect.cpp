// What others missed, or took twice, among the changes of a source.
#include "tests/cases/case_test.h"

using namespace ivm;
using namespace ivm::test;

class tst_CasesDetect : public QObject, CaseTest {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { end(); }

    void case_C001_data();
    void case_C001();
    void case_C003();
    void case_C004();
    void case_C007();
    void case_C009();
    void case_C009_rollback();
    void case_C010();

private:
    void expireAll()
    {
        run({QStringLiteral("ALTER TABLE @.ev EXECUTE expire_snapshots(retention_threshold => "
                            "'0s')")});
    }
    void optimize() { run({QStringLiteral("ALTER TABLE @.ev EXECUTE optimize")}); }
};

// trinodb/trino#30990: a refresh read up to the newest snapshot and wrote down the older one that
// it had planned with. A running aggregate that adds what is new (ApplyDelta) waits for the issue
// that brings it; here it is recomputed.
void tst_CasesDetect::case_C001_data()
{
    QTest::addColumn<Scenario::Hold>("hold");
    QTest::newRow("before it measures") << Scenario::Hold::Looked;
    QTest::newRow("before it reads") << Scenario::Hold::Measured;
}

void tst_CasesDetect::case_C001()
{
    QFETCH(Scenario::Hold, hold);
    begin();
    insert(10, QStringLiteral("a"), 100);
    const View running =
        scenario().view(QStringLiteral("running"),
                        QStringLiteral("SELECT dev, count(*) AS n FROM @.ev GROUP BY 1"));
    QCOMPARE(refreshed(), kRebuild);
    QCOMPARE(scenario().refreshed(running), kRebuild);
    int n = 100;
    for (const View &view : {hourly(), running}) {
        insert(10, QStringLiteral("a"), 10);
        n += 10;
        const SnapshotId picked = head();
        const auto count = [&] {
            return rows(QStringLiteral("SELECT n FROM @.") + view.spec.name);
        };
        const auto outcome =
            scenario().refreshHeldAt(hold, view, [this] { insert(10, QStringLiteral("a"), 5); });
        QVERIFY(!outcome.error);
        QVERIFY(head() != picked);
        QCOMPARE(recorded(outcome), picked);
        QCOMPARE(count(), QStringList(QString::number(n)));
        n += 5;
        QVERIFY(scenario().refreshed(view) != kNone);
        QCOMPARE(count(), QStringList(QString::number(n)));
    }
}

// apache/iceberg#9504: the snapshot that a consumer had stopped at was expired when it came back.
// That it comes back as another process waits for ivmd.
void tst_CasesDetect::case_C003()
{
    begin();
    insert(9, QStringLiteral("a"), 2);
    insert(10, QStringLiteral("a"), 2);
    QCOMPARE(refreshed(), kRebuild);
    const SnapshotId known = head();
    insert(9, QStringLiteral("a"));
    run({QStringLiteral("DELETE FROM @.ev WHERE ts = %1").arg(at(10))});
    insert(11, QStringLiteral("a"));
    expireAll();
    const QString reason = scenario().explain(hourly()).plan.reason;
    QVERIFY2(reason.endsWith(QStringLiteral("snapshot %1 is no longer there").arg(known)),
             qPrintable(reason));
    QCOMPARE(refreshed(), kDiff);
    QCOMPARE(counts(), QStringList({QStringLiteral("9 a 3"), QStringLiteral("11 a 1")}));
}

// apache/iceberg#2660: readers that pass over compactions lost what had come before the first one
// that is still there.
void tst_CasesDetect::case_C004()
{
    begin();
    for (const int hour : {10, 11, 12})
        insert(hour, QStringLiteral("a"));
    optimize();
    expireAll();
    QCOMPARE(refreshed(), kRebuild);
    QCOMPARE(counts().size(), 3);
    insert(13, QStringLiteral("a"));
    optimize();
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts().size(), 4);
    insert(13, QStringLiteral("b"));
    QCOMPARE(refreshed(), kIncremental);
    optimize();
    const auto outcome = scenario().refresh(hourly());
    QCOMPARE(actionName(outcome.action), kNone);
    QCOMPARE(recorded(outcome), head());
    QCOMPARE(refreshed(), kNone);
    QCOMPARE(counts().size(), 5);
}

// timescale/timescaledb#2867: one-row inserts into one bucket made it be computed for each of them.
void tst_CasesDetect::case_C007()
{
    const int kCommits = kEngine == Engine::Embedded ? 400 : 20;
    begin();
    insert(9, QStringLiteral("a"));
    QCOMPARE(refreshed(), kRebuild);
    for (int i = 0; i < kCommits; ++i)
        insert(10, QStringLiteral("a"));
    const auto plan = scenario().explain(hourly()).plan;
    QCOMPARE(plan.sources.front().snapshots, kCommits);
    QCOMPARE(plan.ranges.ranges().size(), 1);
    const auto outcome = scenario().refresh(hourly());
    QCOMPARE(actionName(outcome.action), kIncremental);
    QCOMPARE(outcome.ranges.size(), 1);
    QCOMPARE(outcome.rowsWritten, 1);
    QCOMPARE(counts(),
             QStringList({QStringLiteral("9 a 1"), QStringLiteral("10 a %1").arg(kCommits)}));
}

// trinodb/trino#31135, apache/iceberg#14605: the newest snapshot of a table may be another
// branch's.
void tst_CasesDetect::case_C009()
{
    const auto branch = QStringLiteral("audit");
    const auto write = [this](int hour, int count, const QString &to) {
        QJsonArray batch;
        for (int i = 0; i < count; ++i)
            batch.append(QJsonArray{microsAt(hour), QStringLiteral("a"), 1});
        scenario().python(QStringLiteral("write"), QStringLiteral("ev"),
                          {{QStringLiteral("rows"), batch}, {QStringLiteral("branch"), to}});
    };
    const QJsonObject named{{QStringLiteral("branch"), branch}};
    begin(Catalog::Shared);
    insert(10, QStringLiteral("a"));
    QCOMPARE(refreshed(), kRebuild);
    scenario().python(QStringLiteral("create_branch"), QStringLiteral("ev"), named);
    write(10, 1000, branch);
    QCOMPARE(refreshed(), kNone);
    QCOMPARE(recorded(scenario().refresh(hourly())), head());
    write(11, 1, QStringLiteral("main"));
    const auto outcome = scenario().refresh(hourly());
    QCOMPARE(actionName(outcome.action), kIncremental);
    QCOMPARE(recorded(outcome), head());
    QCOMPARE(outcome.ranges.size(), 1);
    QCOMPARE(counts(), QStringList({QStringLiteral("10 a 1"), QStringLiteral("11 a 1")}));
    scenario().python(QStringLiteral("cherry_pick"), QStringLiteral("ev"), named);
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringList({QStringLiteral("10 a 1001"), QStringLiteral("11 a 1")}));
    // And where `main` goes over to the branch, which has no row at 11.
    scenario().python(QStringLiteral("set_main"), QStringLiteral("ev"), named);
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringList({QStringLiteral("10 a 1001")}));
}

// The same without another writer: a rollback leaves a newest snapshot that nobody refers to.
void tst_CasesDetect::case_C009_rollback()
{
    begin();
    insert(10, QStringLiteral("a"));
    QCOMPARE(refreshed(), kRebuild);
    const SnapshotId before = head();
    insert(10, QStringLiteral("a"), 9);
    const auto goBack =
        QStringLiteral("ALTER TABLE @.ev EXECUTE rollback_to_snapshot(%1)").arg(before);
    run({goBack});
    QCOMPARE(refreshed(), kNone);
    insert(11, QStringLiteral("a"));
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringList({QStringLiteral("10 a 1"), QStringLiteral("11 a 1")}));
    run({goBack});
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(counts(), QStringList({QStringLiteral("10 a 1")}));
}

// apache/iceberg#17358, #1109: with clocks that differ, a snapshot may be older than its parent, or
// as old.
void tst_CasesDetect::case_C010()
{
    begin(Catalog::Shared);
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const auto insertAt = [&](int hour, qint64 clock) {
        insert(hour, QStringLiteral("a"));
        scenario().python(QStringLiteral("set_clock"), QStringLiteral("ev"),
                          {{QStringLiteral("time"), clock}});
    };
    QCOMPARE(refreshed(), kRebuild);
    insertAt(9, now + 30'000);
    QCOMPARE(refreshed(), kIncremental);
    insertAt(10, now);
    QCOMPARE(refreshed(), kIncremental);
    insertAt(11, now + 30'000);
    insertAt(10, now + 1);
    insertAt(12, now + 1);
    const auto outcome = scenario().refresh(hourly());
    QCOMPARE(outcome.ranges.size(), 1);
    QCOMPARE(outcome.ranges.front().from, QStringLiteral("2026-03-01 10:00:00 UTC"));
    QCOMPARE(refreshed(), kNone);
    QCOMPARE(counts(), QStringLiteral("9 a 1,10 a 2,11 a 1,12 a 1").split(u','));
}

QTEST_GUILESS_MAIN(tst_CasesDetect)
#include "tst_cases_detect.moc"
