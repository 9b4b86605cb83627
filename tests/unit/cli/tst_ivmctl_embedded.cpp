#include "tests/support/program.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTest>

using ivm::test::Program;
using ivm::test::Ran;

namespace {

const QByteArray kViews = "views:\n"
                          "  - name: hourly\n"
                          "    query: |\n"
                          "      SELECT origin, date_trunc('hour', ts) AS h, count(*) AS n\n"
                          "      FROM ev GROUP BY 1, 2\n";

QJsonObject firstView(const Ran &ran)
{
    return ran.json().value(u"views").toArray().first().toObject();
}

}  // namespace

// The commands on the embedded engine: what they print, and what they say when something is not
// there.
class tst_IvmctlEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void printsRowsAsATable();
    void printsRowsAsADocument();
    void takesAStatementFromStandardInput();
    void spellsOutWhatComesFromData();
    void saysWhereAStatementIsWrong_data();
    void saysWhereAStatementIsWrong();

    void refreshesVerifiesAndTells();
    void explainsWithoutDoing();
    void verifyShowsWhatDiffers();
    void verifyComparesBits();
    void verifyRefusesARangeThatIsNone_data();
    void verifyRefusesARangeThatIsNone();
    void verifyRefusesARangeOfAnotherKind_data();
    void verifyRefusesARangeOfAnotherKind();
    void oneFailedViewDoesNotStopTheOthers();
    void refusesWhatCannotBeKept();
    void checksAgainstTheEngine();

    void saysThatTheWarehouseIsMissing();
    void saysThatTheWarehouseIsNoFolder();
    void saysThatTheWarehouseCannotBeMade();
    void saysThatATableIsMissing();
    void saysThatTheCatalogIsDamaged();
    void saysThatTheStateCannotBeKept();
    void saysWhichSectionAPluginRefuses();
    void saysThatTrinoIsNotThere();

private:
    Ran run(const QStringList &arguments, const QByteArray &input = {}) const
    {
        return m_program->run(arguments, input);
    }
    Ran sql(const QString &statement) const { return run({QStringLiteral("sql"), statement}); }
    void write(const QString &name, const QByteArray &text) const
    {
        QVERIFY(m_program->write(name, text));
    }
    void makeEvents() const;
    QString warehouse() const { return m_program->path(QStringLiteral("ivm-data")); }

    std::unique_ptr<Program> m_program;
};

void tst_IvmctlEmbedded::init()
{
    m_program = std::make_unique<Program>(QStringLiteral(IVM_CTL));
    write(QStringLiteral("views.yaml"), kViews);
}

void tst_IvmctlEmbedded::makeEvents() const
{
    const auto made = sql(QStringLiteral("CREATE TABLE ev (origin varchar, ts timestamp(6))"));
    QVERIFY2(made.code == 0, qPrintable(made.err));
    const auto filled =
        sql(QStringLiteral("INSERT INTO ev VALUES ('a', TIMESTAMP '2026-01-01 10:00:00'), "
                           "('a', TIMESTAMP '2026-01-01 10:30:00'), (NULL, NULL)"));
    QVERIFY2(filled.code == 0, qPrintable(filled.err));
    QCOMPARE(filled.out, u"INSERT: 3 rows\n");
}

void tst_IvmctlEmbedded::printsRowsAsATable()
{
    const auto ran = sql(QStringLiteral("SELECT * FROM (VALUES (1, 'a', 0.5e0), (20, NULL, NULL)) "
                                        "AS t(n, \"Text\", d) ORDER BY n"));
    QCOMPARE(ran.err, QString());
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out, u" n  Text     d\n"
                      u" 1  a      0.5\n"
                      u"20  NULL  NULL\n");
}

void tst_IvmctlEmbedded::printsRowsAsADocument()
{
    const auto ran = run({QStringLiteral("sql"), QStringLiteral("--json"),
                          QStringLiteral("SELECT BIGINT '9007199254740993' AS n, 'x' AS t")});
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out,
             u"{\"columns\":[{\"name\":\"n\",\"type\":\"bigint\"},{\"name\":\"t\",\"type\":"
             u"\"varchar(1)\"}],\"rows\":[\n[9007199254740993,\"x\"]],"
             u"\"rows_affected\":null}\n");
}

void tst_IvmctlEmbedded::takesAStatementFromStandardInput()
{
    const auto ran = run({QStringLiteral("sql"), QStringLiteral("-")}, "SELECT 1 AS a\n");
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out, u"a\n1\n");
    // More than a pipe holds at once: the first part alone would be a statement too.
    const auto late = run({QStringLiteral("sql"), QStringLiteral("-")},
                          "SELECT 1 --" + QByteArray(300'000, '-') + "\n + 1 AS a\n");
    QCOMPARE(late.out, u"a\n2\n");
    const auto bytes = run({QStringLiteral("sql"), QStringLiteral("-")}, "SELECT '\xff\xfe'");
    QCOMPARE(bytes.code, 2);
    QCOMPARE(bytes.err, u"ivmctl: error: the statement is not UTF-8 text\n");
}

void tst_IvmctlEmbedded::spellsOutWhatComesFromData()
{
    const auto ran =
        sql(QStringLiteral("SELECT U&'\\001b[31m\\202e\\000a' AS t, '東京' AS \"\x1b\""));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QCOMPARE(ran.out, u"t                 \\x1b\n"
                      u"\\x1b[31m\\u202e\\n  東京\n");
}

void tst_IvmctlEmbedded::saysWhereAStatementIsWrong_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<QString>("error");
    QTest::newRow("no SQL") << QStringLiteral("SELEC 1")
                            << QStringLiteral(
                                   "1:1: found 'SELEC', expected a statement: SELECT, "
                                   "INSERT, UPDATE, DELETE, MERGE, CREATE, ALTER, COMMENT, DROP, "
                                   "TRUNCATE, SHOW or DESCRIBE");
    QTest::newRow("no such table") << QStringLiteral("SELECT *\nFROM nope")
                                   << QStringLiteral("2:6: there is no table iceberg.main.nope");
    QTest::newRow("a control character")
        << QStringLiteral("SELECT \x01")
        << QStringLiteral("1:8: found the character U+0001, expected SQL");
}

void tst_IvmctlEmbedded::saysWhereAStatementIsWrong()
{
    QFETCH(QString, statement);
    QFETCH(QString, error);
    makeEvents();
    const auto ran = sql(statement);
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.out, QString());
    QCOMPARE(ran.err, QString(QStringLiteral("ivmctl: error: ") + error + u'\n'));
}

void tst_IvmctlEmbedded::refreshesVerifiesAndTells()
{
    makeEvents();
    const auto first = run({QStringLiteral("refresh"), QStringLiteral("--json")});
    QVERIFY2(first.code == 0, qPrintable(first.err));
    QCOMPARE(firstView(first).value(u"action").toString(), u"rebuild");
    QCOMPARE(firstView(first).value(u"rows_written").toInt(), 2);
    const auto second = run({QStringLiteral("refresh")});
    QCOMPARE(second.code, 0);
    QCOMPARE(second.out, u"hourly  none         nothing changed\n");
    const auto verified = run({QStringLiteral("verify")});
    QCOMPARE(verified.code, 0);
    QCOMPARE(verified.out, u"hourly: equal\n");

    const auto view = firstView(run({QStringLiteral("views"), QStringLiteral("--json")}));
    QCOMPARE(view.value(u"status").toString(), u"idle");
    QCOMPARE(view.value(u"source").toString(), u"iceberg.main.ev");
    QCOMPARE(view.value(u"target").toString(), u"iceberg.main.hourly");
    QCOMPARE(view.value(u"last_action").toString(), u"rebuild");
    QCOMPARE(view.value(u"owner").toString(), u"file");
    QVERIFY(view.value(u"lag_seconds").toDouble() >= 0);
    const QString bookmark =
        view.value(u"bookmark").toObject().value(u"iceberg.main.ev").toString();
    const QString snapshot =
        firstView(first).value(u"source_snapshots").toObject().value(u"iceberg.main.ev").toString();
    QVERIFY(!bookmark.isEmpty());
    QCOMPARE(bookmark, snapshot);
}

void tst_IvmctlEmbedded::explainsWithoutDoing()
{
    makeEvents();
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    QCOMPARE(
        sql(QStringLiteral("INSERT INTO ev VALUES ('b', TIMESTAMP '2026-01-03 07:59:00')")).code,
        0);
    for (int i = 0; i < 2; ++i) {
        const auto ran =
            run({QStringLiteral("explain"), QStringLiteral("hourly"), QStringLiteral("--json")});
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
        const auto document = ran.json();
        QCOMPARE(document.value(u"action").toString(), u"incremental");
        const auto range = document.value(u"ranges").toArray().first().toObject();
        QCOMPARE(range.value(u"from").toString(), u"2026-01-03 07:00:00");
        QCOMPARE(range.value(u"to").toString(), u"2026-01-03 08:00:00");
        QCOMPARE(document.value(u"estimate").toObject().value(u"rows").toInt(), 1);
        QCOMPARE(
            document.value(u"sources").toArray().first().toObject().value(u"files_added").toInt(),
            1);
    }
}

void tst_IvmctlEmbedded::verifyShowsWhatDiffers()
{
    makeEvents();
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    QCOMPARE(sql(QStringLiteral("UPDATE hourly SET n = 77 WHERE origin = 'a'")).code, 0);
    const auto ran = run({QStringLiteral("verify"), QStringLiteral("hourly")});
    QCOMPARE(ran.code, 4);
    QVERIFY2(ran.out.startsWith(u"hourly: differs, 1 missing and 1 extra rows\n"),
             qPrintable(ran.out));
    QVERIFY(ran.out.contains(u"77"));
    const auto document = run({QStringLiteral("verify"), QStringLiteral("--json")});
    QCOMPARE(document.code, 4);
    QCOMPARE(firstView(document).value(u"equal"), QJsonValue(false));
    QCOMPARE(firstView(document).value(u"sample").toArray().size(), 2);
}

void tst_IvmctlEmbedded::verifyComparesBits()
{
    QCOMPARE(sql(QStringLiteral("CREATE TABLE z AS SELECT 'a' AS k, -0e0 AS x")).code, 0);
    write(QStringLiteral("views.yaml"),
          "views:\n  - {name: lows, query: 'SELECT k, min(x) AS low FROM z GROUP BY k'}\n");
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    QCOMPARE(run({QStringLiteral("verify")}).code, 0);
    QCOMPARE(sql(QStringLiteral("UPDATE lows SET low = 0e0")).code, 0);
    QCOMPARE(run({QStringLiteral("verify")}).code, 4);
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    QCOMPARE(run({QStringLiteral("verify")}).code, 0);
}

void tst_IvmctlEmbedded::verifyRefusesARangeThatIsNone_data()
{
    QTest::addColumn<QStringList>("range");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const QString &from, const QString &to,
                        const QString &message) {
        QStringList range{QStringLiteral("--from"), from};
        if (!to.isEmpty())
            range += {QStringLiteral("--to"), to};
        QTest::newRow(name) << range << message;
    };
    const QString shape = QStringLiteral(" is not a point in time. Write it as 2001-01-31 or "
                                         "2001-01-31 12:00:00, in UTC");
    row("no time at all", QStringLiteral("x"), {}, QStringLiteral("'x'") + shape);
    row("no such day", QStringLiteral("2024-02-30"), {}, QStringLiteral("'2024-02-30'") + shape);
    row("the wrong way round", QStringLiteral("2024-01-02"), QStringLiteral("2024-01-01 12:00"),
        QStringLiteral("there is nothing from '2024-01-02' to '2024-01-01 12:00'. The first is the "
                       "first bucket, the second the one after the last"));
}

void tst_IvmctlEmbedded::verifyRefusesARangeThatIsNone()
{
    QFETCH(QStringList, range);
    QFETCH(QString, message);
    makeEvents();
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    const auto ran = run(QStringList{QStringLiteral("verify"), QStringLiteral("hourly")} + range);
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err, u"ivmctl: error: " + message + u"\n");
}

void tst_IvmctlEmbedded::verifyRefusesARangeOfAnotherKind_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("message");
    const QString time = QStringLiteral("2026-01-01T10:00");
    QTest::newRow("no bucket") << QStringLiteral("origin") << time
                               << QStringLiteral("view 'v' has no time bucket to take a range of. "
                                                 "Verify it whole: leave --from and --to out");
    QTest::newRow("a time among dates")
        << QStringLiteral("date(ts)") << time
        << QStringLiteral("'2026-01-01T10:00' has a time, and the view's buckets are dates. Write "
                          "2026-01-01");
    QTest::newRow("a time among numbers")
        << QStringLiteral("CAST(to_unixtime(ts) AS bigint) / 300 * 300") << time
        << QStringLiteral("'2026-01-01T10:00' is not a whole number. The view's buckets are "
                          "numbers: write one");
}

void tst_IvmctlEmbedded::verifyRefusesARangeOfAnotherKind()
{
    QFETCH(QString, key);
    QFETCH(QString, from);
    QFETCH(QString, message);
    makeEvents();
    write(QStringLiteral("views.yaml"), "views:\n  - {name: v, query: \"SELECT " + key.toUtf8() +
                                            " AS k, count(*) AS n FROM ev GROUP BY 1\"}\n");
    QCOMPARE(run({QStringLiteral("refresh")}).code, 0);
    const auto ran = run({QStringLiteral("verify"), QStringLiteral("--from"), from});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err, u"ivmctl: error: " + message + u"\n");
}

void tst_IvmctlEmbedded::oneFailedViewDoesNotStopTheOthers()
{
    makeEvents();
    write(QStringLiteral("views.yaml"),
          kViews + "  - name: lost\n"
                   "    query: SELECT k, count(*) AS n FROM nope GROUP BY k\n"
                   "  - name: refused\n"
                   "    query: SELECT k, count(*) FROM nope GROUP BY k\n");
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 3);
    QVERIFY2(ran.out.startsWith(u"hourly   rebuild"), qPrintable(ran.out));
    QVERIFY2(ran.out.contains(u"\nlost     error        "), qPrintable(ran.out));
    QVERIFY2(ran.out.contains(u"\nrefused  error        missing_alias\n"), qPrintable(ran.out));
    const auto one = run({QStringLiteral("refresh"), QStringLiteral("lost")});
    QCOMPARE(one.code, 1);
    const auto refused = run({QStringLiteral("refresh"), QStringLiteral("refused")});
    QCOMPARE(refused.code, 2);
    QCOMPARE(refused.err, u"ivmctl: error: views.yaml:9:22: view 'refused': count(*) has no name. "
                          u"Add an alias: … AS name\n");
    const auto unknown = run({QStringLiteral("refresh"), QStringLiteral("hourli")});
    QCOMPARE(unknown.code, 2);
    QCOMPARE(unknown.err,
             u"ivmctl: error: there is no view named 'hourli'. Did you mean 'hourly'?\n");

    QStringList statuses;
    for (const auto &view :
         run({QStringLiteral("views"), QStringLiteral("--json")}).json().value(u"views").toArray())
        statuses.append(view.toObject().value(u"status").toString());
    QCOMPARE(statuses, (QStringList{QStringLiteral("idle"), QStringLiteral("error"),
                                    QStringLiteral("refused")}));
}

void tst_IvmctlEmbedded::refusesWhatCannotBeKept()
{
    makeEvents();
    write(QStringLiteral("views.yaml"), "views:\n"
                                        "  - name: random\n"
                                        "    query: |\n"
                                        "      SELECT origin,\n"
                                        "        max(random()) AS r\n"
                                        "      FROM ev GROUP BY 1\n");
    const auto ran = run({QStringLiteral("check")});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.startsWith(u"ivmctl: error: views.yaml:5:13: view 'random': "),
             qPrintable(ran.err));
}

void tst_IvmctlEmbedded::checksAgainstTheEngine()
{
    makeEvents();
    write(QStringLiteral("views.yaml"),
          kViews +
              "  - name: daily\n"
              "    query: SELECT date_trunc('day', h) AS d, sum(n) AS n FROM hourly GROUP BY 1\n"
              "  - name: wrong\n"
              "    query: |\n"
              "      SELECT origin,\n"
              "        sum(nope) AS n\n"
              "      FROM ev GROUP BY 1\n"
              "  - name: bars\n"
              "    query: SELECT time_bucket('5 minutes', origin) AS b FROM ev GROUP BY 1\n");
    QCOMPARE(run({QStringLiteral("check")}).code, 0);
    const auto ran = run({QStringLiteral("check"), QStringLiteral("--online")});
    QCOMPARE(ran.code, 2);
    const QStringList lines = ran.err.split(u'\n');
    QCOMPARE(lines.size(), 5);
    QCOMPARE(lines[0], u"ivmctl: warning: views.yaml:7:12: view 'daily' cannot be looked at before "
                       u"its source iceberg.main.hourly is there. Run: ivmctl refresh hourly");
    QVERIFY2(
        lines[1].startsWith(u"ivmctl: error: views.yaml:11:13: view 'wrong': there is no column "
                            u"'nope'. Known here: origin, ts"),
        qPrintable(lines[1]));
    QCOMPARE(lines[2], u"ivmctl: error: views.yaml:14:44: view 'bars': time_bucket() takes a "
                       u"timestamp, and origin is varchar. Write CAST(… AS timestamp)");
    QCOMPARE(lines[3], u"4 views, 2 errors, 1 warning");
}

void tst_IvmctlEmbedded::saysThatTheWarehouseIsMissing()
{
    const QString error =
        QStringLiteral(
            "ivmctl: error: warehouse %1: there is no such folder. Make its first table with "
            "'ivmctl sql', or set executor.warehouse to the folder of another\n")
            .arg(warehouse());
    for (const char *command : {"refresh", "verify"}) {
        const auto ran = run({QString::fromLatin1(command)});
        QCOMPARE(ran.code, 1);
        QCOMPARE(ran.err, error);
    }
    const auto explained = run({QStringLiteral("explain"), QStringLiteral("hourly")});
    QCOMPARE(explained.code, 1);
    QCOMPARE(explained.err, error);
    const auto views = run({QStringLiteral("views"), QStringLiteral("--json")});
    QCOMPARE(views.code, 0);
    QCOMPARE(firstView(views).value(u"status").toString(), u"pending");
    QVERIFY(!QFileInfo::exists(warehouse()));
}

void tst_IvmctlEmbedded::saysThatTheWarehouseIsNoFolder()
{
    write(QStringLiteral("ivm-data"), "text\n");
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.err, QStringLiteral("ivmctl: error: warehouse %1: this is not a folder. Set "
                                     "executor.warehouse to a folder\n")
                          .arg(warehouse()));
}

void tst_IvmctlEmbedded::saysThatTheWarehouseCannotBeMade()
{
    write(QStringLiteral("ivm.yaml"), "executor: {plugin: duckdb, warehouse: /proc/ivm-data}\n");
    const auto ran = sql(QStringLiteral("CREATE TABLE t (a bigint)"));
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.err, u"ivmctl: error: 1:14: the warehouse folder /proc/ivm-data could not be "
                      u"made. Check that the folder "
                      "above it exists and may be written\n");
}

void tst_IvmctlEmbedded::saysThatATableIsMissing()
{
    QCOMPARE(sql(QStringLiteral("CREATE TABLE other (a bigint)")).code, 0);
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.err, u"ivmctl: error: views.yaml:5:12: view 'hourly': there is no Iceberg table "
                      u"iceberg.main.ev\n");
}

void tst_IvmctlEmbedded::saysThatTheCatalogIsDamaged()
{
    QVERIFY(QDir(m_program->folder()).mkdir(QStringLiteral("ivm-data")));
    write(QStringLiteral("ivm-data/catalog.db"), QByteArray(4096, 'x'));
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(
                 QString(warehouse() + QStringLiteral("/catalog.db: file is not a database"))),
             qPrintable(ran.err));
}

void tst_IvmctlEmbedded::saysThatTheStateCannotBeKept()
{
    makeEvents();
    write(QStringLiteral("ivm.yaml"), "state: {path: no/such/state.db}\n");
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.err, QStringLiteral("ivmctl: error: state store %1: the folder %2 does not exist. "
                                     "Create it, or set state.path in "
                                     "the configuration to another file\n")
                          .arg(m_program->path(QStringLiteral("no/such/state.db")),
                               m_program->path(QStringLiteral("no/such"))));
    // Nothing was written to a target.
    QCOMPARE(sql(QStringLiteral("SELECT * FROM hourly")).code, 1);
}

void tst_IvmctlEmbedded::saysWhichSectionAPluginRefuses()
{
    makeEvents();
    write(QStringLiteral("ivm.yaml"), "executor: {plugin: duckdb}\ndetector:\n  plugin: catalog\n"
                                      "  catalog: {type: jdbc, url: 'mysql://somewhere/db'}\n");
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.startsWith(QStringLiteral("ivmctl: error: ivm.yaml:3:3: detector.catalog: "
                                               "'url' is not postgresql://host/database. ")),
             qPrintable(ran.err));
}

void tst_IvmctlEmbedded::saysThatTrinoIsNotThere()
{
    m_program->set(QStringLiteral("TRINO_URL"), QStringLiteral("http://127.0.0.1:1"));
    m_program->set(QStringLiteral("TRINO_USER"), QStringLiteral("ivm"));
    const QString error = QStringLiteral(
        "ivmctl: error: Trino at http://127.0.0.1:1 does not answer: Connection refused. Check "
        "that it runs and that url (TRINO_URL) is right\n");
    const auto refreshed = run({QStringLiteral("refresh"), QStringLiteral("--json")});
    QCOMPARE(refreshed.code, 1);
    QCOMPARE(refreshed.err, error);
    QCOMPARE(refreshed.json().value(u"error").toObject().value(u"code").toString(), u"not_reached");
    QCOMPARE(sql(QStringLiteral("SELECT 1")).err, error);
    const auto checked = run({QStringLiteral("check"), QStringLiteral("--online")});
    QCOMPARE(checked.code, 1);
    QVERIFY2(checked.err.startsWith(error), qPrintable(checked.err));
}

QTEST_GUILESS_MAIN(tst_IvmctlEmbedded)
#include "tst_ivmctl_embedded.moc"
