// Migrations as a user has them: ivmctl over real tables, from an empty folder out and back; when
// it is killed, interrupted, or several are at it at once.
#include "tests/cases/migrate_test.h"
#include "tests/support/nightly.h"

using namespace ivm;
using namespace ivm::test;

namespace {

const QString kTables = QStringLiteral(R"(about: The events
upgrade:
  - create_schema: {name: @}
  - create_table:
      name: '@.ev'
      columns:
        - {name: ts, type: timestamp(6)}
        - {name: dev, type: varchar}
        - {name: v, type: bigint}
  - sql:
      statement: |
        INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 10:00:00', 'a', 1),
          (TIMESTAMP '2026-01-01 11:00:00', 'b', 2)
      undo: DELETE FROM @.ev
)");

const QString kHourly = QStringLiteral(R"(upgrade:
  - create_view:
      name: hourly
      query: |
        SELECT date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1
verify:
  - SELECT count(*) = 2 FROM @.hourly
)");

const QString kTotal = QStringLiteral(R"(upgrade:
  - replace_view:
      name: hourly
      query: |
        SELECT date_trunc('hour', ts) AS h, count(*) AS n, sum(v) AS total FROM ev GROUP BY 1
)");

const QString kHourlyRows = QStringLiteral("SELECT * FROM @.hourly ORDER BY 1");

}  // namespace

class tst_Migrate : public QObject, private MigrateTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }
    void rollsOutAndBack();
    void othersReadTheHistory();
    void looksWriteNothing();
    void goesOnAfterAKill_data();
    void goesOnAfterAKill();
    void recordsWhatAnEarlierRunHadRecorded();
    void goesBackAfterAKill_data();
    void goesBackAfterAKill();
    void expiresNothingThatARolloutMayComeBackTo();
    void aRunThatIsInterruptedSaysSo();
    void theScriptIsWhatTheRunSends();
    void theHistoryIsReadBesideBrokenFiles();
    void oneOfManyWorks();
    void allOfManyWaitAndFindItDone();
    void aViewOfTheFileAndOfAMigration();

private:
    void writeAll()
    {
        write(QStringLiteral("0001_events.yaml"), kTables);
        write(QStringLiteral("0002_hourly.yaml"), kHourly);
        write(QStringLiteral("0003_total.yaml"), kTotal);
    }
};

void tst_Migrate::rollsOutAndBack()
{
    writeAll();
    auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied, 3 applied"));
    QCOMPARE(migrate(QStringLiteral("status")).code, 0);
    QCOMPARE(m_scenario->rows(kHourlyRows),
             QStringList({QStringLiteral("2026-01-01 10:00:00.000000|1|1"),
                          QStringLiteral("2026-01-01 11:00:00.000000|1|2")}));
    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 10:30:00', 'a', 5)"));
    QCOMPARE(m_ivmctl->refresh(), QStringList{kIncremental});
    QCOMPARE(m_scenario->rows(kHourlyRows).first(),
             QStringLiteral("2026-01-01 10:00:00.000000|2|6"));

    // The old version comes back, and up to date.
    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 12:30:00', 'a', 5)"));
    ran = migrate(QStringLiteral("downgrade -1"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(m_scenario->rows(kHourlyRows),
             QStringList({QStringLiteral("2026-01-01 10:00:00.000000|2"),
                          QStringLiteral("2026-01-01 11:00:00.000000|1"),
                          QStringLiteral("2026-01-01 12:00:00.000000|1")}));
    QCOMPARE(m_ivmctl->refresh(), QStringList{kNone});
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied, 3 rolled_back"));

    // What destroys rows is agreed to.
    ran = migrate(QStringLiteral("downgrade 0"));
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(QStringLiteral("Agree with --yes")), qPrintable(ran.err));
    ran = migrate(QStringLiteral("downgrade 0 --yes"));
    // The schema is not ours alone: it holds what the test made.
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(applied(), QStringLiteral("1 rolled_back, 2 rolled_back, 3 rolled_back"));
    QCOMPARE(m_ivmctl->refresh(), QStringList());
    QVERIFY(m_scenario->rows(QStringLiteral("SELECT * FROM @.ev"))
                .first()
                .contains(QStringLiteral("does not exist")) ||
            m_scenario->rows(QStringLiteral("SELECT * FROM @.ev"))
                .first()
                .contains(QStringLiteral("there is no")));
    // And out again.
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(m_scenario->rows(kHourlyRows).size(), 2);
}

void tst_Migrate::othersReadTheHistory()
{
    writeAll();
    QCOMPARE(migrate(QStringLiteral("upgrade 2")).code, 0);
    QCOMPARE(
        m_scenario->rows(QStringLiteral("SELECT version, namespace, description, status, error, "
                                        "length(checksum) FROM %1 ORDER BY 1")
                             .arg(history(QStringLiteral("history")))),
        QStringList({QStringLiteral("1|default|The events|applied|NULL|64"),
                     QStringLiteral("2|default|hourly|applied|NULL|64")}));
    QCOMPARE(
        m_scenario->rows(QStringLiteral("SELECT version, event, step FROM %1 WHERE version = 2 "
                                        "ORDER BY at")
                             .arg(history(QStringLiteral("events")))),
        QStringList({QStringLiteral("2|upgrade_started|0"), QStringLiteral("2|step_started|1"),
                     QStringLiteral("2|step_done|1"), QStringLiteral("2|upgrade_done|0")}));
}

void tst_Migrate::looksWriteNothing()
{
    writeAll();
    for (const char *look : {"plan", "plan --sql", "status", "history", "check"}) {
        const auto ran = migrate(QString::fromLatin1(look));
        QVERIFY2(ran.code == 0 || ran.code == 4, qPrintable(ran.err));
    }
    const auto tables = m_scenario->rows(QStringLiteral("SHOW TABLES FROM @_history"));
    QVERIFY2(tables.isEmpty() || !tables.first().contains(QStringLiteral("migration_")),
             qPrintable(tables.join(u'\n')));
}

void tst_Migrate::goesOnAfterAKill_data()
{
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("open");
    const auto row = [](const char *point, const char *open) {
        QTest::newRow(point) << QString::fromLatin1(point) << QString::fromUtf8(open);
    };
    row("migrate.step_done:2", "1 of its steps is done, whether step 2 is, is not known");
    row("migrate.recorded:1", "");
    row("migrate.step_started:5", "0 of its steps are done, whether step 1 is, is not known");
    // Which point it is makes no difference to the engine, and Trino takes a minute for each.
    if (kIsTrino && !isNightly())
        return;
    row("migrate.step_started:1", "0 of its steps are done, whether step 1 is, is not known");
    row("migrate.step_started:4", "0 of its steps are done, whether step 1 is, is not known");
    row("migrate.step_done:4", "0 of its steps are done, whether step 1 is, is not known");
    row("migrate.step_done:5", "0 of its steps are done, whether step 1 is, is not known");
    row("migrate.recorded:3", "");
}

void tst_Migrate::goesOnAfterAKill()
{
    QFETCH(QString, point);
    QFETCH(QString, open);
    writeAll();
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), point + QStringLiteral("=kill"));
    auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.died, qPrintable(ran.err));
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), QString());
    const auto told = status().value(u"open").toObject().value(u"text").toString();
    QVERIFY2(open.isEmpty() ? told.isEmpty() : told.contains(open), qPrintable(told));
    // The holder is gone, which its machine can see.
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied, 3 applied"));
    QCOMPARE(m_scenario->rows(kHourlyRows),
             QStringList({QStringLiteral("2026-01-01 10:00:00.000000|1|1"),
                          QStringLiteral("2026-01-01 11:00:00.000000|1|2")}));
    // Nothing of the rollout is left.
    const auto tables = m_scenario->rows(QStringLiteral("SHOW TABLES FROM @"));
    QCOMPARE(tables, QStringList({QStringLiteral("ev"), QStringLiteral("hourly")}));
}

// It died before its switch; a person took it for applied, and took it back.
void tst_Migrate::recordsWhatAnEarlierRunHadRecorded()
{
    writeAll();
    QCOMPARE(migrate(QStringLiteral("upgrade 2")).code, 0);
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), QStringLiteral("switch.noted=kill"));
    QVERIFY(migrate(QStringLiteral("upgrade")).died);
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), QString());
    auto ran = migrate(QStringLiteral("stamp 3"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    for (int round = 0; round < 2; ++round) {
        ran = migrate(QStringLiteral("downgrade -1"));
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
        QCOMPARE(m_ivmctl->refresh(), QStringList{kNone});
        QCOMPARE(m_scenario->rows(kHourlyRows).first(),
                 QStringLiteral("2026-01-01 10:00:00.000000|1"));
        ran = migrate(QStringLiteral("upgrade"));
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
        QCOMPARE(m_ivmctl->refresh(), QStringList{kNone});
        QCOMPARE(m_scenario->rows(kHourlyRows).first(),
                 QStringLiteral("2026-01-01 10:00:00.000000|1|1"));
    }
}

void tst_Migrate::goesBackAfterAKill_data()
{
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("command");
    const auto row = [](const char *point, const char *command) {
        QTest::newRow(point) << QString::fromLatin1(point) << QString::fromLatin1(command);
    };
    row("restore.told", "downgrade 2");
    if (kIsTrino && !isNightly())
        return;
    row("migrate.step_done:1", "downgrade 2");
    row("drop.dropped", "downgrade 1");
}

void tst_Migrate::goesBackAfterAKill()
{
    QFETCH(QString, point);
    QFETCH(QString, command);
    writeAll();
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), point + QStringLiteral("=kill"));
    auto ran = migrate(QStringLiteral("downgrade 1 --yes"));
    QVERIFY2(ran.died, qPrintable(ran.err));
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), QString());
    const auto told = status().value(u"open")[u"text"].toString();
    QVERIFY2(told.contains(QStringLiteral("0 of its steps are done, whether step 1 is, is not "
                                          "known")),
             qPrintable(told));
    // Not the other way round.
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 1 &&
                 ran.err.contains(QStringLiteral("End it with 'ivmctl migrate %1'").arg(command)),
             qPrintable(ran.err));
    ran = migrate(QStringLiteral("downgrade 1 --yes"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 rolled_back, 3 rolled_back"));
    QCOMPARE(m_scenario->rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringList{QStringLiteral("ev")});
}

// In the run that has just rolled it out.
void tst_Migrate::expiresNothingThatARolloutMayComeBackTo()
{
    if (kIsTrino)
        QSKIP("Trino expires by its own rules");
    writeAll();
    const auto expiry = [](const char *table) {
        return QStringLiteral("  - sql:\n"
                              "      statement: ALTER TABLE @.%1 EXECUTE "
                              "expire_snapshots(retention_threshold => '0s')\n"
                              "      undo: SELECT 1\n")
            .arg(QString::fromLatin1(table));
    };
    // The first is where what views hold is asked for before the rollout.
    QString total = kTotal;
    total.insert(QStringLiteral("upgrade:\n").size(), expiry("ev"));
    write(QStringLiteral("0003_total.yaml"), total + expiry("hourly"));
    QCOMPARE(migrate(QStringLiteral("upgrade 2")).code, 0);
    auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    ran = migrate(QStringLiteral("plan --downgrade -1"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QVERIFY2(ran.out.contains(QStringLiteral("comes back by time travel")), qPrintable(ran.out));
}

void tst_Migrate::aRunThatIsInterruptedSaysSo()
{
    write(QStringLiteral("0001_events.yaml"), kTables);
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QString slow = QStringLiteral("upgrade:\n");
    for (int i = 0; i < 500; ++i)
        slow += QStringLiteral("- sql: {statement: 'INSERT INTO @.ev (v) VALUES (%1)'}\n").arg(i);
    write(QStringLiteral("0002_slow.yaml"), slow);
    const auto ran =
        m_ivmctl->interrupted({QStringLiteral("migrate"), QStringLiteral("upgrade")}, SIGTERM,
                              [this] { return status().value(u"open").isObject(); });
    QVERIFY2(!ran.died && ran.code != 0, qPrintable(ran.err));
    const auto after = status();
    QVERIFY(after.value(u"lock").isNull());
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 failed"));
    const auto events = migrate(QStringLiteral("history --json")).json().value(u"events").toArray();
    QCOMPARE(events.last()[u"event"].toString(), QStringLiteral("interrupted"));
    QVERIFY(after.value(u"open")[u"steps_done"].toInteger() < 500);
    const auto checked = migrate(QStringLiteral("check"));
    QCOMPARE(checked.code, 0);
    QVERIFY2(checked.err.contains(QStringLiteral("the upgrade of 0002 by ")) &&
                 checked.err.contains(QStringLiteral("'ivmctl migrate repair' says what is to be")),
             qPrintable(checked.err));
}

// Another program may run it: nothing is spelled out for people there.
void tst_Migrate::theScriptIsWhatTheRunSends()
{
    write(QStringLiteral("0001_events.yaml"),
          QStringLiteral("upgrade:\n- sql: {statement: \"INSERT INTO @.ev\\n"
                         "VALUES ('a\\tb\\u00ad')\"}\ndowngrade: []\n"));
    const auto ran = migrate(QStringLiteral("plan --sql"));
    QVERIFY2(ran.out.contains(QStringLiteral(".ev\nVALUES ('a\tb\u00ad')\n;\n")),
             qPrintable(ran.out + ran.err));
}

// Who looks after an accident need not mend files first.
void tst_Migrate::theHistoryIsReadBesideBrokenFiles()
{
    write(QStringLiteral("0001_events.yaml"), kTables);
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    write(QStringLiteral("0002_broken.yaml"), QStringLiteral("upgrade: [\n"));
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 2);
    const auto told = migrate(QStringLiteral("history --json"));
    QCOMPARE(told.code, 0);
    QCOMPARE(told.json().value(u"events").toArray().last()[u"event"].toString(),
             QStringLiteral("upgrade_done"));
    QVERIFY2(told.err.contains(QStringLiteral("warning: migrations/0002_broken.yaml:")),
             qPrintable(told.err));
    const auto unlocked = migrate(QStringLiteral("unlock --json"));
    QCOMPARE(unlocked.json().value(u"error")[u"code"].toString(),
             QStringLiteral("no_migration_lock"));
}

void tst_Migrate::oneOfManyWorks()
{
    write(QStringLiteral("0001_events.yaml"), kTables);
    const auto all =
        m_ivmctl->program().runAtOnce({QStringLiteral("migrate"), QStringLiteral("upgrade")}, 8);
    qsizetype workers = 0;
    for (const auto &ran : all) {
        if (ran.code == 0 && ran.out.contains(QStringLiteral("applied")))
            ++workers;
        else if (ran.code != 0)
            QVERIFY2(ran.err.contains(QStringLiteral("is at work")) ||
                         ran.err.contains(QStringLiteral("process")),
                     qPrintable(ran.err));
    }
    QCOMPARE(workers, 1);
    QCOMPARE(applied(), QStringLiteral("1 applied"));
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM @.ev")),
             QStringList{QStringLiteral("2")});
}

void tst_Migrate::allOfManyWaitAndFindItDone()
{
    write(QStringLiteral("0001_events.yaml"), kTables);
    write(QStringLiteral("0002_hourly.yaml"), kHourly);
    const auto all =
        m_ivmctl->program().runAtOnce({QStringLiteral("migrate"), QStringLiteral("upgrade"),
                                       QStringLiteral("--wait"), QStringLiteral("150")},
                                      5);
    qsizetype workers = 0;
    for (const auto &ran : all) {
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
        workers += ran.out.contains(QStringLiteral("applied"));
    }
    QCOMPARE(workers, 1);
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM @.ev")),
             QStringList{QStringLiteral("2")});
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM %1 WHERE event = 'upgrade_done'")
                                  .arg(history(QStringLiteral("events")))),
             QStringList{QStringLiteral("2")});
}

void tst_Migrate::aViewOfTheFileAndOfAMigration()
{
    write(QStringLiteral("0001_events.yaml"), kTables);
    write(QStringLiteral("0002_hourly.yaml"), kHourly);
    m_ivmctl->write(QStringLiteral("views.yaml"),
                    QStringLiteral("views:\n- name: hourly\n  query: select date_trunc('hour', ts) "
                                   "h, count(*) n from ev group by 1\n"));
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    const auto owner = [this] {
        const auto views =
            m_ivmctl->run({QStringLiteral("views"), QStringLiteral("--json")}).json();
        QStringList out;
        const auto all = views.value(u"views").toArray();
        for (const auto &view : all)
            out.append(view[u"owner"].toString() + u' ' + view[u"status"].toString());
        return out.join(QStringLiteral(", "));
    };
    QCOMPARE(owner(), QStringLiteral("migration idle"));
    m_ivmctl->write(QStringLiteral("views.yaml"),
                    QStringLiteral("views:\n- name: hourly\n  query: select date_trunc('day', ts) "
                                   "h, count(*) n from ev group by 1\n"));
    // What the migration says stays in force.
    QCOMPARE(owner(), QStringLiteral("migration idle"));
    const auto ran = m_ivmctl->run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 0);
    const auto contradiction =
        QStringLiteral("views.yaml:2:3: view 'hourly': this entry says something else than "
                       "migration 0002, which is in force. ");
    QVERIFY2(ran.err.contains(contradiction), qPrintable(ran.err));
    const auto checked = m_ivmctl->run({QStringLiteral("check"), QStringLiteral("--online")});
    QCOMPARE(checked.code, 2);
    QVERIFY2(checked.err.contains(contradiction), qPrintable(checked.err));
    // So it is the state that is wanted, whatever the files on the way say.
    write(QStringLiteral("0003_by_day.yaml"),
          QStringLiteral("upgrade:\n- replace_view:\n    name: hourly\n    query: select "
                         "date_trunc('day', ts) h, count(*) n from ev group by 1\n"));
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QCOMPARE(m_ivmctl->run({QStringLiteral("refresh")}).err, QString());
    QCOMPARE(migrate(QStringLiteral("downgrade 0 --yes")).code, 0);
    QCOMPARE(migrate(QStringLiteral("upgrade 2")).code, 0);
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
}

QTEST_GUILESS_MAIN(tst_Migrate)
#include "tst_migrate.moc"
