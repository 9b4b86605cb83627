// Runs of migrations: what is recorded, what a failure leaves, how the next run goes on.
#include "tests/support/migration_run.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using test::kCreateView;
using test::kLine;
using test::kReplaceView;

class tst_MigrationRunner : public QObject, private test::MigrationRun {
    Q_OBJECT

private Q_SLOTS:
    void init() { reset(); }
    void recordsEachStep();
    void nothingToDoTakesNoLock();
    void aStepThatFailsIsGoneOnWith();
    void aStepOfUnknownOutcomeIsLookedAt();
    void aStatementOfUnknownOutcomeIsAskedFor();
    void whatIsLostIsAgreedToFirst();
    void anotherRunIsInTheWay();
    void aLockThatIsLostEndsTheRun();
    void whatWasDoneMeanwhileIsNotRepeated();
    void verifyQueriesHaveToBeTrue();
    void viewsAreTheHistorys();
    void aRolloutSwitchesBehindItsRecord();
    void aBuildThatFailsLeavesTheOldVersion();
    void aRolloutThatDiedIsFinished();
    void aNoteBuildsNothing();
    void restoringGoesBackInTime();
    void restoringBuildsWhereTimeIsGone();
    void aDroppedViewIsDroppedToTheEnd();
    void aRestoreThatDiedIsRepeated();
    void aRenameThatDiedIsRepeated();
    void stampRunsNothing();
    void stampGoesNotBehindAView();
    void aCancelledRunSaysSo();
    void aRunThatIsStoppedInACommitSaysSo();
};

void tst_MigrationRunner::recordsEachStep()
{
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade: []\n");
    const auto outcome = run();
    QVERIFY(outcome);
    QVERIFY(!outcome->error);
    QCOMPARE(outcome->current, 2);
    QCOMPARE(outcome->done.size(), 2);
    QCOMPARE(events(), QStringLiteral("upgrade_started 1, step_started 1.1, step_done 1.1, "
                                      "step_started 1.2, step_done 1.2, upgrade_done 1, "
                                      "upgrade_started 2, upgrade_done 2"));
    const auto history = *m_history->history({});
    QVERIFY(history.open.isEmpty());
    QVERIFY(history.locks.isEmpty());
    const auto &record = history.records.first();
    QCOMPARE(record.description, QStringLiteral("first"));
    QCOMPARE(record.status, MigrationStatus::Applied);
    QCOMPARE(record.checksum, m_folder.find(1)->checksum);
    QCOMPARE(record.appliedBy, QStringLiteral("ann"));
    const auto back = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(back && !back->error);
    QCOMPARE(back->current, 0);
    QCOMPARE(statusOf(1), QStringLiteral("rolled_back"));
    QCOMPARE(statusOf(2), QStringLiteral("rolled_back"));
}

void tst_MigrationRunner::nothingToDoTakesNoLock()
{
    QVERIFY(run());
    const auto calls = m_history->calls().size();
    const auto outcome = run();
    QVERIFY(outcome && !outcome->error);
    QVERIFY(outcome->done.isEmpty());
    QCOMPARE(m_history->calls().mid(calls), QStringList{QStringLiteral("history")});
}

void tst_MigrationRunner::aStepThatFailsIsGoneOnWith()
{
    const QString second = QStringLiteral("CREATE SCHEMA IF NOT EXISTS \"iceberg\".\"b\"");
    answer(second, invalidError(QStringLiteral("no such place")));
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QVERIFY(outcome->isPartial);
    QCOMPARE(outcome->error->message, QStringLiteral("0001_a: no such place"));
    QCOMPARE(outcome->error->place.line, 4);
    QCOMPARE(statusOf(1), QStringLiteral("failed"));
    QVERIFY(m_history->history({})->locks.isEmpty());

    m_world.refusals.clear();
    m_world.log.clear();
    const auto before = eventCount();
    const auto again = run();
    QVERIFY(again && !again->error);
    QCOMPARE(events(before), QStringLiteral("upgrade_started 1, step_started 1.2, step_done 1.2, "
                                            "upgrade_done 1"));
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 1);
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
}

void tst_MigrationRunner::aStepOfUnknownOutcomeIsLookedAt()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- add_column: {table: t, name: c, type: bigint}\n");
    answer(QStringLiteral("ALTER TABLE"),
           commitUnknownError(QStringLiteral("the answer was lost")));
    QVERIFY(run()->error);
    // It did take effect.
    const TableName table{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("t")};
    TableInfo info;
    info.name = table;
    info.columns = {{.name = QStringLiteral("c"), .type = {.kind = TypeKind::Bigint}}};
    m_world.tables.insert(table, info);
    m_world.log.clear();
    const auto again = run();
    QVERIFY(again && !again->error);
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 0);
}

void tst_MigrationRunner::aStatementOfUnknownOutcomeIsAskedFor()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- sql: {statement: INSERT INTO t VALUES (1)}\n");
    answer(QStringLiteral("INSERT"), commitUnknownError(QStringLiteral("the answer was lost")));
    QVERIFY(run()->error);
    m_world.refusals.clear();
    m_world.log.clear();
    const auto again = run();
    QVERIFY(again && again->error);
    QCOMPARE(again->error->code, QStringLiteral("step_unclear"));
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 0);
    // Asking again does not make it clear.
    QCOMPARE(run()->error->code, QStringLiteral("step_unclear"));

    Repair runner(services());
    QVERIFY(runner.settleStep(m_folder, Repair::Outcome::Done, {}));
    const auto finished = run();
    QVERIFY(finished && !finished->error);
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 0);
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
    QCOMPARE(runner.settleStep(m_folder, Repair::Outcome::Done, {}).error().code,
             QStringLiteral("nothing_unclear"));
}

void tst_MigrationRunner::whatIsLostIsAgreedToFirst()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- create_schema: {name: a}\n- drop_table: {name: t}\n");
    const auto outcome = run(Direction::Upgrade, QStringLiteral("head"), false);
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().code, QStringLiteral("needs_agreement"));
    QCOMPARE(
        outcome.error().message,
        QStringLiteral("0001_a, step 2 (drop_table iceberg.main.t): the table and its rows are "
                       "dropped"));
    QVERIFY(!m_history->isMade());
}

void tst_MigrationRunner::anotherRunIsInTheWay()
{
    ProcessIdentity other = thisProcess();
    other.machine = QStringLiteral("elsewhere");
    const auto process = m_history->asProcess(other);
    const auto lock = process->acquire({.line = kLine,
                                        .owner = QStringLiteral("ivmctl on elsewhere (process 7)"),
                                        .doing = QStringLiteral("upgrade of 0001_a, step 2 of 2")},
                                       {});
    QVERIFY(lock);
    const auto outcome = run();
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().code, QStringLiteral("migration_lock_held"));
    QVERIFY(outcome.error().message.contains(QStringLiteral("ivmctl on elsewhere (process 7)")));
    QVERIFY(outcome.error().message.contains(QStringLiteral("step 2 of 2")));
    QCOMPARE(eventCount(), 0);
}

// The machine slept, and another has taken the lock meanwhile.
void tst_MigrationRunner::aLockThatIsLostEndsTheRun()
{
    m_folder = m_files->read();
    Runner runner(services());
    ProcessIdentity other = thisProcess();
    other.machine = QStringLiteral("elsewhere");
    const auto process = m_history->asProcess(other);
    QString before;
    RunRequest request{.folder = m_folder, .goal = {}, .others = {}, .progress = {}};
    request.progress.step = [&](const PlannedMigration &, const PlannedStep &step) {
        if (step.number < 2)
            return;
        m_clock.advance(std::chrono::minutes(5));
        QVERIFY(process->acquire(
            {.line = kLine, .owner = QStringLiteral("other"), .doing = QStringLiteral("it")}, {}));
        before = events();
    };
    const auto outcome = runner.run(request, {});
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->code, QStringLiteral("migration_lock_lost"));
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 1);
    // What is there is the other's.
    QCOMPARE(events(), before);
    QCOMPARE(statusOf(1), QStringLiteral("none"));
    QCOMPARE(m_history->history({})->locks.first().owner, QStringLiteral("other"));
}

void tst_MigrationRunner::whatWasDoneMeanwhileIsNotRepeated()
{
    QVERIFY(run());
    m_world.log.clear();
    // Pending by what a look before the lock has seen: the history is asked again under it.
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- create_schema: {name: c}\n");
    m_folder = m_files->read();
    Runner runner(services());
    RunRequest request{.folder = m_folder, .goal = {}, .others = {}, .progress = {}};
    bool done = false;
    request.wait = std::chrono::seconds(20);
    ProcessIdentity other = thisProcess();
    other.machine = QStringLiteral("elsewhere");
    const auto process = m_history->asProcess(other);
    const auto lock = process->acquire(
        {.line = kLine, .owner = QStringLiteral("other"), .doing = QStringLiteral("it")}, {});
    QVERIFY(lock);
    request.progress.waiting = [&](const QString &) {
        done = true;
        const auto *migration = m_folder.find(2);
        QVERIFY(process->save({.version = 2,
                               .line = kLine,
                               .description = {},
                               .appliedAt = m_clock.now(),
                               .status = MigrationStatus::Applied,
                               .error = {},
                               .checksum = migration->checksum,
                               .durationMs = 0,
                               .appliedBy = {}},
                              {}));
        QVERIFY(process->release(*lock, {}));
    };
    const auto outcome = runner.run(request, {});
    QVERIFY(done);
    QVERIFY(outcome && !outcome->error);
    QVERIFY(outcome->done.isEmpty());
    QCOMPARE(outcome->current, 2);
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 0);
}

void tst_MigrationRunner::verifyQueriesHaveToBeTrue()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- create_schema: {name: a}\nverify:\n- SELECT count(*) > 0 FROM t\n");
    Rows no;
    no.columns = {{.name = QStringLiteral("_col0"), .type = {.kind = TypeKind::Boolean}}};
    no.rows.push_back({Value{false}});
    m_world.answers = {{QStringLiteral("CREATE"), Rows()}, {QStringLiteral("SELECT count(*)"), no}};
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->code, QStringLiteral("verify_failed"));
    QCOMPARE(statusOf(1), QStringLiteral("failed"));
    no.rows.front().front() = Value{true};
    m_world.answers.insert(QStringLiteral("SELECT count(*)"), no);
    m_world.log.clear();
    QVERIFY(!run()->error);
    QCOMPARE(m_world.log.count(QStringLiteral("run")), 1);
}

void tst_MigrationRunner::viewsAreTheHistorys()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- rename_view: {from: v, to: w}\n- backfill: {view: w}\n");
    QVERIFY(!run(Direction::Upgrade, QStringLiteral("1"))->error);
    QCOMPARE(viewRow().name, QStringLiteral("v"));
    QCOMPARE(viewRow().version, 1);
    QCOMPARE(viewRow().definition,
             QStringLiteral("{\"name\":\"v\",\"query\":\"SELECT a, count(*) AS n FROM t GROUP BY "
                            "a\"}"));
    QVERIFY(!run()->error);
    QCOMPARE(viewRow().name, QStringLiteral("w"));
    QCOMPARE(m_history->history({})->views.size(), 1);
    QCOMPARE(m_builder->log, QStringList({QStringLiteral("build v"), QStringLiteral("rename v w"),
                                          QStringLiteral("backfill w")}));
    m_builder->log.clear();
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("0"))->error);
    QVERIFY(m_history->history({})->views.isEmpty());
    QCOMPARE(m_builder->log,
             QStringList({QStringLiteral("rename w v"), QStringLiteral("drop v, table")}));
}

void tst_MigrationRunner::aRolloutSwitchesBehindItsRecord()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    QVERIFY(!run()->error);
    QCOMPARE(m_builder->log,
             QStringList({QStringLiteral("build v"), QStringLiteral("build v@2"),
                          QStringLiteral("verify v@2"), QStringLiteral("switch v from v@2"),
                          QStringLiteral("drop v@2, table")}));
    QCOMPARE(viewRow().version, 2);
    QVERIFY(viewRow().definition.contains(QStringLiteral("max(b)")));
    QCOMPARE(viewRow().held, QList<SnapshotId>{1});
    const auto earlier = readEarlier(viewRow(), test::kMigrationDefaults);
    QVERIFY(earlier);
    QCOMPARE(earlier->version, 1);
    QVERIFY(!earlier->spec.query.contains(QStringLiteral("max(b)")));
    QCOMPARE(earlier->target, QByteArray("{\"at\":1}"));
}

void tst_MigrationRunner::aBuildThatFailsLeavesTheOldVersion()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    for (const char *where : {"build v@2", "verify v@2"}) {
        m_builder->failures.insert(QString::fromLatin1(where), invalidError(QStringLiteral("no")));
        const auto outcome = run();
        QVERIFY(outcome && outcome->error);
        QCOMPARE(viewRow().version, 1);
        QVERIFY(!viewRow().definition.contains(QStringLiteral("max(b)")));
    }
    QVERIFY(!run()->error);
    QCOMPARE(viewRow().version, 2);
}

void tst_MigrationRunner::aRolloutThatDiedIsFinished()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    // Behind the record, before the commit: what the old version was is not overwritten by what the
    // table is at the next attempt.
    m_builder->failures.insert(QStringLiteral("switch"),
                               commitUnknownError(QStringLiteral("the answer was lost")));
    QVERIFY(run()->error);
    QCOMPARE(viewRow().version, 2);
    m_builder->version = "{\"at\":2}";
    QVERIFY(!run()->error);
    const auto earlier = readEarlier(viewRow(), test::kMigrationDefaults);
    QCOMPARE(earlier->target, QByteArray("{\"at\":1}"));
    QCOMPARE(earlier->version, 1);
}

void tst_MigrationRunner::aNoteBuildsNothing()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(
        QStringLiteral("0002_b.yaml"),
        "upgrade:\n- replace_view: {name: v, refresh_interval_seconds: 5, query: \"select "
        "a,\\n  COUNT(*) n from t group by 1\"}\n");
    QVERIFY(!run(Direction::Upgrade, QStringLiteral("1"))->error);
    const QString original = viewRow().definition;
    m_builder->log.clear();
    QVERIFY(!run()->error);
    QVERIFY(viewRow().definition.contains(QStringLiteral("\"refresh_interval_seconds\":5")));
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("1"))->error);
    QCOMPARE(viewRow().definition, original);
    QCOMPARE(m_builder->log, QStringList());
}

void tst_MigrationRunner::restoringGoesBackInTime()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    QVERIFY(!run()->error);
    m_builder->log.clear();
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("1"))->error);
    QCOMPARE(m_builder->log, QStringList{QStringLiteral("restore v {\"at\":1}")});
    QCOMPARE(viewRow().version, 1);
    QVERIFY(!viewRow().definition.contains(QStringLiteral("max(b)")));
    QVERIFY(viewRow().earlier.isEmpty());
    QVERIFY(viewRow().held.isEmpty());
}

void tst_MigrationRunner::restoringBuildsWhereTimeIsGone()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    QVERIFY(!run()->error);
    m_builder->log.clear();
    m_builder->isExpired = true;
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("1"))->error);
    QCOMPARE(m_builder->log,
             QStringList({QStringLiteral("build v@1"), QStringLiteral("verify v@1"),
                          QStringLiteral("switch v from v@1"), QStringLiteral("drop v@1, table")}));
    QCOMPARE(viewRow().version, 1);
}

void tst_MigrationRunner::aDroppedViewIsDroppedToTheEnd()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    QVERIFY(!run()->error);
    m_builder->log.clear();
    m_builder->failures.insert(QStringLiteral("drop"), unavailableError(QStringLiteral("gone")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("0"))->error);
    QVERIFY(m_history->history({})->views.isEmpty());
    const auto again = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(again && !again->error);
    QCOMPARE(m_builder->log,
             QStringList({QStringLiteral("drop v, table"), QStringLiteral("drop v, table")}));
}

// Its record is written ahead of its commit: the run that goes on has to come back to the same
// version again.
void tst_MigrationRunner::aRestoreThatDiedIsRepeated()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    QVERIFY(!run()->error);
    for (const auto &error :
         {unavailableError(QStringLiteral("gone")), invalidError(QStringLiteral("refused"))}) {
        m_builder->log.clear();
        m_builder->failures.insert(QStringLiteral("restore"), error);
        QVERIFY(run(Direction::Downgrade, QStringLiteral("1"))->error);
        QCOMPARE(viewRow().version, 1);
    }
    const auto again = run(Direction::Downgrade, QStringLiteral("1"));
    QVERIFY2(again && !again->error, again ? "" : qPrintable(again.error().text()));
    QCOMPARE(m_builder->log, QStringList({QStringLiteral("restore v {\"at\":1}"),
                                          QStringLiteral("restore v {\"at\":1}")}));
    QCOMPARE(viewRow().version, 1);
    QVERIFY(viewRow().held.isEmpty());
}

void tst_MigrationRunner::aRenameThatDiedIsRepeated()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- rename_view: {from: v, to: w}\n");
    QVERIFY(!run(Direction::Upgrade, QStringLiteral("1"))->error);
    m_builder->log.clear();
    m_builder->failures.insert(QStringLiteral("rename"), unavailableError(QStringLiteral("gone")));
    QVERIFY(run()->error);
    QCOMPARE(viewRow().name, QStringLiteral("w"));
    const auto again = run();
    QVERIFY2(again && !again->error, again ? "" : qPrintable(again.error().text()));
    QCOMPARE(m_builder->log,
             QStringList({QStringLiteral("rename v w"), QStringLiteral("rename v w")}));
    QCOMPARE(m_history->history({})->views.size(), 1);
}

void tst_MigrationRunner::stampRunsNothing()
{
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- create_schema: {name: c}\n");
    m_folder = m_files->read();
    Repair runner(services());
    QVERIFY(runner.stamp(m_folder, 2, {}));
    QCOMPARE(events(), QStringLiteral("stamped 2"));
    QVERIFY(run()->done.isEmpty());
    QVERIFY(runner.stamp(m_folder, 1, {}));
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
    QCOMPARE(statusOf(2), QStringLiteral("rolled_back"));
    QVERIFY(m_world.log.isEmpty());
    QCOMPARE(runner.stamp(m_folder, 3, {}).error().code, QStringLiteral("usage"));

    // A file that was edited is stamped as it is now.
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade: []\n");
    QVERIFY(!run());
    m_folder = m_files->read();
    QVERIFY(runner.stamp(m_folder, 1, {}));
    QVERIFY(run());
}

void tst_MigrationRunner::stampGoesNotBehindAView()
{
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kCreateView);
    QVERIFY(run());
    const auto refused = Repair(services()).stamp(m_folder, 1, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(),
             QStringLiteral("view 'v' is of migration 0002, which would not be applied any more. "
                            "Take it back instead: 'ivmctl migrate downgrade 1'; where 0002 did "
                            "not end, after 'ivmctl migrate stamp 2'"));
    QCOMPARE(statusOf(2), QStringLiteral("applied"));
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("1"))->error);
    QVERIFY(Repair(services()).stamp(m_folder, 1, {}));
}

void tst_MigrationRunner::aCancelledRunSaysSo()
{
    std::stop_source stop;
    stop.request_stop();
    const auto outcome = run(Direction::Upgrade, QStringLiteral("head"), true,
                             Call{.stop = stop.get_token(), .deadline = {}});
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().kind, ErrorKind::Cancelled);
    QCOMPARE(eventCount(), 0);
}

void tst_MigrationRunner::aRunThatIsStoppedInACommitSaysSo()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_folder = m_files->read();
    m_builder->failures.insert(QStringLiteral("build"),
                               commitUnknownError(QStringLiteral("the answer was lost")));
    std::stop_source stop;
    const RunRequest request{.folder = m_folder, .goal = {}, .others = {}, .progress = {}};
    m_builder->meanwhile = [&] { stop.request_stop(); };
    Runner runner(services());
    const auto outcome = runner.run(request, Call{.stop = stop.get_token(), .deadline = {}});
    QVERIFY(outcome && outcome->error);
    QCOMPARE(events(), QStringLiteral("upgrade_started 1, step_started 1.1, step_failed 1.1, "
                                      "interrupted 1"));
    QCOMPARE(statusOf(1), QStringLiteral("failed"));
}

QTEST_GUILESS_MAIN(tst_MigrationRunner)
#include "tst_migration_runner.moc"
