// What a person does to the history: the lock taken away, a line stamped, what a run left mended.
#include "framework/view/outputs.h"
#include "tests/support/migration_run.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using test::kCreateView;
using test::kLine;
using test::kReplaceView;

class tst_MigrationRepair : public QObject, private test::MigrationRun {
    Q_OBJECT

private Q_SLOTS:
    void init() { reset(); }
    void aDeadLockIsTakenAway();
    void aDeadLockStaysWhileItsStatementRuns();
    void aLockThatAnotherTookOverStays();
    void aLivingLockIsTakenByForceAlone();
    void stampsBehindWhatTheFilesKnow();
    void keepsWhatTheWayBackIsBuilding();
    void tellsTheRestWhereASchemaCannotBeRead();
    void aStatementOfUnknownOutcomeIsLeftToAPerson();
    void whatARunFailedWithIsTold();
    void anUpgradeThatVerifyFailsIsGivenUp();

private:
    // Of a run on another machine that gave no sign of life for five minutes.
    MigrationLock abandonedLock()
    {
        ProcessIdentity other = thisProcess();
        other.machine = QStringLiteral("elsewhere");
        m_other = m_history->asProcess(other);
        const auto lock =
            m_other->acquire({.line = kLine, .owner = QStringLiteral("other"), .doing = {}}, {});
        m_clock.advance(std::chrono::minutes(5));
        return *lock;
    }
    Result<QString> unlock(Repair::From from = Repair::From::TheDead)
    {
        return Repair(services()).unlock(kLine, from, {});
    }

    std::optional<OpenRun> open() { return LineState(*m_history->history({}), kLine).open(); }

    std::unique_ptr<test::FakeHistory> m_other;
};

void tst_MigrationRepair::aDeadLockIsTakenAway()
{
    QCOMPARE(unlock().error().code, QStringLiteral("no_migration_lock"));
    QVERIFY(!m_history->isMade());
    abandonedLock();
    QCOMPARE(unlock().value_or(QString()), QStringLiteral("other"));
    QVERIFY(m_history->history({})->locks.isEmpty());
    QCOMPARE(events(), QStringLiteral("unlocked 0"));
}

void tst_MigrationRepair::aDeadLockStaysWhileItsStatementRuns()
{
    const auto lock = abandonedLock();
    m_history->setAtWork(migrationPurpose(lock.token), true);
    m_folder = m_files->read();
    QCOMPARE(unlock().error().code, QStringLiteral("migration_lock_held"));
    QCOMPARE(Repair(services()).repair(m_folder, {}).error().code,
             QStringLiteral("migration_lock_held"));
    QCOMPARE(m_history->history({})->locks.size(), 1);
    m_history->setAtWork(migrationPurpose(lock.token), false);
    QVERIFY(Repair(services()).repair(m_folder, {}));
    QVERIFY(m_history->history({})->locks.isEmpty());
}

void tst_MigrationRepair::aLockThatAnotherTookOverStays()
{
    abandonedLock();
    m_history->beforeNextAcquire([this] {
        QVERIFY(m_other->acquire({.line = kLine, .owner = QStringLiteral("the next"), .doing = {}},
                                 {}));
    });
    const auto refused = unlock();
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, QStringLiteral("migration_lock_held"));
    QCOMPARE(m_history->history({})->locks.first().owner, QStringLiteral("the next"));
}

void tst_MigrationRepair::aLivingLockIsTakenByForceAlone()
{
    QVERIFY(m_history->acquire({.line = kLine, .owner = QStringLiteral("it"), .doing = {}}, {}));
    QCOMPARE(unlock().error().code, QStringLiteral("migration_lock_held"));
    QCOMPARE(unlock(Repair::From::Anybody).value_or(QString()), QStringLiteral("it"));
    QVERIFY(m_history->history({})->locks.isEmpty());
}

void tst_MigrationRepair::stampsBehindWhatTheFilesKnow()
{
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade: []\n");
    QVERIFY(!run()->error);
    m_files->remove(QStringLiteral("0002_b.yaml"));
    QCOMPARE(run().error().code, QStringLiteral("catalog_ahead"));
    QVERIFY(Repair(services()).stamp(m_folder, 1, {}));
    QCOMPARE(statusOf(2), QStringLiteral("rolled_back"));
    const auto after = run();
    QVERIFY(after && after->current == 1);
}

// A way back builds beside under the version that it goes to.
void tst_MigrationRepair::keepsWhatTheWayBackIsBuilding()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    QVERIFY(!run()->error);
    m_builder->isExpired = true;
    m_builder->failures.insert(QStringLiteral("verify"), unavailableError(QStringLiteral("gone")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("1"))->error);
    m_builder->log.clear();
    const TableName beside{QStringLiteral("iceberg"), QStringLiteral("main"),
                           QStringLiteral("v__v1")};
    TableInfo info;
    info.name = beside;
    ViewSpec spec;
    spec.name = QStringLiteral("v@1");
    info.comment = targetComment(spec);
    m_world.tables.insert(beside, info);
    Rows tables;
    tables.rows = {{Value{QStringLiteral("v__v1")}}};
    m_world.answers = {{QStringLiteral("SHOW TABLES"), tables}};
    const auto report = Repair(services()).repair(m_folder, {});
    QVERIFY2(report, report ? "" : qPrintable(report.error().text()));
    QCOMPARE(m_builder->log, QStringList());
}

void tst_MigrationRepair::tellsTheRestWhereASchemaCannotBeRead()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- create_schema: {name: c}\n");
    answer(QStringLiteral("CREATE SCHEMA"), unavailableError(QStringLiteral("gone")));
    QVERIFY(run()->error);
    answer(QStringLiteral("SHOW TABLES"), notFoundError(QStringLiteral("no such schema")));
    const auto report = Repair(services()).repair(m_folder, {});
    QVERIFY2(report, report ? "" : qPrintable(report.error().text()));
    QCOMPARE(report->found.size(), 1);
    QVERIFY2(report->found.front().contains(u"the upgrade of 0002"),
             qPrintable(report->found.front()));
    answer(QStringLiteral("SHOW TABLES"), unavailableError(QStringLiteral("gone")));
    const auto other = Repair(services()).repair(m_folder, {});
    QVERIFY(other);
    QCOMPARE(other->found, report->found);
    QCOMPARE(other->left.size(), report->left.size() + 1);
}

// Upgrading would only say so again.
void tst_MigrationRepair::aStatementOfUnknownOutcomeIsLeftToAPerson()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- sql: {statement: INSERT INTO t VALUES (1)}\n");
    answer(QStringLiteral("INSERT"), commitUnknownError(QStringLiteral("the answer was lost")));
    QVERIFY(run()->error);
    QVERIFY(run()->error);
    const auto report = Repair(services()).repair(m_folder, {});
    QVERIFY(report);
    QCOMPARE(report->left.first(),
             QStringLiteral("look whether step 1 (sql INSERT INTO t VALUES (1)) took effect "
                            "('ivmctl tables NAME --snapshots' shows what was committed), and say "
                            "so: 'ivmctl migrate repair --step-done' or '--step-not-done'"));
    const auto settled = Repair(services()).settleStep(m_folder, Repair::Outcome::NotDone, {});
    QVERIFY(settled);
    QCOMPARE(*settled,
             QStringList{QStringLiteral("'ivmctl migrate upgrade' begins it again; nothing of it "
                                        "is done, so a downgrade would take back the migration "
                                        "before it")});
    // What was not known is known.
    QCOMPARE(open()->error, QString());
    QCOMPARE(open()->unclear(), 0);
}

void tst_MigrationRepair::whatARunFailedWithIsTold()
{
    answer(QStringLiteral("CREATE SCHEMA IF NOT EXISTS \"iceberg\".\"b\""),
           invalidError(QStringLiteral("no such place")));
    QVERIFY(run()->error);
    const auto report = Repair(services()).repair(m_folder, {});
    QVERIFY(report);
    QVERIFY2(report->found.first().startsWith(QStringLiteral(
                 "the upgrade of 0001, which did not end: 1 of its steps is done: ")),
             qPrintable(report->found.first()));
    QVERIFY(report->found.first().contains(QStringLiteral("no such place")));
    QCOMPARE(report->left,
             (QStringList{QStringLiteral("mend what it failed with; steps that did not run may be "
                                         "edited"),
                          QStringLiteral("'ivmctl migrate upgrade' goes on with it"),
                          QStringLiteral("or give it up: delete the steps that did not run, and "
                                         "'verify', from its file, then 'ivmctl migrate upgrade' "
                                         "and 'ivmctl migrate downgrade 0'")}));
}

// As the errors and repair say.
void tst_MigrationRepair::anUpgradeThatVerifyFailsIsGivenUp()
{
    const QByteArray steps = "upgrade:\n- create_schema: {name: a}\n";
    m_files->write(QStringLiteral("0001_a.yaml"), steps + "verify: [SELECT false]\n");
    QCOMPARE(run()->error->code, QStringLiteral("verify_failed"));
    m_files->write(QStringLiteral("0001_a.yaml"), steps);
    const auto up = run();
    QVERIFY(up && !up->error);
    const auto back = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(back && !back->error);
    QCOMPARE(statusOf(1), QStringLiteral("rolled_back"));
}

QTEST_GUILESS_MAIN(tst_MigrationRepair)
#include "tst_migration_repair.moc"
