// The host's choice of a history, and where it keeps it.
#include "framework/host/host.h"
#include "tests/conformance/checks.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

class tst_HostHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void keepsItInIcebergTables();
    void looksWithoutLoadingTheEngine();
    void makesNothingByLooking();
    void keepsItWhereItIsTold();
    void keepsItInTheStatesFile();
    void keepsTheStateBesideIt();
    void saysThatASchemaIsEmpty();
    void saysThatThereIsNoWarehouse();
    void expiresNothingThatIsNotKnownToBeFree();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();

private:
    std::unique_ptr<Host> hostWith(const QByteArray &config);
    bool isThere(const QString &path) const { return QFile::exists(m_folder->filePath(path)); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

MigrationRecord record()
{
    MigrationRecord out;
    out.version = 1;
    out.line = QStringLiteral("default");
    out.appliedAt = QDateTime(QDate(2026, 3, 1), QTime(12, 0), Qt::UTC);
    return out;
}

Status runOnce(Host &host)
{
    IVM_TRY(HistoryStore * store, host.history());
    IVM_TRY(const auto lock, store->acquire({.line = record().line, .owner = {}, .doing = {}}, {}));
    IVM_CHECK(store->save(record(), {}));
    return store->release(lock, {});
}

PluginState stateOf(Host &host, PluginKind kind, QStringView name)
{
    for (const auto &entry : host.plugins().entries()) {
        if (entry.metadata && entry.metadata->kind == kind && entry.metadata->name == name)
            return entry.state;
    }
    return PluginState::Failed;
}

}  // namespace

std::unique_ptr<Host> tst_HostHistory::hostWith(const QByteArray &config)
{
    QFile file(m_folder->filePath(QStringLiteral("ivm.yaml")));
    if (file.open(QIODevice::WriteOnly))
        file.write(config);
    file.close();
    HostRequest request;
    request.config.folder = m_folder->path();
    request.pluginFolders = {QStringLiteral(IVM_TEST_PLUGINS), QStringLiteral(IVM_NO_STATE)};
    request.program = QStringLiteral("test");
    return std::make_unique<Host>(request);
}

void tst_HostHistory::keepsItInIcebergTables()
{
    const auto host = hostWith("executor: {catalog: Lake}\n");
    QCOMPARE(host->problems().size(), 0);
    DO(runOnce(*host));
    TAKE(HistoryStore * store, host->history());
    QVERIFY(store->watched());
    QCOMPARE(store->watched()->text(), u"lake._iceberg_ivm.migration_views");
    TAKE(Executor * executor, host->executor());
    TAKE(const auto session, executor->openSession({}, {}));
    TAKE(const auto rows, query(*session,
                                QStringLiteral("SELECT version, namespace FROM "
                                               "lake._iceberg_ivm.migration_history"),
                                {}));
    QCOMPARE(rows.rows.size(), size_t(1));
    QVERIFY(isThere(QStringLiteral("ivm-data/history-cache.json")));
}

void tst_HostHistory::looksWithoutLoadingTheEngine()
{
    DO(runOnce(*hostWith("")));
    const auto host = hostWith("");
    TAKE(HistoryStore * store, host->history());
    TAKE(const auto history, store->history({}));
    QCOMPARE(history.records, QList{record()});
    QCOMPARE(stateOf(*host, PluginKind::Store, u"iceberg"), PluginState::Ready);
    QCOMPARE(stateOf(*host, PluginKind::Executor, u"duckdb"), PluginState::Checked);
}

void tst_HostHistory::makesNothingByLooking()
{
    for (const char *config : {"", "history: {plugin: sqlite}\n"}) {
        const auto host = hostWith(config);
        TAKE(HistoryStore * store, host->history());
        TAKE(const auto history, store->history({}));
        QCOMPARE(history, MigrationHistory{});
        QVERIFY(!isThere(QStringLiteral("ivm-data")));
        QCOMPARE(stateOf(*host, PluginKind::Executor, u"duckdb"), PluginState::Checked);
    }
}

void tst_HostHistory::keepsItWhereItIsTold()
{
    const auto host = hostWith("history: {schema: Ours, cache: seen.json}\n"
                               "state: {path: elsewhere.db}\n");
    QCOMPARE(host->problems().size(), 0);
    DO(runOnce(*host));
    TAKE(HistoryStore * store, host->history());
    QCOMPARE(store->watched()->text(), u"iceberg.ours.migration_views");
    QVERIFY(isThere(QStringLiteral("seen.json")));
    QVERIFY(!isThere(QStringLiteral("elsewhere.db")));
}

void tst_HostHistory::keepsItInTheStatesFile()
{
    const auto host = hostWith("history: {plugin: sqlite}\nstate: {path: here.db}\n");
    QCOMPARE(host->problems().size(), 0);
    DO(runOnce(*host));
    QVERIFY(isThere(QStringLiteral("here.db")));
    TAKE(HistoryStore * store, host->history());
    QVERIFY(!store->watched());
}

void tst_HostHistory::keepsTheStateBesideIt()
{
    const auto host = hostWith("state: {plugin: iceberg}\nexecutor: {catalog: Lake}\n");
    QCOMPARE(host->problems().size(), 0);
    DO(host->makeWarehouse());
    DO(runOnce(*host));
    TAKE(StateStore * store, host->state());
    Bookmark bookmark;
    bookmark.view = QStringLiteral("hourly");
    // So often that its tables are tidied, which asks the state what the bookmarks need.
    for (int i = 0; i < 50; ++i)
        DO(store->saveBookmark(bookmark));
    TAKE(const auto all, store->bookmarks());
    QCOMPARE(all, QList{bookmark});
    QVERIFY(!isThere(QStringLiteral("ivm-data/state.db")));
    TAKE(Executor * executor, host->executor());
    TAKE(const auto session, executor->openSession({}, {}));
    TAKE(const auto tables, query(*session, QStringLiteral("SHOW TABLES FROM _iceberg_ivm"), {}));
    QCOMPARE(tables.rows.size(), 7);
}

void tst_HostHistory::saysThatASchemaIsEmpty()
{
    const auto host = hostWith("state: {plugin: iceberg, schema: ''}\n");
    DO(host->makeWarehouse());
    const auto store = host->state();
    QVERIFY(!store);
    QCOMPARE(store.error().message, QStringLiteral("state.schema is empty"));
    QCOMPARE(store.error().place.line, 1);
}

void tst_HostHistory::saysThatThereIsNoWarehouse()
{
    for (const char *config : {"", "state: {plugin: iceberg}\n"}) {
        const auto host = hostWith(config);
        const auto store = host->state();
        QVERIFY(!store);
        QCOMPARE(store.error().code, u"no_warehouse");
        QVERIFY(!isThere(QStringLiteral("ivm-data")));
    }
}

// What migrations may come back to stands in their history.
void tst_HostHistory::expiresNothingThatIsNotKnownToBeFree()
{
    const auto did = [this](const char *sql) -> Result<Rows> {
        const auto host = hostWith("history: {plugin: sqlite, path: diary.db}\n");
        IVM_TRY(Executor * executor, host->executor());
        IVM_TRY(const auto session, executor->openSession({}, {}));
        return query(*session, QString::fromLatin1(sql), {});
    };
    const char *const expire =
        "ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s')";
    DO(hostWith("")->makeWarehouse());
    DO(did("CREATE TABLE t AS SELECT 1 AS n"));
    DO(did("INSERT INTO t VALUES 2"));
    QFile diary(m_folder->filePath(QStringLiteral("diary.db")));
    QVERIFY(diary.open(QIODevice::WriteOnly) && diary.write(QByteArray(4096, 'x')) == 4096);
    diary.close();
    const auto refused = did(expire);
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.contains(u"diary.db"), qPrintable(refused.error().text()));
    TAKE(const auto kept, did("SELECT count(*) FROM \"t$snapshots\""));
    QCOMPARE(kept.rows[0][0], Value{qint64(2)});
    QVERIFY(diary.remove());
    DO(did(expire));
    TAKE(const auto left, did("SELECT count(*) FROM \"t$snapshots\""));
    QCOMPARE(left.rows[0][0], Value{qint64(1)});
}

void tst_HostHistory::saysWhatIsWrong_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("problem");
    const QString hint =
        QStringLiteral(". Name another plugin; 'ivmctl plugins --json' says what each can do");
    QTest::newRow("a plugin that keeps no state")
        << QByteArray("state: {plugin: diary}\n")
        << QStringLiteral("1:8: state: store plugin 'diary' keeps no state") + hint;
    QTest::newRow("a file for a state in tables")
        << QByteArray("state: {plugin: iceberg, path: state.db}\n")
        << QStringLiteral(
               "1:26: state: unknown key 'path'. Known here: plugin, catalog, schema, cache");
    QTest::newRow("an unknown option")
        << QByteArray("history: {shema: x}\n")
        << QStringLiteral("1:11: history: unknown key 'shema'. Did you mean 'schema'?");
    QTest::newRow("an unknown plugin")
        << QByteArray("history: {plugin: icebergs}\n")
        << QStringLiteral("1:10: there is no store plugin named 'icebergs'. Did you mean "
                          "'iceberg'?");
}

void tst_HostHistory::saysWhatIsWrong()
{
    QFETCH(QByteArray, config);
    QFETCH(QString, problem);
    const auto host = hostWith(config);
    QVERIFY(!host->problems().isEmpty());
    QCOMPARE(host->problems().first().text(),
             m_folder->filePath(QStringLiteral("ivm.yaml")) + u':' + problem);
    QVERIFY(!host->history());
}

QTEST_GUILESS_MAIN(tst_HostHistory)
#include "tst_host_history.moc"
