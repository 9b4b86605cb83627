// Runs of migrations that went wrong for good, or into each other: what they leave can be gone on
// with, and nothing is done twice.
#include "tests/support/migration_run.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using test::kCreateView;
using test::kLine;
using test::kReplaceView;

class tst_MigrationMishaps : public QObject, private test::MigrationRun {
    Q_OBJECT

private Q_SLOTS:
    void init() { reset(); }
    void aSwitchThatFailsIsGoneOnWith();
    void aStatementThatFailsBehindAnotherIsLookedAt();
    void aViewIsReplacedWhereItIsMade();
    void aWayBackThatWasNotBegunLeavesItApplied();
    void aWayBackThatWasBegunIsTheNextOne();
    void aRenamedViewIsReplacedInTheSameMigration();
    void aRenamedViewIsRestoredUnderItsNameOfNow();
    void aTableOfOthersIsNotBuiltOver();
    void aPlaceInAStatementIsNoPlaceInTheFile();
    void aRunTheOtherWayIsInTheWay();
    void aVariableOfAnotherValueStopsTheWayBack();
};

// For good, behind its record: it is not as if nothing had been done.
void tst_MigrationMishaps::aSwitchThatFailsIsGoneOnWith()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    m_builder->failures.insert(QStringLiteral("switch"), conflictError(QStringLiteral("lost")));
    QVERIFY(run()->error);
    const auto back = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(!back);
    QCOMPARE(back.error().code, QStringLiteral("migration_open"));
    m_builder->version = "{\"at\":2}";
    const auto again = run();
    QVERIFY2(again && !again->error, again ? "" : qPrintable(again.error().text()));
    QCOMPARE(readEarlier(viewRow(), test::kMigrationDefaults)->target, QByteArray("{\"at\":1}"));
}

void tst_MigrationMishaps::aStatementThatFailsBehindAnotherIsLookedAt()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- alter_column: {table: t, name: b, type: bigint, comment: x}\n"
                   "downgrade: []\n");
    answer(QStringLiteral("COMMENT"), invalidError(QStringLiteral("no")));
    QVERIFY(run()->error);
    QCOMPARE(LineState(*m_history->history({}), kLine).open()->unclear(), 1);
}

void tst_MigrationMishaps::aViewIsReplacedWhereItIsMade()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n" + kCreateView +
                       QByteArray(kCreateView).replace("create", "replace"));
    QVERIFY(!run()->error);
    QVERIFY(!viewRow().earlier.isEmpty());
    const auto back = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY2(back && !back->error, back ? "" : qPrintable(back.error().text()));
}

// Else the way up would do its steps twice.
void tst_MigrationMishaps::aWayBackThatWasNotBegunLeavesItApplied()
{
    QVERIFY(!run()->error);
    answer(QStringLiteral("DROP SCHEMA"), invalidError(QStringLiteral("not empty")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("-1"))->error);
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
    QCOMPARE((*m_history->history({})).records.first().status, MigrationStatus::Applied);
    const auto before = eventCount();
    QVERIFY(run()->done.isEmpty());
    QCOMPARE(eventCount(), before);
    m_world.refusals.clear();
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("-1"))->error);
    QCOMPARE(statusOf(1), QStringLiteral("rolled_back"));
}

void tst_MigrationMishaps::aWayBackThatWasBegunIsTheNextOne()
{
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- create_schema: {name: c}\n- create_schema: {name: d}\n");
    QVERIFY(!run()->error);
    answer(QStringLiteral("DROP SCHEMA \"iceberg\".\"c\""), invalidError(QStringLiteral("no")));
    QVERIFY(run(Direction::Downgrade, QStringLiteral("-1"))->error);
    QCOMPARE(statusOf(2), QStringLiteral("failed"));
    m_world.refusals.clear();
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("-1"))->error);
    QCOMPARE(statusOf(2), QStringLiteral("rolled_back"));
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
}

void tst_MigrationMishaps::aRenamedViewIsReplacedInTheSameMigration()
{
    const QByteArray again = QByteArray(kReplaceView).replace("max", "min");
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    m_files->write(QStringLiteral("0003_c.yaml"),
                   "upgrade:\n- rename_view: {from: v, to: w}\n" +
                       QByteArray(again).replace("name: v", "name: w"));
    const auto up = run();
    QVERIFY2(up && !up->error, up ? "" : qPrintable(up.error().text()));
    QVERIFY(!run(Direction::Downgrade, QStringLiteral("2"))->error);
    QCOMPARE(viewRow().name, QStringLiteral("v"));
    QCOMPARE(viewRow().version, 2);
    QVERIFY(viewRow().definition.contains(QStringLiteral("max(b)")));
}

void tst_MigrationMishaps::aRenamedViewIsRestoredUnderItsNameOfNow()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n" + QByteArray(kCreateView).replace("{", "{target_table: t1, "));
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n" + QByteArray(kReplaceView).replace("{", "{target_table: t1, "));
    m_files->write(QStringLiteral("0003_c.yaml"),
                   "upgrade:\n- rename_view: {from: v, to: w}\n- restore_view: {name: w}\n"
                   "downgrade: []\n");
    const auto up = run();
    QVERIFY2(up && !up->error, up ? "" : qPrintable(up.error().text()));
    QCOMPARE(m_history->history({})->views.size(), 1);
    QCOMPARE(viewRow().name, QStringLiteral("w"));
    QVERIFY(!viewRow().definition.contains(QStringLiteral("max(b)")));
}

void tst_MigrationMishaps::aTableOfOthersIsNotBuiltOver()
{
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n" + kCreateView);
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n" + kReplaceView);
    const TableName beside{QStringLiteral("iceberg"), QStringLiteral("main"),
                           QStringLiteral("v__v2")};
    TableInfo info;
    info.name = beside;
    info.comment = QStringLiteral("Kept by iceberg-ivm: view v__v2");
    m_world.tables.insert(beside, info);
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->message,
             QStringLiteral("0002_b: there is a table iceberg.main.v__v2 already, which is where "
                            "the new version of the view would be built"));
    QCOMPARE(m_builder->log, QStringList{QStringLiteral("build v")});
    m_world.tables[beside].comment = QStringLiteral("Kept by iceberg-ivm: view v@2");
    QVERIFY(!run()->error);
}

void tst_MigrationMishaps::aPlaceInAStatementIsNoPlaceInTheFile()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n- sql: {statement: DELETE FROM t, undo: SELECT 1}\n");
    answer(QStringLiteral("DELETE"), invalidError(QStringLiteral("no table t")).at({{}, 1, 13}));
    const auto outcome = run();
    QVERIFY(outcome && outcome->error);
    QCOMPARE(outcome->error->message,
             QStringLiteral("0001_a: no table t (line 1, column 13 of the statement)"));
    QCOMPARE(outcome->error->place.line, 2);
    QCOMPARE(outcome->error->place.column, 3);
}

// Not as one that did not end, and that waiting would not help.
void tst_MigrationMishaps::aRunTheOtherWayIsInTheWay()
{
    answer(QStringLiteral("CREATE SCHEMA IF NOT EXISTS \"iceberg\".\"b\""),
           invalidError(QStringLiteral("no such place")));
    QVERIFY(run()->error);
    QCOMPARE(run(Direction::Downgrade, QStringLiteral("0")).error().code,
             QStringLiteral("migration_open"));
    QVERIFY(m_history->history({})->locks.isEmpty());
    ProcessIdentity other = thisProcess();
    other.machine = QStringLiteral("elsewhere");
    const auto process = m_history->asProcess(other);
    QVERIFY(process->acquire({.line = kLine,
                              .owner = QStringLiteral("ivmctl on elsewhere (process 7)"),
                              .doing = QStringLiteral("upgrade of 0001_a, step 2 of 2")},
                             {}));
    QCOMPARE(run(Direction::Downgrade, QStringLiteral("0")).error().code,
             QStringLiteral("migration_lock_held"));
}

// It would drop another table.
void tst_MigrationMishaps::aVariableOfAnotherValueStopsTheWayBack()
{
    m_files->write(
        QStringLiteral("0001_a.yaml"),
        "environment: [STAGE, OTHER]\nupgrade:\n- create_schema: {name: \"${STAGE}\"}\n");
    const QString stage = QStringLiteral("STAGE");
    m_files->environment = {{stage, QStringLiteral("a")},
                            {QStringLiteral("OTHER"), QStringLiteral("x")}};
    QVERIFY(!run()->error);
    m_files->environment.insert(stage, QStringLiteral("b"));
    const auto back = run(Direction::Downgrade, QStringLiteral("0"));
    QVERIFY(!back);
    QCOMPARE(
        back.error().message,
        QStringLiteral("the variable STAGE has another value than when this file was applied"));
    QCOMPARE(back.error().code, QStringLiteral("migration_edited"));
    QCOMPARE(statusOf(1), QStringLiteral("applied"));
    // One that the file does not use may be anything.
    m_files->environment = {{stage, QStringLiteral("a")},
                            {QStringLiteral("OTHER"), QStringLiteral("y")}};
    QVERIFY(run(Direction::Downgrade, QStringLiteral("0")));
    QCOMPARE(statusOf(1), QStringLiteral("rolled_back"));
}

QTEST_GUILESS_MAIN(tst_MigrationMishaps)
#include "tst_migration_mishaps.moc"
