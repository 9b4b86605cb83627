#include "plugins/trino_sql/statement.h"
#include "tests/unit/trino/stub_session.h"

#include <QTest>

#include <thread>

using namespace ivm;
using namespace ivm::trino;

namespace {

const QByteArray kColumn = R"("columns":[{"name":"n","type":"bigint"}])";
const StubReply kBusy{.status = 503, .body = "try again"};
const StubReply kCut{.fault = StubReply::CutBefore};
const StubReply kBroken{.body = "{\"id\":", .fault = StubReply::CutWithin};
const StubReply kHang{.fault = StubReply::Hang};
const StubReply kGone{.status = 204};
const QString kInsert = QStringLiteral("INSERT INTO t VALUES 1");

}  // namespace

class tst_Statement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsTheAnswersToTheEnd();
    void sendsWhoAndWhere();
    void repeatsWhatMayBeRepeated_data();
    void repeatsWhatMayBeRepeated();
    void givesUpOnAServerThatIsAway_data();
    void givesUpOnAServerThatIsAway();
    void saysThatNobodyListens();
    void neverSendsAStartedWriteAgain_data();
    void neverSendsAStartedWriteAgain();
    void reportsARefusalOfAWriteAsItIs();
    void cancelsWhenTheSinkHasEnough();
    void cancelsAtTheDeadline();
    void endsAtOnceWhenStopped();
    void keepsToTheConfiguredServer();
    void remembersWhatItIsTold();
    void readsOneHugeRow();
    void refusesDataWithoutColumns();
    void knowsWhatOnlyReads_data();
    void knowsWhatOnlyReads();
    void placesErrorsInADescribedQuery();
};

void tst_Statement::followsTheAnswersToTheEnd()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan(
        {stub.page(QStringLiteral("/q/1")), stub.page(QStringLiteral("/q/2"), kColumn),
         stub.page(QStringLiteral("/q/3"), kColumn + ",\"data\":[[1],[2]]"),
         stub.page({},
                   kColumn +
                       ",\"data\":[[3]],\"stats\":{\"processedRows\":7,\"processedBytes\":70}")});
    Rows rows;
    RowSink sink{.columns = [&](const QList<Column> &columns) -> Status {
                     rows.columns = columns;
                     return {};
                 },
                 .row = [&](Row &&row) -> Status {
                     rows.rows.push_back(std::move(row));
                     return {};
                 }};
    const auto result = session.run(QStringLiteral("SELECT n"), sink, Call{});
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(shown(rows), QStringLiteral("1;2;3"));
    QCOMPARE(rows.columns.size(), 1);
    QCOMPARE(result->statementId, QStringLiteral("20260101_000000_00001_stubs"));
    QCOMPARE(result->rowsRead, 7);
    QCOMPARE(result->bytesRead, 70);
    QCOMPARE(stub.lines(),
             QStringList({QStringLiteral("POST /v1/statement"), QStringLiteral("GET /q/1"),
                          QStringLiteral("GET /q/2"), QStringLiteral("GET /q/3")}));
}

void tst_Statement::sendsWhoAndWhere()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.url.setPath(QStringLiteral("/gate"));
    options.password = QStringLiteral("s:ecret");
    options.clientTags = {QStringLiteral("a"), QStringLiteral("b")};
    options.sessionProperties = {{QStringLiteral("x"), QStringLiteral("1, 2=3")},
                                 {QStringLiteral("iceberg.y"), QStringLiteral("true")}};
    TrinoSession session(options);
    stub.plan({stub.page({})});
    QVERIFY(execute(session, QStringLiteral("SELECT 'gr\u00fcn'"), Call{}));
    const StubRequest &request = stub.requests().at(0);
    QCOMPARE(request.line(), QStringLiteral("POST /gate/v1/statement"));
    QCOMPARE(request.body, QByteArray("SELECT 'gr\xc3\xbcn'"));
    QCOMPARE(request.headers.value("x-trino-user"), QByteArray("ivm"));
    QCOMPARE(request.headers.value("authorization"),
             QByteArray("Basic " + QByteArray("ivm:s:ecret").toBase64()));
    QCOMPARE(request.headers.value("x-trino-catalog"), QByteArray("iceberg"));
    QCOMPARE(request.headers.value("x-trino-schema"), QByteArray("main"));
    QCOMPARE(request.headers.value("x-trino-source"), QByteArray("iceberg-ivm"));
    QCOMPARE(request.headers.value("x-trino-time-zone"), QByteArray("UTC"));
    QCOMPARE(request.headers.value("x-trino-client-tags"), QByteArray("a,b"));
    QCOMPARE(request.headers.value("x-trino-session"), QByteArray("iceberg.y=true,x=1%2C%202%3D3"));
    QVERIFY(request.headers.value("x-trino-client-capabilities").contains("PARAMETRIC_DATETIME"));
}

void tst_Statement::repeatsWhatMayBeRepeated_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<StubReply>("fault");
    QTest::addColumn<bool>("atPost");
    for (const QString &sql : {QStringLiteral("SELECT 1"), kInsert}) {
        for (const bool atPost : {true, false}) {
            const char *where = atPost ? "the first answer" : "a later answer";
            const char *what = onlyReads(sql) ? "a read" : "a write";
            QTest::addRow("%s: 503 for %s", what, where) << sql << kBusy << atPost;
            QTest::addRow("%s: no %s", what, where) << sql << kCut << atPost;
            QTest::addRow("%s: %s breaks off", what, where) << sql << kBroken << atPost;
            QTest::addRow("%s: %s hangs", what, where) << sql << kHang << atPost;
        }
    }
}

void tst_Statement::repeatsWhatMayBeRepeated()
{
    QFETCH(QString, sql);
    QFETCH(StubReply, fault);
    QFETCH(bool, atPost);
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(5);
    TrinoSession session(options);
    const StubReply first = stub.page(QStringLiteral("/q/1"));
    const StubReply last = stub.page({}, kColumn + ",\"data\":[[1]]");
    stub.plan(atPost ? QList{fault, first, last} : QList{first, fault, last});
    QCOMPARE(shown(query(session, sql, Call{})), QStringLiteral("1"));
    QVERIFY(stub.isDone());
}

void tst_Statement::givesUpOnAServerThatIsAway_data()
{
    QTest::addColumn<StubReply>("fault");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const StubReply &fault, ErrorKind kind,
                        const char *message) {
        QTest::newRow(name) << fault << kind << QString::fromUtf8(message);
    };
    row("503", kBusy, ErrorKind::Unavailable, "Trino at %1 answers HTTP 503: try again");
    row("404", {.status = 404, .body = "<html>\nnot  here"}, ErrorKind::Unavailable,
        "Trino at %1 answers HTTP 404: <html> not here");
    row("401", {.status = 401}, ErrorKind::Unavailable, "Trino at %1 answers HTTP 401");
    row("a redirection", {.status = 302, .headers = {{"Location", "http://127.0.0.1:1/"}}},
        ErrorKind::Invalid, "Trino at %1 answers HTTP 302");
    row("another server", {.body = "It works!"}, ErrorKind::Corrupt,
        "Trino's answer is not JSON: expected a value at byte 0");
    row("no answer", kHang, ErrorKind::Unavailable,
        "Trino at %1 does not answer: no answer within 0 s");
}

void tst_Statement::givesUpOnAServerThatIsAway()
{
    QFETCH(StubReply, fault);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, message);
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan(QList<StubReply>(50, fault));
    const auto result = execute(session, QStringLiteral("SELECT 1"), Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, kind);
    QCOMPARE(result.error().message,
             message.contains(u"%1") ? message.arg(stub.url().toString()) : message);
    QVERIFY(!result.error().hint.isEmpty());
}

void tst_Statement::saysThatNobodyListens()
{
    TrinoSession session(stubOptions(QUrl(QStringLiteral("http://127.0.0.1:1"))));
    const auto result = execute(session, QStringLiteral("SELECT 1"), Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QCOMPARE(result.error().text(),
             QStringLiteral("Trino at http://127.0.0.1:1 does not answer: Connection refused. "
                            "Check that it runs and that url (TRINO_URL) is right"));
}

void tst_Statement::neverSendsAStartedWriteAgain_data()
{
    QTest::addColumn<QList<StubReply>>("replies");  // after the first answer
    QTest::newRow("no answer") << QList<StubReply>(50, kCut);
    QTest::newRow("503 for good") << QList<StubReply>(50, kBusy);
    QTest::newRow("the query is unknown")
        << QList<StubReply>{{.status = 404, .body = "Query not found"}, kGone};
    QTest::newRow("nonsense") << QList<StubReply>{{.body = "{}"}, kGone};
    QTest::newRow("killed") << QList<StubReply>{
        StubTrino::error("ADMINISTRATIVELY_KILLED", "USER_ERROR", "killed")};
}

void tst_Statement::neverSendsAStartedWriteAgain()
{
    QFETCH(QList<StubReply>, replies);
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1"))});
    stub.plan(replies);
    const auto result = execute(session, kInsert, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::CommitUnknown);
    QVERIFY2(result.error().message.startsWith(
                 u"the outcome of query 20260101_000000_00001_stubs is not known: "),
             qPrintable(result.error().message));
    QCOMPARE(stub.lines().count(QStringLiteral("POST /v1/statement")), 1);
}

void tst_Statement::reportsARefusalOfAWriteAsItIs()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1")),
               StubTrino::error("TABLE_NOT_FOUND", "USER_ERROR", "Table 't' does not exist")});
    const auto result = execute(session, kInsert, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::NotFound);
    QCOMPARE(result.error().message, QStringLiteral("Table 't' does not exist"));
}

void tst_Statement::cancelsWhenTheSinkHasEnough()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1")),
               stub.page(QStringLiteral("/q/2"), kColumn + ",\"data\":[[1],[2]]"), kGone});
    int rows = 0;
    RowSink sink{.row = [&](Row &&) -> Status {
        ++rows;
        return fail(invalidError(QStringLiteral("enough")));
    }};
    const auto result = session.run(QStringLiteral("SELECT 1"), sink, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().message, QStringLiteral("enough"));
    QCOMPARE(rows, 1);
    QCOMPARE(stub.lines().last(), QStringLiteral("DELETE /q/2"));
}

void tst_Statement::cancelsAtTheDeadline()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.answer = std::chrono::seconds(60);
    TrinoSession session(options);
    stub.plan({stub.page(QStringLiteral("/q/1")), kHang, kGone});
    const Call call{.stop = {},
                    .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100)};
    const auto result = execute(session, QStringLiteral("SELECT 1"), call);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Timeout);
    QCOMPARE(stub.lines().last(), QStringLiteral("DELETE /q/1"));
}

void tst_Statement::endsAtOnceWhenStopped()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.answer = std::chrono::seconds(60);
    TrinoSession session(options);
    std::stop_source stop;
    StubReply hang = kHang;
    std::jthread stopper;
    hang.then = [&] { stopper = std::jthread([&] { stop.request_stop(); }); };
    stub.plan({stub.page(QStringLiteral("/q/1")), hang, kGone});
    const auto result = execute(session, QStringLiteral("SELECT 1"),
                                Call{.stop = stop.get_token(), .deadline = {}});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Cancelled);
    QCOMPARE(stub.lines().last(), QStringLiteral("DELETE /q/1"));

    const auto never = execute(session, QStringLiteral("SELECT 1"),
                               Call{.stop = stop.get_token(), .deadline = {}});
    QVERIFY(!never);
    QCOMPARE(never.error().kind, ErrorKind::Cancelled);
    QCOMPARE(stub.lines().count(QStringLiteral("POST /v1/statement")), 1);
}

void tst_Statement::keepsToTheConfiguredServer()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.password = QStringLiteral("secret");
    TrinoSession session(options);
    StubReply first = stub.page(QStringLiteral("/q/1?slug=y"));
    first.body.replace(stub.url().toString().toUtf8(), "https://user@elsewhere.example:9");
    stub.plan({first, stub.page({})});
    QVERIFY(execute(session, QStringLiteral("SELECT 1"), Call{}));
    QCOMPARE(stub.lines().last(), QStringLiteral("GET /q/1?slug=y"));
    QVERIFY(!stub.requests().last().headers.value("authorization").isEmpty());
}

void tst_Statement::remembersWhatItIsTold()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    StubReply reply = stub.page({});
    reply.headers = {{"X-Trino-Set-Session", "a=1%2C2"},
                     {"X-Trino-Set-Session", "b=3"},
                     {"X-Trino-Set-Schema", "other"},
                     {"X-Trino-Added-Prepare", "p=SELECT+1"},
                     {"x-trino-set-role", "iceberg=ROLE%7Badmin%7D"}};
    StubReply clear = stub.page({});
    clear.headers = {{"X-Trino-Clear-Session", "a"}, {"X-Trino-Deallocated-Prepare", "p"}};
    stub.plan({reply, clear, stub.page({})});
    for (int i = 0; i < 3; ++i)
        QVERIFY(execute(session, QStringLiteral("SELECT 1"), Call{}));
    const auto &told = stub.requests().at(1).headers;
    QCOMPARE(told.value("x-trino-session"), QByteArray("a=1%2C2,b=3"));
    QCOMPARE(told.value("x-trino-schema"), QByteArray("other"));
    QCOMPARE(told.value("x-trino-prepared-statement"), QByteArray("p=SELECT+1"));
    QCOMPARE(told.value("x-trino-role"), QByteArray("iceberg=ROLE%7Badmin%7D"));
    QCOMPARE(stub.requests().at(2).headers.value("x-trino-session"), QByteArray("b=3"));
    QVERIFY(!stub.requests().at(2).headers.contains("x-trino-prepared-statement"));
}

void tst_Statement::readsOneHugeRow()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.answer = std::chrono::seconds(10);
    TrinoSession session(options);
    const QByteArray huge(20'000'000, 'x');
    stub.plan(
        {stub.page({}, R"("columns":[{"name":"s","type":"varchar"}],"data":[[")" + huge + "\"]]")});
    const auto rows = query(session, QStringLiteral("SELECT s"), Call{});
    QVERIFY2(rows, qPrintable(rows ? QString() : rows.error().text()));
    QCOMPARE(std::get<QString>(rows->rows.at(0).at(0).data).size(), huge.size());
}

void tst_Statement::refusesDataWithoutColumns()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1"), "\"data\":[[1]]"), kGone});
    QCOMPARE(shown(query(session, QStringLiteral("SELECT 1"), Call{})),
             QStringLiteral("Trino gave rows before it named their columns"));
    QCOMPARE(stub.lines().last(), QStringLiteral("DELETE /q/1"));
}

void tst_Statement::knowsWhatOnlyReads_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("reads");
    const auto row = [](const char *sql, bool reads) {
        QTest::newRow(QByteArray(sql).simplified().constData()) << QString::fromUtf8(sql) << reads;
    };
    row("select 1", true);
    row(" -- INSERT\n /* DELETE */ (SELECT 1)", true);
    row("WITH x AS (SELECT 1) SELECT * FROM x", true);
    row("EXPLAIN INSERT INTO t VALUES 1", true);
    row("explain /* no */ analyze INSERT INTO t VALUES 1", false);
    row("INSERT INTO t SELECT 1", false);
    row("-- SELECT", false);
    row("/* SELECT 1", false);
    row("SELECTED", false);
    row("", false);
    row("CALL system.runtime.kill_query('x')", false);
}

void tst_Statement::knowsWhatOnlyReads()
{
    QFETCH(QString, sql);
    QFETCH(bool, reads);
    QCOMPARE(onlyReads(sql), reads);
}

void tst_Statement::placesErrorsInADescribedQuery()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    const QByteArray body =
        R"({"id":"q","error":{"message":"line 3:5: no","errorName":"COLUMN_NOT_FOUND",
        "errorType":"USER_ERROR",
        "errorLocation":{"lineNumber":3,"columnNumber":5}}})";
    StubReply beyond{.body = body};
    beyond.body.replace("\"lineNumber\":3", "\"lineNumber\":4");
    stub.plan({{.body = body}, beyond});
    const QString sql = QStringLiteral("SELECT\n    x FROM t -- two lines");
    const auto columns = session.describe(sql, Call{});
    QVERIFY(!columns);
    QCOMPARE(columns.error().place, (Place{{}, 2, 5}));
    QCOMPARE(stub.requests().at(0).body,
             QByteArray("SELECT * FROM (\nSELECT\n    x FROM t -- two lines\n) LIMIT 0"));
    QCOMPARE(session.describe(sql, Call{}).error().place, Place());
}

QTEST_GUILESS_MAIN(tst_Statement)
#include "tst_statement.moc"
