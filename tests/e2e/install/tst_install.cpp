// What `cmake --install` puts into a folder, and whether it works from there.
#include "tests/e2e/ivmd.h"

#include <QDir>
#include <QDirIterator>
#include <QStandardPaths>

using namespace ivm::test;

namespace {

const QByteArray kConfig = "executor: {plugin: duckdb, warehouse: ./warehouse}\n"
                           "server: {port: 0}\n"
                           "detector: {poll_interval_seconds: 0.1}\n";
const QByteArray kViews = "views:\n"
                          "  - name: totals\n"
                          "    query: SELECT k, sum(v) AS total FROM ev GROUP BY k\n";

}  // namespace

class tst_Install : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void placesEachFile_data();
    void placesEachFile();
    void placesEveryPlugin();
    void needsNothingOfTheBuild();
    void findsTheJdbcDriver();
    void refreshesAView();
    void servesAndEnds();
    void pagesAreClean_data();
    void pagesAreClean();
    void pagesTellWhatHelpTells();
    void theUnitIsSound();

private:
    QString installed(const QString &name) const { return m_prefix.filePath(name); }
    Ran ctl(const QStringList &arguments) const { return m_ctl->run(arguments); }
    QStringList installedPlugins() const
    {
        return QDir(installed(QStringLiteral("lib/ivm/plugins"))).entryList(QDir::Files);
    }

    QTemporaryDir m_prefix;
    std::unique_ptr<Program> m_ctl;
};

void tst_Install::initTestCase()
{
    const auto ran = Program(QStringLiteral(IVM_CMAKE))
                         .run({QStringLiteral("--install"), QStringLiteral(IVM_BUILD),
                               QStringLiteral("--prefix"), m_prefix.path()});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    m_ctl = std::make_unique<Program>(installed(QStringLiteral("bin/ivmctl")));
    QVERIFY(m_ctl->write(QStringLiteral("ivm.yaml"), kConfig));
    QVERIFY(m_ctl->write(QStringLiteral("views.yaml"), kViews));
}

void tst_Install::placesEachFile_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"bin/ivmctl",
                             "bin/ivmd",
                             "lib/ivm/libduckdb.so",
                             "lib/systemd/system/ivmd.service",
                             "lib/sysusers.d/ivm.conf",
                             "share/bash-completion/completions/ivmctl",
                             "share/doc/iceberg-ivm/LICENSE.duckdb",
                             "share/doc/iceberg-ivm/README.md",
                             "share/doc/iceberg-ivm/embedded-sql.md",
                             "share/doc/iceberg-ivm/errors.md",
                             "share/doc/iceberg-ivm/writing_a_plugin.md",
                             "lib/cmake/IcebergIvm/IcebergIvmConfig.cmake",
                             "include/iceberg-ivm/framework/api/plugin.h",
                             "share/fish/vendor_completions.d/ivmctl.fish",
                             "share/ivm/grafana/alerts.yml",
                             "share/ivm/grafana/dashboard.json",
                             "share/ivm/schema/migration.schema.json",
                             "share/ivm/schema/table.schema.json",
                             "share/ivm/schema/views.schema.json",
                             "share/ivm/web/index.html",
                             "share/man/man1/ivmctl.1",
                             "share/man/man8/ivmd.8",
                             "share/zsh/site-functions/_ivmctl"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void tst_Install::placesEachFile()
{
    QFETCH(QString, name);
    QVERIFY(QFileInfo(installed(name)).size() > 0);
}

void tst_Install::placesEveryPlugin()
{
    QCOMPARE(installedPlugins(), QDir(QStringLiteral(IVM_PLUGINS)).entryList(QDir::Files));
    const auto ran =
        ctl({QStringLiteral("plugins"), QStringLiteral("--load"), QStringLiteral("--json")});
    QCOMPARE(ran.code, 0);
    const auto plugins = ran.json().value(u"plugins").toArray();
    QCOMPARE(plugins.size(), installedPlugins().size());
    for (const auto &plugin : plugins) {
        const QString state = plugin.toObject().value(u"state").toString();
        QVERIFY2(state == u"loaded" || state == u"ready", ran.out.toUtf8().constData());
    }
}

// The engine's library would be found in the cache on this machine, and on no other.
void tst_Install::needsNothingOfTheBuild()
{
    const Program ldd(QStringLiteral("/usr/bin/ldd"));
    QStringList files{installed(QStringLiteral("bin/ivmctl")),
                      installed(QStringLiteral("bin/ivmd"))};
    for (const QString &plugin : installedPlugins())
        files.append(installed(QStringLiteral("lib/ivm/plugins/") + plugin));
    const auto ran = ldd.run(files);
    QVERIFY2(!ran.out.contains(QStringLiteral("not found")), qPrintable(ran.out));
    QVERIFY2(!ran.out.contains(QStringLiteral(IVM_BUILD)), qPrintable(ran.out));
    QVERIFY(ran.out.contains(QStringLiteral("libduckdb.so")));
    for (const QString &line : ran.out.split(u'\n')) {
        if (line.contains(QStringLiteral("libduckdb.so")))
            QVERIFY2(line.contains(m_prefix.path()), qPrintable(line));
    }
}

// It is the driver that says that nobody is there.
void tst_Install::findsTheJdbcDriver()
{
    if (!QFile::exists(installed(QStringLiteral("lib/ivm/plugins/libexecutor_jdbc.so"))))
        QSKIP("built without a JDK");
    m_ctl->set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    QVERIFY(
        m_ctl->write(QStringLiteral("jdbc.yaml"),
                     "executor: {plugin: jdbc, url: \"jdbc:trino://127.0.0.1:1\", user: ann}\n"));
    const auto ran = ctl({QStringLiteral("-c"), QStringLiteral("jdbc.yaml"), QStringLiteral("sql"),
                          QStringLiteral("SELECT 1")});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(QStringLiteral("Failed to connect to /127.0.0.1:1")),
             qPrintable(ran.err));
}

void tst_Install::refreshesAView()
{
    const auto one =
        ctl({QStringLiteral("--json"), QStringLiteral("sql"), QStringLiteral("SELECT 1 AS one")});
    QVERIFY2(one.code == 0, qPrintable(one.err));
    QCOMPARE(one.json().value(u"rows").toArray().first().toArray().first().toInt(), 1);
    QCOMPARE(ctl({QStringLiteral("sql"), QStringLiteral("CREATE TABLE ev AS SELECT * FROM (VALUES "
                                                        "('a', 1), ('a', 2)) AS t (k, v)")})
                 .code,
             0);
    const auto refreshed = ctl({QStringLiteral("refresh")});
    QVERIFY2(refreshed.code == 0, qPrintable(refreshed.err));
    QCOMPARE(ctl({QStringLiteral("verify")}).code, 0);
}

void tst_Install::servesAndEnds()
{
    QProcess host;
    host.setWorkingDirectory(m_ctl->folder());
    host.start(installed(QStringLiteral("bin/ivmd")), {});
    QByteArray said;
    while (!said.contains('\n') && host.waitForReadyRead(15'000))
        said += host.readAllStandardOutput();
    QVERIFY2(said.startsWith("ivmd: serving http://127.0.0.1:"),
             host.readAllStandardError().constData());
    const QUrl url(QString::fromUtf8(said).trimmed().section(u' ', -1));
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, quint16(url.port()));
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    QByteArray page;
    while (socket.waitForReadyRead(15'000))
        page += socket.readAll();
    QVERIFY2(page.startsWith("HTTP/1.1 200"), page.constData());
    QVERIFY(page.contains("<html"));
    host.terminate();
    QVERIFY(host.waitForFinished(30'000));
    QCOMPARE(host.exitStatus(), QProcess::NormalExit);
    QCOMPARE(host.exitCode(), 0);
}

void tst_Install::pagesAreClean_data()
{
    QTest::addColumn<QString>("reader");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("page");
    for (const char *page : {"man1/ivmctl.1", "man8/ivmd.8"}) {
        const QString name = QString::fromLatin1(page);
        QTest::addRow("groff %s", page)
            << QStringLiteral("groff")
            << QStringList{QStringLiteral("-man"), QStringLiteral("-ww"), QStringLiteral("-b"),
                           QStringLiteral("-z"), QStringLiteral("-Tutf8")}
            << name;
        QTest::addRow("mandoc %s", page)
            << QStringLiteral("mandoc")
            << QStringList{QStringLiteral("-Tlint"), QStringLiteral("-Wwarning")} << name;
    }
}

void tst_Install::pagesAreClean()
{
    QFETCH(QString, reader);
    QFETCH(QStringList, arguments);
    QFETCH(QString, page);
    const QString program = QStandardPaths::findExecutable(reader);
    if (program.isEmpty())
        QSKIP("it is not installed here (share/setup/packages test)");
    Program run(program);
    run.set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    const auto ran =
        run.run(arguments + QStringList{installed(QStringLiteral("share/man/") + page)});
    // A page that is made anew with each build has no date of its own.
    const auto complaints = QString(ran.out + ran.err).split(u'\n', Qt::SkipEmptyParts);
    for (const QString &complaint : complaints)
        QVERIFY2(complaint.contains(QStringLiteral("missing date")), qPrintable(complaint));
}

void tst_Install::pagesTellWhatHelpTells()
{
    const QString groff = QStandardPaths::findExecutable(QStringLiteral("groff"));
    if (groff.isEmpty())
        QSKIP("groff is not installed here (share/setup/packages test)");
    Program run(groff);
    run.set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    const auto shown = [&](const QString &page) {
        return run
            .run({QStringLiteral("-man"), QStringLiteral("-Tutf8"), QStringLiteral("-P-cbou"),
                  QStringLiteral("-rHY=0"), QStringLiteral("-rLL=500n"),
                  installed(QStringLiteral("share/man/") + page)})
            .out.simplified();
    };
    const QString of = shown(QStringLiteral("man1/ivmctl.1"));
    const auto commands = ctl({QStringLiteral("help")})
                              .out.section(QStringLiteral("Commands:\n"), 1)
                              .section(QStringLiteral("\n\n"), 0, 0);
    QVERIFY(commands.count(u'\n') > 5);
    for (const QString &line : commands.split(u'\n')) {
        const QString name = line.simplified().section(u' ', 0, 0);
        for (const QString &part : ctl({QStringLiteral("help"), name}).out.split(u'\n')) {
            for (const QString &text : part.split(QStringLiteral("  "), Qt::SkipEmptyParts)) {
                if (!text.endsWith(u':'))
                    QVERIFY2(of.contains(text.simplified().remove(QStringLiteral("Usage: "))),
                             qPrintable(text));
            }
        }
    }
    const QString host = shown(QStringLiteral("man8/ivmd.8"));
    for (const char *text : {"ivmd - keeps the views of views.yaml equal to their SQL",
                             "--views <FILE> Views (views.yaml).", "IVM_API_TOKEN"})
        QVERIFY2(host.contains(QString::fromLatin1(text)), qPrintable(host));
}

void tst_Install::theUnitIsSound()
{
    const QString analyze = QStandardPaths::findExecutable(QStringLiteral("systemd-analyze"));
    if (analyze.isEmpty())
        QSKIP("systemd is not installed here (share/setup/packages test)");
    const QString unit = installed(QStringLiteral("lib/systemd/system/ivmd.service"));
    Program run(analyze);
    run.set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    const auto verified = run.run({QStringLiteral("verify"), QStringLiteral("--man=no"), unit});
    QCOMPARE(verified.err, QString());
    QCOMPARE(verified.code, 0);
    // Of 100; what is left is that it listens, and reads the whole file system.
    const auto exposed = run.run({QStringLiteral("security"), QStringLiteral("--offline=yes"),
                                  QStringLiteral("--threshold=25"), unit});
    QVERIFY2(exposed.code == 0, qPrintable(exposed.out + exposed.err));
}

QTEST_GUILESS_MAIN(tst_Install)
#include "tst_install.moc"
