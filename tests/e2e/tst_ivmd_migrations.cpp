// ivmd and migrations side by side: the host knows what they change without a restart, and readers
// see the one version of a view or the other.
#include "tests/e2e/ivmd.h"

#include <QDir>

#include <atomic>
#include <thread>

using namespace ivm::test;

namespace {

const QByteArray kEvents = "upgrade:\n"
                           "- create_table:\n"
                           "    name: ev\n"
                           "    columns: [{name: k, type: bigint}, {name: v, type: bigint}]\n"
                           "- sql: {statement: 'INSERT INTO ev VALUES (1, 10), (2, 20)', undo: "
                           "DELETE FROM ev}\n";
const QByteArray kView = "upgrade:\n- create_view: {name: by_k, query: 'SELECT k, count(*) AS n "
                         "FROM ev GROUP BY k', refresh_interval_seconds: 0.1}\n";
const QByteArray kReplaced =
    "upgrade:\n- replace_view: {name: by_k, query: 'SELECT k, count(*) AS n, sum(v) AS s FROM ev "
    "GROUP BY k', refresh_interval_seconds: 0.1}\n";
const QByteArray kSameColumns =
    "upgrade:\n- replace_view: {name: by_k, query: 'SELECT k, sum(v) AS n FROM ev GROUP BY k', "
    "refresh_interval_seconds: 0.1}\n";

}  // namespace

class tst_IvmdMigrations : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { end(); }
    void picksUpWhatAMigrationMade();
    void whatAMigrationOwnsTheApiLeavesAlone();
    void readersSeeOneVersionOrTheOther_data();
    void readersSeeOneVersionOrTheOther();
    void aDroppedViewIsNotMadeAgain();
    void whereTheFileDiffersTheMigrationIsInForce();

private:
    void write(const QString &name, const QByteArray &text)
    {
        QVERIFY(m_ctl->write(QStringLiteral("migrations/") + name, text));
    }
    Ran migrate(const QString &arguments)
    {
        return m_ctl->run(QString(QStringLiteral("migrate ") + arguments).split(u' '));
    }
    QString state(const QString &view) const
    {
        const auto object = m_host->view(view);
        return object.value(u"owner").toString() + u' ' + object.value(u"status").toString();
    }
};

void tst_IvmdMigrations::init()
{
    begin("views: []\n");
    QVERIFY(QDir(m_ctl->folder()).mkdir(QStringLiteral("migrations")));
    write(QStringLiteral("0001_events.yaml"), kEvents);
    write(QStringLiteral("0002_by_k.yaml"), kView);
    QVERIFY(m_host->start());
}

void tst_IvmdMigrations::picksUpWhatAMigrationMade()
{
    QCOMPARE(m_host->get("/api/migrations").object().value(u"namespaces").toArray().size(), 0);
    const auto ran = migrate(QStringLiteral("upgrade"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
    QCOMPARE(m_host->view(QStringLiteral("by_k")).value(u"migration").toString(),
             QStringLiteral("migration 0002"));
    // It is the host's to keep from now on.
    sql(QStringLiteral("INSERT INTO ev VALUES (1, 5)"));
    QTRY_COMPARE(sql(QStringLiteral("SELECT * FROM by_k ORDER BY k")), QStringLiteral("1|2 2|1"));

    const auto told = m_host->get("/api/migrations").object();
    const auto line = told.value(u"namespaces").toArray().first().toObject();
    QCOMPARE(line.value(u"namespace").toString(), QStringLiteral("default"));
    QCOMPARE(line.value(u"current").toInteger(), 2);
    QCOMPARE(line.value(u"views").toArray(), QJsonArray{QStringLiteral("by_k")});
    QCOMPARE(told.value(u"events").toArray().last()[u"event"].toString(),
             QStringLiteral("upgrade_done"));

    // Another host, later, knows it too.
    m_host->killAtOnce();
    QVERIFY(m_host->start());
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
}

void tst_IvmdMigrations::whatAMigrationOwnsTheApiLeavesAlone()
{
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
    const QByteArray entry =
        R"({"name":"by_k","query":"SELECT k, max(v) AS n FROM ev GROUP BY k"})";
    for (const auto &answer :
         {m_host->ask("PUT", "/api/views/by_k", entry), m_host->ask("POST", "/api/views", entry),
          m_host->ask("DELETE", "/api/views/by_k")}) {
        QCOMPARE(answer.status, 409);
        QCOMPARE(answer.errorCode(), QStringLiteral("owned_by_migration"));
        QVERIFY(answer.body.contains("migration 0002"));
    }
    QCOMPARE(file(QStringLiteral("views.yaml")), QByteArray("views: []\n"));
}

void tst_IvmdMigrations::readersSeeOneVersionOrTheOther_data()
{
    QTest::addColumn<QByteArray>("replacement");
    QTest::addColumn<QString>("rows");
    QTest::newRow("a column more") << kReplaced << QStringLiteral("1|1|10 2|1|20");
    QTest::newRow("the same columns") << kSameColumns << QStringLiteral("1|10 2|20");
}

void tst_IvmdMigrations::readersSeeOneVersionOrTheOther()
{
    QFETCH(QByteArray, replacement);
    QFETCH(QString, rows);
    const QString old = QStringLiteral("1|1 2|1");
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
    write(QStringLiteral("0003_more.yaml"), replacement);

    QStringList seen;
    std::atomic<bool> isOver = false;
    std::thread reader([&] {
        const Program reading(QStringLiteral(IVM_CTL));
        if (!reading.write(QStringLiteral("ivm.yaml"),
                           "executor: {plugin: duckdb, warehouse: " +
                               m_ctl->path(QStringLiteral("warehouse")).toUtf8() + "}\n"))
            return;
        while (!isOver) {
            const auto ran = reading.run({QStringLiteral("--json"), QStringLiteral("sql"),
                                          QStringLiteral("SELECT * FROM by_k ORDER BY k")});
            QStringList lines;
            const auto list = ran.json().value(u"rows").toArray();
            for (const auto &row : list) {
                QStringList cells;
                const auto values = row.toArray();
                for (const auto &value : values)
                    cells.append(value.toVariant().toString());
                lines.append(cells.join(u'|'));
            }
            seen.append(ran.code == 0 ? lines.join(u' ') : ran.err);
        }
    });
    const auto up = migrate(QStringLiteral("upgrade"));
    const QString after = sql(QStringLiteral("SELECT * FROM by_k ORDER BY k"));
    const auto down = migrate(QStringLiteral("downgrade -1"));
    isOver = true;
    reader.join();
    QVERIFY2(up.code == 0, qPrintable(up.err));
    QVERIFY2(down.code == 0, qPrintable(down.err));
    QCOMPARE(after, rows);
    QCOMPARE(sql(QStringLiteral("SELECT * FROM by_k ORDER BY k")), old);
    QVERIFY(seen.size() > 2);
    for (const auto &one : std::as_const(seen))
        QVERIFY2(one == old || one == rows, qPrintable(one));
    // The host is at peace with it.
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
    sql(QStringLiteral("INSERT INTO ev VALUES (1, 5)"));
    QTRY_COMPARE(sql(QStringLiteral("SELECT * FROM by_k ORDER BY k")), QStringLiteral("1|2 2|1"));
}

void tst_IvmdMigrations::aDroppedViewIsNotMadeAgain()
{
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
    const auto ran = migrate(QStringLiteral("downgrade 1 --yes"));
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QTRY_COMPARE(m_host->get("/api/views").list().size(), 0);
    sql(QStringLiteral("INSERT INTO ev VALUES (3, 5)"));
    const QString read = sql(QStringLiteral("SELECT * FROM by_k"));
    QVERIFY2(read.contains(QStringLiteral("there is no table")), qPrintable(read + m_host->log()));
    QVERIFY2(!m_host->log().contains(QStringLiteral("rror")), qPrintable(m_host->log()));
}

void tst_IvmdMigrations::whereTheFileDiffersTheMigrationIsInForce()
{
    QCOMPARE(migrate(QStringLiteral("upgrade")).code, 0);
    QTRY_COMPARE(state(QStringLiteral("by_k")), QStringLiteral("migration idle"));
    QVERIFY(
        m_ctl->write(QStringLiteral("views.yaml"),
                     "views:\n- name: by_k\n  query: SELECT k, max(v) AS n FROM ev GROUP BY k\n"));
    const auto health = [this]() -> QString {
        const auto told = m_host->get("/health").object();
        const auto problems = told.value(u"problems").toArray();
        return told.value(u"status").toString() + u' ' +
               (problems.isEmpty() ? QString() : problems.first()[u"message"].toString());
    };
    QTRY_COMPARE(health(),
                 QStringLiteral("degraded view 'by_k': this entry says something else than "
                                "migration 0002, which is in force"));
    // And is kept right.
    sql(QStringLiteral("INSERT INTO ev VALUES (7, 5)"));
    QTRY_VERIFY(sql(QStringLiteral("SELECT * FROM by_k")).contains(QStringLiteral("7|1")));
    QVERIFY(
        m_ctl->write(QStringLiteral("views.yaml"),
                     "views:\n- name: by_k\n  query: select k, count(*) as n from ev group by 1\n  "
                     "refresh_interval_seconds: 0.1\n"));
    QTRY_COMPARE(health(), QStringLiteral("ok "));
}

QTEST_GUILESS_MAIN(tst_IvmdMigrations)
#include "tst_ivmd_migrations.moc"
