#include "tests/support/program.h"

#include <QDir>
#include <QJsonArray>
#include <QTest>

using ivm::test::Program;
using ivm::test::Ran;

// What needs no engine: a plugin that always throws stands in for one where one is named.
class tst_Ivmctl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void tellsItsVersion();
    void helpsWithEveryCommand();
    void endsWith2OnWrongUsage_data();
    void endsWith2OnWrongUsage();
    void listsPluginsWithWhyOneFailed();
    void tellsTheOptionsOfAPlugin();
    void knowsNoOtherPlugin();
    void livesOnWithPluginsThatAreBad_data();
    void livesOnWithPluginsThatAreBad();
    void namesWhatIsWrongWithTheConfiguration_data();
    void namesWhatIsWrongWithTheConfiguration();
    void namesWhatIsWrongWithViews_data();
    void namesWhatIsWrongWithViews();
    void checksConfigurationAndViewsAtOnce();
    void checkIsADocument();
    void takesTextOfAnyBytes();
    void quietLeavesErrors();
    void saysThatAnEngineFailed();
    void namesAPluginThatEndsTheProcess_data();
    void namesAPluginThatEndsTheProcess();
    void saysThatTheOutputCouldNotBeWritten();
    void worksInAPlainLocale();
    void doesNotTouchTheFolder();

private:
    Ran run(const QStringList &arguments, const QByteArray &input = {}) const
    {
        return m_program->run(arguments, input);
    }
    void write(const QString &name, const QByteArray &text) const
    {
        QVERIFY(m_program->write(name, text));
    }

    std::unique_ptr<Program> m_program;
};

void tst_Ivmctl::init()
{
    m_program = std::make_unique<Program>(QStringLiteral(IVM_CTL));
    m_program->set(QStringLiteral("IVM_PLUGIN_PATH"), QStringLiteral(IVM_BAD_PLUGINS "/throws"));
}

void tst_Ivmctl::tellsItsVersion()
{
    const auto ran = run({QStringLiteral("--version")});
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.out, u"ivmctl 0.1.0\n");
    QCOMPARE(ran.err, QString());
}

void tst_Ivmctl::helpsWithEveryCommand()
{
    const auto all = run({QStringLiteral("help")});
    QCOMPARE(all.code, 0);
    QCOMPARE(run({QStringLiteral("--help")}).out, all.out);
    for (const char *name : {"check", "views", "explain", "refresh", "verify", "sql", "tables",
                             "plugins", "completion", "help"}) {
        const QString command = QString::fromLatin1(name);
        QVERIFY2(all.out.contains(QString(QStringLiteral("\n  ") + command)), name);
        const auto one = run({QStringLiteral("help"), command});
        QCOMPARE(one.code, 0);
        QVERIFY2(one.out.startsWith(QString(QStringLiteral("Usage: ivmctl ") + command)), name);
        QVERIFY2(one.out.contains(u"\nExamples:\n"), name);
        QCOMPARE(run({command, QStringLiteral("--help")}).out, one.out);
        for (const QString &line : one.out.split(u'\n'))
            QVERIFY2(line.size() <= 100, qPrintable(line));
    }
}

void tst_Ivmctl::endsWith2OnWrongUsage_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("error");
    QTest::newRow("nothing") << QString()
                             << QStringLiteral("no command was given. See 'ivmctl help'");
    QTest::newRow("an unknown command")
        << QStringLiteral("refrsh")
        << QStringLiteral("unknown command 'refrsh'. Did you mean 'refresh'?");
    QTest::newRow("an unknown option")
        << QStringLiteral("refresh --jsn")
        << QStringLiteral("unknown option '--jsn' of 'ivmctl refresh'. Did you mean '--json'?");
    QTest::newRow("no statement") << QStringLiteral("sql")
                                  << QStringLiteral(
                                         "'ivmctl sql' needs TEXT|-. Usage: ivmctl sql TEXT|-");
    QTest::newRow("a statement in pieces")
        << QStringLiteral("sql SELECT 1")
        << QStringLiteral("'1' is too much for 'ivmctl sql'. Usage: ivmctl sql TEXT|-");
    QTest::newRow("help for nothing")
        << QStringLiteral("help deploy")
        << QStringLiteral("unknown command 'deploy'. Known here: check, views, explain, refresh, "
                          "verify, sql, tables, migrate, plugins, completion, help");
    QTest::newRow("two ways to refresh")
        << QStringLiteral("refresh --full --adopt daily")
        << QStringLiteral("--full and --adopt exclude each other. A table that is taken over is "
                          "recomputed anyway");
    QTest::newRow("tables of whomever")
        << QStringLiteral("refresh --adopt")
        << QStringLiteral("--adopt takes the names of the views. It deletes the rows of others in "
                          "their tables: say which");
    QTest::newRow("two goals of a plan")
        << QStringLiteral("migrate plan 3 --downgrade -1")
        << QStringLiteral("'3' is too much: --downgrade says how far. Without --downgrade it is "
                          "the goal of an upgrade");
    QTest::newRow("a step both done and not")
        << QStringLiteral("migrate repair --step-done --step-not-done")
        << QStringLiteral("--step-done and --step-not-done exclude each other");
}

void tst_Ivmctl::endsWith2OnWrongUsage()
{
    QFETCH(QString, line);
    QFETCH(QString, error);
    const auto ran = run(line.split(u' ', Qt::SkipEmptyParts));
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.out, QString());
    QCOMPARE(ran.err, QString(QStringLiteral("ivmctl: error: ") + error + u'\n'));

    const auto document =
        run(QString(line + QStringLiteral(" --json")).split(u' ', Qt::SkipEmptyParts));
    QCOMPARE(document.code, 2);
    QCOMPARE(document.json().value(u"error").toObject().value(u"code").toString(), u"usage");
}

void tst_Ivmctl::listsPluginsWithWhyOneFailed()
{
    m_program->set(QStringLiteral("IVM_PLUGIN_PATH"),
                   QStringLiteral(IVM_BAD_PLUGINS "/wrong_interface"));
    const auto table = run({QStringLiteral("plugins")});
    QCOMPARE(table.code, 0);
    QVERIFY(table.out.contains(u"sqlite"));
    QVERIFY(table.out.contains(u"failed"));
    QVERIFY(table.out.contains(u"its interface is 'org.iceberg-ivm.Executor/0', expected one of"));
    const auto document = run({QStringLiteral("plugins"), QStringLiteral("--json")});
    QStringList states;
    for (const auto &value :
         QJsonDocument::fromJson(document.out.toUtf8()).object().value(u"plugins").toArray())
        states.append(value.toObject().value(u"state").toString());
    QVERIFY(states.contains(QStringLiteral("checked")));
    QCOMPARE(states.last(), u"failed");
}

void tst_Ivmctl::tellsTheOptionsOfAPlugin()
{
    const auto text = run({QStringLiteral("plugins"), QStringLiteral("trino")});
    QCOMPARE(text.code, 0);
    QStringList lines;
    for (const QString &line : text.out.split(u'\n'))
        lines.append(line.simplified());
    const auto has = [&](const char *line) { return lines.contains(QString::fromLatin1(line)); };
    QVERIFY(has("OPTION TYPE DEFAULT VARIABLE WHAT IT IS"));
    QVERIFY(has("user string (needed) TRINO_USER The user that statements run as"));
    QVERIFY(has("password_file file with it TRINO_PASSWORD Sent over https, or to this machine"));
    QVERIFY(has("schema string main Schema that bare names are looked up in"));
    QVERIFY2(has("no options"), qPrintable(text.out));  // of the detector
    QVERIFY(!text.out.contains(u"sqlite"));
    const auto json =
        run({QStringLiteral("plugins"), QStringLiteral("sqlite"), QStringLiteral("--json")}).json();
    const auto plugins = json.value(u"plugins").toArray();
    QCOMPARE(plugins.size(), 1);
    const auto option = plugins[0].toObject().value(u"options").toArray().first().toObject();
    QCOMPARE(option.value(u"name"), QJsonValue(QStringLiteral("path")));
    QCOMPARE(option.value(u"type"), QJsonValue(QStringLiteral("path")));
    QCOMPARE(option.value(u"required"), QJsonValue(false));
    QCOMPARE(option.value(u"default"), QJsonValue(QJsonValue::Undefined));
    // One that failed is found by its file.
    m_program->set(QStringLiteral("IVM_PLUGIN_PATH"),
                   QStringLiteral(IVM_BAD_PLUGINS "/no_metadata"));
    const auto bad = run({QStringLiteral("plugins"), QStringLiteral("libbad_no_metadata.so")});
    QVERIFY2(bad.out.contains(u"it has no metadata"), qPrintable(bad.out));
}

void tst_Ivmctl::knowsNoOtherPlugin()
{
    const auto ran = run({QStringLiteral("plugins"), QStringLiteral("sqlit")});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.out, QString());
    QCOMPARE(ran.err, u"ivmctl: error: there is no plugin named 'sqlit'. Did you mean 'sqlite'?\n");
}

void tst_Ivmctl::livesOnWithPluginsThatAreBad_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("stateLoaded");
    QTest::addColumn<QString>("reasonLoaded");
    const auto row = [](const char *folder, const char *reason) {
        QTest::newRow(folder) << QString::fromLatin1(folder) << QStringLiteral("failed")
                              << QString::fromLatin1(reason) << QStringLiteral("failed")
                              << QString::fromLatin1(reason);
    };
    row("wrong_interface",
        "its interface is 'org.iceberg-ivm.Executor/0', expected one of "
        "org.iceberg-ivm.Executor/1, org.iceberg-ivm.Detector/1, org.iceberg-ivm.Store/1");
    row("other_version", "it was built for version 9.0.0, this is version 0.1.0");
    row("no_metadata", "it has no metadata");
    row("twin", "another executor plugin named 'throws' was found first: THROWS");
    const auto loaded = [](const char *folder, const char *state, const char *reason) {
        QTest::newRow(folder) << QString::fromLatin1(folder) << QStringLiteral("checked")
                              << QString() << QString::fromLatin1(state)
                              << QString::fromLatin1(reason);
    };
    loaded("throws", "failed", "it threw an exception: the engine is on fire");
    loaded("no_factory", "loaded", "");
    loaded("missing_library", "failed",
           "it cannot be loaded: Cannot load library SELF: (libivm_absent.so: cannot open shared "
           "object file: No such file or directory)");
}

// Beside the good ones, and beside the one that throws, which is the configured engine.
void tst_Ivmctl::livesOnWithPluginsThatAreBad()
{
    QFETCH(QString, folder);
    QFETCH(QString, state);
    QFETCH(QString, reason);
    QFETCH(QString, stateLoaded);
    QFETCH(QString, reasonLoaded);
    const auto library = [](const QString &name) {
        return QStringLiteral(IVM_BAD_PLUGINS "/%1/libbad_%1.so").arg(name);
    };
    const QString self = library(folder);
    m_program->set(QStringLiteral("IVM_PLUGIN_PATH"),
                   QStringLiteral(IVM_BAD_PLUGINS "/throws:" IVM_BAD_PLUGINS "/") + folder);
    write(QStringLiteral("ivm.yaml"), "executor: {plugin: throws}\n");
    write(QStringLiteral("views.yaml"), "views: []\n");
    const auto shown = [&](const QStringList &options) {
        const auto ran =
            run(QStringList{QStringLiteral("plugins"), QStringLiteral("--json")} + options);
        QStringList found{QString::number(ran.code)};
        for (const auto &value : ran.json().value(u"plugins").toArray()) {
            const auto entry = value.toObject();
            if (entry.value(u"path").toString() == self)
                found += {entry.value(u"state").toString(),
                          entry.value(u"error").toObject().value(u"message").toString()};
        }
        return found;
    };
    const auto expected = [&](const QString &stateThen, QString why) {
        why.replace(QStringLiteral("SELF"), self)
            .replace(QStringLiteral("THROWS"), library(QStringLiteral("throws")));
        if (!why.isEmpty())
            why.prepend(QStringLiteral("plugin %1: ").arg(self));
        return QStringList{QStringLiteral("0"), stateThen, why};
    };
    QCOMPARE(shown({}), expected(state, reason));
    QCOMPARE(shown({QStringLiteral("--load")}), expected(stateLoaded, reasonLoaded));
    write(QStringLiteral("ivm.yaml"), "");
    QCOMPARE(run({QStringLiteral("check")}).code, 0);
}

void tst_Ivmctl::namesWhatIsWrongWithTheConfiguration_data()
{
    QTest::addColumn<QByteArray>("yaml");
    QTest::addColumn<QString>("errors");
    QTest::newRow("a tab") << QByteArray("server:\n\tport: 1\n")
                           << QStringLiteral(
                                  "ivm.yaml:2:1: the line is indented with a tab. Use spaces");
    QTest::newRow("an unknown key")
        << QByteArray("executor: {plugin: throws, waht: number}\ndetector: {plugin: throws}\n")
        << QStringLiteral("ivm.yaml:1:28: executor: unknown key 'waht'. Did you mean 'what'?\n"
                          "ivm.yaml:2:11: there is no detector plugin named 'throws'. Known "
                          "here: catalog, trino");
    QTest::newRow("an unknown plugin")
        << QByteArray("executor: {plugin: throw}\nstate: {plugin: sqlit}\n")
        << QStringLiteral(
               "ivm.yaml:1:11: there is no executor plugin named 'throw'. Did you mean 'throws'?\n"
               "ivm.yaml:2:8: there is no store plugin named 'sqlit'. Did you mean 'sqlite'?");
    QTest::newRow("Trino without its variables")
        << QByteArray("trino: {catalog: iceberg, schema: s}\n")
        << QStringLiteral("ivm.yaml:1:8: trino: TRINO_URL and TRINO_USER are not set in the "
                          "environment. Set TRINO_URL and "
                          "TRINO_USER, or name another engine under 'executor:'");
    QTest::newRow("two documents")
        << QByteArray("server: {port: 1}\n---\nserver: {port: 2}\n")
        << QStringLiteral(
               "ivm.yaml:2:1: a second document starts here, only one is read. Remove the "
               "'---', or keep the two in files of their own");
}

void tst_Ivmctl::namesWhatIsWrongWithTheConfiguration()
{
    QFETCH(QByteArray, yaml);
    QFETCH(QString, errors);
    write(QStringLiteral("ivm.yaml"), yaml);
    write(QStringLiteral("views.yaml"), "views: []\n");
    const auto ran = run({QStringLiteral("refresh")});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.out, QString());
    QString expected;
    for (const QString &error : errors.split(u'\n'))
        expected += QStringLiteral("ivmctl: error: ") + error + u'\n';
    QCOMPARE(ran.err, expected);
}

void tst_Ivmctl::namesWhatIsWrongWithViews_data()
{
    QTest::addColumn<QByteArray>("yaml");
    QTest::addColumn<QString>("error");
    QTest::newRow("a tab") << QByteArray("views:\n\t- name: a\n")
                           << QStringLiteral(
                                  "views.yaml:2:1: the line is indented with a tab. Use spaces");
    QTest::newRow("a duplicate key")
        << QByteArray("views:\n  - name: a\n    query: SELECT 1\n    query: SELECT 2\n")
        << QStringLiteral("views.yaml:4:5: view 'a': the key 'query' is given twice, first in line "
                          "3. Remove one of the two");
    QTest::newRow("an unknown key")
        << QByteArray("views:\n  - name: a\n    querry: SELECT 1\n    query: SELECT k, count(*) AS "
                      "n FROM t GROUP BY k\n")
        << QStringLiteral("views.yaml:3:5: view 'a': unknown key 'querry'. Did you mean 'query'?");
    QTest::newRow("a wrong type")
        << QByteArray("views:\n  - name: [a]\n    query: SELECT 1\n")
        << QStringLiteral("views.yaml:2:11: view '#1': 'name' is a list, expected text");
    QTest::newRow("a list")
        << QByteArray("- name: a\n")
        << QStringLiteral(
               "views.yaml:1:1: the file holds a list, expected a map with the key 'views'");
}

void tst_Ivmctl::namesWhatIsWrongWithViews()
{
    QFETCH(QByteArray, yaml);
    QFETCH(QString, error);
    write(QStringLiteral("views.yaml"), yaml);
    const auto ran = run({QStringLiteral("check")});
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.split(u'\n').contains(QString(QStringLiteral("ivmctl: error: ") + error)),
             qPrintable(ran.err));
}

void tst_Ivmctl::checksConfigurationAndViewsAtOnce()
{
    write(QStringLiteral("ivm.yaml"), "server: {port: x}\n");
    write(QStringLiteral("views.yaml"),
          "views:\n"
          "  - name: good\n"
          "    query: |\n"
          "      SELECT date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1\n"
          "  - name: bad\n"
          "    query: |\n"
          "      SELECT date_trunc('hour', ts) AS h,\n"
          "        count(*)\n"
          "      FROM ev GROUP BY 1\n");
    const auto ran = run({QStringLiteral("check")});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err, QStringLiteral("ivmctl: error: ivm.yaml:1:16: server: 'port' is 'x', "
                                     "expected a whole number from 0 to "
                                     "65535\n"
                                     "ivmctl: error: views.yaml:8:9: view 'bad': count(*) has no "
                                     "name. Add an alias: … AS name\n"
                                     "2 views, 2 errors, 0 warnings\n"));
    QCOMPARE(ran.out, QStringLiteral("good: iceberg.main.ev -> iceberg.main.good\n"
                                     "  keys       h (the hour of ts)\n"
                                     "  exact      n\n"
                                     "  ranges     only touched buckets are recomputed: key 'h' "
                                     "is the hour of ts\n"
                                     "bad: refused\n"));
}

void tst_Ivmctl::checkIsADocument()
{
    write(QStringLiteral("ivm.yaml"), "server: {port: x}\n");
    write(QStringLiteral("views.yaml"), "views: []\n");
    const auto ran = run({QStringLiteral("check"), QStringLiteral("--json")});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.out, QStringLiteral("{\"ok\":false,\"problems\":[{\"code\":\"config\",\"column\":"
                                     "16,\"file\":\"ivm.yaml\",\"hint\":null,"
                                     "\"line\":1,\"message\":\"server: 'port' is 'x', expected a "
                                     "whole number from 0 to 65535\","
                                     "\"severity\":\"error\"}],\"views\":[]}\n"));
}

void tst_Ivmctl::takesTextOfAnyBytes()
{
    write(QStringLiteral("ivm.yaml"), "executor: {plugin: throws}\ndetector: {plugin: throws}\n");
    QByteArray bytes("views:\n  - name: a\n    query: \"");
    for (int c = 0x80; c < 0x100; ++c)
        bytes += char(c);
    write(QStringLiteral("views.yaml"), bytes + "\"\n");
    const auto views = run({QStringLiteral("check")});
    QCOMPARE(views.code, 2);
    QVERIFY2(
        views.err.contains(u"views.yaml:3:1: the line is not UTF-8 text. Save the file as UTF-8"),
        qPrintable(views.err));
    write(QStringLiteral("views.yaml"),
          "views:\n  - name: a\n    query: \"SELECT \\x1b[31m \\u202e FROM t\"\n");
    const auto escapes = run({QStringLiteral("check")});
    QCOMPARE(escapes.code, 2);
    QVERIFY(!escapes.err.contains(u'\x1b'));
    QVERIFY(!escapes.out.contains(u'\x1b'));
}

void tst_Ivmctl::quietLeavesErrors()
{
    write(QStringLiteral("views.yaml"), "veiws: []\n");
    const auto ran = run({QStringLiteral("check"), QStringLiteral("--quiet")});
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err,
             u"ivmctl: error: views.yaml:1:1: unknown key 'veiws'. Did you mean 'views'?\n");
}

void tst_Ivmctl::saysThatAnEngineFailed()
{
    write(QStringLiteral("ivm.yaml"), "executor: {plugin: throws}\n");
    const auto ran =
        run({QStringLiteral("sql"), QStringLiteral("SELECT 1"), QStringLiteral("--json")});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.endsWith(u"/libbad_throws.so: it threw an exception: the engine is on fire\n"),
             qPrintable(ran.err));
    QCOMPARE(ran.json().value(u"error").toObject().value(u"code").toString(), u"plugin_exception");
}

void tst_Ivmctl::namesAPluginThatEndsTheProcess_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const char *folder, const char *config, const char *doing,
                        const char *end) {
        QTest::newRow(name)
            << QString::fromLatin1(folder) << QByteArray(config)
            << QStringLiteral("%1: plugin %3: it ended the process that it was in (%2). Take it "
                              "out of the folder, and tell its authors; a host that uses it ends "
                              "the same way")
                   .arg(QLatin1StringView(doing), QLatin1StringView(end));
    };
    row("when it is loaded", "dies_when_loaded", "", "loading it", "signal 11: Segmentation fault");
    row("when it is made", "dies_when_made", "executor: {plugin: dying}\n", "making the executor",
        "signal 11: Segmentation fault");
    row("orderly", "dies_when_made", "executor: {plugin: dying, how: exit}\n",
        "making the executor", "exit code 0");
}

void tst_Ivmctl::namesAPluginThatEndsTheProcess()
{
    QFETCH(QString, folder);
    QFETCH(QByteArray, config);
    QFETCH(QString, reason);
    m_program->set(QStringLiteral("IVM_PLUGIN_PATH"), QStringLiteral(IVM_BAD_PLUGINS "/") + folder);
    write(QStringLiteral("ivm.yaml"), config);
    const auto ran = run({QStringLiteral("plugins"), QStringLiteral("--load")});
    QCOMPARE(ran.code, 0);
    const QString self = QStringLiteral(IVM_BAD_PLUGINS "/%1/libbad_%1.so").arg(folder);
    QVERIFY2(ran.out.contains(QString(reason).replace(QStringLiteral("%3"), self)),
             qPrintable(ran.out));
    // The others are loaded all the same.
    QVERIFY2(ran.out.contains(u"loaded"), qPrintable(ran.out));
    QCOMPARE(ran.out.count(u"failed"), 1);
}

void tst_Ivmctl::saysThatTheOutputCouldNotBeWritten()
{
    QProcess process;
    process.setStandardOutputFile(QStringLiteral("/dev/full"));
    process.start(QStringLiteral(IVM_CTL), {QStringLiteral("help")});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 1);
    QCOMPARE(process.readAllStandardError(),
             QByteArray("ivmctl: error: the output could not be written\n"));
}

void tst_Ivmctl::worksInAPlainLocale()
{
    m_program->set(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    const auto ran = run({QStringLiteral("plugins")});
    QCOMPARE(ran.code, 0);
    QCOMPARE(ran.err, QString());
}

void tst_Ivmctl::doesNotTouchTheFolder()
{
    write(QStringLiteral("views.yaml"), "views: []\n");
    run({QStringLiteral("check")});
    run({QStringLiteral("plugins")});
    QCOMPARE(QDir(m_program->folder()).entryList(QDir::Files),
             QStringList{QStringLiteral("views.yaml")});
}

QTEST_GUILESS_MAIN(tst_Ivmctl)
#include "tst_ivmctl.moc"
