// The real bridge with the real driver on the real Trino, where it is killed, filled and starved.
#include "plugins/trino_sql/settle.h"
#include "tests/trino/real_trino.h"

#include <QCryptographicHash>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <csignal>
#include <thread>

using namespace ivm;
using namespace ivm::trino;

class tst_JdbcBridge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

    void nothingStartsBeforeItsFirstAnswerIsAskedFor();
    void aBridgeThatDiesBeforeTheStartLeavesNothing();
    void aBridgeThatDiesWhileItWritesIsSettled();
    void givesTheSameRowsAsTheServersOwnProtocol();
    void staysSmallWhileManySessionsRead();
    void aValueThatIsNestedTooDeeplyIsToldAndNoMore();
    void keepsWhatASessionSets();
    void aTimeZoneIsNotSet();
    void getsInOverTls_data();
    void getsInOverTls();
    void saysWhyKerberosFails();
    void passesOnWhatTheUrlSays();
    void saysWhoDoesNotAnswer_data();
    void saysWhoDoesNotAnswer();

private:
    using Properties = QMap<QString, QString>;

    jdbc::JdbcExecutor &executor() { return *m_executor; }
    void killBridge();
    Change change(const QString &table, const QString &query) const;
    Intent intent(const QString &table);
    QString settled(const Intent &intent);
    QString digest(Executor &executor, const QString &sql);
    qint64 peakMegabytes();
    Properties kerberos() const;
    // The answer's first row, or what is wrong.
    QString asked(const QString &urlOptions, const Properties &properties, const QString &sql,
                  bool overTls);

    RealTrino m_trino;  // over REST: what the other side sees
    std::unique_ptr<jdbc::JdbcExecutor> m_executor;
    QTemporaryDir m_folder;
};

void tst_JdbcBridge::initTestCase()
{
    QCOMPARE(m_trino.open(), QString());
    const auto options = realOptions(m_trino.schema());
    auto command = realBridge(options);
    // It dies several times in a row here.
    command.firstDelay = std::chrono::milliseconds(0);
    m_executor = std::make_unique<jdbc::JdbcExecutor>(jdbcOptions(options), command);
}

void tst_JdbcBridge::cleanupTestCase() { m_trino.close(); }

void tst_JdbcBridge::killBridge()
{
    const auto process = executor().bridge().processId();
    QVERIFY(process > 0);
    QVERIFY(::kill(pid_t(process), SIGKILL) == 0);
}

Change tst_JdbcBridge::change(const QString &table, const QString &query) const
{
    return ReplaceAll{{m_trino.table(table),
                       {{QStringLiteral("k"), {.kind = TypeKind::Varchar}, ColumnClass::Key},
                        {QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact}},
                       query}};
}

Intent tst_JdbcBridge::intent(const QString &table)
{
    return {.id = QStringLiteral("i"),
            .view = QStringLiteral("v"),
            .target = m_trino.table(table),
            .targetHead = m_trino.head(table),
            .statementId = {},
            .summary = {}};
}

QString tst_JdbcBridge::settled(const Intent &intent)
{
    const auto session = executor().openSession({}, Call{});
    const auto settlement = (*session)->settle(intent, Call{});
    if (!settlement)
        return settlement.error().text();
    if (std::holds_alternative<Landed>(*settlement))
        return QStringLiteral("landed");
    const auto *unknown = std::get_if<OutcomeUnknown>(&*settlement);
    return unknown ? unknown->reason : QStringLiteral("not landed");
}

void tst_JdbcBridge::nothingStartsBeforeItsFirstAnswerIsAskedFor()
{
    const auto options = realOptions(m_trino.schema());
    jdbc::JdbcClient client(jdbc::sharedBridge(realBridge(options)), jdbcOptions(options), {});
    auto page = client.post(QStringLiteral("CREATE TABLE waits AS SELECT 1 AS one"), Call{});
    QVERIFY2(page, qPrintable(page ? QString() : page.error().text()));
    QVERIFY(!page->id.isEmpty());
    for (int look = 0; look < 20; ++look) {
        for (const char *list : {"queries", "tasks"})
            QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*) FROM system.runtime.%1 WHERE "
                                                 "query_id = '%2'")
                                      .arg(QString::fromLatin1(list), page->id)),
                     QStringList(QStringLiteral("0")));
    }
    while (page && !page->nextUri.isEmpty())
        page = client.get(page->nextUri, Call{});
    QVERIFY2(page, qPrintable(page ? QString() : page.error().text()));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT one FROM waits")),
             QStringList(QStringLiteral("1")));
}

void tst_JdbcBridge::aBridgeThatDiesBeforeTheStartLeavesNothing()
{
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE early (k varchar, n bigint)")),
             QString());
    Intent intent = this->intent(QStringLiteral("early"));
    const auto session = executor().openSession({}, Call{});
    const auto result = (*session)->commit(
        change(QStringLiteral("early"),
               QStringLiteral("SELECT name, nationkey FROM tpch.tiny.nation")),
        intent,
        [&](const QString &id) -> Status {
            intent.statementId = id;
            killBridge();
            return {};
        },
        Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::CommitUnknown);
    QCOMPARE(settled(intent), QStringLiteral("not landed"));
    QCOMPARE(m_trino.head(QStringLiteral("early")), intent.targetHead);
}

void tst_JdbcBridge::aBridgeThatDiesWhileItWritesIsSettled()
{
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE midst (k varchar, n bigint)")),
             QString());
    Intent intent = this->intent(QStringLiteral("midst"));
    std::atomic<bool> isRecorded = false;
    std::jthread killer([&] {
        while (!isRecorded)
            std::this_thread::yield();
        // Another client, since a session belongs to one thread.
        TrinoSession other(realOptions(m_trino.schema()));
        const QString sql =
            QStringLiteral("SELECT count(*) FROM system.runtime.tasks WHERE query_id = '%1'")
                .arg(intent.statementId);
        for (int look = 0; look < 600; ++look) {
            const auto tasks = query(other, sql, Call{});
            if (tasks && tasks->rows[0][0] != Value{qint64(0)})
                break;
        }
        ::kill(pid_t(executor().bridge().processId()), SIGKILL);
    });
    const auto session = executor().openSession({}, Call{});
    const auto result = (*session)->commit(
        change(QStringLiteral("midst"),
               QStringLiteral("SELECT max(a.comment), count(*) FROM tpch.sf1.lineitem a CROSS JOIN "
                              "tpch.tiny.nation b WHERE a.comment < b.comment")),
        intent,
        [&](const QString &id) -> Status {
            intent.statementId = id;
            isRecorded = true;
            return {};
        },
        Call{});
    killer.join();
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::CommitUnknown);
    // Where it was quicker than the kill it landed; either way it is known.
    const QString outcome = settled(intent);
    const bool moved = m_trino.head(QStringLiteral("midst")) != intent.targetHead;
    QCOMPARE(outcome, moved ? QStringLiteral("landed") : QStringLiteral("not landed"));
}

QString tst_JdbcBridge::digest(Executor &executor, const QString &sql)
{
    const auto session = executor.openSession({}, Call{});
    QCryptographicHash hash(QCryptographicHash::Sha256);
    qint64 count = 0;
    RowSink sink{.row = [&](Row &&row) -> Status {
        ++count;
        for (const auto &value : row)
            hash.addData(QByteArray(value.text().toUtf8() + '\n'));
        return {};
    }};
    const auto result = (*session)->run(sql, sink, Call{});
    return result
               ? QString(QString::number(count) + u' ' + QString::fromLatin1(hash.result().toHex()))
               : result.error().text();
}

void tst_JdbcBridge::givesTheSameRowsAsTheServersOwnProtocol()
{
    const QString sql = QStringLiteral(
        "SELECT orderkey, totalprice, CAST(totalprice AS decimal(38, 20)), orderdate, comment, "
        "from_unixtime(orderkey / 7e0), ARRAY[clerk, NULL], ROW(custkey, -0e0), to_utf8(comment) "
        "FROM tpch.sf1.orders WHERE orderkey <= 400000 ORDER BY orderkey");
    TrinoExecutor rest(realOptions(m_trino.schema()));
    const QString wanted = digest(rest, sql);
    QVERIFY2(wanted.startsWith(u"100000 "), qPrintable(wanted));
    QCOMPARE(digest(executor(), sql), wanted);
}

qint64 tst_JdbcBridge::peakMegabytes()
{
    QFile status(QStringLiteral("/proc/%1/status").arg(executor().bridge().processId()));
    if (!status.open(QIODevice::ReadOnly))
        return -1;
    static const QRegularExpression peak(QStringLiteral("VmHWM:\\s*(\\d+) kB"));
    return peak.match(QString::fromUtf8(status.readAll())).captured(1).toLongLong() / 1024;
}

void tst_JdbcBridge::staysSmallWhileManySessionsRead()
{
    const QString sql = QStringLiteral("SELECT * FROM tpch.sf1.orders WHERE orderkey <= 200000");
    QStringList answers(4);
    {
        std::vector<std::jthread> threads;
        for (auto &answer : answers)
            threads.emplace_back([&] { answer = digest(executor(), sql).section(u' ', 0, 0); });
    }
    QCOMPARE(answers, QStringList(4, QStringLiteral("50000")));
    const qint64 peak = peakMegabytes();
    QVERIFY2(peak > 0 && peak < 200, qPrintable(QString::number(peak)));
}

// Nobody waits, and the sessions of others go on in the same process.
void tst_JdbcBridge::aValueThatIsNestedTooDeeplyIsToldAndNoMore()
{
    const auto session = *executor().openSession({}, Call{});
    const auto other = *executor().openSession({}, Call{});
    QVERIFY(query(*other, QStringLiteral("SELECT 1"), Call{}));
    const qint64 process = executor().bridge().processId();
    constexpr int kDepth = 300;
    const auto rows = query(*session,
                            QStringLiteral("SELECT ") + QStringLiteral("ARRAY[").repeated(kDepth) +
                                u'1' + QString(kDepth, u']'),
                            Call{}.within(std::chrono::seconds(60)));
    QVERIFY(!rows);
    QCOMPARE(rows.error().kind, ErrorKind::Corrupt);
    QCOMPARE(rows.error().message,
             QStringLiteral("the JDBC driver cannot read Trino's answer: its values are nested too "
                            "deeply for the JDBC driver"));
    QVERIFY(query(*other, QStringLiteral("SELECT 1"), Call{}));
    QVERIFY(query(*session, QStringLiteral("SELECT 1"), Call{}));
    QCOMPARE(executor().bridge().processId(), process);
}

void tst_JdbcBridge::keepsWhatASessionSets()
{
    const auto session = executor().openSession({}, Call{});
    QVERIFY(execute(**session, QStringLiteral("USE tpch.tiny"), Call{}));
    const auto rows = query(**session, QStringLiteral("SELECT count(*) FROM nation"), Call{});
    QVERIFY2(rows, qPrintable(rows ? QString() : rows.error().text()));
    killBridge();
    const auto after = query(**session, QStringLiteral("SELECT count(*) FROM nation"), Call{});
    QVERIFY(!after);
    QCOMPARE(after.error().message,
             QStringLiteral("the JDBC bridge has ended, and what this session had set with it"));
}

void tst_JdbcBridge::aTimeZoneIsNotSet()
{
    const auto session = executor().openSession({}, Call{});
    const auto set = execute(**session, QStringLiteral("SET TIME ZONE 'America/New_York'"), Call{});
    QVERIFY(!set);
    QCOMPARE(set.error().kind, ErrorKind::Unsupported);
    const auto zone = query(**session, QStringLiteral("SELECT current_timezone()"), Call{});
    QVERIFY(zone);
    QCOMPARE(zone->rows[0][0].text(), QStringLiteral("UTC"));
}

void tst_JdbcBridge::getsInOverTls_data()
{
    QTest::addColumn<Properties>("properties");
    const QString folder = qEnvironmentVariable("IVM_TEST_TRINO_TLS") + u'/';
    const auto content = [&](const char *name) {
        QFile file(folder + QString::fromLatin1(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).trimmed()
                                              : QString();
    };
    QTest::newRow("password") << Properties{{QStringLiteral("password"), content("password")}};
    QTest::newRow("token") << Properties{{QStringLiteral("accessToken"), content("token")}};
    // The driver wants the certificate and its key in one file.
    QFile both(m_folder.filePath(QStringLiteral("client.pem")));
    QVERIFY(both.open(QIODevice::WriteOnly));
    both.write(QString(content("client.key") + u'\n' + content("client.pem") + u'\n').toUtf8());
    QTest::newRow("certificate") << Properties{
        {QStringLiteral("SSLKeyStorePath"), both.fileName()}};
    QTest::newRow("Kerberos") << kerberos();
}

QMap<QString, QString> tst_JdbcBridge::kerberos() const
{
    const QString folder = qEnvironmentVariable("IVM_TEST_KERBEROS") + u'/';
    return {{QStringLiteral("KerberosRemoteServiceName"), QStringLiteral("trino")},
            {QStringLiteral("KerberosPrincipal"), qEnvironmentVariable("TRINO_USER")},
            {QStringLiteral("KerberosKeytabPath"), folder + QStringLiteral("user.keytab")},
            {QStringLiteral("KerberosConfigPath"), folder + QStringLiteral("krb5.conf")},
            {QStringLiteral("KerberosUseCanonicalHostname"), QStringLiteral("false")}};
}

QString tst_JdbcBridge::asked(const QString &urlOptions, const Properties &properties,
                              const QString &sql, bool overTls)
{
    auto options = jdbcOptions(realOptions(m_trino.schema()));
    if (overTls) {
        const QUrl url(qEnvironmentVariable("IVM_TEST_TRINO_HTTPS"));
        options.url = QStringLiteral("jdbc:trino://%1?SSL=true").arg(url.authority());
        options.properties.insert(QStringLiteral("SSLTrustStorePath"),
                                  qEnvironmentVariable("IVM_TEST_TRINO_TLS") +
                                      QStringLiteral("/ca.pem"));
    }
    options.url += urlOptions;
    options.properties.insert(properties);
    jdbc::JdbcExecutor executor(options, realBridge(realOptions(m_trino.schema())));
    const auto session = executor.openSession({}, Call{});
    const auto rows = query(**session, sql, Call{});
    if (!rows)
        return rows.error().text();
    QStringList values;
    for (const auto &value : rows->rows[0])
        values.append(value.text());
    return values.join(u'|');
}

void tst_JdbcBridge::getsInOverTls()
{
    QFETCH(Properties, properties);
    QCOMPARE(asked({}, properties, QStringLiteral("SELECT current_user"), true),
             qEnvironmentVariable("TRINO_USER"));
}

void tst_JdbcBridge::saysWhyKerberosFails()
{
    auto properties = kerberos();
    properties[QStringLiteral("KerberosKeytabPath")] = m_folder.filePath(QStringLiteral("none"));
    const QString wrong = asked({}, properties, QStringLiteral("SELECT 1"), true);
    QVERIFY2(wrong.startsWith(u"the JDBC driver does not get in with Kerberos: "),
             qPrintable(wrong));
    QVERIFY2(wrong.endsWith(u"Check the driver's properties KerberosPrincipal, KerberosKeytabPath "
                            u"and KerberosConfigPath; 'kinit' with the same should get a ticket"),
             qPrintable(wrong));
}

void tst_JdbcBridge::passesOnWhatTheUrlSays()
{
    const QString show = QStringLiteral("SHOW SESSION LIKE 'query_max_planning_time'");
    const QString value = QStringLiteral("query_max_planning_time|7m|");
    QVERIFY(asked(QStringLiteral("?sessionProperties=query_max_planning_time:7m"), {}, show, false)
                .startsWith(value));
    // A role that there is none of, in the server's own words.
    const QString refused =
        asked(QStringLiteral("?roles=system:clerks"), {}, QStringLiteral("SELECT 1"), false);
    QVERIFY2(refused.contains(u"Access Denied: Cannot set role clerks"), qPrintable(refused));
}

void tst_JdbcBridge::saysWhoDoesNotAnswer_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("password");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    const QString tls = QUrl(qEnvironmentVariable("IVM_TEST_TRINO_HTTPS")).authority();
    QTest::newRow("nobody there")
        << "jdbc:trino://127.0.0.1:1" << QString() << "not_reached"
        << "Trino at jdbc:trino://127.0.0.1:1 does not answer: java.net.ConnectException: Failed "
           "to connect to /127.0.0.1:1: Connection refused";
    QTest::newRow("an option that the driver does not know")
        << "jdbc:trino://127.0.0.1:1?colour=red" << QString() << "invalid"
        << "the JDBC driver refuses to connect to jdbc:trino://127.0.0.1:1: Unrecognized "
           "connection property 'colour'";
    QTest::newRow("a password in the clear")
        << "jdbc:trino://127.0.0.1:1" << "sesame" << "invalid"
        << "the JDBC driver refuses to connect to jdbc:trino://127.0.0.1:1: TLS/SSL is required "
           "for authentication with username and password";
    QTest::newRow("a certificate that nobody vouches for")
        << QString(QStringLiteral("jdbc:trino://%1?SSL=true").arg(tls)) << "sesame" << "not_trusted"
        << QString();
    QTest::newRow("another password")
        << QString(QStringLiteral("jdbc:trino://%1?SSL=true&SSLVerification=NONE").arg(tls))
        << "sesame"
        << "not_authenticated"
        << QString(QStringLiteral("Trino at jdbc:trino://%1 refuses: Authentication failed: Access "
                                  "Denied: Invalid credentials")
                       .arg(tls));
}

void tst_JdbcBridge::saysWhoDoesNotAnswer()
{
    QFETCH(QString, url);
    QFETCH(QString, password);
    QFETCH(QString, code);
    QFETCH(QString, message);
    auto options = jdbcOptions(realOptions(m_trino.schema()));
    options.url = url;
    options.shownUrl = url.section(u'?', 0, 0);
    if (!password.isEmpty())
        options.properties.insert(QStringLiteral("password"), password);
    jdbc::JdbcExecutor executor(options, realBridge(realOptions(m_trino.schema())));
    const auto session = executor.openSession({}, Call{});
    const auto rows = query(**session, QStringLiteral("SELECT 1"), Call{});
    QVERIFY(!rows);
    QCOMPARE(rows.error().code, code);
    if (!message.isEmpty())
        QCOMPARE(rows.error().message, message);
}

QTEST_GUILESS_MAIN(tst_JdbcBridge)
#include "tst_jdbc_bridge.moc"
