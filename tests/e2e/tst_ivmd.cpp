// The long-running host as a process: what it refreshes, when, and what one can ask of it.
#include "tests/e2e/ivmd.h"

using namespace ivm::test;

namespace {

const QByteArray kViews = R"(# by hand
views:
  - name: hourly   # the first
    query: |
      SELECT k, date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1, 2
    target_lag: 30s

  # reads the other
  - name: daily
    query: |
      SELECT k, date_trunc('day', h) AS d, sum(n) AS n FROM hourly GROUP BY 1, 2
)";

QString statusOf(const QJsonObject &view) { return view.value(u"status").toString(); }

}  // namespace

class tst_Ivmd : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { end(); }

    void refreshesWhatChanged();
    void refreshesWhatOneAsksFor();
    void whatOneRefreshSawAllViewsHear();
    void comparesAViewWithItsQuery();
    void comparesNoViewThatIsNot();
    void tellsOnlyWhatIsNew();
    void makesChangesAndDeletesViews();
    void refusesWhatCannotBe_data();
    void refusesWhatCannotBe();
    void leavesAFileAloneThatChanged();
    void followsTheFile();
    void keepsTheViewsOfABrokenFile_data();
    void keepsTheViewsOfABrokenFile();
    void aBadViewStopsNoOther();
    void isTheOnlyHost();
    void endsWhenAsked_data();
    void endsWhenAsked();
    void goesOnAfterAKill();
    void asksForTokens();
    void refusesOthersWithoutAToken();
    void answersNoStranger_data();
    void answersNoStranger();
    void servesThePage();

private:
    // So that a change of a view's table is not seen, and mended, by itself.
    void lookOnlyOnce()
    {
        QVERIFY(
            m_ctl->write(QStringLiteral("ivm.yaml"),
                         QByteArray(kHostConfig)
                             .replace("poll_interval_seconds: 0.1", "poll_interval_seconds: 600")));
        QVERIFY(m_host->start());
        QTRY_COMPARE(statusOf(m_host->view(QStringLiteral("daily"))), QStringLiteral("idle"));
    }
    QString daily() { return sql(QStringLiteral("SELECT k, n FROM daily ORDER BY 1, 2")); }
};

void tst_Ivmd::init()
{
    begin(kViews);
    sql(QStringLiteral("CREATE TABLE ev (k varchar, ts timestamp(6))"));
    sql(QStringLiteral("INSERT INTO ev VALUES ('a', TIMESTAMP '2024-01-01 01:00:00')"));
}

void tst_Ivmd::refreshesWhatChanged()
{
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));
    QTRY_COMPARE(daily(), QStringLiteral("a|1"));
    sql(QStringLiteral("INSERT INTO ev VALUES ('a', TIMESTAMP '2024-01-01 02:00:00'), ('b', "
                       "TIMESTAMP '2024-02-01 02:00:00')"));
    QTRY_COMPARE(daily(), QStringLiteral("a|2 b|1"));
    sql(QStringLiteral("DELETE FROM ev WHERE k = 'a'"));
    QTRY_COMPARE(daily(), QStringLiteral("b|1"));
    QVERIFY(allEqual());

    QTRY_COMPARE(statusOf(m_host->view(QStringLiteral("daily"))), QStringLiteral("idle"));
    const QJsonObject view = m_host->view(QStringLiteral("hourly"));
    QCOMPARE(view.value(u"last_action").toString(), QStringLiteral("incremental"));
    QCOMPARE(view.value(u"lag_met"), QJsonValue(true));
    QCOMPARE(view.value(u"waiting"), QJsonValue());
    QCOMPARE(view.value(u"errors").toInt(), 0);
    const QJsonArray history = view.value(u"history").toArray();
    QCOMPARE(history.size(), 3);
    // Of the last change: it deleted rows of January's first hours.
    const auto ranges = history.first().toObject().value(u"ranges").toArray();
    QCOMPARE(ranges.first().toObject().value(u"from").toString(),
             QStringLiteral("2024-01-01 01:00:00"));
    const QByteArray metrics = m_host->get("/metrics").body;
    QVERIFY(metrics.contains("mv_refresh_total{type=\"full\",view=\"hourly\"} 1\n"));
    QVERIFY(metrics.contains("mv_refresh_total{type=\"incremental\",view=\"hourly\"} 2\n"));
    QVERIFY(metrics.contains("mv_views_configured 2\n"));
    QCOMPARE(health(*m_host), QStringLiteral("ok"));
    QCOMPARE(m_host->get("/ready").status, 200);
}

void tst_Ivmd::refreshesWhatOneAsksFor()
{
    QVERIFY(m_host->start());
    const auto answer = m_host->ask("POST", "/api/views/hourly/refresh", R"({"full": true})");
    QCOMPARE(answer.status, 200);
    const auto outcome = answer.object().value(u"views").toArray().first().toObject();
    QCOMPARE(outcome.value(u"name").toString(), QStringLiteral("hourly"));
    QVERIFY(outcome.value(u"action").toString() == u"rebuild" ||
            outcome.value(u"action").toString() == u"diff");
    QCOMPARE(m_host->ask("POST", "/api/views/daily/refresh").status, 200);
    QCOMPARE(daily(), QStringLiteral("a|1"));
    const auto unknown = m_host->ask("POST", "/api/views/nothing/refresh");
    QCOMPARE(unknown.status, 404);
    QCOMPARE(unknown.errorCode(), QStringLiteral("no_view"));
}

// A refresh that is asked for looks itself: no later look finds the table moved.
void tst_Ivmd::whatOneRefreshSawAllViewsHear()
{
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"),
                         kViews + "  - name: totals\n"
                                  "    query: SELECT k, count(*) AS n FROM ev GROUP BY 1\n"));
    lookOnlyOnce();
    QTRY_COMPARE(statusOf(m_host->view(QStringLiteral("totals"))), QStringLiteral("idle"));
    sql(QStringLiteral("INSERT INTO ev VALUES ('b', TIMESTAMP '2024-01-01 02:00:00')"));
    QCOMPARE(m_host->ask("POST", "/api/views/hourly/refresh").status, 200);
    QTRY_COMPARE(sql(QStringLiteral("SELECT k, n FROM totals ORDER BY 1")),
                 QStringLiteral("a|1 b|1"));
    QTRY_COMPARE(daily(), QStringLiteral("a|1 b|1"));
}

void tst_Ivmd::comparesAViewWithItsQuery()
{
    lookOnlyOnce();
    QCOMPARE(m_host->view(QStringLiteral("hourly")).value(u"last_verify"), QJsonValue());
    const auto compared = [&] {
        const auto answer = m_host->ask("POST", "/api/views/hourly/verify");
        return answer.object().value(u"views").toArray().first().toObject();
    };
    const QJsonObject equal = compared();
    QCOMPARE(equal.value(u"name").toString(), QStringLiteral("hourly"));
    QCOMPARE(equal.value(u"equal"), QJsonValue(true));
    QVERIFY(m_host->get("/metrics").body.contains("mv_verify_last_equal{view=\"hourly\"} 1\n"));

    sql(QStringLiteral("UPDATE hourly SET n = n + 1"));
    const QJsonObject differs = compared();
    QCOMPARE(differs.value(u"equal"), QJsonValue(false));
    QCOMPARE(differs.value(u"missing").toInt(), 1);
    QCOMPARE(differs.value(u"extra").toInt(), 1);
    QCOMPARE(differs.value(u"sample").toArray().size(), 2);
    const auto told = m_host->view(QStringLiteral("hourly")).value(u"last_verify").toObject();
    QCOMPARE(told.value(u"equal"), QJsonValue(false));
    QCOMPARE(told.value(u"extra").toInt(), 1);
    const QByteArray metrics = m_host->get("/metrics").body;
    QVERIFY(metrics.contains("mv_verify_last_equal{view=\"hourly\"} 0\n"));
    QVERIFY(metrics.contains("mv_verify_last_timestamp{view=\"hourly\"} "));

    QCOMPARE(m_host->ask("POST", "/api/views/hourly/refresh").status, 200);
    QCOMPARE(compared().value(u"equal"), QJsonValue(true));
}

void tst_Ivmd::comparesNoViewThatIsNot()
{
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"),
                         kViews + "  - name: refused\n    query: SELECT now() AS t FROM ev\n"
                                  "  - name: bad\n    query: SELECT DISTINCT x FROM nowhere\n"));
    QVERIFY(m_host->start());
    const auto unknown = m_host->ask("POST", "/api/views/nothing/verify");
    QCOMPARE(unknown.status, 404);
    QCOMPARE(unknown.errorCode(), QStringLiteral("no_view"));
    QCOMPARE(m_host->ask("POST", "/api/views/refused/verify").status, 422);
    // It never was refreshed.
    QCOMPARE(m_host->ask("POST", "/api/views/bad/verify").status, 404);
    QVERIFY(!m_host->get("/metrics").body.contains("mv_verify_last_equal{view=\"bad\""));
}

void tst_Ivmd::tellsOnlyWhatIsNew()
{
    lookOnlyOnce();
    const auto tag = [](const Answered &answer) {
        return answer.header.sliced(answer.header.indexOf("ETag: ") + 6).split('\r').first();
    };
    const auto first = m_host->get("/api/views");
    const QByteArray condition = "If-None-Match: " + tag(first) + "\r\n";
    const auto same = m_host->get("/api/views", condition);
    QCOMPARE(same.status, 304);
    QVERIFY(same.body.isEmpty());
    QCOMPARE(m_host->ask("POST", "/api/views/hourly/refresh", R"({"full": true})").status, 200);
    const auto next = m_host->get("/api/views", condition);
    QCOMPARE(next.status, 200);
    QVERIFY(tag(next) != tag(first));
    QCOMPARE(next.list().first().toObject().value(u"refreshes").toInt(), 2);
}

void tst_Ivmd::makesChangesAndDeletesViews()
{
    QVERIFY(m_host->start());
    const auto made =
        m_host->ask("POST", "/api/views",
                    R"({"name": "keys", "query": "SELECT k, count(*) AS n\nFROM ev GROUP BY k"})");
    QCOMPARE(made.status, 201);
    QCOMPARE(made.object().value(u"name").toString(), QStringLiteral("keys"));
    QCOMPARE(file(QStringLiteral("views.yaml")),
             kViews + "  - name: keys\n    query: |\n      SELECT k, count(*) AS n\n"
                      "      FROM ev GROUP BY k\n");
    const auto keys = [&] { return sql(QStringLiteral("SELECT k, n FROM keys ORDER BY 1")); };
    QTRY_COMPARE(keys(), QStringLiteral("a|1"));

    const auto again =
        m_host->ask("POST", "/api/views", R"({"name": "keys", "query": "SELECT 1 AS a"})");
    QCOMPARE(again.status, 409);
    QCOMPARE(again.errorCode(), QStringLiteral("view_exists"));

    const auto changed = m_host->ask(
        "PUT", "/api/views/keys", R"({"query": "SELECT k, count(*) + 1 AS n FROM ev GROUP BY k"})");
    QCOMPARE(changed.status, 200);
    QTRY_COMPARE(keys(), QStringLiteral("a|2"));
    QCOMPARE(m_host->view(QStringLiteral("keys")).value(u"last_action").toString(),
             QStringLiteral("diff"));

    QCOMPARE(m_host->ask("DELETE", "/api/views/keys").status, 200);
    QCOMPARE(file(QStringLiteral("views.yaml")), kViews);
    QVERIFY(m_host->view(QStringLiteral("keys")).isEmpty());
    QVERIFY(!m_host->get("/metrics").body.contains("keys"));
    // Its table stays, and is left alone.
    sql(QStringLiteral("INSERT INTO ev VALUES ('c', TIMESTAMP '2024-01-01 02:00:00')"));
    QTRY_COMPARE(daily(), QStringLiteral("a|1 c|1"));
    QCOMPARE(keys(), QStringLiteral("a|2"));
    QCOMPARE(m_host->ask("DELETE", "/api/views/keys").status, 404);
}

void tst_Ivmd::refusesWhatCannotBe_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("place");
    const auto row = [](const char *what, const QByteArray &method, const QByteArray &path,
                        const QByteArray &body, int status, const char *code,
                        const char *place = "") {
        QTest::newRow(what) << method << path << body << status << QString::fromLatin1(code)
                            << QString::fromLatin1(place);
    };
    row("no JSON", "POST", "/api/views", "{", 400, "not_json");
    row("a list", "POST", "/api/views", "[1]", 400, "not_json");
    row("no name", "POST", "/api/views", "{\"query\": \"SELECT 1 AS a\"}", 400, "bad_request");
    row("another name", "PUT", "/api/views/daily", "{\"name\": \"x\", \"query\": \"\"}", 400,
        "bad_request");
    row("an unknown view", "PUT", "/api/views/x", "{\"query\": \"SELECT 1 AS a\"}", 404, "no_view");
    row("an error in the query", "POST", "/api/views",
        R"({"name": "x", "query": "SELECT k,\n  count(*) FROM ev GROUP BY k"})", 422,
        "missing_alias", "2:3");
    row("an unknown key", "POST", "/api/views",
        R"({"name": "x", "query": "SELECT k, count(*) AS n FROM ev GROUP BY k", "quary": 1})", 422,
        "config");
    row("a name that is none", "POST", "/api/views",
        R"({"name": "x y", "query": "SELECT k, count(*) AS n FROM ev GROUP BY k"})", 422, "config");
    row("the target of another view", "POST", "/api/views",
        R"({"name": "x", "query": "SELECT k, count(*) AS n FROM ev GROUP BY k", )"
        R"("target_table": "daily"})",
        422, "same_target");
    row("a circle", "PUT", "/api/views/hourly",
        R"({"query": "SELECT k, d AS h, sum(n) AS n FROM daily GROUP BY 1, 2"})", 422, "cycle");
    row("nothing there", "GET", "/api/nothing", "", 404, "not_found");
    // What follows two slashes is a host to a URL, and its path is empty.
    row("no path at all", "GET", "//health", "", 404, "not_found");
    row("nothing behind it", "GET", "/api/views/daily/x/refresh", "", 404, "not_found");
    row("another method", "DELETE", "/api/views", "", 405, "wrong_method");
}

void tst_Ivmd::refusesWhatCannotBe()
{
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QString, code);
    QFETCH(QString, place);
    QVERIFY(m_host->start());
    const auto answer = m_host->ask(method, path, body);
    QVERIFY2(answer.status == status, answer.body.constData());
    QCOMPARE(answer.errorCode(), code);
    const auto error = answer.object().value(u"error").toObject();
    QVERIFY(!error.value(u"message").toString().isEmpty());
    if (!place.isEmpty())
        QCOMPARE(QStringLiteral("%1:%2")
                     .arg(error.value(u"line").toInt())
                     .arg(error.value(u"column").toInt()),
                 place);
    QCOMPARE(file(QStringLiteral("views.yaml")), kViews);
}

void tst_Ivmd::leavesAFileAloneThatChanged()
{
    m_ctl->write(QStringLiteral("ivm.yaml"),
                 QByteArray(kHostConfig).replace("seconds: 0.1}\nd", "seconds: 600}\nd"));
    QVERIFY(m_host->start());
    const QByteArray changed = kViews + "# more\n";
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), changed));
    const auto answer = m_host->ask("DELETE", "/api/views/daily");
    QCOMPARE(answer.status, 409);
    QCOMPARE(answer.errorCode(), QStringLiteral("file_changed"));
    QCOMPARE(file(QStringLiteral("views.yaml")), changed);
    m_host->signal(SIGHUP);
    QTRY_COMPARE(m_host->log().count(QStringLiteral("is in force")), 2);
    QCOMPARE(m_host->ask("DELETE", "/api/views/daily").status, 200);
    QVERIFY(file(QStringLiteral("views.yaml")).endsWith("# more\n"));
}

void tst_Ivmd::followsTheFile()
{
    QVERIFY(m_host->start());
    QTRY_COMPARE(daily(), QStringLiteral("a|1"));
    // As editors do it: a new file under the old name.
    QVERIFY(m_ctl->write(QStringLiteral("new"),
                         QByteArray(kViews).replace("sum(n) AS n FROM", "sum(n) + 5 AS n FROM")));
    QCOMPARE(::rename(qPrintable(m_ctl->path(QStringLiteral("new"))),
                      qPrintable(m_ctl->path(QStringLiteral("views.yaml")))),
             0);
    QTRY_COMPARE(daily(), QStringLiteral("a|6"));
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), "views: []\n"));
    QTRY_VERIFY(m_host->get("/api/views").list().isEmpty());
    QCOMPARE(health(*m_host), QStringLiteral("ok"));
    QCOMPARE(daily(), QStringLiteral("a|6"));
}

void tst_Ivmd::keepsTheViewsOfABrokenFile_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no YAML") << QByteArray("views: [\n");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("half written") << kViews + "  - name: \"half";
    QTest::newRow("another key") << QByteArray("view: []\n");
    QTest::newRow("gone") << QByteArray("gone");
}

void tst_Ivmd::keepsTheViewsOfABrokenFile()
{
    QFETCH(QByteArray, text);
    QVERIFY(m_host->start());
    QTRY_COMPARE(daily(), QStringLiteral("a|1"));
    if (text == "gone")
        QVERIFY(QFile::remove(m_ctl->path(QStringLiteral("views.yaml"))));
    else
        QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), text));
    QTRY_COMPARE(health(*m_host), QStringLiteral("degraded"));
    QVERIFY(m_host->get("/metrics").body.contains("mv_config_good 0\n"));
    QVERIFY(m_host->log().contains(QStringLiteral("views.yaml")));
    sql(QStringLiteral("INSERT INTO ev VALUES ('c', TIMESTAMP '2024-01-01 02:00:00')"));
    QTRY_COMPARE(daily(), QStringLiteral("a|1 c|1"));
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), kViews));
    QTRY_COMPARE(health(*m_host), QStringLiteral("ok"));
    QVERIFY(m_host->get("/metrics").body.contains("mv_config_good 1\n"));
}

void tst_Ivmd::aBadViewStopsNoOther()
{
    QVERIFY(m_ctl->write(
        QStringLiteral("views.yaml"),
        kViews + "  - name: bad\n    query: SELECT x, count(*) AS n FROM nowhere GROUP BY x\n"
                 "  - name: refused\n    query: SELECT now() AS t, count(*) AS n FROM ev GROUP BY "
                 "1\n"));
    QVERIFY(m_host->start());
    QTRY_COMPARE(daily(), QStringLiteral("a|1"));
    QTRY_COMPARE(statusOf(m_host->view(QStringLiteral("bad"))), QStringLiteral("error"));
    const auto bad = m_host->view(QStringLiteral("bad"));
    QCOMPARE(bad.value(u"waiting").toString(), QStringLiteral("failing"));
    QVERIFY(bad.value(u"next_attempt").isString());
    QVERIFY(bad.value(u"error").toString().contains(QStringLiteral("main.nowhere")));
    QCOMPARE(bad.value(u"problem").toObject().value(u"line").toInt(), 1);
    QCOMPARE(statusOf(m_host->view(QStringLiteral("refused"))), QStringLiteral("refused"));
    QCOMPARE(health(*m_host), QStringLiteral("degraded"));
    QCOMPARE(m_host->get("/ready").status, 200);
    QVERIFY(m_host->get("/metrics").body.contains("mv_view_refused{view=\"refused\"} 1\n"));
    QVERIFY(!m_host->get("/metrics").body.contains("mv_view_lag_seconds{view=\"refused\"}"));
    // As soon as it can be, it is.
    sql(QStringLiteral("CREATE TABLE nowhere (x bigint)"));
    QTRY_COMPARE(statusOf(m_host->view(QStringLiteral("bad"))), QStringLiteral("idle"));
    // One line a refresh, whatever came of it.
    const QString log = m_host->log();
    QVERIFY2(
        log.contains(QStringLiteral("view hourly: rebuild, 1 rows read, 1 written, 0 deleted")),
        qPrintable(log));
    QVERIFY2(log.contains(QStringLiteral("views.yaml:13:41: view 'bad': there is no Iceberg")),
             qPrintable(log));
}

void tst_Ivmd::isTheOnlyHost()
{
    QVERIFY(m_host->start());
    Ivmd second(m_ctl->folder());
    QVERIFY(!second.start());
    QCOMPARE(second.ended(), 1);
    const QString said = second.log();
    QVERIFY2(said.contains(QStringLiteral("another host runs on this state: ivmd on ")),
             qPrintable(said));
    QVERIFY(said.contains(QStringLiteral("process %1").arg(m_host->id())));
    QVERIFY(said.contains(QStringLiteral("without a sign of life its lease runs out at ")));
    m_host->killAtOnce();
    Ivmd third(m_ctl->folder());
    QVERIFY2(third.start(), qPrintable(third.log()));
}

void tst_Ivmd::endsWhenAsked_data()
{
    QTest::addColumn<int>("number");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
}

void tst_Ivmd::endsWhenAsked()
{
    QFETCH(int, number);
    QVERIFY(m_host->start());
    m_host->signal(number);
    QCOMPARE(m_host->ended(), 0);
    // What it held is free at once.
    QCOMPARE(m_ctl->run({QStringLiteral("refresh")}).code, 0);
    QVERIFY(allEqual());
}

void tst_Ivmd::goesOnAfterAKill()
{
    QVERIFY(m_host->start());
    QTRY_COMPARE(daily(), QStringLiteral("a|1"));
    sql(QStringLiteral("INSERT INTO ev VALUES ('b', TIMESTAMP '2024-01-01 02:00:00')"));
    m_host->killAtOnce();
    sql(QStringLiteral("INSERT INTO ev VALUES ('c', TIMESTAMP '2024-01-01 02:00:00')"));
    Ivmd next(m_ctl->folder());
    QVERIFY(next.start());
    QTRY_COMPARE(daily(), QStringLiteral("a|1 b|1 c|1"));
    QTRY_COMPARE(statusOf(next.view(QStringLiteral("daily"))), QStringLiteral("idle"));
    QVERIFY(allEqual());
    // What was known before is known again.
    QTRY_VERIFY(next.view(QStringLiteral("hourly")).value(u"history").toArray().size() >= 2);
}

void tst_Ivmd::asksForTokens()
{
    m_host->set(QStringLiteral("IVM_API_TOKEN"), QStringLiteral("all of it"));
    m_host->set(QStringLiteral("IVM_API_READ_TOKEN"), QStringLiteral("just looking"));
    QVERIFY(m_host->start());
    const QByteArray all = "Authorization: Bearer all of it\r\n";
    const QByteArray reading = "Authorization: Bearer just looking\r\n";
    const QByteArray wrong = "Authorization: Bearer all of i\r\n";
    QCOMPARE(m_host->get("/api/views").status, 401);
    QVERIFY(m_host->get("/api/views").header.contains("WWW-Authenticate: Bearer"));
    QCOMPARE(m_host->get("/metrics").status, 401);
    QCOMPARE(m_host->get("/api/views", wrong).status, 403);
    QCOMPARE(m_host->get("/api/views", reading).status, 200);
    QCOMPARE(m_host->get("/api/views", all).status, 200);
    QCOMPARE(m_host->ask("DELETE", "/api/views/daily", {}, reading).status, 403);
    QCOMPARE(m_host->ask("DELETE", "/api/views/daily").status, 401);
    QCOMPARE(m_host->ask("DELETE", "/api/views/daily", {}, all).status, 200);
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), "views: {}\n"));
    QTRY_COMPARE(health(*m_host), QStringLiteral("degraded"));
    QVERIFY(m_host->get("/health").object().value(u"problems").toArray().isEmpty());
    QVERIFY(!m_host->get("/health", reading).object().value(u"problems").toArray().isEmpty());
    for (const QByteArray path : {"/", "/health", "/live", "/ready", "/api/status"})
        QVERIFY(m_host->get(path).status != 401);
}

void tst_Ivmd::refusesOthersWithoutAToken()
{
    m_ctl->write(QStringLiteral("ivm.yaml"),
                 QByteArray(kHostConfig).replace("port: 0", "port: 0, listen: 0.0.0.0"));
    QVERIFY(!m_host->start());
    QCOMPARE(m_host->ended(), 2);
    QVERIFY(m_host->log().contains(QStringLiteral("IVM_API_TOKEN")));
    Ivmd second(m_ctl->folder());
    second.set(QStringLiteral("IVM_API_TOKEN"), QStringLiteral("secret"));
    QVERIFY(second.start());
    QVERIFY(!second.log().contains(QStringLiteral("secret")));
}

void tst_Ivmd::answersNoStranger_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("status");
    QTest::newRow("a name that points here")
        << QByteArray("GET") << QByteArray("Host: evil.example\r\n") << 421;
    QTest::newRow("a page of another origin")
        << QByteArray("POST") << QByteArray("Host: localhost\r\nOrigin: http://evil.example\r\n")
        << 403;
    QTest::newRow("another port of this machine")
        << QByteArray("POST") << QByteArray("Host: localhost\r\nOrigin: http://localhost:1\r\n")
        << 403;
    QTest::newRow("a page without an origin")
        << QByteArray("POST") << QByteArray("Host: localhost\r\nOrigin: null\r\n") << 403;
    QTest::newRow("a form")
        << QByteArray("POST")
        << QByteArray("Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n")
        << 415;
    QTest::newRow("an address") << QByteArray("GET") << QByteArray("Host: 127.0.0.1\r\n") << 200;
}

void tst_Ivmd::answersNoStranger()
{
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, header);
    QFETCH(int, status);
    QVERIFY(m_host->start());
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, m_host->port());
    QVERIFY(socket.waitForConnected());
    socket.write(method + " /api/views HTTP/1.1\r\n" + header + "Connection: close\r\n\r\n{}");
    QByteArray answer;
    while (socket.waitForReadyRead(30'000))
        answer += socket.readAll();
    QVERIFY2(answer.startsWith(QByteArray("HTTP/1.1 " + QByteArray::number(status))),
             answer.constData());
    QVERIFY(answer.contains("Content-Security-Policy: default-src 'self'"));
}

void tst_Ivmd::servesThePage()
{
    QVERIFY(m_host->start());
    const auto page = m_host->get("/");
    QCOMPARE(page.status, 200);
    QVERIFY(page.header.contains("text/html"));
    QVERIFY(page.body.contains("<title>"));
    const QByteArray tag =
        page.header.sliced(page.header.indexOf("ETag: ") + 6).split('\r').first();
    QCOMPARE(m_host->get("/", "If-None-Match: " + tag + "\r\n").status, 304);
    for (const QByteArray path : {"/../ivm.yaml", "/..%2fivm.yaml", "/index.html/", "//etc/passwd"})
        QCOMPARE(m_host->get(path).status, 404);
}

QTEST_GUILESS_MAIN(tst_Ivmd)
#include "tst_ivmd.moc"
