// Cases of the area migrate that are about the files, on the one engine: what is applied and what
// the folder holds, and when two texts say the same.
#include "tests/cases/migrate_test.h"

#include <QDir>

using namespace ivm;
using namespace ivm::test;

namespace {

const QString kEvents = QStringLiteral(R"(upgrade:
  - create_schema: {name: @}
  - create_table:
      name: '@.ev'
      columns: [{name: ts, type: timestamp(6)}, {name: dev, type: varchar}, {name: v, type: bigint}]
)");

QString insertStep(int value)
{
    return QStringLiteral("upgrade:\n- sql: {statement: 'INSERT INTO @.ev (v) VALUES (%1)', undo: "
                          "'DELETE FROM @.ev WHERE v = %1'}\n")
        .arg(value);
}

QString viewsFile(const QString &query)
{
    return QStringLiteral("views:\n- name: hourly\n  query: |\n    %1\n").arg(query);
}

const QString kQuery = QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, sum(v) AS total "
                                      "FROM ev WHERE v > 1 AND dev <> 'A ' GROUP BY 1, 2");

}  // namespace

class tst_CasesMigrationFiles : public QObject, private MigrateTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void case_C050_data();
    void case_C050();
    void case_C050_order();
    void case_C051();
    void case_C051_noWayBack();
    void case_C052_data();
    void case_C052();
    void case_C052_views();
    void case_C054_data();
    void case_C054();
    void case_C054_renamed();

private:
    void upgrade()
    {
        const auto ran = migrate(QStringLiteral("upgrade"));
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
    }
    // The text of the file that was made, or what was said instead.
    QString generated()
    {
        const auto ran = migrate(QStringLiteral("revision --autogenerate --json"));
        const auto made = ran.json().value(u"file").toString();
        QFile file(made);
        return !made.isEmpty() && file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll())
                                                                 : ran.err.trimmed();
    }
};

// antiwork/gumroad#6716: of two files with one number, an environment that had applied the one
// never ran the other.
void tst_CasesMigrationFiles::case_C050_data()
{
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<bool>("isApplied");
    QTest::newRow("nothing is applied") << QStringLiteral("0002_add_p95.yaml")
                                        << QStringLiteral("0002_drop_old_view.yaml") << false;
    QTest::newRow("the first is applied")
        << QStringLiteral("0002_add_p95.yaml") << QStringLiteral("0002_drop_old_view.yaml") << true;
    QTest::newRow("without zeros")
        << QStringLiteral("0002_y.yaml") << QStringLiteral("2_x.yaml") << true;
    QTest::newRow("more zeros") << QStringLiteral("00002_z.yaml") << QStringLiteral("0002_y.yaml")
                                << false;
}

void tst_CasesMigrationFiles::case_C050()
{
    QFETCH(QString, first);
    QFETCH(QString, second);
    QFETCH(bool, isApplied);
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(first, insertStep(1));
    if (isApplied)
        upgrade();
    write(second, insertStep(2));
    for (const char *command : {"upgrade", "status", "plan", "downgrade 0 --yes"}) {
        const auto ran = migrate(QString::fromLatin1(command));
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.err.contains(first) && ran.err.contains(second), qPrintable(ran.err));
    }
    remove(second);
    QCOMPARE(applied(), isApplied ? QStringLiteral("1 applied, 2 applied") : QString());
}

void tst_CasesMigrationFiles::case_C050_order()
{
    write(QStringLiteral("1_events.yaml"), kEvents);
    for (int number = 2; number <= 10; ++number)
        write(QStringLiteral("%1_n.yaml").arg(number, number % 2 + 1, 10, QLatin1Char('0')),
              insertStep(number));
    write(QStringLiteral("0007_a.yaml~"), QStringLiteral("not: ours"));
    write(QStringLiteral(".0007_a.yaml.swp"), QStringLiteral("not: ours"));
    upgrade();
    QCOMPARE(status().value(u"current").toInteger(), 10);
    QCOMPARE(m_scenario
                 ->rows(QStringLiteral("SELECT version FROM %1 WHERE event = 'upgrade_done' "
                                       "ORDER BY at")
                            .arg(history(QStringLiteral("events"))))
                 .join(u' '),
             QStringLiteral("1 2 3 4 5 6 7 8 9 10"));
}

// sqlalchemy/alembic#691: after a release was rolled back, the catalog was at a version whose file
// the old release does not have.
void tst_CasesMigrationFiles::case_C051()
{
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_hourly.yaml"),
          QStringLiteral("upgrade:\n- create_view: {name: hourly, query: \"%1\"}\n").arg(kQuery));
    QString next = kQuery;
    next.replace(QStringLiteral("sum(v)"), QStringLiteral("max(v)"));
    write(QStringLiteral("0003_next.yaml"),
          QStringLiteral("upgrade:\n- replace_view: {name: hourly, query: \"%1\"}\n").arg(next));
    upgrade();
    QFile file(m_ivmctl->folder() + QStringLiteral("/migrations/0003_next.yaml"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto newer = QString::fromUtf8(file.readAll());
    remove(QStringLiteral("0003_next.yaml"));
    const auto before = migrate(QStringLiteral("history --json")).out;
    for (const char *command :
         {"status", "upgrade", "plan", "downgrade 1 --yes", "revision --autogenerate"}) {
        const auto ran = migrate(QString::fromLatin1(command));
        QVERIFY2(ran.code == 4, qPrintable(QString::fromLatin1(command) + ran.out + ran.err));
        QVERIFY2(ran.err.contains(QStringLiteral("the catalog is at 0003, and these files know up "
                                                 "to 0002")) &&
                     ran.err.contains(QStringLiteral("downgrade with them first")),
                 qPrintable(ran.err));
    }
    QCOMPARE(migrate(QStringLiteral("history --json")).out, before);
    // The view is as the newer release left it.
    m_scenario->run(QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-03-01 10:00:00', 'a', "
                                   "2), (TIMESTAMP '2026-03-01 10:00:00', 'a', 3)"));
    QCOMPARE(m_ivmctl->refresh(), QStringList{kIncremental});
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT total FROM @.hourly")),
             QStringList{QStringLiteral("3")});

    write(QStringLiteral("0003_next.yaml"), newer);
    QCOMPARE(migrate(QStringLiteral("status")).code, 0);
    remove(QStringLiteral("0002_hourly.yaml"));
    const auto missing = migrate(QStringLiteral("status"));
    QCOMPARE(missing.code, 2);
    QVERIFY2(missing.err.contains(QStringLiteral("number 0002 is missing")),
             qPrintable(missing.err));
}

// Refused before any step is taken back.
void tst_CasesMigrationFiles::case_C051_noWayBack()
{
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_only_up.yaml"),
          QStringLiteral("upgrade:\n- sql: {statement: INSERT INTO @.ev (v) VALUES (1)}\n"));
    write(QStringLiteral("0003_back.yaml"), insertStep(3));
    upgrade();
    const auto ran = migrate(QStringLiteral("downgrade 1 --yes"));
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(QStringLiteral("0002_only_up")), qPrintable(ran.err));
    QCOMPARE(applied(), QStringLiteral("1 applied, 2 applied, 3 applied"));
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT v FROM @.ev ORDER BY v")),
             QStringList({QStringLiteral("1"), QStringLiteral("3")}));
}

// flyway/flyway#253, #1837: the same file checked out on Windows had another checksum. A byte of
// the text that differs is another file: spaces and comments too.
void tst_CasesMigrationFiles::case_C052_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isSame");
    const QString text = QStringLiteral("# hand-made\n") + insertStep(5);
    const auto changed = [&](const char *from, const char *to) {
        return QString(text).replace(QString::fromLatin1(from), QString::fromLatin1(to));
    };
    QTest::newRow("CRLF") << changed("\n", "\r\n") << true;
    QTest::newRow("a byte order mark") << QString(QChar(0xfeff) + text) << true;
    QTest::newRow("no newline at the end") << text.chopped(1) << true;
    QTest::newRow("CRLF without the last") << changed("\n", "\r\n").chopped(2) << true;
    QTest::newRow("spaces at a line's end") << changed("upgrade:", "upgrade:  ") << false;
    QTest::newRow("a comment") << changed("hand-made", "generated") << false;
    QTest::newRow("a number") << changed("VALUES (5)", "VALUES (6)") << false;
}

void tst_CasesMigrationFiles::case_C052()
{
    QFETCH(QString, text);
    QFETCH(bool, isSame);
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_five.yaml"), QStringLiteral("# hand-made\n") + insertStep(5));
    upgrade();
    const auto checksum = [&] {
        return status().value(u"applied").toArray().last()[u"checksum"].toString();
    };
    const QString was = checksum();
    write(QStringLiteral("0002_five.yaml"), text);
    for (const char *command : {"status", "upgrade"}) {
        const auto ran = migrate(QString::fromLatin1(command));
        QVERIFY2(ran.code == (isSame ? 0 : 4), qPrintable(ran.err));
        if (!isSame)
            QVERIFY2(ran.err.contains(QStringLiteral("0002_five.yaml: the file was edited")) &&
                         ran.err.contains(QStringLiteral("applied was ") + was.first(12)),
                     qPrintable(ran.err));
    }
    QCOMPARE(checksum(), was);
}

void tst_CasesMigrationFiles::case_C052_views()
{
    write(QStringLiteral("0001_events.yaml"), kEvents);
    upgrade();
    m_ivmctl->write(QStringLiteral("views.yaml"),
                    QChar(0xfeff) + viewsFile(kQuery).replace(u'\n', QStringLiteral("\r\n")));
    QCOMPARE(m_ivmctl->refresh(), QStringList{kRebuild});
}

// sqlalchemy/alembic#1152, SQLMesh/sqlmesh#5573: the same change was found again and again, and a
// query that was only written in another way was built anew.
void tst_CasesMigrationFiles::case_C054_data()
{
    QTest::addColumn<QString>("views");
    QTest::addColumn<QString>("change");
    const auto changed = [](const char *from, const char *to) {
        return viewsFile(
            QString(kQuery).replace(QString::fromLatin1(from), QString::fromLatin1(to)));
    };
    const QString none;
    QTest::newRow("nothing") << viewsFile(kQuery) << none;
    QTest::newRow("lines") << changed(" FROM", "\n      FROM") << none;
    QTest::newRow("letter case") << changed("SELECT", "select") << none;
    QTest::newRow("a comment") << changed("FROM", "/* all */ FROM") << none;
    QTest::newRow("names for numbers")
        << changed("GROUP BY 1", "GROUP BY date_trunc('hour', ts)") << none;
    QTest::newRow("another order of keys")
        << QStringLiteral("views:\n- query: \"%1\"\n  name: hourly\n").arg(kQuery) << none;
    const QString replaced = QStringLiteral("replace_view");
    QTest::newRow("DISTINCT") << changed("sum(v)", "sum(DISTINCT v)") << replaced;
    QTest::newRow("an operator") << changed("> 1", ">= 1") << replaced;
    QTest::newRow("a space in a text") << changed("'A '", "'A'") << replaced;
    QTest::newRow("two columns change places")
        << changed("AS hr, dev, sum(v) AS total", "AS hr, sum(v) AS total, dev")
               .replace(QStringLiteral("1, 2"), QStringLiteral("1, 3"))
        << replaced;
}

void tst_CasesMigrationFiles::case_C054()
{
    QFETCH(QString, views);
    QFETCH(QString, change);
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_hourly.yaml"),
          QStringLiteral("upgrade:\n- create_view: {name: hourly, query: \"%1\"}\n").arg(kQuery));
    upgrade();
    m_ivmctl->write(QStringLiteral("views.yaml"), views);
    const QString made = generated();
    if (change.isEmpty()) {
        QVERIFY2(made.contains(QStringLiteral("no changes: no file was made")), qPrintable(made));
        return;
    }
    QVERIFY2(made.contains(change), qPrintable(made));
    upgrade();
    QVERIFY(generated().contains(QStringLiteral("no changes")));
}

// One that is the same but for its name keeps its rows.
void tst_CasesMigrationFiles::case_C054_renamed()
{
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_hourly.yaml"),
          QStringLiteral("upgrade:\n- create_view: {name: hourly, query: \"%1\"}\n").arg(kQuery));
    upgrade();
    m_ivmctl->write(
        QStringLiteral("views.yaml"),
        viewsFile(kQuery).replace(QStringLiteral("hourly"), QStringLiteral("per_hour")));
    const QString made = generated();
    QVERIFY2(made.contains(QStringLiteral("rename_view")), qPrintable(made));
    const auto plan = migrate(QStringLiteral("plan"));
    QVERIFY2(!plan.out.contains(QStringLiteral("builds")), qPrintable(plan.out));
    upgrade();
    QVERIFY(generated().contains(QStringLiteral("no changes")));
    QCOMPARE(m_scenario->rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringList({QStringLiteral("ev"), QStringLiteral("per_hour")}));
}

QTEST_GUILESS_MAIN(tst_CasesMigrationFiles)
#include "tst_cases_migration_files.moc"
