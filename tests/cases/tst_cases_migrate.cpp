// Cases of the areas migrate and history-concurrency in which the engine matters. Where a case
// names other commands than the product has, the product's are used.
#include "tests/cases/migrate_test.h"

#include <QDir>
#include <QRegularExpression>

#include <thread>

#include <unistd.h>

using namespace ivm;
using namespace ivm::test;

namespace {

const QString kEvents = QStringLiteral(R"(about: The events
upgrade:
  - create_schema: {name: @}
  - create_table:
      name: '@.ev'
      columns: [{name: ts, type: timestamp(6)}, {name: dev, type: varchar}, {name: v, type: bigint}]
  - sql:
      statement: |
        INSERT INTO @.ev VALUES (TIMESTAMP '2026-03-01 10:00:00', 'a', 1),
          (TIMESTAMP '2026-03-01 11:00:00', 'b', 2)
      undo: DELETE FROM @.ev
)");

QString viewStep(const QString &operation, const QString &query)
{
    return QStringLiteral("upgrade:\n- %1: {name: hourly, query: \"%2\"}\n").arg(operation, query);
}

const QString kCount =
    QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n FROM ev GROUP BY 1, 2");
const QString kTotal = QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n, "
                                      "sum(v) AS total FROM ev GROUP BY 1, 2");

}  // namespace

class tst_CasesMigrate : public QObject, private MigrateTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void case_C043_data();
    void case_C043();
    void case_C043_history();
    void case_C046();
    void case_C047_data();
    void case_C047();
    void case_C048();
    void case_C054();
    void case_C055();
    void case_C055_aUsersTable();

private:
    QStringList rows(const QString &sql) { return m_scenario->rows(sql); }
    QStringList hours()
    {
        return rows(QStringLiteral("SELECT hour(hr), dev, n FROM @.hourly ORDER BY 1, 2"));
    }
};

// apache/iceberg#12653, trinodb/trino#31072: two MERGE of one snapshot both inserted the new key.
// A table that is partitioned by no key, where no conflict would be seen, is refused; more races
// are tst_rivals'.
void tst_CasesMigrate::case_C043_data()
{
    QTest::addColumn<QString>("partitioning");
    QTest::newRow("unpartitioned") << QStringLiteral("[]");
    QTest::newRow("by a key") << QStringLiteral("[day(hr)]");
}

void tst_CasesMigrate::case_C043()
{
    const int kRounds = kIsTrino ? 1 : 3;
    QFETCH(QString, partitioning);
    m_scenario->run(QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), dev varchar, v bigint)"));
    const QString views = QStringLiteral("views:\n- name: hourly\n  query: %1\n"
                                         "  target_partitioning: %2\n")
                              .arg(kTotal, partitioning);
    m_ivmctl->write(QStringLiteral("views.yaml"), views);
    Ivmctl other(*m_scenario, views);
    QFile config(m_ivmctl->folder() + QStringLiteral("/ivm.yaml"));
    QVERIFY(config.open(QIODevice::ReadOnly));
    const auto text = QString::fromUtf8(config.readAll());
    for (const char *state : {"state.db", "other.db"}) {
        const QString path = QStringLiteral("state: {path: %1/%2}\n")
                                 .arg(m_scenario->folder(), QString::fromLatin1(state));
        other.configure(QString(text).remove(QRegularExpression(QStringLiteral("state: .*\n"))) +
                        path);
        for (int round = 0; round < kRounds; ++round) {
            m_scenario->run(QStringLiteral("INSERT INTO @.ev SELECT TIMESTAMP '2026-03-01 "
                                           "00:00:00' + INTERVAL '1' HOUR * count(*), 'a', 1 "
                                           "FROM @.ev"));
            Ran theirs;
            Ran ours;
            {
                const std::jthread rival([&] { theirs = other.run({QStringLiteral("refresh")}); });
                ours = m_ivmctl->run({QStringLiteral("refresh")});
            }
            QVERIFY2(ours.code == 0 || theirs.code == 0, qPrintable(ours.err + theirs.err));
            QCOMPARE(rows(QStringLiteral("SELECT hr, dev FROM @.hourly GROUP BY hr, dev HAVING "
                                         "count(*) > 1")),
                     QStringList());
        }
    }
    QVERIFY2(!m_ivmctl->refresh().first().contains(u' '), "the last refresh failed");
    const auto verified = m_ivmctl->run({QStringLiteral("verify")});
    QVERIFY2(verified.code == 0, qPrintable(verified.out + verified.err));

    m_ivmctl->write(QStringLiteral("views.yaml"),
                    QString(views).replace(partitioning, QStringLiteral("[n]")));
    const QString refused = m_ivmctl->refresh().first();
    QVERIFY2(refused.contains(QStringLiteral("target_partitioning names 'n', which is not a key; "
                                             "two refreshes at once could then write a row twice")),
             qPrintable(refused));
}

// No row of the history is lost.
void tst_CasesMigrate::case_C043_history()
{
    QCOMPARE(migrate(QStringLiteral("init --namespace sales")).code, 0);
    for (const char *folder : {"", "sales/"})
        write(QString::fromLatin1(folder) + QStringLiteral("0001_schema.yaml"),
              QStringLiteral("upgrade:\n- create_schema: {name: @}\n"));
    Ran sales;
    Ran plain;
    {
        const std::jthread other(
            [&] { sales = migrate(QStringLiteral("upgrade --namespace sales")); });
        plain = migrate(QStringLiteral("upgrade"));
    }
    QVERIFY2(sales.code == 0 && plain.code == 0, qPrintable(sales.err + plain.err));
    QCOMPARE(rows(QStringLiteral("SELECT version, namespace, status FROM %1 ORDER BY 2")
                      .arg(history(QStringLiteral("history")))),
             QStringList({QStringLiteral("1|default|applied"), QStringLiteral("1|sales|applied")}));
    QCOMPARE(rows(QStringLiteral("SELECT namespace, count(*), count(DISTINCT event_id) FROM %1 "
                                 "GROUP BY 1 ORDER BY 1")
                      .arg(history(QStringLiteral("events")))),
             QStringList({QStringLiteral("default|4|4"), QStringLiteral("sales|4|4")}));
}

// sqlalchemy/alembic#633, rhesis-ai/rhesis#2545: every replica ran the migrations at its start.
// That one of many works where nobody dies is tst_migrate's.
void tst_CasesMigrate::case_C046()
{
    const int kColumns = kIsTrino ? 12 : 40;
    const int kWaiting = kIsTrino ? 2 : 4;
    write(QStringLiteral("0001_events.yaml"), kEvents);
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QString slow = viewStep(QStringLiteral("create_view"), kCount);
    for (int i = 0; i < kColumns; ++i)
        slow += QStringLiteral("- add_column: {table: '@.ev', name: c%1, type: bigint}\n").arg(i);
    write(QStringLiteral("0002_slow.yaml"), slow);
    write(QStringLiteral("0003_total.yaml"), viewStep(QStringLiteral("replace_view"), kTotal));

    QString refused;
    QList<Ran> waited;
    std::jthread waiting;
    const auto killed =
        m_ivmctl->interrupted({QStringLiteral("migrate"), QStringLiteral("upgrade")}, SIGKILL, [&] {
            if (status().value(u"lock").isNull())
                return false;
            refused = migrate(QStringLiteral("upgrade --wait 0s")).err;
            waiting = std::jthread([&] {
                waited = m_ivmctl->program().runAtOnce(
                    {QStringLiteral("migrate"), QStringLiteral("upgrade"), QStringLiteral("--wait"),
                     QStringLiteral("150s")},
                    kWaiting);
            });
            return true;
        });
    QVERIFY2(killed.died, qPrintable(killed.out + killed.err));
    waiting.join();
    for (const char *said : {"ivmctl", "process", "upgrade of 0002_slow"})
        QVERIFY2(refused.contains(QString::fromLatin1(said)), qPrintable(refused));
    qsizetype workers = 0;
    for (const auto &ran : std::as_const(waited)) {
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
        workers += ran.out.contains(QStringLiteral("applied"));
    }
    QCOMPARE(workers, 1);
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied, 3 applied"));
    QCOMPARE(rows(QStringLiteral("SELECT step FROM %1 WHERE version = 2 AND event = 'step_done' "
                                 "GROUP BY 1 HAVING count(*) > 1")
                      .arg(history(QStringLiteral("events")))),
             QStringList());
    QCOMPARE(hours(), QStringList({QStringLiteral("10|a|1"), QStringLiteral("11|b|1")}));
}

// spinnaker/spinnaker#6625, liquibase/liquibase#1311: a lock outlived its process. Signals are
// tst_migrate's: aRunThatIsInterruptedSaysSo and goesOnAfterAKill.
void tst_CasesMigrate::case_C047_data()
{
    QTest::addColumn<QString>("machine");
    QTest::addColumn<QString>("heartbeat");
    QTest::addColumn<bool>("isStale");
    const QString now = QStringLiteral("current_timestamp(6)");
    QTest::newRow("a backup of three months ago")
        << QStringLiteral("elsewhere") << now + QStringLiteral(" - INTERVAL '90' DAY") << true;
    QTest::newRow("another process has its number") << thisProcess().machine << now << true;
    QTest::newRow("alive and slow") << QStringLiteral("elsewhere") << now << false;
}

void tst_CasesMigrate::case_C047()
{
    QFETCH(QString, machine);
    QFETCH(QString, heartbeat);
    QFETCH(bool, isStale);
    write(QStringLiteral("0001_events.yaml"), kEvents);
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    write(QStringLiteral("0002_hourly.yaml"), viewStep(QStringLiteral("create_view"), kCount));
    m_scenario->run(
        QStringLiteral("INSERT INTO %1 SELECT 'default', 'token', 'ivmctl on elsewhere (process "
                       "7)', '%2', %3, 1, 'upgrade of 0002_hourly, step 1 of 1', %4 - INTERVAL "
                       "'40' MINUTE, %4, 120")
            .arg(history(QStringLiteral("lock")), machine, QString::number(getpid()), heartbeat));
    const auto lock = status().value(u"lock").toObject();
    QCOMPARE(lock.value(u"owner").toString(), QStringLiteral("ivmctl on elsewhere (process 7)"));
    QCOMPARE(lock.value(u"stale").toBool(), isStale);
    if (!isStale) {
        for (const char *command : {"upgrade", "unlock", "repair"}) {
            const auto ran = migrate(QString::fromLatin1(command));
            QCOMPARE(ran.code, 1);
            QVERIFY2(ran.err.contains(QStringLiteral("ivmctl on elsewhere (process 7)")) &&
                         ran.err.contains(QStringLiteral("step 1 of 1")),
                     qPrintable(ran.err));
        }
        QCOMPARE(applied(), QStringLiteral("1 applied"));
        const auto forced = migrate(QStringLiteral("unlock --force"));
        QVERIFY2(forced.out.contains(QStringLiteral("ivmctl on elsewhere (process 7)")),
                 qPrintable(forced.out + forced.err));
    }
    const auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied"));
    QVERIFY(status().value(u"lock").isNull());
}

// golang-migrate/migrate#282, ariga/atlas#2455, #2456: a migration that failed in its middle was
// repeated, stuck, or called applied.
void tst_CasesMigrate::case_C048()
{
    write(QStringLiteral("0001_events.yaml"), kEvents);
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    const auto file = [&](const QString &type, const QString &statement) {
        write(QStringLiteral("0002_p95.yaml"),
              QStringLiteral("upgrade:\n- add_column: {table: '@.ev', name: p95, type: %1}\n"
                             "- sql: {statement: '%2'}\n"
                             "- create_view: {name: hourly, query: \"%3\"}\n")
                  .arg(type, statement, kCount));
    };
    const QString wrong = QStringLiteral("INSERT INTO @.nothing VALUES (1)");
    file(QStringLiteral("double"), wrong);
    for (int run = 0; run < 2; ++run) {
        const auto ran = migrate(QStringLiteral("upgrade"));
        QVERIFY2(ran.code == (run == 0 ? 3 : 1), qPrintable(ran.out + ran.err));
        QVERIFY2(ran.err.contains(QStringLiteral("0002_p95")) &&
                     ran.err.contains(QStringLiteral("nothing")),
                 qPrintable(ran.err));
        const auto told = status();
        QCOMPARE(told.value(u"pending").toArray().size(), 1);
        QVERIFY2(told.value(u"open")[u"text"].toString().contains(
                     QStringLiteral("failed: 1 of its steps is done")),
                 qPrintable(told.value(u"open")[u"text"].toString()));
    }
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 failed"));
    QCOMPARE(rows(QStringLiteral("SELECT step, count(*) FROM %1 WHERE version = 2 AND event = "
                                 "'step_started' GROUP BY 1 ORDER BY 1")
                      .arg(history(QStringLiteral("events")))),
             QStringList({QStringLiteral("1|1"), QStringLiteral("2|2")}));
    // What ran may not be edited, and the way back waits for the way out.
    file(QStringLiteral("bigint"), wrong);
    const auto edited = migrate(QStringLiteral("upgrade"));
    QCOMPARE(edited.code, 4);
    QVERIFY2(edited.err.contains(QStringLiteral("step 1 of the upgrade was edited")),
             qPrintable(edited.err));
    file(QStringLiteral("double"), wrong);
    const auto back = migrate(QStringLiteral("downgrade 0 --yes"));
    QCOMPARE(back.code, 1);
    QVERIFY2(back.err.contains(QStringLiteral("did not end: 1 of its steps is done")),
             qPrintable(back.err));

    file(QStringLiteral("double"), QStringLiteral("INSERT INTO @.ev (dev) VALUES (NULL)"));
    const auto mended = migrate(QStringLiteral("upgrade"));
    QVERIFY2(mended.code == 0, qPrintable(mended.err));
    QCOMPARE(migrate(QStringLiteral("status")).code, 0);
    QCOMPARE(hours().size(), 3);

    write(QStringLiteral("0003_by_hand.yaml"),
          QStringLiteral("upgrade:\n- sql: {statement: '%1'}\n").arg(wrong));
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 1);
    QCOMPARE(migrate(QStringLiteral("stamp 3")).code, 0);
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied, 3 applied"));
    const auto events = migrate(QStringLiteral("history --json")).json().value(u"events").toArray();
    QCOMPARE(events.last()[u"event"].toString(), QStringLiteral("stamped"));
}

// sqlalchemy/alembic#1152: the engine spells a type in another way, and the same change is found
// for ever. The texts that differ without a change are tst_cases_migration_files'.
void tst_CasesMigrate::case_C054()
{
    QVERIFY(QDir(m_ivmctl->folder()).mkdir(QStringLiteral("schema")));
    m_ivmctl->write(QStringLiteral("schema/ev.yaml"),
                    QStringLiteral("name: ev\ncolumns:\n"
                                   "- {name: a, type: timestamp}\n"
                                   "- {name: b, type: 'timestamp(6) with time zone'}\n"
                                   "- {name: c, type: time(6)}\n"
                                   "- {name: d, type: 'DECIMAL(10, 2)'}\n"
                                   "- {name: e, type: int}\n"
                                   "- {name: f, type: 'array(varchar)'}\n"
                                   "- {name: g, type: 'row(x bigint, y double)'}\n"
                                   "partitioning: [day(b), 'bucket(e, 4)']\n"));
    m_ivmctl->write(QStringLiteral("views.yaml"), QStringLiteral("views:\n- name: per_e\n  query: "
                                                                 "SELECT e, count(*) AS n FROM ev "
                                                                 "GROUP BY e\n"));
    const auto made = migrate(QStringLiteral("revision --autogenerate"));
    QVERIFY2(made.code == 0, qPrintable(made.err));
    const auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    const auto again = migrate(QStringLiteral("revision --autogenerate --json"));
    QCOMPARE(again.code, 0);
    QVERIFY2(again.json().value(u"file").isNull(), qPrintable(again.out));
}

// trinodb/trino#25610: CREATE OR REPLACE dropped the old rows after the new ones had been made at
// the same place. Here replace_view says it.
void tst_CasesMigrate::case_C055()
{
    const QStringList old{QStringLiteral("10|a|1"), QStringLiteral("11|b|1")};
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_hourly.yaml"), viewStep(QStringLiteral("create_view"), kCount));
    // The same: a note.
    write(QStringLiteral("0003_same.yaml"), viewStep(QStringLiteral("replace_view"), kCount));
    const QString commits = QStringLiteral("SELECT count(*) FROM @.\"hourly$snapshots\"");
    QCOMPARE(migrate(QStringLiteral("upgrade 2")).code, 0);
    const auto before = rows(commits);
    auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(rows(commits), before);
    // A query that fails, and a run that dies, leave the old version at work.
    write(QStringLiteral("0004_next.yaml"),
          viewStep(QStringLiteral("replace_view"),
                   QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n, "
                                  "sum(v / (v - v)) AS total FROM ev GROUP BY 1, 2")));
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 1 && ran.err.contains(QStringLiteral("ivision by zero")),
             qPrintable(ran.err));
    QCOMPARE(hours(), old);
    write(QStringLiteral("0004_next.yaml"), viewStep(QStringLiteral("replace_view"), kTotal));
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), QStringLiteral("refresh.committed=kill"));
    QVERIFY(migrate(QStringLiteral("upgrade")).died);
    m_ivmctl->set(QStringLiteral("IVM_FAIL_POINT"), QString());
    QCOMPARE(hours(), old);
    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-03-01 12:00:00', 'c', 3)"));
    QCOMPARE(m_ivmctl->refresh(), QStringList{kIncremental});
    QCOMPARE(hours(), old + QStringList{QStringLiteral("12|c|1")});
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(rows(QStringLiteral("SELECT hour(hr), total FROM @.hourly ORDER BY 1")),
             QStringList({QStringLiteral("10|1"), QStringLiteral("11|2"), QStringLiteral("12|3")}));
    QCOMPARE(rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringList({QStringLiteral("ev"), QStringLiteral("hourly")}));
}

// A table with rows of a user's own is neither overwritten nor dropped; and of two who define a
// name the one is told.
void tst_CasesMigrate::case_C055_aUsersTable()
{
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_mine.yaml"),
          QStringLiteral("upgrade:\n- create_view: {name: mine, target_table: ev, query: 'SELECT "
                         "dev, count(*) AS n FROM other GROUP BY dev'}\n"));
    QCOMPARE(migrate(QStringLiteral("upgrade 1")).code, 0);
    m_scenario->run({QStringLiteral("CREATE TABLE @.other AS SELECT 'x' AS dev"),
                     QStringLiteral("CREATE TABLE @.hourly AS SELECT 7 AS mine")});
    const auto untouched = [&]() -> QString {
        return rows(QStringLiteral("SELECT count(*) FROM @.ev")).first() + u' ' +
               rows(QStringLiteral("SELECT mine FROM @.hourly")).first();
    };
    auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 1 && ran.err.contains(QStringLiteral("ev")), qPrintable(ran.err));
    QCOMPARE(untouched(), QStringLiteral("2 7"));
    write(QStringLiteral("0002_mine.yaml"), viewStep(QStringLiteral("create_view"), kCount));
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 1 && ran.err.contains(QStringLiteral("hourly")), qPrintable(ran.err));
    QCOMPARE(untouched(), QStringLiteral("2 7"));

    m_scenario->run(QStringLiteral("DROP TABLE @.hourly"));
    m_ivmctl->write(QStringLiteral("views.yaml"),
                    QStringLiteral("views:\n- {name: hourly, query: \"%1\"}\n").arg(kTotal));
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 1 && ran.err.contains(QStringLiteral("there is a view 'hourly' already, "
                                                              "of views.yaml:2")),
             qPrintable(ran.err));
    m_ivmctl->write(QStringLiteral("views.yaml"), QStringLiteral("views: []\n"));
    ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    // A view that goes leaves its rows unless it is told to drop them.
    write(QStringLiteral("0003_gone.yaml"),
          QStringLiteral("upgrade:\n- drop_view: {name: hourly}\n"));
    ran = migrate(QStringLiteral("upgrade --yes"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(hours().size(), 2);
}

QTEST_GUILESS_MAIN(tst_CasesMigrate)
#include "tst_cases_migrate.moc"
