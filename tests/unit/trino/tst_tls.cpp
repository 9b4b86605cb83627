#include "plugins/executor_trino/executor.h"
#include "plugins/executor_trino/tls.h"
#include "tests/unit/trino/stub_session.h"

#include <QProcess>
#include <QSslKey>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

const QString kSelect = QStringLiteral("SELECT 1");

// Keys and certificates of a small world: an authority, a server called localhost, a client.
class Certificates {
public:
    // Says what went wrong, or nothing.
    QString make()
    {
        const QString authority = QStringLiteral("-CA ca.pem -CAkey ca.key");
        const QString name = QStringLiteral("-addext subjectAltName=DNS:localhost");
        for (const QString &arguments :
             {certificate(QStringLiteral("ca"), QStringLiteral("authority")),
              certificate(QStringLiteral("other"), QStringLiteral("nobody")),
              certificate(QStringLiteral("server"), QStringLiteral("localhost"),
                          authority + u' ' + name),
              certificate(QStringLiteral("client"), QStringLiteral("ivm"), authority),
              QStringLiteral("ec -in client.key -aes256 -passout pass:opensesame "
                             "-out locked.key")}) {
            if (const QString wrong = openssl(arguments); !wrong.isEmpty())
                return wrong;
        }
        return {};
    }

    QString folder() const { return m_folder.path(); }
    QString path(const QString &name) const { return m_folder.filePath(name); }

    QSslConfiguration ofServer() const
    {
        const auto tls = tlsConfiguration({.authorities = path(QStringLiteral("ca.pem")),
                                           .certificate = path(QStringLiteral("server.pem")),
                                           .key = path(QStringLiteral("server.key")),
                                           .keyPassword = {}});
        if (!tls)
            qFatal("%s", qPrintable(tls.error().text()));
        auto out = *tls;
        out.setPeerVerifyMode(QSslSocket::QueryPeer);
        return out;
    }

private:
    static QString certificate(const QString &file, const QString &name, const QString &more = {})
    {
        return QStringLiteral("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
                              "-days 2 -keyout %1.key -out %1.pem -subj /CN=%2 %3")
            .arg(file, name, more);
    }

    QString openssl(const QString &arguments) const
    {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(QStringLiteral("openssl"), arguments.split(u' ', Qt::SkipEmptyParts));
        if (!process.waitForFinished() || process.exitCode() != 0)
            return process.errorString() + QString::fromUtf8(process.readAllStandardError());
        return {};
    }

    QTemporaryDir m_folder;
};

}  // namespace

class tst_Tls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void talksToAServerItTrusts();
    void showsItsCertificate_data();
    void showsItsCertificate();
    void refusesWhomItDoesNotTrust_data();
    void refusesWhomItDoesNotTrust();
    void namesAFileThatIsOfNoUse_data();
    void namesAFileThatIsOfNoUse();

private:
    TrinoOptions optionsFor(const StubTrino &stub) const
    {
        TrinoOptions options = stubOptions(stub.url());
        options.patience.answer = std::chrono::seconds(10);
        options.patience.retryFor = std::chrono::seconds(60);
        options.tls.authorities = m_files.path(QStringLiteral("ca.pem"));
        return options;
    }

    static Result<StatementResult> run(const TrinoOptions &options)
    {
        TrinoExecutor executor(options);
        IVM_TRY(const auto session, executor.openSession({}, Call{}));
        return execute(*session, kSelect, Call{});
    }

    Certificates m_files;
};

void tst_Tls::initTestCase()
{
    const QString wrong = m_files.make();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void tst_Tls::talksToAServerItTrusts()
{
    StubTrino stub(m_files.ofServer());
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page({})});
    const auto result = run(optionsFor(stub));
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(stub.connections(), 1);
    QCOMPARE(stub.requests().last().client, QString());
}

void tst_Tls::showsItsCertificate_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("password");
    QTest::newRow("an open key") << QStringLiteral("client.key") << QString();
    QTest::newRow("a locked key") << QStringLiteral("locked.key") << QStringLiteral("opensesame");
}

void tst_Tls::showsItsCertificate()
{
    QFETCH(QString, key);
    QFETCH(QString, password);
    StubTrino stub(m_files.ofServer());
    TrinoOptions options = optionsFor(stub);
    options.tls.certificate = m_files.path(QStringLiteral("client.pem"));
    options.tls.key = m_files.path(key);
    options.tls.keyPassword = password;
    stub.plan({stub.page({})});
    const auto result = run(options);
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(stub.requests().last().client, QStringLiteral("ivm"));
}

void tst_Tls::refusesWhomItDoesNotTrust_data()
{
    QTest::addColumn<QString>("authorities");
    QTest::addColumn<QString>("host");
    QTest::newRow("another authority")
        << QStringLiteral("other.pem") << QStringLiteral("localhost");
    QTest::newRow("the system's authorities") << QString() << QStringLiteral("localhost");
    QTest::newRow("another name") << QStringLiteral("ca.pem") << QStringLiteral("127.0.0.1");
}

// At once: no patience makes a certificate better.
void tst_Tls::refusesWhomItDoesNotTrust()
{
    QFETCH(QString, authorities);
    QFETCH(QString, host);
    StubTrino stub(m_files.ofServer());
    TrinoOptions options = optionsFor(stub);
    options.tls.authorities = authorities.isEmpty() ? QString() : m_files.path(authorities);
    options.url.setHost(host);
    options.password = QStringLiteral("secret");
    const auto result = run(options);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QCOMPARE(result.error().code, QStringLiteral("not_trusted"));
    QVERIFY2(result.error().message.startsWith(
                 QStringLiteral("Trino at %1 does not answer: SSL handshake failed: ")
                     .arg(options.url.toString())),
             qPrintable(result.error().message));
    QVERIFY(result.error().hint.startsWith(u"Set ca_file to the authority"));
    QVERIFY(stub.requests().isEmpty());
}

void tst_Tls::namesAFileThatIsOfNoUse_data()
{
    QTest::addColumn<QStringList>("files");  // authorities, certificate, key
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const QStringList &files, const char *message) {
        QTest::newRow(name) << files << QString::fromUtf8(message);
    };
    const QString none;
    const QString client = QStringLiteral("client.pem");
    row("no authority's file", {QStringLiteral("gone.pem"), none, none},
        "executor option ca_file: the file %1/gone.pem cannot be read: No such file or directory");
    row("a key for an authority", {QStringLiteral("ca.key"), none, none},
        "executor option ca_file: the file %1/ca.key holds no certificate");
    row("a key for a certificate", {none, QStringLiteral("client.key"), none},
        "executor option client_certificate_file: the file %1/client.key holds no certificate");
    row("a certificate without its key", {none, client, none},
        "executor option client_certificate_file: the file %1/client.pem holds no private key that "
        "can be opened");
    row("a key without its password", {none, client, QStringLiteral("locked.key")},
        "executor option client_key_file: the file %1/locked.key holds no private key that can be "
        "opened");
}

void tst_Tls::namesAFileThatIsOfNoUse()
{
    QFETCH(QStringList, files);
    QFETCH(QString, message);
    const auto path = [&](const QString &name) {
        return name.isEmpty() ? QString() : m_files.path(name);
    };
    const auto tls = tlsConfiguration({.authorities = path(files[0]),
                                       .certificate = path(files[1]),
                                       .key = path(files[2]),
                                       .keyPassword = {}});
    QVERIFY(!tls);
    QCOMPARE(tls.error().kind, ErrorKind::Invalid);
    QCOMPARE(tls.error().message, message.arg(m_files.folder()));
}

QTEST_GUILESS_MAIN(tst_Tls)
#include "tst_tls.moc"
