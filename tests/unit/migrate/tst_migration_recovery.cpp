// What a run that failed, died or was raced leaves to the next one, to the run the other way, and
// to a person: nothing is done twice, nothing is taken back that nobody asked for.
#include "tests/support/migration_run.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using test::kCreateView;
using test::kLine;
using test::kReplaceView;

class tst_MigrationRecovery : public QObject, private test::MigrationRun {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aDowngradeThatFailedIsGoneOnWithAlone();
    void aDowngradeThatDidNothingLeavesAllApplied();
    void whatWasTakenBackMeanwhileIsNotTakenBackTwice();
    void whoLostTheLockWritesNothing();
    void whoLostTheLockBeginsNoFurtherStep();
    void whoLostTheLockInTheLastStepRecordsNothing();
    void aStepThatFailedHalfwayIsUnclear();
    void aDropThatFailedHalfwayIsUnclear();
    void theFileOfAnOpenRunIsMissed();
    void aViewIsReplacedOnTheWayBack();
    void aReplaceOnTheWayBackIsGoneOnWith();
    void aRenamedViewStaysOfItsMigration();
    void anEditedStepTakesNothingFromTheOneBefore();
    void whatIsAnothersByNowIsLeftAlone();
    void anotherRunKeepsWhatWasNotTakenBack();
    void aStampKeepsWhatWasNotTakenBack();
    void aProcedureThatMayTakeRowsIsAskedFor_data();
    void aProcedureThatMayTakeRowsIsAskedFor();

private:
    // Three migrations that are applied, each of which can be taken back in two steps.
    void applyThree();
    // An applied migration whose downgrade failed, and took nothing back in the end.
    void failToTakeBack();
    MigrationStatus stored(qint64 version)
    {
        const auto records = m_history->history({})->records;
        const auto found = std::ranges::find(records, version, &MigrationRecord::version);
        return found == records.end() ? MigrationStatus::RolledBack : found->status;
    }
    std::optional<OpenRun> open() { return LineState(*m_history->history({}), kLine).open(); }
};

void tst_MigrationRecovery::init() { reset(); }

void tst_MigrationRecovery::applyThree()
{
    for (const char *name : {"0001_a.yaml", "0002_b.yaml", "0003_c.yaml"}) {
        const QByteArray schema = QByteArray(name).sliced(3, 1);
        m_files->write(QString::fromLatin1(name), "upgrade:\n- create_schema: {name: x" + schema +
                                                      "}\n- create_schema: {name: y" + schema +
                                                      "}\n");
    }
    const auto done = run();
    QVERIFY(done && !done->error);
    m_world.log.clear();
}

void tst_MigrationRecovery::aDowngradeThatFailedIsGoneOnWithAlone()
{
    applyThree();
    answer(QStringLiteral("DROP SCHEMA \"iceberg\".\"x3\""), invalidError(QStringLiteral("full")));
    const auto failed = run(Direction::Downgrade, QStringLiteral("-1"));
    QVERIFY(failed && failed->error && failed->isPartial);
    m_world.refusals.clear();
    // The same again goes on with the same migration, and takes back no other.
    const auto again = run(Direction::Downgrade, QStringLiteral("-1"));
    QVERIFY(again && !again->error);
    QCOMPARE(again->done.size(), 1);
    QCOMPARE(again->current, 2);
    QCOMPARE(statusOf(2), QStringLiteral("applied"));
    QCOMPARE(statusOf(3), QStringLiteral("rolled_back"));
}

void tst_MigrationRecovery::aDowngradeThatDidNothingLeavesAllApplied()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- sql: {statement: INSERT INTO t VALUES (1), undo: DELETE FROM t}\n");
    QVERIFY(!run()->error);
    answer(QStringLiteral("DELETE"), invalidError(QStringLiteral("no such right")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("-1"))->error);
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
    m_world.log.clear();
    const auto up = run();
    QVERIFY(up && !up->error);
    QVERIFY(up->done.isEmpty());
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 0);
}

// Of two that take back the last one at the same time, the second has nothing left to do.
void tst_MigrationRecovery::whatWasTakenBackMeanwhileIsNotTakenBackTwice()
{
    applyThree();
    m_history->beforeNextAcquire(
        [this] { QVERIFY(!run(Direction::Downgrade, QStringLiteral("-1"))->error); });
    const auto second = run(Direction::Downgrade, QStringLiteral("-1"));
    QVERIFY(second && !second->error);
    QVERIFY(second->done.isEmpty());
    QCOMPARE(statusOf(2), QStringLiteral("applied"));
    QCOMPARE(statusOf(3), QStringLiteral("rolled_back"));
}

// The machine slept in a statement, and another has taken the lock meanwhile.
void tst_MigrationRecovery::whoLostTheLockWritesNothing()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    ProcessIdentity elsewhere = thisProcess();
    elsewhere.machine = QStringLiteral("elsewhere");
    const auto other = m_history->asProcess(elsewhere);
    m_builder->failures.insert(QStringLiteral("build"),
                               unavailableError(QStringLiteral("the connection was reset")));
    m_builder->meanwhile = [&] {
        m_clock.advance(std::chrono::minutes(5));
        QVERIFY(other->acquire({.line = kLine, .owner = QStringLiteral("other"), .doing = {}}, {}));
    };
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->code, QStringLiteral("migration_lock_lost"));
    QCOMPARE(events(), QStringLiteral("upgrade_started 1, step_started 1.1"));
    QCOMPARE(statusOf(1), QStringLiteral("none"));
}

// Taken by force from a run that is alive, and sends no heartbeat before the step is done.
void tst_MigrationRecovery::whoLostTheLockBeginsNoFurtherStep()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n" + kCreateView + "- create_schema: {name: c}\n");
    m_builder->meanwhile = [this] { QVERIFY(m_history->breakLock(kLine, {})); };
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->code, QStringLiteral("migration_lock_lost"));
    QVERIFY(!m_world.log.contains(QStringLiteral("run")));
    QCOMPARE(events(), QStringLiteral("upgrade_started 1, step_started 1.1"));
}

void tst_MigrationRecovery::whoLostTheLockInTheLastStepRecordsNothing()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_builder->meanwhile = [this] { QVERIFY(m_history->breakLock(kLine, {})); };
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->code, QStringLiteral("migration_lock_lost"));
    QCOMPARE(events(), QStringLiteral("upgrade_started 1, step_started 1.1"));
    QCOMPARE(statusOf(1), QStringLiteral("none"));
}

void tst_MigrationRecovery::aStepThatFailedHalfwayIsUnclear()
{
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- alter_column: {table: t, name: b, type: bigint, comment: wide}\n"
                   "downgrade: irreversible\nbecause: wide\n");
    answer(QStringLiteral("COMMENT"), invalidError(QStringLiteral("no such right")));
    const auto failed = run();
    QVERIFY(failed && failed->error);
    QVERIFY(open());
    QCOMPARE(open()->unclear(), 1);
    QVERIFY(!open()->hasDoneNothing());
    const auto back = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(!back);
    QCOMPARE(back.error().code, QStringLiteral("migration_open"));
}

// The history has forgotten the view already.
void tst_MigrationRecovery::aDropThatFailedHalfwayIsUnclear()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- drop_view: {name: v, drop_target: true}\ndowngrade:\n" +
                       kCreateView);
    m_builder->failures.insert(QStringLiteral("drop"),
                               invalidError(QStringLiteral("not the view's")));
    const auto failed = run();
    QVERIFY(failed && failed->error && failed->isPartial);
    QVERIFY(m_history->history({})->views.isEmpty());
    const auto back = run(Direction::Downgrade, QStringLiteral("-1"));
    QVERIFY(!back);
    QCOMPARE(back.error().text(),
             QStringLiteral("the upgrade of 0002 did not end: 0 of its steps are done. End it with "
                            "'ivmctl migrate upgrade', or see 'ivmctl migrate repair'"));
    QVERIFY(!run()->error);
    QCOMPARE(statusOf(2), QStringLiteral("applied"));
}

void tst_MigrationRecovery::theFileOfAnOpenRunIsMissed()
{
    answer(QStringLiteral("CREATE SCHEMA IF NOT EXISTS \"iceberg\".\"b\""),
           invalidError(QStringLiteral("full")));
    QVERIFY(run()->error);
    m_files->remove(QStringLiteral("0001_a.yaml"));
    const auto refused = run();
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, QStringLiteral("migration_missing"));
    QCOMPARE(refused.error().message,
             QStringLiteral("the file of 0001, whose upgrade did not end, is gone"));
}

void tst_MigrationRecovery::aViewIsReplacedOnTheWayBack()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    QByteArray back = kCreateView;
    back.replace("create_view", "replace_view");
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n" + kReplaceView + "downgrade:\n" + back);
    QVERIFY(!run()->error);
    for (int round = 0; round < 2; ++round) {
        const auto down = run(Direction::Downgrade, QStringLiteral("1"));
        QVERIFY2(down && !down->error, down ? "" : qPrintable(down.error().text()));
        QCOMPARE(viewRow().version, 1);
        QVERIFY(Repair(services()).stamp(m_folder, 1, {}));
        const auto up = run();
        QVERIFY2(up && !up->error, up ? "" : qPrintable(up.error().text()));
        QCOMPARE(viewRow().version, 2);
    }
}

// Its row is written ahead of its commit, and has no earlier version there.
void tst_MigrationRecovery::aReplaceOnTheWayBackIsGoneOnWith()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    QByteArray back = kCreateView;
    back.replace("create_view", "replace_view");
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n" + kReplaceView + "downgrade:\n" + back);
    QVERIFY(!run()->error);
    m_builder->failures.insert(QStringLiteral("switch"),
                               commitUnknownError(QStringLiteral("no answer")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("1"))->error);
    m_builder->log.clear();
    const auto again = run(Direction::Downgrade, QStringLiteral("1"));
    QVERIFY2(again && !again->error, again ? "" : qPrintable(again.error().text()));
    QVERIFY2(m_builder->log.contains(QStringLiteral("switch v from v@1")),
             qPrintable(m_builder->log.join(u'\n')));
    QCOMPARE(viewRow().version, 1);
    QVERIFY(viewRow().earlier.isEmpty());
}

// A view is of the migration that its definition is of, whatever it was called since.
void tst_MigrationRecovery::aRenamedViewStaysOfItsMigration()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- rename_view: {from: v, to: w}\n");
    QVERIFY(!run()->error);
    QCOMPARE(viewRow().name, QStringLiteral("w"));
    QCOMPARE(viewRow().version, 1);
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("1"))->error);
    QCOMPARE(viewRow().name, QStringLiteral("v"));
    QCOMPARE(viewRow().version, 1);
    QVERIFY(Repair(services()).stamp(m_folder, 1, {}));
}

// "Steps that did not run may be edited": another one then stands at its number.
void tst_MigrationRecovery::anEditedStepTakesNothingFromTheOneBefore()
{
    QByteArray other = kCreateView;
    other.replace("name: v", "name: w");
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView + other);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    QVERIFY(!run()->error);
    // In the way of the version that would be built.
    m_builder->isExpired = true;
    TableInfo foreign;
    foreign.name = test::kMigrationDefaults;
    foreign.name.table = QStringLiteral("v__v1");
    m_world.tables.insert(foreign.name, foreign);
    m_files->write(QStringLiteral("0003_c.yaml"),
                   "upgrade:\n- restore_view: {name: v}\ndowngrade: []\n");
    const auto failed = run();
    QVERIFY2(failed && failed->error, failed ? "" : qPrintable(failed.error().text()));
    m_files->write(QStringLiteral("0003_c.yaml"),
                   "upgrade:\n- drop_view: {name: w, drop_target: true}\ndowngrade: []\n");
    m_builder->log.clear();
    const auto done = run();
    QVERIFY2(done && !done->error, done ? "" : qPrintable(done.error().text()));
    QCOMPARE(m_builder->log, QStringList(QStringLiteral("drop w, table")));
    QCOMPARE(viewRow().name, QStringLiteral("v"));
}

void tst_MigrationRecovery::whatIsAnothersByNowIsLeftAlone()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    QVERIFY(!run()->error);
    MigratedView theirs = viewRow();
    m_builder->failures.insert(QStringLiteral("drop"), unavailableError(QStringLiteral("gone")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("0"))->error);
    // The name was free, and another namespace took it.
    theirs.line = QStringLiteral("sales");
    QVERIFY(m_history->changeViews({theirs}, {}, {}));
    m_builder->log.clear();
    const auto again = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(!again);
    QCOMPARE(again.error().code, QStringLiteral("other_owner"));
    QCOMPARE(m_builder->log, QStringList());
    QCOMPARE(viewRow(), theirs);
}

void tst_MigrationRecovery::failToTakeBack()
{
    QVERIFY(!run()->error);
    answer(QStringLiteral("DROP SCHEMA"), unavailableError(QStringLiteral("gone")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("0"))->error);
    answer(QStringLiteral("DROP SCHEMA"), invalidError(QStringLiteral("refused")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("0"))->error);
    m_world.refusals.clear();
}

void tst_MigrationRecovery::anotherRunKeepsWhatWasNotTakenBack()
{
    failToTakeBack();
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- create_schema: {name: c}\n");
    answer(QStringLiteral("CREATE SCHEMA"), invalidError(QStringLiteral("refused")));
    QVERIFY(run()->error);
    QCOMPARE(stored(1), MigrationStatus::Applied);
    m_world.refusals.clear();
    m_world.log.clear();
    const auto done = run();
    QVERIFY2(done && !done->error, done ? "" : qPrintable(done.error().text()));
    QCOMPARE(done->done.size(), 1);
    QCOMPARE(done->done.front().version, 2);
}

void tst_MigrationRecovery::aStampKeepsWhatWasNotTakenBack()
{
    failToTakeBack();
    QVERIFY(Repair(services()).stamp(m_folder, 1, {}));
    QCOMPARE(stored(1), MigrationStatus::Applied);
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
}

void tst_MigrationRecovery::aProcedureThatMayTakeRowsIsAskedFor_data()
{
    QTest::addColumn<QString>("procedure");
    QTest::addColumn<bool>("isAsked");
    QTest::newRow("a rollback") << QStringLiteral("rollback_to_snapshot(123)") << true;
    QTest::newRow("one that nobody knows") << QStringLiteral("shuffle") << true;
    QTest::newRow("expiry") << QStringLiteral("expire_snapshots(retention_threshold => '7d')")
                            << false;
    QTest::newRow("compaction") << QStringLiteral("optimize") << false;
}

void tst_MigrationRecovery::aProcedureThatMayTakeRowsIsAskedFor()
{
    QFETCH(QString, procedure);
    QFETCH(bool, isAsked);
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- sql: {statement: \"ALTER TABLE t EXECUTE " + procedure.toUtf8() +
                       "\"}\ndowngrade: []\n");
    const auto ran = run(Direction::Upgrade, QStringLiteral("head"), false);
    if (isAsked)
        QCOMPARE(ran ? QString() : ran.error().code, QStringLiteral("needs_agreement"));
    else
        QVERIFY2(ran && !ran->error, ran ? "" : qPrintable(ran.error().text()));
}

QTEST_GUILESS_MAIN(tst_MigrationRecovery)
#include "tst_migration_recovery.moc"
