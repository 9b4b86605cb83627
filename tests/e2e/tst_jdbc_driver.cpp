// The real bridge and driver against a server that answers as it is told.
#include "plugins/executor_jdbc/executor.h"
#include "tests/unit/trino/stub_trino.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace ivm;
using namespace ivm::trino;

class tst_JdbcDriver : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sendsWhoAndWhere();
    void staysInUtc();
    void findsItsDriverAmongOthers();
    void countsWhatAStatementChanged();
    void tellsTimeLeft();
    void cancelsOnTheServer();
    void saysWhatTheServerAnswered_data();
    void saysWhatTheServerAnswered();
    void saysThatAQueryIsLost();
    void saysThatAnAnswerCannotBeRead_data();
    void saysThatAnAnswerCannotBeRead();
    void endsWhereARowIsTooLarge();
    void endsOnWhatItCannotRead_data();
    void endsOnWhatItCannotRead();

private:
    static jdbc::JdbcOptions options(const StubTrino &stub)
    {
        const QString place = QStringLiteral("jdbc:trino://") + stub.url().authority();
        return {
            .url = place + QStringLiteral("?roles=iceberg:writer"),
            .shownUrl = QStringLiteral("jdbc:trino://stub"),
            .user = QStringLiteral("ann"),
            .properties = {},
            .secrets = {},
            .publicUrl = stub.url(),
            .catalog = QStringLiteral("iceberg"),
            .schema = QStringLiteral("main"),
            .source = QStringLiteral("iceberg-ivm"),
            .clientTags = {QStringLiteral("night"), QStringLiteral("cheap")},
            .sessionProperties = {{QStringLiteral("query_max_run_time"), QStringLiteral("30m")}},
            .java = QStringLiteral("java"),
            .heapMegabytes = 64,
            .retryFor = std::chrono::milliseconds(300)};
    }

    // Runs a statement in a thread of its own, since the stub lives in this one.
    Result<StatementResult> run(const StubTrino &stub, const QString &sql, const Call &call = {})
    {
        return run(options(stub), m_command, sql, call);
    }
    static Result<StatementResult> run(const jdbc::JdbcOptions &options,
                                       const jdbc::BridgeCommand &command, const QString &sql,
                                       const Call &call = {})
    {
        Result<StatementResult> result = fail(internalError(QStringLiteral("not run")));
        std::atomic<bool> done = false;
        std::jthread worker([&] {
            jdbc::JdbcExecutor executor(options, command);
            const auto session = executor.openSession(
                {.purpose = QStringLiteral("view v"), .properties = {}, .statementTimeout = {}},
                Call{});
            result = execute(**session, sql, call);
            done = true;
        });
        while (!done)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents,
                                            10);
        return result;
    }

    // As the driver wants it: with its type and where people look.
    static StubReply whole(StubReply reply)
    {
        reply.body.insert(1, "\"infoUri\":\"http://127.0.0.1/ui\",");
        reply.headers.emplaceBack("Content-Type", "application/json");
        return reply;
    }

    static QString shown(const Result<StatementResult> &result)
    {
        return result ? result->updateType + u' ' + QString::number(result->rowsAffected)
                      : QString(errorKindName(result.error().kind) + u' ' + result.error().code +
                                QStringLiteral(": ") + result.error().message);
    }

    StubTrino m_any;
    const jdbc::BridgeCommand m_command =
        jdbc::bridgeCommand(options(m_any), QStringLiteral(IVM_JDBC_DIR));
};

void tst_JdbcDriver::sendsWhoAndWhere()
{
    StubTrino stub;
    stub.plan(
        {whole(stub.page(QStringLiteral("/q/1"))), whole(stub.page({}, "\"updateType\":\"X\""))});
    QCOMPARE(shown(run(stub, QStringLiteral("SELECT 1"))), QStringLiteral("X -1"));
    QCOMPARE(stub.lines(),
             QStringList({QStringLiteral("POST /v1/statement"), QStringLiteral("GET /q/1")}));
    const auto &post = stub.requests()[0];
    QCOMPARE(post.body, QByteArray("SELECT 1\n-- iceberg-ivm: view v"));
    const QList<std::pair<QByteArray, QByteArray>> wanted{
        {"x-trino-user", "ann"},
        {"x-trino-source", "iceberg-ivm"},
        {"x-trino-catalog", "iceberg"},
        {"x-trino-schema", "main"},
        {"x-trino-time-zone", "UTC"},
        {"x-trino-client-info", "iceberg-ivm: view v"},
        {"x-trino-client-tags", "night,cheap"},
        {"x-trino-session", "query_max_run_time=30m"},
        {"x-trino-role", "iceberg=ROLE%7Bwriter%7D"}};
    for (const auto &[name, value] : wanted) {
        const QByteArray sent = post.headers.value(name);
        QVERIFY2(sent == value, QByteArray(name + ": " + sent).constData());
    }
}

// Whatever gets by the check of the options.
void tst_JdbcDriver::staysInUtc()
{
    StubTrino stub;
    stub.plan({whole(stub.page({}))});
    auto elsewhere = options(stub);
    elsewhere.url += QStringLiteral("&applicationNamePrefix=a%26timezone=America/New_York");
    QVERIFY(run(elsewhere, m_command, QStringLiteral("SELECT 1")));
    QCOMPARE(stub.requests()[0].headers.value("x-trino-time-zone"), QByteArray("UTC"));
}

// An upgrade leaves the one before in the folder.
void tst_JdbcDriver::findsItsDriverAmongOthers()
{
    const QTemporaryDir folder;
    const QDir jars(QStringLiteral(IVM_JDBC_DIR));
    for (const auto &name : jars.entryList({QStringLiteral("*.jar")}))
        QVERIFY(QFile::copy(jars.filePath(name), folder.filePath(name)));
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("c/io/trino/jdbc")));
    QFile wrong(folder.filePath(QStringLiteral("c/io/trino/jdbc/TrinoDriver.class")));
    QVERIFY(wrong.open(QIODevice::WriteOnly) && wrong.write("no class") > 0);
    wrong.close();
    for (int i = 0; i < 8; ++i)
        QCOMPARE(QProcess::execute(QStringLiteral("jar"),
                                   {QStringLiteral("--create"), QStringLiteral("--file"),
                                    folder.filePath(QStringLiteral("trino-jdbc-%1.jar").arg(i)),
                                    QStringLiteral("-C"), folder.filePath(QStringLiteral("c")),
                                    QStringLiteral("io")}),
                 0);
    StubTrino stub;
    stub.plan({whole(stub.page({}))});
    const auto result = run(options(stub), jdbc::bridgeCommand(options(stub), folder.path()),
                            QStringLiteral("SELECT 1"));
    QVERIFY2(result, qPrintable(shown(result)));
}

void tst_JdbcDriver::countsWhatAStatementChanged()
{
    StubTrino stub;
    stub.plan({whole(stub.page(QStringLiteral("/q/1"))),
               whole(stub.page({}, "\"updateType\":\"INSERT\",\"updateCount\":9007199254740993"))});
    QCOMPARE(shown(run(stub, QStringLiteral("INSERT INTO t SELECT 1"))),
             QStringLiteral("INSERT 9007199254740993"));
}

void tst_JdbcDriver::tellsTimeLeft()
{
    StubTrino stub;
    stub.plan({whole(stub.page({}))});
    QVERIFY(run(stub, QStringLiteral("SELECT 1"), Call{}.within(std::chrono::minutes(5))));
    const QByteArray limit = stub.requests()[0].headers.value("x-trino-session");
    const qint64 left = limit.sliced(limit.indexOf('=') + 1).chopped(2).toLongLong();
    QVERIFY2(left > 0 && left <= 300'000 && limit.endsWith("ms"), limit.constData());
}

void tst_JdbcDriver::cancelsOnTheServer()
{
    StubTrino stub;
    std::stop_source stop;
    stub.plan({whole(stub.page(QStringLiteral("/q/1"))),
               {.fault = StubReply::Hang, .then = [&] { stop.request_stop(); }},
               {.status = 204}});
    const auto result =
        run(stub, QStringLiteral("SELECT 1"), Call{.stop = stop.get_token(), .deadline = {}});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Cancelled);
    QCOMPARE(stub.lines().value(2), QStringLiteral("DELETE /q/1"));
}

void tst_JdbcDriver::saysWhatTheServerAnswered_data()
{
    QTest::addColumn<QList<StubReply>>("replies");
    QTest::addColumn<QString>("outcome");
    const auto row = [](const char *name, const QList<StubReply> &replies, const char *outcome) {
        QTest::newRow(name) << replies << QString::fromLatin1(outcome);
    };
    row("an error of the statement",
        {whole(StubTrino::error("TABLE_NOT_FOUND", "USER_ERROR", "line 1:2: no t"))},
        "not_found table_not_found: no t");
    row("who are you", {{.status = 401, .body = "who?"}},
        "unavailable not_authenticated: Trino at jdbc:trino://stub refuses: Authentication failed: "
        "who?");
    row("you may not", {{.status = 403, .body = "go away"}}, "unavailable not_authenticated");
    const StubReply begun = whole({.body = "{\"id\":\"q\",\"stats\":{\"state\":\"QUEUED\"},"
                                           "\"nextUri\":\"http://127.0.0.1:1/v1/q\"}"});
    row("begun, and gone", {begun},
        "unavailable not_reached: query q: Trino at jdbc:trino://stub does not answer");
    row("no Trino", {{.status = 404, .body = "what?"}}, "unavailable answer_lost");
    row("another language", {{.body = "<html>Welcome</html>"}}, "unavailable answer_lost");
}

void tst_JdbcDriver::saysWhatTheServerAnswered()
{
    QFETCH(QList<StubReply>, replies);
    QFETCH(QString, outcome);
    StubTrino stub;
    stub.plan(replies);
    const QString text = shown(run(stub, QStringLiteral("SELECT 1")));
    QVERIFY2(text.startsWith(outcome), qPrintable(text));
}

void tst_JdbcDriver::saysThatAQueryIsLost()
{
    StubTrino stub;
    stub.plan(
        {whole(stub.page(QStringLiteral("/q/1"))), {.status = 404, .body = "Query not found"}});
    const QString text = shown(run(stub, QStringLiteral("INSERT INTO t SELECT 1")));
    QVERIFY2(text.startsWith(QStringLiteral(
                 "commit_unknown commit_unknown: the outcome of query 20260101_000000_00001_stubs "
                 "is not known: Trino at jdbc:trino://stub does not know the query any more: ")),
             qPrintable(text));
}

void tst_JdbcDriver::saysThatAnAnswerCannotBeRead_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("signature");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("why");
    const auto of = [](const char *type, const QByteArray &inner) {
        return QByteArray(QByteArray("{\"rawType\":\"") + type + "\",\"arguments\":[" + inner +
                          "]}");
    };
    const auto part = [](const QByteArray &signature) {
        return QByteArray("{\"kind\":\"TYPE\",\"value\":" + signature + "}");
    };
    const QByteArray number = of("bigint", {});
    const QByteArray list = of("array", part(number));
    QTest::newRow("a map by lists")
        << QByteArray("map(array(bigint),bigint)") << of("map", part(list) + ',' + part(number))
        << QByteArray("{\"[1]\":1}") << QStringLiteral("Illegal base64 character 5b");
    QByteArray deep = number;
    QByteArray type = "bigint";
    for (int depth = 0; depth < 300; ++depth) {
        deep = of("array", part(deep));
        type = "array(" + type + ')';
    }
    // An Error of Java's, which would leave the call without an answer.
    QTest::newRow("deep nesting") << type << deep << QByteArray("null")
                                  << QStringLiteral("its values are nested too deeply for the "
                                                    "JDBC driver");
}

void tst_JdbcDriver::saysThatAnAnswerCannotBeRead()
{
    QFETCH(QByteArray, type);
    QFETCH(QByteArray, signature);
    QFETCH(QByteArray, value);
    QFETCH(QString, why);
    StubTrino stub;
    stub.plan({whole(stub.page(QStringLiteral("/q/1"))),
               whole(stub.page({}, "\"columns\":[{\"name\":\"x\",\"type\":\"" + type +
                                       "\",\"typeSignature\":" + signature + "}],\"data\":[[" +
                                       value + "]]"))});
    const auto result = run(stub, QStringLiteral("SELECT x"));
    QVERIFY(!result);
    QCOMPARE(result.error().text(),
             QStringLiteral("the JDBC driver cannot read Trino's answer: %1. Cast what is deeply "
                            "nested, or a map by nested keys, to varchar or json, or use the "
                            "executor 'trino'")
                 .arg(why));
    QCOMPARE(result.error().kind, ErrorKind::Corrupt);
}

void tst_JdbcDriver::endsWhereARowIsTooLarge()
{
    StubTrino stub;
    const QByteArray columns = "\"columns\":[{\"name\":\"x\",\"type\":\"varchar\","
                               "\"typeSignature\":{\"rawType\":\"varchar\","
                               "\"arguments\":[{\"kind\":\"LONG\",\"value\":2147483647}]}}]";
    stub.plan(
        {whole(stub.page(QStringLiteral("/q/1"))),
         whole(stub.page({}, columns + ",\"data\":[[\"" + QByteArray(80 << 20, 'x') + "\"]]"))});
    const auto result = run(stub, QStringLiteral("SELECT x"));
    QVERIFY(!result);
    QCOMPARE(result.error().text(),
             QStringLiteral("query 20260101_000000_00001_stubs: the JDBC bridge ran out of memory. "
                            "Raise the executor's option heap_mb"));
}

void tst_JdbcDriver::endsOnWhatItCannotRead_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QString>("said");
    const auto row = [](const char *name, const QByteArray &input, const char *said) {
        QTest::newRow(name) << input << QString::fromLatin1(said);
    };
    row("no JSON", "hello\n", "not JSON: expected an object at 0");
    row("half a line", "{\"call\":1,\n", "not JSON: expected a string at 10");
    row("no number", "{\"call\":1.5}\n", "not JSON: expected '}' at 9");
    row("deep nesting", "{\"a\":" + QByteArray(100'000, '[') + "\n",
        "not JSON: expected less nesting at 37");
    row("half an escape", "{\"a\":\"\\u12\"}\n", "not JSON: expected four hexadecimal digits");
    row("an unknown request", "{\"call\":1,\"session\":1,\"op\":\"fly\"}\n", "unknown op fly");
    row("a line without an end", QByteArray(10 << 20, 'x'), "a line of more than 8388608 bytes");
}

void tst_JdbcDriver::endsOnWhatItCannotRead()
{
    QFETCH(QByteArray, input);
    QFETCH(QString, said);
    QProcess bridge;
    bridge.start(m_command.program, m_command.arguments);
    bridge.write(input);
    bridge.closeWriteChannel();
    QVERIFY(bridge.waitForFinished(60'000));
    QCOMPARE(bridge.exitCode(), 2);
    const QString error = QString::fromUtf8(bridge.readAllStandardError());
    QVERIFY2(error.contains(said), qPrintable(error));
    QCOMPARE(bridge.readAllStandardOutput(), QByteArray());
}

QTEST_GUILESS_MAIN(tst_JdbcDriver)
#include "tst_jdbc_driver.moc"
