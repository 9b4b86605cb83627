// The long-running host on a real Trino: an embedded warehouse that grew up, of whose configuration
// only the executor changes; and how it ends while the cluster works for it.
#include "tests/e2e/ivmd.h"
#include "tests/support/slow_query.h"

#include <QUuid>

using namespace ivm::test;

namespace {

const QByteArray kViews = R"(views:
  - name: hourly
    query: |
      SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) AS total
      FROM ev GROUP BY 1, 2
    target_lag: 60s
  - name: daily
    query: |
      SELECT k, date_trunc('day', h) AS d, sum(n) AS n, sum(total) AS total
      FROM hourly GROUP BY 1, 2
)";

const QByteArray kSlow = "views:\n  - name: slow\n    query: SELECT date_trunc('hour', ts) AS h, " +
                         slowMaximum(QStringLiteral("x")).toUtf8() + " AS n FROM ev GROUP BY 1\n";

}  // namespace

class tst_IvmdTrino : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();

    void onlyTheExecutorChanges();
    void cancelsWhatItRuns_data();
    void cancelsWhatItRuns();

private:
    // The catalog is called so by Trino.
    QByteArray embedded() const
    {
        return "executor: {plugin: duckdb, warehouse: '" + m_warehouse +
               "', catalog: embedded, schema: " + m_schema + "}\n";
    }
    QByteArray trino() const
    {
        return "executor: {plugin: trino, catalog: embedded, schema: " + m_schema + "}\n";
    }
    // The next host runs with this executor; nothing else of the file changes.
    void use(const QByteArray &executor)
    {
        QByteArray config = kHostConfig;
        config.replace(0, config.indexOf('\n') + 1, executor);
        QVERIFY(m_ctl->write(QStringLiteral("ivm.yaml"), config));
        m_host = std::make_unique<Ivmd>(m_ctl->folder());
        for (const QString &name : {QStringLiteral("TRINO_URL"), QStringLiteral("TRINO_USER")}) {
            m_host->set(name, qEnvironmentVariable(name.toLatin1()));
            m_ctl->set(name, qEnvironmentVariable(name.toLatin1()));
        }
    }
    QString daily()
    {
        return sql(QStringLiteral("SELECT k, n, total FROM daily ORDER BY 1, 2, 3"));
    }
    QString lastAction(const QString &view)
    {
        return m_host->view(view).value(u"last_action").toString();
    }
    // The ids of the statements that change the view's table now.
    QString running()
    {
        return sql(QStringLiteral("SELECT query_id FROM system.runtime.queries WHERE query LIKE "
                                  "'%MERGE INTO%%1%' AND query NOT LIKE '%system.runtime%' AND "
                                  "state = 'RUNNING'")
                       .arg(QString::fromLatin1(m_schema)));
    }

    QByteArray m_warehouse = qgetenv("IVM_TEST_EMBEDDED");
    QByteArray m_schema;
};

void tst_IvmdTrino::initTestCase()
{
    QVERIFY2(!m_warehouse.isEmpty(), "IVM_TEST_EMBEDDED is not set: start a Trino with "
                                     "tests/trino/up and load the env file it names");
}

void tst_IvmdTrino::init()
{
    m_schema = "host_" + QUuid::createUuid().toByteArray(QUuid::Id128).first(8);
    begin(kViews);
    use(embedded());
    QCOMPARE(sql(QStringLiteral("CREATE TABLE ev (k varchar, ts timestamp(6), x bigint)")),
             QString());
    QCOMPARE(sql(QStringLiteral("INSERT INTO ev VALUES ('a', TIMESTAMP '2024-01-01 01:00:00', 1), "
                                "('a', TIMESTAMP '2024-03-01 01:00:00', 2)")),
             QString());
}

void tst_IvmdTrino::cleanup()
{
    m_host.reset();
    sql(QStringLiteral("DROP SCHEMA embedded.%1 CASCADE").arg(QString::fromLatin1(m_schema)));
    end();
}

void tst_IvmdTrino::onlyTheExecutorChanges()
{
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
    QTRY_COMPARE(daily(), QStringLiteral("a|1|1 a|1|2"));
    QTRY_COMPARE(m_host->view(QStringLiteral("daily")).value(u"status").toString(),
                 QStringLiteral("idle"));
    m_host->signal(SIGTERM);
    QCOMPARE(m_host->ended(), 0);

    use(trino());
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
    sql(QStringLiteral("INSERT INTO ev VALUES ('b', TIMESTAMP '2024-03-01 02:00:00', 3)"));
    QTRY_COMPARE(daily(), QStringLiteral("a|1|1 a|1|2 b|1|3"));
    QTRY_COMPARE(lastAction(QStringLiteral("daily")), QStringLiteral("incremental"));
    QCOMPARE(lastAction(QStringLiteral("hourly")), QStringLiteral("incremental"));
    sql(QStringLiteral("UPDATE ev SET x = 10, k = 'b' WHERE x = 1"));
    QTRY_COMPARE(daily(), QStringLiteral("a|1|2 b|1|3 b|1|10"));
    QVERIFY(allEqual());

    const QJsonObject view = m_host->view(QStringLiteral("hourly"));
    QCOMPARE(view.value(u"errors").toInt(), 0);
    const QByteArray metrics = m_host->get("/metrics").body;
    QVERIFY2(metrics.contains("mv_refresh_total{type=\"incremental\",view=\"hourly\"} 2\n"),
             metrics.constData());
    QVERIFY(!metrics.contains("type=\"full\",view=\"hourly\""));
    // Where one looks at the statements of its refreshes.
    const QByteArray link = qgetenv("TRINO_URL") + "/ui/query.html?";
    QVERIFY2(m_host->get("/api/views").body.contains(link),
             m_host->get("/api/views").body.constData());

    // And back.
    m_host->signal(SIGTERM);
    QCOMPARE(m_host->ended(), 0);
    use(embedded());
    sql(QStringLiteral("DELETE FROM ev WHERE x = 2"));
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
    QTRY_COMPARE(daily(), QStringLiteral("b|1|3 b|1|10"));
    QTRY_COMPARE(lastAction(QStringLiteral("daily")), QStringLiteral("incremental"));
}

void tst_IvmdTrino::cancelsWhatItRuns_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<int>("code");
    QTest::newRow("SIGTERM") << SIGTERM << 0;
    QTest::newRow("over REST") << 0 << 0;
    QTest::newRow("kill -9, then the next host") << SIGKILL << -1;
}

void tst_IvmdTrino::cancelsWhatItRuns()
{
    QFETCH(int, number);
    QFETCH(int, code);
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), kSlow));
    use(trino());
    sql(QStringLiteral("INSERT INTO ev SELECT 'z', TIMESTAMP '2024-03-01 02:00:00', n FROM "
                       "UNNEST(sequence(1, 2000)) AS s (n)"));
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
    QString first;
    QTRY_VERIFY(!(first = running()).isEmpty());
    if (number == 0) {
        QCOMPARE(m_host->ask("DELETE", "/api/views/slow/refresh").status, 200);
        QTRY_VERIFY(!running().contains(first));
        number = SIGTERM;
    }
    m_host->signal(number);
    QCOMPARE(m_host->ended(), code);
    if (number == SIGKILL) {
        // It settles what the one before it left running.
        m_host = {};
        use(trino());
        QVERIFY2(m_host->start(), qPrintable(m_host->log()));
        QTRY_VERIFY(!running().contains(first));
        m_host->signal(SIGTERM);
        QCOMPARE(m_host->ended(), 0);
    }
    QTRY_COMPARE(running(), QString());
    // Nothing is left that would keep others from the view.
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"),
                         "views:\n  - name: slow\n    query: SELECT date_trunc('hour', ts) AS h, "
                         "count(*) AS n FROM ev GROUP BY 1\n"));
    const auto ran = m_ctl->run({QStringLiteral("refresh")});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QVERIFY(allEqual());
}

QTEST_GUILESS_MAIN(tst_IvmdTrino)
#include "tst_ivmd_trino.moc"
