// The long-running host when things go wrong, and are put right again.
#include "tests/e2e/ivmd.h"

#include <sys/stat.h>

using namespace ivm::test;

namespace {

const QByteArray kViews = R"(views:
  - name: hourly
    query: |
      SELECT k, date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1, 2
)";

QString statusOf(const QJsonObject &view) { return view.value(u"status").toString(); }

}  // namespace

class tst_IvmdFaults : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        begin(kViews);
        sql(QStringLiteral("CREATE TABLE ev (k varchar, ts timestamp(6))"));
        sql(QStringLiteral("INSERT INTO ev VALUES ('a', TIMESTAMP '2024-01-01 01:00:00')"));
    }
    void cleanup() { end(); }

    void isWellAgainWithoutACommit();
    void isReadyWithoutViews();
    void cancelsARefresh_data();
    void cancelsARefresh();
    void beginsInAnEmptyFolder();
    void readsNoPipe();
    void endsWhereItsPlaceIsNotTakenBack();

private:
    QString hourly() { return sql(QStringLiteral("SELECT k, n FROM hourly ORDER BY 1")); }
};

// What it failed for went by without anything to do.
void tst_IvmdFaults::isWellAgainWithoutACommit()
{
    QVERIFY(m_host->start());
    QTRY_COMPARE(hourly(), QStringLiteral("a|1"));
    const auto status = [this] { return statusOf(m_host->view(QStringLiteral("hourly"))); };
    sql(QStringLiteral("ALTER TABLE ev RENAME TO away"));
    QTRY_COMPARE(status(), QStringLiteral("error"));
    sql(QStringLiteral("ALTER TABLE away RENAME TO ev"));
    QTRY_COMPARE(status(), QStringLiteral("idle"));
    QCOMPARE(m_host->view(QStringLiteral("hourly")).value(u"error"), QJsonValue());
    QTRY_COMPARE(health(*m_host), QStringLiteral("ok"));
}

void tst_IvmdFaults::isReadyWithoutViews()
{
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), "views: []\n"));
    QVERIFY(m_host->start());
    QTRY_COMPARE(m_host->get("/ready").status, 200);
    QVERIFY(QFile::remove(m_ctl->path(QStringLiteral("views.yaml"))));
    const auto made =
        m_host->ask("POST", "/api/views",
                    R"({"name": "keys", "query": "SELECT k, count(*) AS n FROM ev GROUP BY k"})");
    QCOMPARE(made.status, 409);
    QCOMPARE(made.errorCode(), QStringLiteral("file_changed"));
}

void tst_IvmdFaults::cancelsARefresh_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("by itself") << QByteArray("DELETE") << QByteArray("/api/views/endless/refresh")
                               << QByteArray();
    QTest::newRow("with its view")
        << QByteArray("DELETE") << QByteArray("/api/views/endless") << QByteArray();
    QTest::newRow("by another definition")
        << QByteArray("PUT") << QByteArray("/api/views/endless")
        << QByteArray(R"({"query": "SELECT r, max(x) AS l FROM many GROUP BY r"})");
}

void tst_IvmdFaults::cancelsARefresh()
{
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, body);
    makeMany();
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"),
                         "views:\n  - name: endless\n    query: SELECT r, listagg(x, ',') WITHIN "
                         "GROUP (ORDER BY x DESC) AS l FROM many GROUP BY r\n"));
    QVERIFY(m_host->start());
    const auto status = [this] { return statusOf(m_host->view(QStringLiteral("endless"))); };
    QTRY_COMPARE(status(), QStringLiteral("refreshing"));
    const auto answer = m_host->ask(method, path, body);
    QCOMPARE(answer.status, 200);
    if (path.endsWith("/refresh")) {
        QCOMPARE(answer.object().value(u"cancelled"), QJsonValue(true));
        QTRY_COMPARE(status(), QStringLiteral("error"));
    } else {
        QTRY_COMPARE(status(), method == "PUT" ? QStringLiteral("idle") : QString());
        QVERIFY2(!m_host->get("/metrics").body.contains("mv_refresh_errors_total{view=\"endless"),
                 qPrintable(m_host->log()));
    }
    // Nothing of it is left to wait for.
    m_host->signal(SIGTERM);
    QCOMPARE(m_host->ended(), 0);
}

void tst_IvmdFaults::beginsInAnEmptyFolder()
{
    const Program empty(QStringLiteral(IVM_CTL));
    QVERIFY(empty.write(QStringLiteral("ivm.yaml"), "server: {port: 0}\n"));
    Ivmd host(empty.folder());
    QVERIFY2(host.start(), qPrintable(host.log()));
    QTRY_COMPARE(host.get("/ready").status, 200);
    QCOMPARE(host.ask("POST", "/api/views",
                      R"({"name": "keys", "query": "SELECT k, count(*) AS n FROM ev GROUP BY k"})")
                 .status,
             201);
    const auto made =
        empty.run({QStringLiteral("sql"), QStringLiteral("CREATE TABLE ev AS SELECT 'a' AS k")});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QTRY_COMPARE(statusOf(host.view(QStringLiteral("keys"))), QStringLiteral("idle"));
}

// Whose writer may never come.
void tst_IvmdFaults::readsNoPipe()
{
    QVERIFY(m_host->start());
    QTRY_COMPARE(hourly(), QStringLiteral("a|1"));
    const QString path = m_ctl->path(QStringLiteral("views.yaml"));
    QVERIFY(QFile::remove(path));
    QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
    // Between the two it may have seen that the file is gone.
    QTRY_VERIFY(m_host->log().contains(QStringLiteral("views.yaml is no regular file")));
    QCOMPARE(health(*m_host), QStringLiteral("degraded"));
    QVERIFY(QFile::remove(path));
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), kViews));
    QTRY_COMPARE(health(*m_host), QStringLiteral("ok"));
}

// The engine that keeps the state may hang.
void tst_IvmdFaults::endsWhereItsPlaceIsNotTakenBack()
{
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), "views: []\n"));
    QVERIFY(m_ctl->write(
        QStringLiteral("ivm.yaml"),
        QByteArray(kHostConfig).replace("{port: 0", "{port: 0, shutdown_grace_seconds: 1") +
            "state: {plugin: clutching}\n"));
    m_host->set(QStringLiteral("IVM_PLUGIN_PATH"), QStringLiteral(IVM_CLUTCHING));
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
    QElapsedTimer timer;
    timer.start();
    m_host->signal(SIGTERM);
    QCOMPARE(m_host->ended(), 0);
    // It would be taken after a minute.
    QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY2(m_host->log().contains(u"work did not end within server.shutdown_grace_seconds"),
             qPrintable(m_host->log()));
}

QTEST_GUILESS_MAIN(tst_IvmdFaults)
#include "tst_ivmd_faults.moc"
