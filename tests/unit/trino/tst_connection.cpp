#include "plugins/executor_trino/client_state.h"
#include "plugins/executor_trino/executor.h"
#include "tests/unit/trino/stub_session.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using namespace ivm::trino;
using std::chrono::milliseconds;

namespace {

const QString kSelect = QStringLiteral("SELECT 1");
const QByteArray kText = R"("columns":[{"name":"s","type":"varchar"}])";
const StubReply kHang{.fault = StubReply::Hang};
const StubReply kGone{.status = 204};

void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
}

StubReply slowDown(const QByteArray &seconds)
{
    return {.status = 429, .body = "slow down", .headers = {{"Retry-After", seconds}}};
}

// As a server sends it that was told that deflate is understood.
StubReply deflated(StubReply reply)
{
    reply.body = qCompress(reply.body).sliced(4);
    reply.headers.emplace_back("Content-Encoding", "deflate");
    return reply;
}

}  // namespace

class tst_Connection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysWhatASessionIsFor();
    void aPurposeStaysInItsLine();
    void tellsTheServerWhatTimeIsLeft_data();
    void tellsTheServerWhatTimeIsLeft();
    void readsDurations_data();
    void readsDurations();
    void staysOnItsPath_data();
    void staysOnItsPath();
    void keepsOneConnection();
    void readsCompressedAnswers();
    void asksNoFurtherThanRowsAreTaken();
    void waitsAsLongAsItIsAskedTo();
    void givesUpBeforeALongWait();
    void sendsTheTokenOfTheMoment();
    void goesOnWithTheTokenItHas();
    void namesATokenThatIsNone_data();
    void namesATokenThatIsNone();
    void saysThatTheQueryIsLost();
    void endsAStatementThatTakesTooLong();
    void passesWarningsOn();
    void refusesPropertiesOfAView_data();
    void refusesPropertiesOfAView();
    void linksToStatements_data();
    void linksToStatements();
};

void tst_Connection::saysWhatASessionIsFor()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.sessionProperties = {{QStringLiteral("a"), QStringLiteral("1")},
                                 {QStringLiteral("b"), QStringLiteral("1")}};
    options.roles = {{QStringLiteral("iceberg"), QStringLiteral("ROLE{writer}")},
                     {QStringLiteral("system"), QStringLiteral("ALL")}};
    const SessionOptions ofView{.purpose = QStringLiteral("view hourly"),
                                .properties = {{QStringLiteral("b"), QStringLiteral("2")}},
                                .statementTimeout = {}};
    TrinoSession session(options, ofView);
    stub.plan({stub.page({}), stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
    QVERIFY(execute(session, kSelect, Call{}));
    const auto &headers = stub.requests().at(0).headers;
    QCOMPARE(headers.value("x-trino-client-info"), QByteArray("iceberg-ivm: view hourly"));
    QCOMPARE(headers.value("x-trino-session"), QByteArray("a=1,b=2"));
    QCOMPARE(headers.value("x-trino-role"), QByteArray("iceberg=ROLE%7Bwriter%7D,system=ALL"));
    const QByteArray token = headers.value("x-trino-trace-token");
    QVERIFY2(token.startsWith("ivm-") && token.size() == 36, token.constData());
    QCOMPARE(stub.requests().at(1).headers.value("x-trino-trace-token"), token);
    QCOMPARE(stub.requests().at(0).body, kSelect.toUtf8() + "\n-- iceberg-ivm: view hourly");
}

void tst_Connection::aPurposeStaysInItsLine()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()),
                         {.purpose = QStringLiteral("a\nDROP TABLE t\r\u2028--"),
                          .properties = {},
                          .statementTimeout = {}});
    stub.plan({stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
    QCOMPARE(stub.requests().at(0).body, kSelect.toUtf8() + "\n-- iceberg-ivm: a DROP TABLE t  --");
    QCOMPARE(stub.requests().at(0).headers.value("x-trino-client-info"),
             QByteArray("iceberg-ivm: a DROP TABLE t  --"));
}

void tst_Connection::tellsTheServerWhatTimeIsLeft_data()
{
    QTest::addColumn<QString>("own");
    QTest::addColumn<bool>("bounded");
    QTest::addColumn<QByteArray>("property");
    QTest::newRow("no end") << QString() << false << QByteArray();
    QTest::newRow("the user's alone")
        << QStringLiteral("5m") << false << QByteArray("query_max_run_time=5m");
    QTest::newRow("an end") << QString() << true << QByteArray();
    QTest::newRow("an end before the user's") << QStringLiteral("5m") << true << QByteArray();
    QTest::newRow("the user's before the end")
        << QStringLiteral("0.5m") << true << QByteArray("query_max_run_time=0.5m");
}

void tst_Connection::tellsTheServerWhatTimeIsLeft()
{
    QFETCH(QString, own);
    QFETCH(bool, bounded);
    QFETCH(QByteArray, property);
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    if (!own.isEmpty())
        options.sessionProperties = {{QStringLiteral("query_max_run_time"), own}};
    SessionOptions limits;
    if (bounded)
        limits.statementTimeout = milliseconds(60'000);
    TrinoSession session(options, limits);
    stub.plan({stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
    const QByteArray sent = stub.requests().at(0).headers.value("x-trino-session");
    if (!property.isEmpty()) {
        QCOMPARE(sent, property);
        return;
    }
    const QByteArray name = "query_max_run_time=";
    const auto told = parseTrinoDuration(sent.sliced(bounded ? name.size() : 0));
    QCOMPARE(told.has_value(), bounded);
    QVERIFY(!bounded || (*told <= milliseconds(60'000) && *told > milliseconds(30'000)));
}

void tst_Connection::readsDurations_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("millis");  // -1: none
    const auto row = [](const char *text, qint64 millis) {
        QTest::newRow(text) << QByteArray(text) << millis;
    };
    row("30m", 1'800'000);
    row("1.5h", 5'400'000);
    row("200ms", 200);
    row("2 d", 172'800'000);
    row("1000000ns", 1);
    row("90s", 90'000);
    row("1us", 0);
    row("", -1);
    row("5", -1);
    row("m", -1);
    row("1.2.3s", -1);
    row("5 weeks", -1);
}

void tst_Connection::readsDurations()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, millis);
    const auto duration = parseTrinoDuration(text);
    QCOMPARE(duration ? qint64(duration->count()) : -1, millis);
}

void tst_Connection::staysOnItsPath_data()
{
    QTest::addColumn<QString>("path");  // of the configured URL
    QTest::addColumn<QString>("next");  // what the server says
    QTest::addColumn<QString>("asked");
    const auto row = [](const char *name, const char *path, const char *next, const char *asked) {
        QTest::newRow(name) << QString::fromUtf8(path) << QString::fromUtf8(next)
                            << QString::fromUtf8(asked);
    };
    row("another host", "", "https://u@elsewhere.example:9/v1/statement/queued/q/y/1",
        "/v1/statement/queued/q/y/1");
    row("a path that the proxy takes away", "/trino",
        "http://trino:8080/v1/statement/queued/q/y/1?slug=a%2Fb",
        "/trino/v1/statement/queued/q/y/1?slug=a%2Fb");
    row("a path that the server knows", "/trino",
        "https://gate.example/trino/v1/statement/executing/q/y/1",
        "/trino/v1/statement/executing/q/y/1");
    row("a path that only the server has", "", "http://trino/inner/v1/statement/executing/q/y/1",
        "/v1/statement/executing/q/y/1");
    row("a path of its own", "", "http://trino/elsewhere/q", "/elsewhere/q");
}

void tst_Connection::staysOnItsPath()
{
    QFETCH(QString, path);
    QFETCH(QString, next);
    QFETCH(QString, asked);
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.url.setPath(path);
    options.password = QStringLiteral("secret");
    TrinoSession session(options);
    StubReply first = stub.page(QStringLiteral("/here"));
    first.body.replace(stub.uri(QStringLiteral("/here")).toUtf8(), next.toUtf8());
    stub.plan({first, stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
    QCOMPARE(stub.lines().last(), QStringLiteral("GET ") + asked);
    QVERIFY(!stub.requests().last().headers.value("authorization").isEmpty());
}

void tst_Connection::keepsOneConnection()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    for (int i = 0; i < 3; ++i) {
        stub.plan(
            {stub.page(QStringLiteral("/q/1")), stub.page(QStringLiteral("/q/2")), stub.page({})});
        QVERIFY(execute(session, kSelect, Call{}));
    }
    QCOMPARE(stub.requests().size(), 9);
    QCOMPARE(stub.connections(), 1);
}

// Equal rows shrink a thousandfold, which Qt by itself takes for an attack.
void tst_Connection::readsCompressedAnswers()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.answer = std::chrono::seconds(10);
    TrinoSession session(options);
    const QByteArray huge(12'000'000, 'x');
    stub.plan({deflated(stub.page({}, kText + ",\"data\":[[\"" + huge + "\"]]"))});
    const auto rows = query(session, kSelect, Call{});
    QVERIFY2(rows, qPrintable(rows ? QString() : rows.error().text()));
    QCOMPARE(std::get<QString>(rows->rows.at(0).at(0).data).size(), huge.size());
    QVERIFY(stub.requests().at(0).headers.value("accept-encoding").contains("gzip"));
}

void tst_Connection::asksNoFurtherThanRowsAreTaken()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1"), kText + ",\"data\":[[\"a\"],[\"b\"]]"),
               stub.page(QStringLiteral("/q/2"), kText + ",\"data\":[[\"c\"]]"), stub.page({})});
    QList<qsizetype> requestsAtRow;
    RowSink sink{.row = [&](Row &&) -> Status {
        QCoreApplication::processEvents();
        requestsAtRow.append(stub.requests().size());
        return {};
    }};
    QVERIFY(session.run(kSelect, sink, Call{}));
    QCOMPARE(requestsAtRow, (QList<qsizetype>{1, 1, 2}));
}

void tst_Connection::waitsAsLongAsItIsAskedTo()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(20);
    TrinoSession session(options);
    const auto began = std::chrono::steady_clock::now();
    stub.plan({slowDown("1"), stub.page(QStringLiteral("/q/1")), slowDown("soon"), stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
    QVERIFY(std::chrono::steady_clock::now() - began >= std::chrono::seconds(1));
    QVERIFY(stub.isDone());
}

void tst_Connection::givesUpBeforeALongWait()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(5);
    TrinoSession session(options);
    stub.plan({slowDown("60")});
    const auto result = execute(session, kSelect, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QCOMPARE(result.error().message,
             QStringLiteral("Trino at %1 answers HTTP 429: slow down").arg(stub.url().toString()));
}

void tst_Connection::sendsTheTokenOfTheMoment()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("token"));
    write(path, "one\n");
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.accessTokenFile = path;
    TrinoSession session(options);
    StubReply expired{.status = 401, .body = "expired"};
    expired.then = [&] { write(path, "two"); };
    stub.plan({stub.page(QStringLiteral("/q/1")), expired, stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
    QByteArrayList sent;
    for (const auto &request : stub.requests())
        sent.append(request.headers.value("authorization"));
    QCOMPARE(sent, QByteArrayList({"Bearer one", "Bearer one", "Bearer two"}));

    stub.plan({StubReply{.status = 401, .body = "no"}});
    const auto refused = execute(session, kSelect, Call{});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, QStringLiteral("not_authenticated"));
}

void tst_Connection::goesOnWithTheTokenItHas()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("token"));
    write(path, "one");
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.accessTokenFile = path;
    TrinoSession session(options);
    StubReply first = stub.page(QStringLiteral("/q/1"));
    first.then = [&] { QFile::remove(path); };
    stub.plan({first, stub.page(QStringLiteral("/q/2")), stub.page({})});
    QTest::ignoreMessage(QtWarningMsg,
                         QRegularExpression(QStringLiteral("The token before it is used again")));
    QVERIFY(execute(session, kSelect, Call{}));
    QCOMPARE(stub.requests().last().headers.value("authorization"), QByteArray("Bearer one"));
}

void tst_Connection::namesATokenThatIsNone_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("why");
    QTest::newRow("empty") << QByteArray("\n") << QStringLiteral("holds no token");
    QTest::newRow("two lines") << QByteArray("a\nX-Trino-User: root")
                               << QStringLiteral("holds no token");
    QTest::newRow("no file") << QByteArray()
                             << QStringLiteral("cannot be read: No such file or directory");
}

void tst_Connection::namesATokenThatIsNone()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, why);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("token"));
    if (!content.isEmpty())
        write(path, content);
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.accessTokenFile = path;
    TrinoSession session(options);
    const auto result = execute(session, kSelect, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Invalid);
    QCOMPARE(result.error().message,
             QStringLiteral("executor option access_token_file: the file %1 %2").arg(path, why));
    QVERIFY(stub.requests().isEmpty());
}

void tst_Connection::saysThatTheQueryIsLost()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1")), {.status = 410, .body = "Gone"}, kGone});
    const auto result = execute(session, kSelect, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QCOMPARE(result.error().code, QStringLiteral("query_lost"));
    QCOMPARE(
        result.error().message,
        QStringLiteral("query 20260101_000000_00001_stubs: Trino at %1 does not know the query "
                       "any more (HTTP 410)")
            .arg(stub.url().toString()));
}

void tst_Connection::endsAStatementThatTakesTooLong()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.answer = std::chrono::seconds(60);
    TrinoSession session(options,
                         {.purpose = {}, .properties = {}, .statementTimeout = milliseconds(250)});
    stub.plan({stub.page(QStringLiteral("/q/1")), kHang, kGone});
    const auto result = execute(session, kSelect, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Timeout);
    QCOMPARE(result.error().text(),
             QStringLiteral("query 20260101_000000_00001_stubs did not end within 0.25 s. Raise "
                            "query_timeout_seconds, or see in Trino what it waits for"));
    QCOMPARE(stub.lines().last(), QStringLiteral("DELETE /q/1"));
    // The time is a statement's, not the session's.
    stub.plan({stub.page({})});
    QVERIFY(execute(session, kSelect, Call{}));
}

void tst_Connection::passesWarningsOn()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    const QByteArray warning =
        R"("warnings":[{"warningCode":{"code":1,"name":"X"},"message":"old syntax"},7,)"
        R"({"warningCode":{"code":2,"name":"TOO_MANY_STAGES"},"message":"109 stages"}])";
    stub.plan({stub.page(QStringLiteral("/q/1"), warning), stub.page({}, warning)});
    QTest::ignoreMessage(QtWarningMsg, "Trino warns of query 20260101_000000_00001_stubs: old "
                                       "syntax");
    QTest::failOnWarning(QRegularExpression(QStringLiteral("stages")));
    QVERIFY(execute(session, kSelect, Call{}));
}

void tst_Connection::refusesPropertiesOfAView_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    QTest::newRow("a time zone") << QStringLiteral("time_zone_id") << QStringLiteral("CET")
                                 << QStringLiteral("time_zone_id cannot be set");
    QTest::newRow("a second header")
        << QStringLiteral("a\r\nX-Trino-User: root") << QStringLiteral("1")
        << QStringLiteral("'a\r\nX-Trino-User: root' is not a property");
    QTest::newRow("no value") << QStringLiteral("a") << QString()
                              << QStringLiteral("a has no value");
}

void tst_Connection::refusesPropertiesOfAView()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, message);
    TrinoExecutor executor(stubOptions(QUrl(QStringLiteral("http://127.0.0.1:1"))));
    const auto session = executor.openSession(
        {.purpose = {}, .properties = {{name, value}}, .statementTimeout = {}}, Call{});
    QVERIFY(!session);
    QCOMPARE(session.error().kind, ErrorKind::Invalid);
    QCOMPARE(session.error().message, message);
}

void tst_Connection::linksToStatements_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("page");
    QTest::newRow("a host") << QStringLiteral("https://trino.example")
                            << QStringLiteral("https://trino.example/ui/query.html?1_2");
    QTest::newRow("a path") << QStringLiteral("https://gate.example:8443/trino")
                            << QStringLiteral("https://gate.example:8443/trino/ui/query.html?1_2");
}

void tst_Connection::linksToStatements()
{
    QFETCH(QString, url);
    QFETCH(QString, page);
    TrinoOptions options = stubOptions(QUrl(QStringLiteral("http://127.0.0.1:1")));
    options.publicUrl = QUrl(url);
    QCOMPARE(TrinoExecutor(options).statementUri(QStringLiteral("1_2")), page);
}

QTEST_GUILESS_MAIN(tst_Connection)
#include "tst_connection.moc"
