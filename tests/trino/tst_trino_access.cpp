// Who may come in, how long statements may take, and what Trino knows of them.
#include "tests/trino/real_trino.h"

#include <QTemporaryDir>

#include <thread>

using namespace ivm;
using namespace ivm::trino;

namespace {

// Runs until it is ended: some 10^13 rows.
const QString kEndless = QStringLiteral(
    "SELECT count(*) FROM tpch.sf100.lineitem a, tpch.sf100.lineitem b WHERE a.tax + b.tax > 1");

QString tlsFile(const QString &name)
{
    return qEnvironmentVariable("IVM_TEST_TRINO_TLS") + u'/' + name;
}

QString contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

class tst_TrinoAccess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_trino.close(); }
    void letsIn_data();
    void letsIn();
    void keepsOut_data();
    void keepsOut();
    void readsATokenAgain();
    void speaksToNobodyElse();
    void takesARole();
    void passesPropertiesOfAView();
    void endsAStatementInTime();
    void theServerEndsItToo();
    void endsAQueuedStatementInTime();
    void aWriteThatIsOutOfTimeLeavesNothing();
    void namesPrivilegesThatAreMissing_data();
    void namesPrivilegesThatAreMissing();

private:
    TrinoOptions secure() const
    {
        TrinoOptions options = realOptions(m_trino.schema());
        options.url = QUrl(qEnvironmentVariable("IVM_TEST_TRINO_HTTPS"));
        options.tls.authorities = tlsFile(QStringLiteral("ca.pem"));
        return options;
    }

    // The user that Trino takes us for; or the error.
    static QString user(const TrinoOptions &options)
    {
        TrinoExecutor executor(options);
        const auto session = executor.openSession({}, Call{});
        if (!session)
            return session.error().text();
        const auto rows = query(**session, QStringLiteral("SELECT current_user"), Call{});
        return rows ? rows->rows.at(0).at(0).text() : rows.error().text();
    }

    // How the one statement with that mark ended.
    QStringList ends(const QString &mark)
    {
        return m_trino.rows(
            QStringLiteral("SELECT state, error_code FROM system.runtime.queries WHERE query LIKE "
                           "'%%1%' AND query NOT LIKE '%runtime.queries%'")
                .arg(mark));
    }

    RealTrino m_trino;
};

void tst_TrinoAccess::initTestCase()
{
    QCOMPARE(m_trino.open(), QString());
    QVERIFY2(!qEnvironmentVariable("IVM_TEST_TRINO_HTTPS").isEmpty(),
             "IVM_TEST_TRINO_HTTPS is not set: load the env file of tests/trino/up");
}

void tst_TrinoAccess::letsIn_data()
{
    QTest::addColumn<QString>("with");
    for (const char *with : {"password", "token", "certificate"})
        QTest::newRow(with) << QString::fromUtf8(with);
}

void tst_TrinoAccess::letsIn()
{
    QFETCH(QString, with);
    TrinoOptions options = secure();
    if (with == u"password")
        options.password = contentOf(tlsFile(QStringLiteral("password")));
    if (with == u"token")
        options.accessTokenFile = tlsFile(QStringLiteral("token"));
    if (with == u"certificate") {
        options.tls.certificate = tlsFile(QStringLiteral("client.pem"));
        options.tls.key = tlsFile(QStringLiteral("client.key"));
    }
    QCOMPARE(user(options), qEnvironmentVariable("TRINO_USER"));
}

void tst_TrinoAccess::keepsOut_data()
{
    QTest::addColumn<QString>("password");
    QTest::addColumn<QString>("authorities");
    QTest::addColumn<QString>("start");
    QTest::addColumn<QString>("hint");
    const QString trusted = QStringLiteral("ca.pem");
    const auto row = [](const char *name, const QString &password, const QString &authorities,
                        const char *start, const char *hint) {
        QTest::newRow(name) << password << authorities << QString::fromUtf8(start)
                            << QString::fromUtf8(hint);
    };
    row("nobody", {}, trusted, "answers HTTP 401", "TRINO_PASSWORD or access_token_file");
    row("a wrong password", QStringLiteral("guess"), trusted, "answers HTTP 401",
        "TRINO_PASSWORD or access_token_file");
    row("a server that is not trusted", QStringLiteral("secret"), QStringLiteral("other.pem"),
        "does not answer: SSL handshake failed", "Set ca_file");
}

void tst_TrinoAccess::keepsOut()
{
    QFETCH(QString, password);
    QFETCH(QString, authorities);
    QFETCH(QString, start);
    QFETCH(QString, hint);
    TrinoOptions options = secure();
    options.password = password;
    options.tls.authorities = tlsFile(authorities);
    const QString error = user(options);
    QVERIFY2(error.startsWith(QStringLiteral("Trino at %1 %2").arg(options.url.toString(), start)),
             qPrintable(error));
    QVERIFY2(error.contains(hint), qPrintable(error));
    QVERIFY2(password.isEmpty() || !error.contains(password), qPrintable(error));
}

void tst_TrinoAccess::readsATokenAgain()
{
    QTemporaryDir folder;
    TrinoOptions options = secure();
    options.accessTokenFile = folder.filePath(QStringLiteral("token"));
    const auto put = [&](const QByteArray &token) {
        QFile file(options.accessTokenFile);
        return file.open(QIODevice::WriteOnly) && file.write(token) == token.size();
    };
    const QByteArray good = contentOf(tlsFile(QStringLiteral("token"))).toUtf8();
    QVERIFY(put("no.token.atall"));
    TrinoExecutor executor(options);
    const auto session = executor.openSession({}, Call{});
    QVERIFY(session);
    const auto refused = execute(**session, QStringLiteral("SELECT 1"), Call{});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, QStringLiteral("not_authenticated"));
    QVERIFY(put(good));
    const auto done = execute(**session, QStringLiteral("SELECT 1"), Call{});
    QVERIFY2(done, qPrintable(done ? QString() : done.error().text()));
}

// The name in the certificate is part of who the server is.
void tst_TrinoAccess::speaksToNobodyElse()
{
    TrinoOptions options = secure();
    options.password = contentOf(tlsFile(QStringLiteral("password")));
    options.url.setHost(QStringLiteral("127.0.0.1"));
    const QString error = user(options);
    QVERIFY2(error.contains(u"host name did not match"), qPrintable(error));
}

void tst_TrinoAccess::takesARole()
{
    TrinoOptions options = realOptions(m_trino.schema());
    options.roles = {{QStringLiteral("system"), QStringLiteral("ROLE{nobody_has_this}")}};
    const QString error = user(options);
    QVERIFY2(error.contains(u"nobody_has_this"), qPrintable(error));
    options.roles = {{QStringLiteral("iceberg"), QStringLiteral("NONE")}};
    QCOMPARE(user(options), qEnvironmentVariable("TRINO_USER"));
}

void tst_TrinoAccess::passesPropertiesOfAView()
{
    TrinoExecutor executor(realOptions(m_trino.schema()));
    const auto session = executor.openSession(
        {.purpose = QStringLiteral("view hourly"),
         .properties = {{QStringLiteral("task_concurrency"), QStringLiteral("2")}},
         .statementTimeout = std::chrono::minutes(7)},
        Call{});
    QVERIFY(session);
    const auto value = [&](const QString &name) {
        const auto rows =
            query(**session, QStringLiteral("SHOW SESSION LIKE '%1'").arg(name), Call{});
        return rows ? rows->rows.at(0).at(1).text() : rows.error().text();
    };
    QCOMPARE(value(QStringLiteral("task_concurrency")), QStringLiteral("2"));
    const QString runTime = value(QStringLiteral("query_max_run_time"));
    QVERIFY2(runTime.startsWith(u"6.99") || runTime == u"7.00m" || runTime.startsWith(u"41") ||
                 runTime == u"420000ms",
             qPrintable(runTime));
}

void tst_TrinoAccess::endsAStatementInTime()
{
    TrinoExecutor executor(realOptions(m_trino.schema()));
    const auto session = executor.openSession(
        {.purpose = {}, .properties = {}, .statementTimeout = std::chrono::seconds(2)}, Call{});
    QVERIFY(session);
    const QString mark = m_trino.schema() + QStringLiteral("_client");
    const auto result =
        execute(**session, QStringLiteral("/* %1 */ ").arg(mark) + kEndless, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Timeout);
    QTRY_VERIFY_WITH_TIMEOUT(ends(mark).value(0).startsWith(u"FAILED"), 20'000);
}

// A client that dies cannot end anything: the server was told, too.
void tst_TrinoAccess::theServerEndsItToo()
{
    const QString mark = m_trino.schema() + QStringLiteral("_server");
    TrinoOptions options = realOptions(m_trino.schema());
    Connection connection(options, {.purpose = {}, .properties = {}, .statementTimeout = {}},
                          QSslConfiguration());
    const Call call = Call{}.within(std::chrono::seconds(2));
    const auto page = connection.post(QStringLiteral("/* %1 */ ").arg(mark) + kEndless, call);
    QVERIFY2(page, qPrintable(page ? QString() : page.error().text()));
    QVERIFY(connection.get(page->nextUri, Call{}));
    QTRY_COMPARE_WITH_TIMEOUT(ends(mark), QStringList(QStringLiteral("FAILED|EXCEEDED_TIME_LIMIT")),
                              30'000);
}

void tst_TrinoAccess::endsAQueuedStatementInTime()
{
    TrinoOptions options = realOptions(m_trino.schema());
    options.source = QStringLiteral("ivm-one-at-a-time");
    Connection first(options, {}, QSslConfiguration());
    const auto running = first.post(kEndless, Call{});
    QVERIFY(running);
    const auto started = first.get(running->nextUri, Call{});
    QVERIFY(started);

    TrinoExecutor executor(options);
    const auto session = executor.openSession(
        {.purpose = {}, .properties = {}, .statementTimeout = std::chrono::seconds(3)}, Call{});
    QVERIFY(session);
    const QString mark = m_trino.schema() + QStringLiteral("_queued");
    const auto late = execute(**session, QStringLiteral("SELECT 1 /* %1 */").arg(mark), Call{});
    QVERIFY(first.cancel(started->nextUri));
    QVERIFY(!late);
    QCOMPARE(late.error().kind, ErrorKind::Timeout);
    QVERIFY(!ends(mark).value(0).startsWith(u"QUEUED"));
}

void tst_TrinoAccess::aWriteThatIsOutOfTimeLeavesNothing()
{
    const QString table = m_trino.table(QStringLiteral("slow")).quoted();
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE %1 (k bigint, n bigint)").arg(table)),
             QString());
    TrinoExecutor executor(realOptions(m_trino.schema()));
    const auto session = executor.openSession(
        {.purpose = {}, .properties = {}, .statementTimeout = std::chrono::seconds(4)}, Call{});
    QVERIFY(session);
    const OutputColumn key{QStringLiteral("k"), {.kind = TypeKind::Bigint}, ColumnClass::Key};
    const OutputColumn count{QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact};
    const ReplaceAll change{{m_trino.table(QStringLiteral("slow")),
                             {key, count},
                             QStringLiteral("SELECT BIGINT '1' AS k, (%1) AS n").arg(kEndless)}};
    Intent intent{.id = QStringLiteral("i"),
                  .view = QStringLiteral("v"),
                  .target = m_trino.table(QStringLiteral("slow")),
                  .targetHead = m_trino.head(QStringLiteral("slow")),
                  .statementId = {},
                  .summary = {}};
    QString sent;
    const auto record = [&](const QString &id) -> Status {
        sent = id;
        return {};
    };
    const auto result = (*session)->commit(change, intent, record, Call{});
    QVERIFY(!result);
    // Known to have written nothing, since it was waited for: no doubt is left to the next refresh.
    QVERIFY2(result.error().kind == ErrorKind::Timeout, qPrintable(result.error().text()));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT state FROM system.runtime.queries WHERE query_id "
                                         "= '%1'")
                              .arg(sent)),
             QStringList(QStringLiteral("FAILED")));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*) FROM ") + table),
             QStringList(QStringLiteral("0")));
}

void tst_TrinoAccess::namesPrivilegesThatAreMissing_data()
{
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QStringList>("missing");  // parts of the hints, in order
    const auto row = [](const char *user, const char *target, const QStringList &missing) {
        QTest::addRow("%s, %s", user, target)
            << QString::fromUtf8(user) << QString::fromUtf8(target) << missing;
    };
    row("ivm", "hourly", {});
    row("ivm", "daily", {});
    row("ivm-reader", "daily", {QStringLiteral("make tables in schema \"iceberg\".")});
    row("ivm-reader", "hourly",
        {QStringLiteral("GRANT INSERT"), QStringLiteral("GRANT UPDATE"),
         QStringLiteral("GRANT DELETE")});
    row("ivm-inserter", "hourly", {QStringLiteral("GRANT UPDATE"), QStringLiteral("GRANT DELETE")});
    row("ivm-blind", "daily",
        {QStringLiteral("flights$refs"), QStringLiteral("flights$snapshots"),
         QStringLiteral("flights$metadata_log_entries"), QStringLiteral("flights$all_entries"),
         QStringLiteral("flights$all_manifests"), QStringLiteral("flights$files"),
         QStringLiteral("After a lost answer")});
}

void tst_TrinoAccess::namesPrivilegesThatAreMissing()
{
    QFETCH(QString, user);
    QFETCH(QString, target);
    QFETCH(QStringList, missing);
    const TableName source = m_trino.table(QStringLiteral("flights"));
    const TableName hourly = m_trino.table(QStringLiteral("hourly"));
    QCOMPARE(m_trino.problem(
                 {QStringLiteral("CREATE TABLE IF NOT EXISTS %1 (k bigint)").arg(source.quoted()),
                  QStringLiteral("CREATE TABLE IF NOT EXISTS %1 (k bigint, n bigint)")
                      .arg(hourly.quoted())}),
             QString());
    TrinoOptions options = realOptions(m_trino.schema());
    options.user = user;
    TrinoSession session(options);
    const OutputColumn key{QStringLiteral("k"), {.kind = TypeKind::Bigint}, ColumnClass::Key};
    const OutputColumn count{QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact};
    const Replacement view{
        m_trino.table(target),
        {key, count},
        QStringLiteral("SELECT k, count(*) AS n FROM %1 GROUP BY 1").arg(source.quoted())};
    const auto found = session.missingPrivileges(view, {source}, Call{});
    QVERIFY2(found, qPrintable(found ? QString() : found.error().text()));
    QStringList texts;
    for (const auto &error : *found)
        texts.append(error.text());
    QCOMPARE(texts.size(), missing.size());
    for (qsizetype i = 0; i < missing.size(); ++i)
        QVERIFY2(texts[i].contains(missing[i]) && texts[i].contains(u"Access Denied"),
                 qPrintable(texts[i]));
}

QTEST_GUILESS_MAIN(tst_TrinoAccess)
#include "tst_trino_access.moc"
