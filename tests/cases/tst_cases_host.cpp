// Cases of the areas config and ops: what a long-running host does when files, disks and processes
// misbehave. Those that need a browser are in tests/browser.
#include "tests/e2e/ivmd.h"

#include <QMutex>

#include <atomic>
#include <thread>

using namespace ivm::test;

namespace {

const QByteArray kHourly = R"(views:
  - name: ev_hourly
    query: |
      SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n, sum(v) AS total
      FROM ev GROUP BY 1, 2
  - name: devices
    query: SELECT dev, count(*) AS n FROM other GROUP BY dev
)";

double numberIn(const QByteArray &metrics, const QByteArray &series)
{
    const auto at = metrics.indexOf(QByteArray('\n' + series + ' '));
    return at < 0 ? -1 : metrics.sliced(at + series.size() + 2).split('\n').first().toDouble();
}

}  // namespace

class tst_CasesHost : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        begin(kHourly);
        sql(QStringLiteral("CREATE TABLE ev (ts timestamp(6) with time zone, dev varchar, v "
                           "bigint)"));
        sql(QStringLiteral("CREATE TABLE other (dev varchar)"));
        insert("01", "a");
        sql(QStringLiteral("INSERT INTO other VALUES 'a'"));
    }
    void cleanup() { end(); }

    void case_C029();
    void case_C063_data();
    void case_C063();
    void case_C064();
    void case_C065();
    void case_C067();

private:
    void insert(const char *hour, const char *device)
    {
        sql(QStringLiteral("INSERT INTO ev VALUES (TIMESTAMP '2026-03-01 %1:15:00 UTC', '%2', 1)")
                .arg(QLatin1StringView(hour), QLatin1StringView(device)));
    }
    QString hours()
    {
        return sql(QStringLiteral("SELECT hour(hr), dev, n FROM ev_hourly ORDER BY 1, 2"));
    }
    QString devices() { return sql(QStringLiteral("SELECT dev, n FROM devices ORDER BY 1")); }
    QByteArray metrics() { return m_host->get("/metrics").body; }
};

// StarRocks/starrocks#76499: a view that could not be refreshed any more went on being "active".
void tst_CasesHost::case_C029()
{
    QVERIFY(m_host->start());
    QTRY_COMPARE(hours(), QStringLiteral("1|a|1"));
    const auto good = m_host->view(QStringLiteral("ev_hourly")).value(u"bookmark");
    sql(QStringLiteral("ALTER TABLE ev DROP COLUMN v"));
    insert("02", "never");  // fails: the table has two columns now
    sql(QStringLiteral("INSERT INTO ev VALUES (TIMESTAMP '2026-03-01 02:15:00 UTC', 'b')"));

    const auto view = [&] { return m_host->view(QStringLiteral("ev_hourly")); };
    QTRY_COMPARE(view().value(u"status").toString(), QStringLiteral("error"));
    QTRY_VERIFY(numberIn(metrics(), "mv_refresh_errors_total{view=\"ev_hourly\"}") >= 2);
    QCOMPARE(view().value(u"waiting").toString(), QStringLiteral("failing"));
    QVERIFY(view().value(u"error").toString().contains(u'v'));
    QCOMPARE(view().value(u"bookmark"), good);
    QCOMPARE(m_host->get("/health").object().value(u"status").toString(),
             QStringLiteral("degraded"));
    const auto told = m_ctl->run({QStringLiteral("views")});
    QVERIFY2(told.out.contains(QStringLiteral("failing, next attempt")), qPrintable(told.out));
    const double lag = numberIn(metrics(), "mv_view_lag_seconds{view=\"ev_hourly\"}");
    QTRY_VERIFY(numberIn(metrics(), "mv_view_lag_seconds{view=\"ev_hourly\"}") > lag);
    // The others go on.
    sql(QStringLiteral("INSERT INTO other VALUES 'b'"));
    QTRY_COMPARE(devices(), QStringLiteral("a|1 b|1"));

    sql(QStringLiteral("ALTER TABLE ev ADD COLUMN v bigint"));
    sql(QStringLiteral("UPDATE ev SET v = 5"));
    QTRY_COMPARE(hours(), QStringLiteral("1|a|1 2|b|1"));
    QTRY_COMPARE(view().value(u"status").toString(), QStringLiteral("idle"));
    QTRY_COMPARE(m_host->get("/health").object().value(u"status").toString(), QStringLiteral("ok"));
    QVERIFY(allEqual());
}

// yaml/pyyaml#165: of two equal keys the last one won, and nobody was told. At a reload, whatever
// is wrong with the file keeps what runs.
void tst_CasesHost::case_C063_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    const QByteArray query = "    query: SELECT dev, count(*) AS n FROM other GROUP BY dev\n";
    QTest::newRow("a view's key twice")
        << QByteArray("views:\n  - name: devices\n" + query + query)
        << QStringLiteral("views.yaml:4:5: view 'devices': the key 'query' is given twice");
    QTest::newRow("the list twice")
        << QByteArray("views: []\nviews: []\n")
        << QStringLiteral("views.yaml:2:1: the key 'views' is given twice");
    QTest::newRow("an alias of nothing")
        << QByteArray("views: *nothing\n") << QStringLiteral("views.yaml:1:8: ");
    QTest::newRow("two documents")
        << QByteArray("views: []\n---\nviews: []\n") << QStringLiteral("views.yaml:");
    QTest::newRow("an empty file") << QByteArray() << QStringLiteral("is empty");
}

void tst_CasesHost::case_C063()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    QVERIFY(m_host->start());
    QTRY_COMPARE(devices(), QStringLiteral("a|1"));
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), text));
    m_host->signal(SIGHUP);
    QTRY_COMPARE(m_host->get("/health").object().value(u"status").toString(),
                 QStringLiteral("degraded"));
    QTRY_VERIFY2(m_host->log().contains(said), qPrintable(m_host->log()));
    // What is wrong with one view is that view's affair, and the rest of the file counts.
    if (text.contains("devices"))
        return;
    QVERIFY(metrics().contains("mv_config_good 0\n"));
    QVERIFY(metrics().contains("mv_views_configured 2\n"));
    insert("03", "c");
    QTRY_COMPARE(hours(), QStringLiteral("1|a|1 3|c|1"));
}

// Dicklesworthstone/beads_rust#141: a daemon and command lines on one SQLite file.
void tst_CasesHost::case_C064()
{
    constexpr int kKills = 6;
    constexpr int kReaders = 4;
    std::atomic<bool> over = false;
    std::atomic<int> looks = 0;
    QMutex mutex;
    QStringList bad;
    std::vector<std::jthread> readers;
    for (int i = 0; i < kReaders; ++i) {
        readers.emplace_back([&] {
            while (!over) {
                QProcess views;
                views.setWorkingDirectory(m_ctl->folder());
                views.start(QStringLiteral(IVM_CTL), {QStringLiteral("views")});
                views.waitForFinished(60'000);
                ++looks;
                if (views.exitCode() == 0 && views.exitStatus() == QProcess::NormalExit)
                    continue;
                const QMutexLocker lock(&mutex);
                bad.append(QString::fromUtf8(views.readAllStandardError()));
            }
        });
    }
    QString expected = QStringLiteral("a|1");
    for (int i = 0; i < kKills; ++i) {
        Ivmd host(m_ctl->folder());
        QVERIFY2(host.start(), qPrintable(host.log()));
        sql(QStringLiteral("INSERT INTO other VALUES 'd%1'").arg(i));
        expected += QStringLiteral(" d%1|1").arg(i);
        // At another moment of its work each time.
        for (int look = 0; look < i * 10; ++look)
            (void)host.get("/live");
        host.killAtOnce();
    }
    QVERIFY(m_host->start());
    QTRY_COMPARE(devices(), expected);
    over = true;
    readers.clear();
    QVERIFY(looks > kReaders);
    // A host that is killed between two looks leaves nobody who answers, which is a warning.
    QVERIFY2(bad.isEmpty(), qPrintable(bad.join(u'\n')));
    QVERIFY(allEqual());
    QProcess check;
    check.start(QStringLiteral("python3"),
                {QStringLiteral("-c"),
                 QStringLiteral("import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("
                                "'PRAGMA integrity_check').fetchone()[0])"),
                 m_ctl->path(QStringLiteral("warehouse/state.db"))});
    QVERIFY(check.waitForFinished());
    QCOMPARE(check.readAllStandardOutput().trimmed(), QByteArray("ok"));

    // State that cannot be written stops refreshes before they write to targets.
    m_host->killAtOnce();
    m_ctl->write(QStringLiteral("ivm.yaml"),
                 kHostConfig + "state: {plugin: sqlite, path: missing/state.db}\n");
    Ivmd without(m_ctl->folder());
    QVERIFY(!without.start());
    QCOMPARE(without.ended(), 1);
    QVERIFY(without.log().contains(QStringLiteral("missing")));
}

// vm0-ai/vm0#9050: a service that waits for its long job until it is killed.
void tst_CasesHost::case_C065()
{
    makeMany();
    m_ctl->write(QStringLiteral("views.yaml"),
                 kHourly + "  - name: endless\n    query: SELECT r, listagg(x, ',') WITHIN GROUP "
                           "(ORDER BY x) AS l, count(DISTINCT x || r) AS n FROM many GROUP BY r\n");
    QVERIFY(m_host->start());
    const auto endless = [&] { return m_host->view(QStringLiteral("endless")); };
    QTRY_COMPARE(endless().value(u"status").toString(), QStringLiteral("refreshing"));
    // A second signal changes nothing.
    m_host->signal(SIGTERM);
    m_host->signal(SIGTERM);
    QCOMPARE(m_host->ended(), 0);
    const auto state = [&] {
        const auto views = m_ctl->run(
            {QStringLiteral("--json"), QStringLiteral("views"), QStringLiteral("endless")});
        return views.json().value(u"views").toArray().first().toObject();
    };
    QCOMPARE(state().value(u"status").toString(), QStringLiteral("error"));
    QVERIFY2(state().value(u"error").toString().contains(QStringLiteral("stopped")) ||
                 state().value(u"error").toString().contains(QStringLiteral("cancelled")),
             qPrintable(state().value(u"error").toString()));

    Ivmd second(m_ctl->folder());
    QVERIFY(second.start());
    QTRY_COMPARE(second.view(QStringLiteral("endless")).value(u"status").toString(),
                 QStringLiteral("refreshing"));
    QTRY_COMPARE(state().value(u"status").toString(), QStringLiteral("refreshing"));
    second.killAtOnce();
    QVERIFY(state().value(u"status").toString() != u"refreshing");
}

// louislam/uptime-kuma#7482: what was deleted or renamed lived on in the metrics.
void tst_CasesHost::case_C067()
{
    QVERIFY(m_host->start());
    QTRY_COMPARE(devices(), QStringLiteral("a|1"));
    QTRY_VERIFY(metrics().contains("view=\"ev_hourly\""));
    m_ctl->write(QStringLiteral("views.yaml"),
                 "views:\n  - name: by_device\n    target_table: devices\n"
                 "    query: SELECT dev, count(*) AS n FROM other GROUP BY dev\n");
    QTRY_VERIFY(metrics().contains("view=\"by_device\""));
    QVERIFY(!metrics().contains("view=\"ev_hourly\""));
    QVERIFY(!metrics().contains("view=\"devices\""));
    const QByteArray success = "mv_refresh_last_success_timestamp{view=\"by_device\"}";
    const QByteArray errors = "mv_refresh_errors_total{view=\"by_device\"}";
    QTRY_VERIFY(numberIn(metrics(), success) > 0);
    sql(QStringLiteral("ALTER TABLE other RENAME COLUMN dev TO device"));
    QTRY_VERIFY(numberIn(metrics(), errors) >= 1);
    const double before = numberIn(metrics(), success);
    sql(QStringLiteral("ALTER TABLE other RENAME COLUMN device TO dev"));
    QTRY_VERIFY(numberIn(metrics(), success) > before);
    QVERIFY(numberIn(metrics(), errors) >= 1);
    const double last = numberIn(metrics(), success);

    // How old the rows are is known from the first scrape on.
    m_host->killAtOnce();
    m_ctl->write(
        QStringLiteral("ivm.yaml"),
        QByteArray(kHostConfig).replace("poll_interval_seconds: 0.1", "poll_interval_seconds: 1"));
    Ivmd again(m_ctl->folder());
    QVERIFY(again.start());
    const double now = numberIn(again.get("/metrics").body, success);
    QVERIFY2(now > last - 5, qPrintable(QString::number(now - last)));
}

QTEST_GUILESS_MAIN(tst_CasesHost)
#include "tst_cases_host.moc"
