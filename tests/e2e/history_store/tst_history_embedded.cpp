#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "tests/conformance/checks.h"
#include "tests/conformance/history_suite.h"
#include "tests/e2e/history_store/fated_engine.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using store_iceberg::HistoryOptions;
using store_iceberg::IcebergHistory;

// The history in Iceberg tables of the embedded engine; a schema for each test.
class tst_HistoryEmbedded : public test::HistorySuite {
    Q_OBJECT

public:
    std::unique_ptr<HistoryStore> openEmpty(const ProcessIdentity &self) override
    {
        m_options.schema = QStringLiteral("history_%1").arg(++m_schemas);
        m_options.cache.clear();
        return openAgain(self);
    }
    std::unique_ptr<HistoryStore> openAgain(const ProcessIdentity &self) override
    {
        return std::make_unique<IcebergHistory>(
            m_options,
            [this]() -> Result<Executor *> {
                ++m_loads;
                return &m_fated;
            },
            [this]() -> Result<Detector *> { return &m_detector; }, self);
    }
    bool setAtWork(const QString &purpose, bool atWork) override
    {
        m_fate.atWork = atWork ? purpose : QString();
        return true;
    }
    bool isMade() override
    {
        if (!QFile::exists(m_warehouse))
            return false;
        const auto tables = rows(QStringLiteral("SHOW TABLES FROM ") + m_options.schema);
        return !tables || !tables->rows.empty();
    }
    void pass(std::chrono::seconds time) override
    {
        TAKE(const auto done, rows(QStringLiteral("UPDATE %1.migration_lock SET heartbeat = "
                                                  "heartbeat - INTERVAL '%2' SECOND")
                                       .arg(m_options.schema)
                                       .arg(time.count())));
    }

private Q_SLOTS:
    void answersFromTheCacheWithoutTheEngine();
    void theCacheIsWrittenByTheEndOfARunOnly();
    void theCacheIsNotUsedWhereAnotherWrote();
    void theHolderOfALockAsksTheEngine();
    void aDamagedCacheIsNone_data();
    void aDamagedCacheIsNone();
    void asksTheEngineWhereTheDetectorCannotSay();
    void theTablesSayWhatTheyAre();
    void manyFilesBecomeFew();
    void saysWhatAnotherProgramBroke_data();
    void saysWhatAnotherProgramBroke();
    void saysThatThereIsNoSuchCatalog();

private:
    Result<Rows> rows(const QString &sql)
    {
        IVM_TRY(const auto session, m_executor.openSession({}, {}));
        return query(*session, sql, {});
    }
    QString cache() const { return m_folder.filePath(m_options.schema + QStringLiteral(".json")); }
    // A store with a cache, and one run in it.
    std::unique_ptr<HistoryStore> openWithARun();

    QTemporaryDir m_folder;
    const QString m_warehouse = m_folder.filePath(QStringLiteral("data"));
    duckdb::EmbeddedExecutor m_executor{{.warehouse = m_warehouse}};
    test::Fate m_fate;
    test::FatedExecutor m_fated{m_executor, m_fate};
    catalog::CatalogDetector m_detector{{.database = m_warehouse + QStringLiteral("/catalog.db")}};
    HistoryOptions m_options{.catalog = QStringLiteral("iceberg"), .schema = {}, .cache = {}};
    int m_schemas = 0;
    // With what its cache holds: of those tests that damage that.
    std::unique_ptr<HistoryStore> m_whole;
    QByteArray m_cached;
    std::atomic<int> m_loads = 0;  // how often the engine was asked for
};

namespace {

const QString kLine = QStringLiteral("default");
const LockRequest kRequest{.line = kLine, .owner = QStringLiteral("ivmctl"), .doing = {}};

MigrationRecord record(qint64 version)
{
    MigrationRecord out;
    out.version = version;
    out.line = kLine;
    out.appliedAt = QDateTime(QDate(2026, 3, 1), QTime(12, 0, 0, 7), Qt::UTC);
    return out;
}

MigratedView view()
{
    return {.name = QStringLiteral("hourly"),
            .line = kLine,
            .version = 1,
            .definition = QStringLiteral("{\"name\":\"hourly\"}"),
            .earlier = {},
            .held = {9007199254740993}};
}

MigrationEvent done(qint64 version, QStringView name)
{
    MigrationEvent out;
    out.id = QStringLiteral("e%1").arg(version);
    out.at = record(1).appliedAt.addSecs(version);
    out.version = version;
    out.line = kLine;
    out.event = name.toString();
    return out;
}

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// What a run does to a history.
Status runOnce(HistoryStore &store)
{
    IVM_TRY(const auto lock, store.acquire(kRequest, {}));
    IVM_CHECK(store.append({done(1, event::kUpgradeDone), done(2, event::kUpgradeStarted)}, {}));
    IVM_CHECK(store.save(record(1), {}));
    IVM_CHECK(store.changeViews({view()}, {}, {}));
    return store.release(lock, {});
}

}  // namespace

std::unique_ptr<HistoryStore> tst_HistoryEmbedded::openWithARun()
{
    auto store = openEmpty(thisProcess());
    m_options.cache = cache();
    store = openAgain(thisProcess());
    const auto ran = runOnce(*store);
    if (!ran)
        qWarning("%s", qPrintable(ran.error().text()));
    m_loads = 0;
    return store;
}

void tst_HistoryEmbedded::answersFromTheCacheWithoutTheEngine()
{
    const auto store = openWithARun();
    TAKE(const auto cached, store->history({}));
    QCOMPARE(m_loads.load(), 0);
    m_options.cache.clear();
    TAKE(const auto read, openAgain(thisProcess())->history({}));
    QVERIFY(m_loads > 0);
    QCOMPARE(cached, read);
    QCOMPARE(cached.records, QList{record(1)});
    QCOMPARE(cached.open, QList{done(2, event::kUpgradeStarted)});
    QCOMPARE(cached.views, QList{view()});
    QCOMPARE(cached.lastEvent.value(kLine), done(2, event::kUpgradeStarted).at);
}

void tst_HistoryEmbedded::theCacheIsWrittenByTheEndOfARunOnly()
{
    const auto store = openWithARun();
    const QByteArray before = contentsOf(cache());
    QVERIFY(!before.isEmpty());
    TAKE(const auto lock, store->acquire(kRequest, {}));
    DO(store->save(record(2), {}));
    TAKE(const auto seen, openAgain(thisProcess())->history({}));
    QCOMPARE(seen.records.size(), 2);
    QCOMPARE(seen.locks.size(), 1);
    QCOMPARE(contentsOf(cache()), before);
    DO(store->release(lock, {}));
    QVERIFY(contentsOf(cache()) != before);
    m_loads = 0;
    TAKE(const auto after, openAgain(thisProcess())->history({}));
    QCOMPARE(after.records.size(), 2);
    QCOMPARE(m_loads.load(), 0);
}

void tst_HistoryEmbedded::theCacheIsNotUsedWhereAnotherWrote()
{
    const auto store = openWithARun();
    const QByteArray before = contentsOf(cache());
    m_options.cache.clear();
    DO(openAgain(thisProcess())->save(record(2), {}));
    TAKE(const auto seen, store->history({}));
    QCOMPARE(seen.records, (QList{record(1), record(2)}));
    QCOMPARE(contentsOf(cache()), before);
}

void tst_HistoryEmbedded::theHolderOfALockAsksTheEngine()
{
    const auto store = openWithARun();
    TAKE(const auto lock, store->acquire(kRequest, {}));
    m_loads = 0;
    TAKE(const auto seen, store->history({}));
    QCOMPARE(seen.locks.size(), 1);
    QVERIFY(m_loads > 0);
}

void tst_HistoryEmbedded::aDamagedCacheIsNone_data()
{
    m_whole = openWithARun();
    m_cached = contentsOf(cache());
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    const auto add = [](const char *name, const char *from, const char *to) {
        QTest::newRow(name) << QByteArray(from) << QByteArray(to);
    };
    add("not JSON", "{", "[");
    add("of another version", "\"version\":1,\"views\"", "\"version\":2,\"views\"");
    add("a status that is none", "\"applied\"", "\"done\"");
    add("a number that is text", "\"step\":0", "\"step\":\"0\"");
    add("a time that is none", "2026-03-01T", "2026-13-01T");
    add("a member is missing", "\"definition\"", "\"definitions\"");
    add("no heads", "\"heads\"", "\"tails\"");
}

void tst_HistoryEmbedded::aDamagedCacheIsNone()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    m_loads = 0;
    QByteArray bytes = m_cached;
    QVERIFY(bytes.contains(from));
    QFile file(cache());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes.replace(from, to));
    file.close();
    TAKE(const auto read, m_whole->history({}));
    QVERIFY(m_loads > 0);
    QCOMPARE(read.records, QList{record(1)});
}

void tst_HistoryEmbedded::asksTheEngineWhereTheDetectorCannotSay()
{
    openWithARun();
    IcebergHistory store(
        m_options, [this]() -> Result<Executor *> { return &m_executor; },
        []() -> Result<Detector *> {
            return fail(unavailableError(QStringLiteral("the catalog is not there")));
        });
    TAKE(const auto read, store.history({}));
    QCOMPARE(read.records, QList{record(1)});
}

void tst_HistoryEmbedded::theTablesSayWhatTheyAre()
{
    openWithARun();
    TAKE(const auto session, m_executor.openSession({}, {}));
    const auto tables = store_iceberg::historyTables(QStringLiteral("iceberg"), m_options.schema);
    for (const auto &name : tables.all()) {
        TAKE(const auto info, session->tableInfo(name, {}));
        QVERIFY2(info.comment.startsWith(u"iceberg-ivm: "), qPrintable(info.comment));
        QVERIFY(info.partitioning.isEmpty());
    }
    TAKE(const auto history, session->tableInfo(tables.history, {}));
    QStringList columns;
    for (const auto &column : history.columns)
        columns.append(column.name + u' ' + column.type.text());
    QCOMPARE(columns.join(u','),
             u"version bigint,namespace varchar,description varchar,applied_at timestamp(6) with "
             "time zone,status varchar,error varchar,checksum varchar,duration_ms bigint,"
             "applied_by varchar");
    TAKE(const auto events, session->tableInfo(tables.events, {}));
    columns.clear();
    for (const auto &column : events.columns)
        columns.append(column.name + u' ' + column.type.text());
    QCOMPARE(columns.join(u','),
             u"event_id varchar,at timestamp(6) with time zone,version bigint,namespace varchar,"
             "event varchar,step bigint,actor varchar,host varchar,tool_version varchar,checksum "
             "varchar,detail varchar");
}

void tst_HistoryEmbedded::manyFilesBecomeFew()
{
    const auto store = openWithARun();
    TAKE(const auto lock, store->acquire(kRequest, {}));
    const auto files = [&](const char *table) {
        const auto counted = rows(QStringLiteral("SELECT count(*) FROM %1.\"%2$files\"")
                                      .arg(m_options.schema, QString::fromLatin1(table)));
        return counted ? counted->rows.at(0).at(0).text() : counted.error().text();
    };
    const QString table = m_options.schema + QStringLiteral(".migration_events");
    QStringList numbers;
    for (int i = 1; i <= 64; ++i)
        numbers.append(QString::number(i));
    // A file for each of many partitions, which are none any more then.
    for (const QString &sql :
         {QStringLiteral("ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['version']"),
          QStringLiteral("INSERT INTO @ SELECT 'x', current_timestamp, n, 'old', 'stamped', 0, "
                         "'', '', '', '', NULL FROM (VALUES #) AS u(n)"),
          QStringLiteral("ALTER TABLE @ SET PROPERTIES partitioning = ARRAY[]")}) {
        TAKE(const auto changed,
             rows(QString(sql).replace(u'@', table).replace(u'#', numbers.join(u','))));
    }
    QCOMPARE(files("migration_events"), QStringLiteral("65"));
    DO(store->release(lock, {}));
    // One of these, and the run's.
    QCOMPARE(files("migration_events"), QStringLiteral("2"));
    QCOMPARE(files("migration_history"), QStringLiteral("1"));
    TAKE(const auto events, store->events(QStringLiteral("old"), {}));
    QCOMPARE(events.size(), 64);
}

void tst_HistoryEmbedded::saysWhatAnotherProgramBroke_data()
{
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    QTest::newRow("a status that is none")
        << QStringLiteral("UPDATE @.migration_history SET status = 'done'")
        << QStringLiteral("table migration_history: column status holds 'done', which iceberg-ivm "
                          "does not write. Another program has changed the table; repair the row "
                          "or the column by hand");
    QTest::newRow("a time that no date has")
        << QStringLiteral("UPDATE @.migration_events SET at = TIMESTAMP '0001-01-01 00:00:00 UTC' "
                          "- INTERVAL '1' DAY")
        << QStringLiteral("table migration_events: column at holds '0000-12-31 00:00:00.000000 "
                          "UTC', which iceberg-ivm does not write. Another program has changed "
                          "the table; repair the row or the column by hand");
}

void tst_HistoryEmbedded::saysWhatAnotherProgramBroke()
{
    QFETCH(QString, change);
    QFETCH(QString, message);
    const auto store = openWithARun();
    TAKE(const auto changed, rows(change.replace(u'@', m_options.schema)));
    const auto history = store->history({});
    QVERIFY(!history);
    QCOMPARE(history.error().kind, ErrorKind::Corrupt);
    QCOMPARE(history.error().text(), message);
}

void tst_HistoryEmbedded::saysThatThereIsNoSuchCatalog()
{
    openEmpty(thisProcess());
    const QString catalog = std::exchange(m_options.catalog, QStringLiteral("lake"));
    const auto taken = openAgain(thisProcess())->acquire(kRequest, {});
    m_options.catalog = catalog;
    QVERIFY(!taken);
    QCOMPARE(taken.error().message, u"catalog 'lake' does not exist");
}

QTEST_GUILESS_MAIN(tst_HistoryEmbedded)
#include "tst_history_embedded.moc"
