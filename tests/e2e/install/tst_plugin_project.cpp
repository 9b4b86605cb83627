// `ivmctl plugins new` against an installed copy, as somebody would who has no source tree: what it
// writes builds, passes its suite, loads, and refreshes a view.
#include "tests/support/program.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QTest>

using namespace ivm::test;

namespace {

const QByteArray kConfig = "executor: {plugin: my_engine, warehouse: ./warehouse}\n"
                           "detector: {plugin: Watch2}\n"
                           "state: {plugin: vault, path: ./state.json}\n"
                           "history: {plugin: sqlite, path: ./history.db}\n";
const QByteArray kViews = "views:\n"
                          "  - name: totals\n"
                          "    query: SELECT k, sum(v) AS total FROM ev GROUP BY k\n";

}  // namespace

class tst_PluginProject : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void refusesWhatIsNotAName_data();
    void refusesWhatIsNotAName();
    void refusesAFolderThatIsThere();
    void refusesANameThatIsTaken();
    void leavesNothingHalfWritten();
    void itsStepsAreWordsOfAShell();
    void namesNoFolderOfTheBuild();
    void buildsLoadsAndPasses_data();
    void buildsLoadsAndPasses();
    void refreshesAViewWithAllThree();
    void isToldOfAnotherVersion();

private:
    QString path(const QString &name) const { return m_folder.filePath(name); }
    Ran run(const QString &program, const QStringList &arguments) const
    {
        Program one(program);
        one.set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
        // What was compiled in an earlier run is the same in another folder.
        one.set(QStringLiteral("CMAKE_CXX_COMPILER_LAUNCHER"), QStringLiteral(IVM_CCACHE));
        one.set(QStringLiteral("CCACHE_BASEDIR"), m_folder.path());
        one.set(QStringLiteral("CCACHE_NOHASHDIR"), QStringLiteral("1"));
        return one.run(arguments);
    }
    Ran cmake(const QStringList &arguments) const
    {
        return run(QStringLiteral(IVM_CMAKE), arguments);
    }
    Ran ctl(const QStringList &arguments) const
    {
        return run(path(QStringLiteral("installed/bin/ivmctl")), arguments);
    }
    Ran configure(const QString &name) const
    {
        return cmake({QStringLiteral("-G"), QStringLiteral("Ninja"), QStringLiteral("-S"),
                      path(name), QStringLiteral("-B"), path(name) + QStringLiteral("/build"),
                      QStringLiteral("-DCMAKE_PREFIX_PATH=") + path(QStringLiteral("installed"))});
    }

    QTemporaryDir m_folder;
};

void tst_PluginProject::initTestCase()
{
    const auto ran = cmake({QStringLiteral("--install"), QStringLiteral(IVM_BUILD),
                            QStringLiteral("--prefix"), path(QStringLiteral("first"))});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    // It works from wherever it is taken to.
    QVERIFY(QDir().rename(path(QStringLiteral("first")), path(QStringLiteral("installed"))));
    QVERIFY(QDir().mkpath(path(QStringLiteral("plugins"))));
}

void tst_PluginProject::refusesWhatIsNotAName_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"", "../up", "a b", "a;b", "a\"b", "9lives", "_x", "a/b", "-a", "ä",
                             "a\nb", "a23456789012345678901234567890123456789012"})
        QTest::newRow(name) << QString::fromUtf8(name);
}

void tst_PluginProject::refusesWhatIsNotAName()
{
    QFETCH(QString, name);
    const auto ran = ctl({QStringLiteral("plugins"), QStringLiteral("new"),
                          QStringLiteral("--kind"), QStringLiteral("store"),
                          QStringLiteral("--folder"), path(QStringLiteral("never")), name});
    QCOMPARE(ran.code, 2);
    QVERIFY2(!ran.err.isEmpty(), "it says nothing");
    QVERIFY(!QFile::exists(path(QStringLiteral("never"))));
}

void tst_PluginProject::refusesAFolderThatIsThere()
{
    const auto ran = ctl({QStringLiteral("plugins"), QStringLiteral("new"), QStringLiteral("x"),
                          QStringLiteral("--kind"), QStringLiteral("store"),
                          QStringLiteral("--folder"), m_folder.path()});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err, QStringLiteral("ivmctl: error: %1 exists. Name a folder that does not exist, "
                                     "with --folder\n")
                          .arg(m_folder.path()));
}

void tst_PluginProject::refusesANameThatIsTaken()
{
    const auto ran = ctl({QStringLiteral("plugins"), QStringLiteral("new"), QStringLiteral("trino"),
                          QStringLiteral("--kind"), QStringLiteral("executor")});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err,
             QStringLiteral("ivmctl: error: there is a plugin trino of kind executor: "
                            "%1/lib/ivm/plugins/libexecutor_trino.so. Choose another name\n")
                 .arg(path(QStringLiteral("installed"))));
}

void tst_PluginProject::leavesNothingHalfWritten()
{
    const QString folder = path(QStringLiteral("half"));
    const auto ran = this->run(
        QStringLiteral("/bin/sh"),
        {QStringLiteral("-c"),
         QStringLiteral("trap '' XFSZ; ulimit -f 2; exec \"$0\" plugins new half --kind executor "
                        "--folder \"$1\""),
         path(QStringLiteral("installed/bin/ivmctl")), folder});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(u"cannot be written: "), qPrintable(ran.err));
    QVERIFY(!QFile::exists(folder));
}

void tst_PluginProject::itsStepsAreWordsOfAShell()
{
    const QString folder = path(QStringLiteral("it's $(mine)"));
    const auto ran = ctl({QStringLiteral("plugins"), QStringLiteral("new"), QStringLiteral("x"),
                          QStringLiteral("--kind"), QStringLiteral("store"),
                          QStringLiteral("--json"), QStringLiteral("--folder"), folder + u'/'});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    const QString step = ran.json().value(u"next").toArray()[1].toString();
    const auto words = this->run(QStringLiteral("/bin/sh"),
                                 {QStringLiteral("-c"), QStringLiteral("printf '%s|' ") + step});
    QCOMPARE(words.out, QStringLiteral("cmake|--build|%1/build|").arg(folder));
}

void tst_PluginProject::namesNoFolderOfTheBuild()
{
    int files = 0;
    for (const char *folder : {"installed/lib/cmake", "installed/include"}) {
        QDirIterator all(path(QString::fromLatin1(folder)), QDir::Files,
                         QDirIterator::Subdirectories);
        while (all.hasNext()) {
            QFile file(all.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            for (const char *place : {IVM_BUILD, IVM_SOURCE_DIR})
                QVERIFY2(!text.contains(place), qPrintable(file.fileName()));
            QVERIFY2(!text.contains(path(QStringLiteral("first")).toUtf8()),
                     qPrintable(file.fileName()));
            ++files;
        }
    }
    QVERIFY(files > 30);
}

void tst_PluginProject::buildsLoadsAndPasses_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("executor") << QStringLiteral("my_engine");
    QTest::newRow("detector") << QStringLiteral("Watch2");
    QTest::newRow("store") << QStringLiteral("vault");
}

void tst_PluginProject::buildsLoadsAndPasses()
{
    QFETCH(QString, name);
    const QString kind = QString::fromUtf8(QTest::currentDataTag());
    const auto written =
        ctl({QStringLiteral("plugins"), QStringLiteral("new"), name, QStringLiteral("--kind"), kind,
             QStringLiteral("--folder"), path(name)});
    QVERIFY2(written.code == 0, qPrintable(written.err));
    // As configure() does, with what share/setup/packages installs: Ninja, and no make.
    QVERIFY2(written.err.contains(QStringLiteral("cmake -G Ninja -S %1 -B %1/build "
                                                 "-DCMAKE_PREFIX_PATH=%2\n")
                                      .arg(path(name), path(QStringLiteral("installed")))),
             qPrintable(written.err));
    const auto configured = configure(name);
    QVERIFY2(configured.code == 0, qPrintable(configured.err));
    const QString build = path(name) + QStringLiteral("/build");
    const auto built = cmake({QStringLiteral("--build"), build});
    QVERIFY2(built.code == 0, qPrintable(built.out + built.err));
    const auto passed = run(QStringLiteral(IVM_CTEST), {QStringLiteral("--test-dir"), build,
                                                        QStringLiteral("--output-on-failure"),
                                                        QStringLiteral("--no-tests=error")});
    QVERIFY2(passed.code == 0, qPrintable(passed.out + passed.err));
    const QString library = QStringLiteral("/lib%1_%2.so").arg(kind, name);
    QVERIFY(QFile::copy(build + library, path(QStringLiteral("plugins")) + library));
}

void tst_PluginProject::refreshesAViewWithAllThree()
{
    Program host(path(QStringLiteral("installed/bin/ivmctl")));
    host.set(QStringLiteral("IVM_PLUGIN_PATH"), path(QStringLiteral("plugins")));
    QVERIFY(host.write(QStringLiteral("ivm.yaml"), kConfig));
    QVERIFY(host.write(QStringLiteral("views.yaml"), kViews));
    const auto did = [&](const QStringList &arguments) {
        const auto ran = host.run(QStringList{QStringLiteral("--json")} + arguments);
        return ran.code == 0 ? ran.json() : QJsonObject{{QStringLiteral("failed"), ran.err}};
    };
    QStringList states;
    for (const auto &value :
         did({QStringLiteral("plugins"), QStringLiteral("--load")}).value(u"plugins").toArray()) {
        const auto plugin = value.toObject();
        if (plugin.value(u"path").toString().startsWith(path(QStringLiteral("plugins"))))
            states.append(plugin.value(u"name").toString() + u' ' +
                          plugin.value(u"state").toString());
    }
    QCOMPARE(states, (QStringList{QStringLiteral("my_engine ready"), QStringLiteral("Watch2 ready"),
                                  QStringLiteral("vault loaded")}));
    const auto sql = [&](const char *text) {
        return did({QStringLiteral("sql"), QString::fromLatin1(text)});
    };
    const auto refreshed = [&] {
        const auto ran = did({QStringLiteral("refresh")});
        return ran.value(u"failed").toString() +
               ran.value(u"views").toArray().first().toObject().value(u"action").toString();
    };
    QCOMPARE(sql("CREATE TABLE ev AS SELECT * FROM (VALUES ('a', 1), ('b', 2)) AS t (k, v)")
                 .value(u"failed")
                 .toString(),
             QString());
    QCOMPARE(refreshed(), QStringLiteral("rebuild"));
    QCOMPARE(refreshed(), QStringLiteral("none"));
    QCOMPARE(sql("INSERT INTO ev VALUES ('a', 3), ('c', NULL)").value(u"failed").toString(),
             QString());
    QCOMPARE(refreshed(), QStringLiteral("diff"));
    QCOMPARE(did({QStringLiteral("verify")}).value(u"failed").toString(), QString());
    const auto rows = sql("SELECT k, total FROM totals ORDER BY k").value(u"rows").toArray();
    QCOMPARE(QString::fromUtf8(QJsonDocument(rows).toJson(QJsonDocument::Compact)),
             QStringLiteral("[[\"a\",4],[\"b\",2],[\"c\",null]]"));
}

void tst_PluginProject::isToldOfAnotherVersion()
{
    const QString metadata = path(QStringLiteral("vault/vault.json"));
    QFile file(metadata);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray text = file.readAll();
    QVERIFY(text.contains("\"builtFor\": \"" IVM_VERSION "\""));
    text.replace("\"builtFor\": \"" IVM_VERSION "\"", "\"builtFor\": \"0.0.9\"");
    QVERIFY(file.resize(0) && file.seek(0) && file.write(text) == text.size());
    file.close();
    const auto ran = configure(QStringLiteral("vault"));
    QVERIFY(ran.code != 0);
    QVERIFY2(ran.err.simplified().contains(
                 QStringLiteral("vault.json says \"builtFor\": \"0.0.9\", and the iceberg-ivm that "
                                "was found in")),
             qPrintable(ran.err));
}

QTEST_GUILESS_MAIN(tst_PluginProject)
#include "tst_plugin_project.moc"
