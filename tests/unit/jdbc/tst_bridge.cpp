// The host's side of the JDBC bridge against bridges that misbehave: shell scripts that speak its
// protocol.
#include "plugins/executor_jdbc/executor.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <thread>

namespace ivm::jdbc {

namespace {

// Reads requests; `id` is the call's number, and `page N MORE` answers it with a page.
const QString kFrame = QString::fromUtf8(
    "page() { echo \"{\\\"call\\\":$id,\\\"page\\\":{\\\"id\\\":\\\"q$1\\\"$2}}\"; }\n"
    "more() { page \"$1\" \",\\\"nextUri\\\":\\\"bridge:$1\\\"\"; }\n"
    "yes() { echo \"{\\\"call\\\":$id}\"; }\n"
    "while IFS= read -r line; do\n"
    "id=${line#*:}; id=${id%%,*}\n"
    "case $line in\n"
    "%1\n"
    "*'\"op\":\"post\"'*) more 1 ;;\n"
    "*'\"op\":\"get\"'*) page 1 "
    "',\"columns\":[{\"name\":\"n\",\"type\":\"bigint\"}],\"data\":[[9007199254740993]]' ;;\n"
    "*) yes ;;\n"
    "esac\n"
    "done\n");

const QString kSelect = QStringLiteral("SELECT n");
const QString kInsert = QStringLiteral("INSERT INTO t SELECT n");

JdbcOptions options()
{
    return {.url = QStringLiteral("jdbc:trino://host"),
            .shownUrl = QStringLiteral("jdbc:trino://host"),
            .user = QStringLiteral("ivm"),
            .properties = {{QStringLiteral("password"), QStringLiteral("sesame")}},
            .secrets = {QStringLiteral("sesame")},
            .publicUrl = QUrl(QStringLiteral("https://host")),
            .catalog = QStringLiteral("iceberg"),
            .schema = QStringLiteral("main"),
            .source = {},
            .clientTags = {},
            .sessionProperties = {},
            .java = {},
            .heapMegabytes = 0};
}

}  // namespace

class tst_Bridge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void handsAnswersToWhoAsked();
    void aFaultEndsTheCallsInFlight_data();
    void aFaultEndsTheCallsInFlight();
    void oneThatHasAnsweredIsTriedAgain();
    void logsWhatItWrites();
    void saysThatThereIsNoJava();
    void aHangingBridgeIsEnded();
    void aCallEndsWhenItIsStopped();
    void anAnswerThatNobodyWaitsForIsDropped();
    void isStartedAgainLaterEachTime();
    void aStatementThatIsTooLongIsRefused();
    void aSessionOutlivesABridge();
    void aSessionEndsWithWhatItHadSet_data();
    void aSessionEndsWithWhatItHadSet();
    void aWritingStatementThatHadStartedIsInDoubt();
    void aFailureOfTheDriverIsTold_data();
    void aFailureOfTheDriverIsTold();
    void showsSecretsToNobody();
    void sendsTheTokenOfNow();
    void refusesAPropertyThatNoHeaderHolds();
    void endsWhenNobodyHoldsIt();

private:
    // A bridge that does `cases` before what every bridge does.
    BridgeCommand bridge(const QString &cases = {}) const
    {
        return {.program = QStringLiteral("/bin/sh"),
                .arguments = {QStringLiteral("-c"),
                              QString(kFrame).replace(QStringLiteral("%1"), cases),
                              QStringLiteral("bridge"), m_folder->path()},
                .patience = std::chrono::seconds(20),
                .firstDelay = std::chrono::minutes(10),
                .longestLine = 1 << 20};
    }

    Result<BridgeAnswer> ask(Bridge &bridge, const QString &op, std::optional<quint64> run = {})
    {
        return bridge.call({{QStringLiteral("op"), op}}, run, Call{});
    }

    static std::unique_ptr<Session> open(JdbcExecutor &executor)
    {
        return *executor.openSession({}, Call{});
    }

    static QString run(Session &session, const QString &sql)
    {
        const auto rows = query(session, sql, Call{});
        if (!rows)
            return errorKindName(rows.error().kind) + QStringLiteral(": ") + rows.error().message;
        return rows->rows.empty() ? QStringLiteral("nothing") : rows->rows[0][0].text();
    }

    QString file(const QString &name) const
    {
        QFile file(m_folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void tst_Bridge::init() { m_folder = std::make_unique<QTemporaryDir>(); }

void tst_Bridge::handsAnswersToWhoAsked()
{
    JdbcExecutor executor(options(), bridge());
    QStringList answers(3);
    {
        std::vector<std::jthread> threads;
        for (auto &answer : answers)
            threads.emplace_back([&executor, &answer] {
                const auto session = open(executor);
                for (int i = 0; i < 5; ++i)
                    answer = run(*session, kSelect);
            });
    }
    QCOMPARE(answers, QStringList(3, QStringLiteral("9007199254740993")));
}

void tst_Bridge::aFaultEndsTheCallsInFlight_data()
{
    QTest::addColumn<QString>("cases");
    QTest::addColumn<QString>("message");
    QTest::newRow("it dies") << "*) echo 'no room' >&2; exit 7 ;;"
                             << "the JDBC bridge ended with code 7: no room";
    QTest::newRow("it is killed") << "*) kill -9 $$ ;;" << "the JDBC bridge ended by a signal";
    QTest::newRow("it has no memory") << "*) exit 3 ;;" << "the JDBC bridge ran out of memory";
    QTest::newRow("its last word is not where it was")
        << "*) printf 'Exception: no key.\\n\\tat a.b(C.java:1)\\n' >&2; exit 1 ;;"
        << "the JDBC bridge ended with code 1: Exception: no key";
    QTest::newRow("it says what is no answer")
        << "*) echo Welcome ;;"
        << "the JDBC bridge was ended, since it sent what is no answer: Welcome";
    QTest::newRow("it names no call") << "*) echo '{\"call\":x}' ;;"
                                      << "the JDBC bridge was ended, since it sent what is no "
                                         "answer: {\"call\":x}";
    QTest::newRow("it does not end its line")
        << "*) head -c 2000000 /dev/zero | tr '\\0' x; sleep 100 ;;"
        << "the JDBC bridge was ended, since it sent a line of more than 1048576 bytes";
}

void tst_Bridge::aFaultEndsTheCallsInFlight()
{
    QFETCH(QString, cases);
    QFETCH(QString, message);
    Bridge bridge(this->bridge(cases));
    const auto answer = ask(bridge, QStringLiteral("open"));
    QVERIFY(!answer);
    QCOMPARE(answer.error().kind, ErrorKind::Unavailable);
    QCOMPARE(answer.error().message, message);
    QCOMPARE(answer.error().code, kBridgeEnded.toString());
    QCOMPARE(answer.error().hint,
             message.endsWith(u"memory")
                 ? QStringLiteral("Raise the executor's option heap_mb")
                 : QStringLiteral("The log has what it wrote: is the executor's option java a Java "
                                  "runtime, 17 or later, and lib/ivm/jdbc whole?"));
}

void tst_Bridge::oneThatHasAnsweredIsTriedAgain()
{
    Bridge bridge(this->bridge(QStringLiteral("*'\"op\":\"end\"'*) exit 7 ;;")));
    QVERIFY(ask(bridge, QStringLiteral("open")));
    QCOMPARE(ask(bridge, QStringLiteral("end")).error().text(),
             QStringLiteral("the JDBC bridge ended with code 7. Try again; the log has what it "
                            "wrote"));
}

void tst_Bridge::logsWhatItWrites()
{
    QTest::ignoreMessage(QtWarningMsg, "JDBC bridge: the first line");
    QTest::ignoreMessage(QtWarningMsg, QByteArray("JDBC bridge: " + QByteArray(1000, 'x')).data());
    QTest::ignoreMessage(QtWarningMsg, QByteArray("JDBC bridge: " + QByteArray(500, 'x')).data());
    Bridge bridge(this->bridge(
        QStringLiteral("*) echo 'the first line' >&2; "
                       "head -c 1500 /dev/zero | tr '\\0' x >&2; echo >&2; exit 0 ;;")));
    QCOMPARE(ask(bridge, QStringLiteral("open")).error().code, kBridgeEnded.toString());
}

void tst_Bridge::saysThatThereIsNoJava()
{
    JdbcExecutor executor(options(), {.program = QStringLiteral("/nowhere/java"), .arguments = {}});
    const auto rows = query(*open(executor), kSelect, Call{});
    QVERIFY(!rows);
    QCOMPARE(
        rows.error().text(),
        QStringLiteral("the JDBC bridge cannot be started: /nowhere/java (execve: No such file "
                       "or directory). Install a Java runtime, 17 or later, or name one with "
                       "the executor's option java"));
    QCOMPARE(rows.error().code, QStringLiteral("no_java"));
}

void tst_Bridge::aHangingBridgeIsEnded()
{
    BridgeCommand command = bridge(QStringLiteral("*) : ;;"));
    command.patience = std::chrono::milliseconds(50);
    Bridge bridge(command);
    const auto answer = ask(bridge, QStringLiteral("open"));
    QVERIFY(!answer);
    QCOMPARE(answer.error().message,
             QStringLiteral("the JDBC bridge hangs: it did not answer within 0 s"));
    QTRY_COMPARE(bridge.processId(), 0);
}

void tst_Bridge::aCallEndsWhenItIsStopped()
{
    Bridge bridge(this->bridge(QStringLiteral("*) : ;;")));
    std::stop_source stop;
    std::jthread stopper([&] {
        while (bridge.processId() == 0)
            std::this_thread::yield();
        stop.request_stop();
    });
    const auto answer = bridge.call({{QStringLiteral("op"), QStringLiteral("open")}}, {},
                                    Call{.stop = stop.get_token(), .deadline = {}});
    QVERIFY(!answer);
    QCOMPARE(answer.error().kind, ErrorKind::Cancelled);
    const auto late = bridge.call({{QStringLiteral("op"), QStringLiteral("open")}}, {},
                                  Call{}.within(std::chrono::milliseconds(20)));
    QVERIFY(!late);
    QCOMPARE(late.error().kind, ErrorKind::Timeout);
    QVERIFY(bridge.processId() != 0);
}

void tst_Bridge::anAnswerThatNobodyWaitsForIsDropped()
{
    Bridge bridge(this->bridge(QStringLiteral("*'\"op\":\"late\"'*) yes; yes; id=77; yes ;;")));
    QVERIFY(ask(bridge, QStringLiteral("late")));
    const auto next = ask(bridge, QStringLiteral("open"));
    QVERIFY(next);
    QCOMPARE(next->line, QByteArray("{\"call\":2}"));
}

void tst_Bridge::isStartedAgainLaterEachTime()
{
    Bridge bridge(this->bridge(QStringLiteral("*) exit 7 ;;")));
    const QString dead = QStringLiteral("the JDBC bridge ended with code 7");
    QCOMPARE(ask(bridge, QStringLiteral("open")).error().message, dead);
    // Once it may die of an accident.
    QCOMPARE(ask(bridge, QStringLiteral("open")).error().message, dead);
    const QString waits = ask(bridge, QStringLiteral("open")).error().message;
    QVERIFY2(waits.startsWith(QString(dead + QStringLiteral("; it is started again in "))) &&
                 waits.endsWith(QStringLiteral(" s at the earliest")),
             qPrintable(waits));
}

void tst_Bridge::aStatementThatIsTooLongIsRefused()
{
    JdbcExecutor executor(options(), bridge());
    const auto session = open(executor);
    const QString answer = run(*session, QString(9 << 20, u' '));
    QVERIFY2(answer.startsWith(u"invalid: the statement is too long for the JDBC bridge: 9437"),
             qPrintable(answer));
    QCOMPARE(run(*session, kSelect), QStringLiteral("9007199254740993"));
}

// It dies at its first start, when the file is not there yet.
const QString kDiesOnce = QStringLiteral(
    "*'\"op\":\"%1\"'*) if [ -e $1/died ]; then %2; else : > $1/died; exit 7; fi ;;");

void tst_Bridge::aSessionOutlivesABridge()
{
    JdbcExecutor executor(options(),
                          bridge(kDiesOnce.arg(QStringLiteral("post"), QStringLiteral("more 1"))));
    const auto session = open(executor);
    QCOMPARE(run(*session, kSelect), QStringLiteral("9007199254740993"));
}

void tst_Bridge::aSessionEndsWithWhatItHadSet_data()
{
    QTest::addColumn<bool>("inFlight");
    QTest::newRow("between two statements") << false;
    QTest::newRow("during a statement") << true;
}

void tst_Bridge::aSessionEndsWithWhatItHadSet()
{
    QFETCH(bool, inFlight);
    JdbcExecutor executor(
        options(), bridge(QStringLiteral("*'USE other'*) echo \"{\\\"call\\\":$id,\\\"page\\\":"
                                         "{\\\"id\\\":\\\"q\\\"},\\\"setsState\\\":true}\" ;;"
                                         "*'SELECT die'*) gets=die; more 1 ;;"
                                         "*'\"op\":\"get\"'*) [ -z \"$gets\" ] || exit 7; "
                                         "page 1 ',\"columns\":[{\"name\":\"n\",\"type\":"
                                         "\"bigint\"}],\"data\":[[1]]' ;;")));
    const auto session = open(executor);
    QCOMPARE(run(*session, QStringLiteral("USE other")), QStringLiteral("nothing"));
    if (inFlight)
        QCOMPARE(run(*session, QStringLiteral("SELECT die")),
                 QStringLiteral("unavailable: query q1: the JDBC bridge ended with code 7"));
    else
        QVERIFY(::kill(pid_t(executor.bridge().processId()), SIGKILL) == 0);
    QTRY_COMPARE(executor.bridge().processId(), 0);
    for (int i = 0; i < 2; ++i)
        QCOMPARE(run(*session, kSelect),
                 QStringLiteral("unavailable: the JDBC bridge has ended, and what this session had "
                                "set with it"));
    QCOMPARE(run(*open(executor), kSelect), QStringLiteral("1"));
}

void tst_Bridge::aWritingStatementThatHadStartedIsInDoubt()
{
    JdbcExecutor executor(options(), bridge(QStringLiteral("*'\"op\":\"get\"'*) exit 7 ;;")));
    QCOMPARE(run(*open(executor), kSelect),
             QStringLiteral("unavailable: query q1: the JDBC bridge ended with code 7"));
    QCOMPARE(run(*open(executor), kInsert),
             QStringLiteral("commit_unknown: the outcome of query q1 is not known: the JDBC bridge "
                            "ended with code 7"));
}

void tst_Bridge::aFailureOfTheDriverIsTold_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("text");
    QTest::newRow("not_reached")
        << "not_reached"
        << "unavailable: Trino at jdbc:trino://host does not answer: *** is "
           "wrong";
    QTest::newRow("refused") << "refused"
                             << "invalid: the JDBC driver refuses to connect to jdbc:trino://host: "
                                "*** is wrong";
    QTest::newRow("not_authenticated")
        << "not_authenticated" << "unavailable: Trino at jdbc:trino://host refuses: *** is wrong";
    QTest::newRow("time_zone") << "time_zone"
                               << "unsupported: the time zone of a session cannot be set";
    QTest::newRow("unknown") << "a word of tomorrow"
                             << "unavailable: Trino at jdbc:trino://host does not answer: *** is "
                                "wrong";
}

void tst_Bridge::aFailureOfTheDriverIsTold()
{
    QFETCH(QString, kind);
    QFETCH(QString, text);
    JdbcExecutor executor(options(),
                          bridge(QStringLiteral("*'\"op\":\"post\"'*) echo \"{\\\"call\\\":$id,"
                                                "\\\"failed\\\":{\\\"kind\\\":\\\"%1\\\","
                                                "\\\"message\\\":\\\"sesame is wrong\\\"}}\" ;;")
                                     .arg(kind)));
    QCOMPARE(run(*open(executor), kSelect), text);
}

void tst_Bridge::showsSecretsToNobody()
{
    qputenv("TRINO_PASSWORD", "sesame");
    qputenv("IVM_API_TOKEN", "token");
    JdbcExecutor executor(
        options(),
        bridge(QStringLiteral("*'\"op\":\"open\"'*) echo \"$line\" > $1/line; env > $1/env; "
                              "cat /proc/$$/cmdline > $1/command; yes ;;")));
    QCOMPARE(run(*open(executor), kSelect), QStringLiteral("9007199254740993"));
    qunsetenv("TRINO_PASSWORD");
    QVERIFY(file(QStringLiteral("line")).contains(u"sesame"));
    QVERIFY(file(QStringLiteral("env")).contains(u"PATH="));
    QVERIFY2(!file(QStringLiteral("env")).contains(u"sesame"),
             "the environment holds the password");
    QVERIFY(!file(QStringLiteral("env")).contains(u"IVM_API_TOKEN"));
    QVERIFY(file(QStringLiteral("command")).contains(u"/bin/sh"));
    QVERIFY(!file(QStringLiteral("command")).contains(u"sesame"));
}

// One that runs out is written anew by somebody else.
void tst_Bridge::sendsTheTokenOfNow()
{
    JdbcOptions told = options();
    told.accessTokenFile = m_folder->filePath(QStringLiteral("token"));
    const auto write = [&](const QByteArray &token) {
        QFile file(told.accessTokenFile);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(token) == token.size());
    };
    JdbcExecutor executor(
        told, bridge(QStringLiteral("*'\"op\":\"open\"'*) echo \"$line\" > $1/line; yes ;;\n"
                                    "*fail*) echo \"{\\\"call\\\":$id,\\\"failed\\\":{\\\"kind\\\""
                                    ":\\\"answer_lost\\\",\\\"message\\\":\\\"Bearer two is "
                                    "bad\\\"}}\" ;;")));
    QVERIFY(run(*open(executor), kSelect).contains(u"access_token_file"));
    write("one\n");
    QCOMPARE(run(*open(executor), kSelect), QStringLiteral("9007199254740993"));
    QVERIFY(file(QStringLiteral("line")).contains(u"\"accessToken\":\"one\""));
    write("two\n");
    const auto session = open(executor);
    QCOMPARE(run(*session, kSelect), QStringLiteral("9007199254740993"));
    QVERIFY(file(QStringLiteral("line")).contains(u"\"accessToken\":\"two\""));
    QVERIFY(run(*session, QStringLiteral("SELECT 'fail'")).contains(u"Bearer *** is bad"));

    // Also where the bridge was started anew meanwhile.
    write("three\n");
    QVERIFY(::kill(pid_t(executor.bridge().processId()), SIGKILL) == 0);
    QTRY_COMPARE(executor.bridge().processId(), qint64(0));
    QCOMPARE(run(*session, kSelect), QStringLiteral("9007199254740993"));
    QVERIFY(file(QStringLiteral("line")).contains(u"\"accessToken\":\"three\""));
}

void tst_Bridge::refusesAPropertyThatNoHeaderHolds()
{
    JdbcExecutor executor(options(), bridge());
    SessionOptions session;
    session.properties.insert(QStringLiteral("x"), QStringLiteral("gr\u00f6\u00dfe"));
    const auto opened = executor.openSession(session, Call{});
    QVERIFY(!opened);
    QCOMPARE(opened.error().kind, ErrorKind::Invalid);
    QCOMPARE(opened.error().text(),
             QStringLiteral("session property x: 'gr\u00f6\u00dfe' is not ASCII. The JDBC driver "
                            "sends ASCII alone here"));
}

void tst_Bridge::endsWhenNobodyHoldsIt()
{
    qint64 process = 0;
    {
        JdbcExecutor executor(options(), bridge());
        QCOMPARE(run(*open(executor), kSelect), QStringLiteral("9007199254740993"));
        process = executor.bridge().processId();
    }
    QVERIFY(process > 0);
    QVERIFY(::kill(pid_t(process), 0) != 0);
}

}  // namespace ivm::jdbc

QTEST_GUILESS_MAIN(ivm::jdbc::tst_Bridge)
#include "tst_bridge.moc"
