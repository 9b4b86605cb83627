#include "framework/host/plugin_catalog.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

namespace {

const QString kBad = QStringLiteral(IVM_BAD_PLUGINS);
const QString kGood = QStringLiteral(IVM_PLUGIN_FOLDER);

QString badPlugin(const QString &name)
{
    return kBad + u'/' + name + QStringLiteral("/libbad_") + name + QStringLiteral(".so");
}

}  // namespace

class tst_PluginCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knowsAPluginWithoutLoadingIt();
    void loadsOnlyWhatIsAskedFor();
    void refusesAnotherInterface();
    void refusesAnotherVersion();
    void refusesWhatIsNotAPlugin_data();
    void refusesWhatIsNotAPlugin();
    void refusesDamagedMetadata_data();
    void refusesDamagedMetadata();
    void keepsTheFirstOfTwoWithOneName();
    void passesOverTheSameFolderAndMissingFolders();
    void survivesAPluginThatThrows();
    void survivesAPluginThatMakesNothing();
    void survivesAnExecutorThatThrows_data();
    void survivesAnExecutorThatThrows();
    void refusesAPluginThatLacksAFunction();
    void refusesAPluginWithoutItsFactory();
    void refusesAPluginWhoseLibraryIsMissing();
    void saysWhichPluginsThereAre();
    void saysWhyTheOneAskedForFailed();
    void saysWhereToLookWhenThereIsNone();
    void listsTheFoldersOfAProgram();

private:
    static PluginEntry only(const PluginCatalog &catalog)
    {
        const auto entries = catalog.entries();
        return entries.size() == 1 ? entries.first() : PluginEntry{};
    }
};

void tst_PluginCatalog::knowsAPluginWithoutLoadingIt()
{
    const PluginCatalog catalog({kGood});
    const auto metadata = catalog.metadata(PluginKind::Store, QStringLiteral("sqlite"));
    QVERIFY(metadata);
    QCOMPARE(metadata->version, hostVersion());
    QVERIFY(metadata->option(u"path"));
    QCOMPARE(metadata->option(u"path")->type, OptionType::Path);
    for (const auto &entry : catalog.entries())
        QCOMPARE(entry.state, PluginState::Checked);
}

void tst_PluginCatalog::loadsOnlyWhatIsAskedFor()
{
    QTemporaryDir dir;
    PluginCatalog catalog({kGood, kBad + QStringLiteral("/throws")});
    const auto store = catalog.makeStateStore(
        QStringLiteral("sqlite"),
        {{QStringLiteral("path"), dir.filePath(QStringLiteral("state.db"))}}, {});
    QVERIFY2(store, qPrintable(store ? QString() : store.error().text()));
    for (const auto &entry : catalog.entries()) {
        const bool asked =
            entry.metadata->kind == PluginKind::Store && entry.metadata->name == u"sqlite";
        QCOMPARE(entry.state, asked ? PluginState::Ready : PluginState::Checked);
    }
}

void tst_PluginCatalog::refusesAnotherInterface()
{
    const PluginCatalog catalog({kBad + QStringLiteral("/wrong_interface")});
    const auto entry = only(catalog);
    QCOMPARE(entry.state, PluginState::Failed);
    QCOMPARE(entry.reason->text(),
             QStringLiteral(
                 "plugin %1: its interface is 'org.iceberg-ivm.Executor/0', expected one of "
                 "org.iceberg-ivm.Executor/1, org.iceberg-ivm.Detector/1, org.iceberg-ivm.Store/1. "
                 "Build the plugin with the headers of this version")
                 .arg(badPlugin(QStringLiteral("wrong_interface"))));
}

void tst_PluginCatalog::refusesAnotherVersion()
{
    const PluginCatalog catalog({kBad + QStringLiteral("/other_version")});
    const auto entry = only(catalog);
    QCOMPARE(entry.state, PluginState::Failed);
    QCOMPARE(entry.reason->text(),
             QStringLiteral("plugin %1: it was built for version 9.0.0, this is version %2. "
                            "Install the plugin of this version")
                 .arg(badPlugin(QStringLiteral("other_version")), hostVersion()));
}

void tst_PluginCatalog::refusesWhatIsNotAPlugin_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QFile good(badPlugin(QStringLiteral("throws")));
    QVERIFY(good.open(QIODevice::ReadOnly));
    const QByteArray whole = good.readAll();
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("not a library\n");
    QTest::newRow("cut off in its header") << whole.first(100);
}

void tst_PluginCatalog::refusesWhatIsNotAPlugin()
{
    QFETCH(QByteArray, bytes);
    QTemporaryDir dir;
    QFile file(dir.filePath(QStringLiteral("libexecutor_x.so")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    const PluginCatalog catalog({dir.path()});
    const auto entry = only(catalog);
    QCOMPARE(entry.state, PluginState::Failed);
    QCOMPARE(entry.reason->code, u"plugin_format");
    QVERIFY2(entry.reason->message.startsWith(
                 QStringLiteral("plugin %1: this is not a Qt plugin: ").arg(file.fileName())),
             qPrintable(entry.reason->message));
}

void tst_PluginCatalog::refusesDamagedMetadata_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("message");
    const QByteArray head(R"("version": "1", "builtFor": "0.1.0", "text": "")");
    QTest::newRow("nothing") << QByteArray("{}") << QStringLiteral("it has no metadata");
    QTest::newRow("no name") << "{" + head + ", \"options\": []}"
                             << QStringLiteral("its metadata: \"name\" is missing");
    QTest::newRow("an empty name") << R"({"name": "", )" + head + R"(, "options": []})"
                                   << QStringLiteral("its metadata: \"name\" is empty");
    QTest::newRow("no options") << R"({"name": "x", )" + head + "}"
                                << QStringLiteral("its metadata: \"options\" is missing");
    QTest::newRow("an option that is no object")
        << R"({"name": "x", )" + head + R"(, "options": [1]})"
        << QStringLiteral("an item of \"options\" is not an object");
    QTest::newRow("an unknown type of option")
        << R"({"name": "x", )" + head + R"(, "options": [{"name": "a", "type": "date"}]})"
        << QStringLiteral("option 'a': 'date' is not a type of option");
    QTest::newRow("a default of another type")
        << R"({"name": "x", )" + head +
               R"(, "options": [{"name": "a", "type": "integer", "default": "1"}]})"
        << QStringLiteral("option 'a': its default is not of type integer");
    const auto option = [&](const char *name, const QByteArray &members, const char *message) {
        QTest::newRow(name) << "{\"name\": \"x\", " + head + ", \"options\": [{\"name\": \"a\", " +
                                   members + "}]}"
                            << QString::fromUtf8(message);
    };
    option("half an integer", R"("type": "integer", "default": 1.5)",
           "option 'a': its default is not of type integer");
    option("a secret in words", R"("type": "string", "secret": "true")",
           "option 'a': \"secret\" is not true or false");
    option("a demand in numbers", R"("type": "string", "required": 1)",
           "option 'a': \"required\" is not true or false");
    option("a secret map", R"("type": "map", "secret": true)",
           "option 'a': a secret is of type string");
    option("a variable that is no name", R"("type": "string", "env": ["A"])",
           "option 'a': \"env\" is not a string");
    option("two of one name", R"("type": "string"}, {"name": "a", "type": "map")",
           "option 'a': there are two");
    QTest::newRow("capabilities that are no list")
        << "{\"name\": \"x\", \"capabilities\": \"state\", " + head + ", \"options\": []}"
        << QStringLiteral("its metadata: \"capabilities\" is not an array");
    QTest::newRow("a capability that is no word")
        << "{\"name\": \"x\", \"capabilities\": [1], " + head + ", \"options\": []}"
        << QStringLiteral("its metadata: an item of \"capabilities\" is not a text");
}

void tst_PluginCatalog::refusesDamagedMetadata()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, message);
    const QJsonObject found{{QStringLiteral("IID"), pluginInterface(PluginKind::Store)},
                            {QStringLiteral("MetaData"), QJsonDocument::fromJson(json).object()}};
    const auto metadata = readPluginMetadata(found);
    QVERIFY(!metadata);
    QCOMPARE(metadata.error().message, message);
}

void tst_PluginCatalog::keepsTheFirstOfTwoWithOneName()
{
    QTemporaryDir dir;
    const QString copy = dir.filePath(QStringLiteral("libcopy.so"));
    QVERIFY(QFile::copy(badPlugin(QStringLiteral("throws")), copy));
    const PluginCatalog catalog({kBad + QStringLiteral("/throws"), dir.path()});
    const auto entries = catalog.entries();
    QCOMPARE(entries.size(), 2);
    QCOMPARE(entries[0].state, PluginState::Checked);
    QCOMPARE(entries[1].state, PluginState::Failed);
    QCOMPARE(entries[1].reason->text(),
             QStringLiteral("plugin %1: another executor plugin named 'throws' was found first: %2")
                 .arg(copy, badPlugin(QStringLiteral("throws"))));
    QVERIFY(catalog.metadata(PluginKind::Executor, QStringLiteral("throws")));
}

void tst_PluginCatalog::passesOverTheSameFolderAndMissingFolders()
{
    const QString folder = kBad + QStringLiteral("/throws");
    const PluginCatalog catalog(
        {QStringLiteral("/no/such/folder"), folder, folder + QStringLiteral("/.")});
    QCOMPARE(catalog.entries().size(), 1);
}

void tst_PluginCatalog::survivesAPluginThatThrows()
{
    PluginCatalog catalog({kBad + QStringLiteral("/throws"), kGood});
    const auto executor = catalog.makeExecutor(QStringLiteral("throws"), {});
    QVERIFY(!executor);
    QCOMPARE(executor.error().text(),
             QStringLiteral("plugin %1: it threw an exception: the engine is on fire")
                 .arg(badPlugin(QStringLiteral("throws"))));
    const auto again = catalog.makeExecutor(QStringLiteral("throws"), {});
    QVERIFY(!again);
    QCOMPARE(again.error(), executor.error());

    PluginCatalog fresh({kBad + QStringLiteral("/throws")});
    const auto number = fresh.makeExecutor(QStringLiteral("throws"),
                                           {{QStringLiteral("what"), QStringLiteral("number")}});
    QVERIFY(!number);
    QVERIFY(number.error().message.endsWith(u"it threw an exception"));
}

void tst_PluginCatalog::survivesAPluginThatMakesNothing()
{
    PluginCatalog catalog({kBad + QStringLiteral("/careless")});
    const auto executor = catalog.makeExecutor(
        QStringLiteral("careless"), {{QStringLiteral("how"), QStringLiteral("nothing")}});
    QVERIFY(!executor);
    QCOMPARE(
        executor.error().text(),
        QStringLiteral("plugin %1: it made nothing").arg(badPlugin(QStringLiteral("careless"))));
    QCOMPARE(only(catalog).state, PluginState::Failed);
}

void tst_PluginCatalog::survivesAnExecutorThatThrows_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("error");
    const QString plugin = QStringLiteral("plugin ") + badPlugin(QStringLiteral("careless"));
    const QString thrown = plugin + QStringLiteral(": it threw an exception: on fire");
    // What it had done by then nobody knows.
    const QString unknown =
        QStringLiteral("commit_unknown: the outcome of the statement is not known: %1. Look at the "
                       "table before running it again")
            .arg(thrown);
    const QString failed = QStringLiteral("internal: ") + thrown;
    QTest::newRow("opening a session") << "opening" << "SELECT 1" << failed;
    QTest::newRow("no session") << "no session" << "SELECT 1"
                                << QStringLiteral("internal: %1: it opened no session").arg(plugin);
    QTest::newRow("a row without a cell")
        << "ragged" << "SELECT 1, 2"
        << QStringLiteral("internal: %1: it gave a row of 1 values for 2 columns").arg(plugin);
    QTest::newRow("reading") << "running" << " select\n1" << failed;
    QTest::newRow("writing") << "running" << "INSERT INTO t VALUES 1" << unknown;
    QTest::newRow("committing") << "running" << QString() << unknown;
}

void tst_PluginCatalog::survivesAnExecutorThatThrows()
{
    QFETCH(QString, how);
    QFETCH(QString, sql);
    QFETCH(QString, error);
    PluginCatalog catalog({kBad + QStringLiteral("/careless")});
    const auto executor =
        catalog.makeExecutor(QStringLiteral("careless"), {{QStringLiteral("how"), how}});
    QVERIFY(executor);
    const auto run = [&]() -> Status {
        IVM_TRY(const auto session, (*executor)->openSession({}, Call{}));
        if (sql.isEmpty())
            IVM_CHECK(session->commit(ReplaceAll{}, Intent{}, {}, Call{}));
        else
            IVM_CHECK(execute(*session, sql, Call{}));
        return {};
    };
    const auto ran = run();
    QVERIFY(!ran);
    QCOMPARE(QString(errorKindName(ran.error().kind) + QStringLiteral(": ") + ran.error().text()),
             error);
}

void tst_PluginCatalog::refusesAPluginThatLacksAFunction()
{
    PluginCatalog catalog({kBad + QStringLiteral("/missing_symbol")});
    const auto executor = catalog.makeExecutor(QStringLiteral("lacking"), {});
    QVERIFY(!executor);
    QCOMPARE(executor.error().code, QStringLiteral("plugin_load"));
    QVERIFY2(executor.error().message.contains(u"undefined symbol"),
             qPrintable(executor.error().message));
}

void tst_PluginCatalog::refusesAPluginWithoutItsFactory()
{
    PluginCatalog catalog({kBad + QStringLiteral("/no_factory")});
    const auto executor = catalog.makeExecutor(QStringLiteral("empty"), {});
    QVERIFY(!executor);
    QCOMPARE(executor.error().text(),
             QStringLiteral("plugin %1: its root object does not implement %2")
                 .arg(badPlugin(QStringLiteral("no_factory")), QStringLiteral(IVM_EXECUTOR_IID)));
    QCOMPARE(only(catalog).state, PluginState::Failed);
}

void tst_PluginCatalog::refusesAPluginWhoseLibraryIsMissing()
{
    PluginCatalog catalog({kBad + QStringLiteral("/missing_library"), kGood});
    const auto detector = catalog.makeDetector(QStringLiteral("needy"), {}, {});
    QVERIFY(!detector);
    QCOMPARE(detector.error().code, u"plugin_load");
    QVERIFY2(detector.error().message.contains(u"libivm_absent.so: cannot open shared object file"),
             qPrintable(detector.error().message));
    catalog.loadAll();
    for (const auto &entry : catalog.entries()) {
        const bool isBad = entry.path == badPlugin(QStringLiteral("missing_library"));
        QCOMPARE(entry.state, isBad ? PluginState::Failed : PluginState::Loaded);
    }
}

void tst_PluginCatalog::saysWhichPluginsThereAre()
{
    PluginCatalog catalog({kBad + QStringLiteral("/throws"), kGood});
    const auto near = catalog.makeExecutor(QStringLiteral("trows"), {});
    QVERIFY(!near);
    QCOMPARE(near.error().text(),
             u"there is no executor plugin named 'trows'. Did you mean 'throws'?");
    const auto far = catalog.makeStateStore(QStringLiteral("postgresql"), {}, {});
    QVERIFY(!far);
    QCOMPARE(far.error().text(),
             u"there is no store plugin named 'postgresql'. Known here: iceberg, sqlite");
}

void tst_PluginCatalog::saysWhyTheOneAskedForFailed()
{
    QTemporaryDir dir;
    QVERIFY(QFile::copy(badPlugin(QStringLiteral("wrong_interface")),
                        dir.filePath(QStringLiteral("libexecutor_old.so"))));
    PluginCatalog catalog({dir.path(), kGood});
    const auto executor = catalog.makeExecutor(QStringLiteral("old"), {});
    QVERIFY(!executor);
    QCOMPARE(executor.error().code, u"plugin_interface");
}

void tst_PluginCatalog::saysWhereToLookWhenThereIsNone()
{
    PluginCatalog catalog({});
    const auto executor = catalog.makeExecutor(QStringLiteral("duckdb"), {});
    QVERIFY(!executor);
    QCOMPARE(executor.error().text(), u"there is no executor plugin named 'duckdb'. Set "
                                      u"IVM_PLUGIN_PATH to the folder of the plugins");
}

void tst_PluginCatalog::listsTheFoldersOfAProgram()
{
    QCOMPARE(pluginFolders(QStringLiteral("/opt/ivm/bin"), QString()),
             QStringList{QStringLiteral("/opt/ivm/lib/ivm/plugins")});
    QCOMPARE(pluginFolders(QStringLiteral("/usr/bin"), QStringLiteral("/a::/b")),
             (QStringList{QStringLiteral("/usr/lib/ivm/plugins"), QStringLiteral("/a"),
                          QStringLiteral("/b")}));
}

QTEST_GUILESS_MAIN(tst_PluginCatalog)
#include "tst_plugin_catalog.moc"
