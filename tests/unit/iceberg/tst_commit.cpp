#include "tests/unit/iceberg/warehouse.h"

#include <QCoreApplication>
#include <QProcess>

#include <atomic>
#include <thread>

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

DataFile deletesFor(const QString &name, qint64 rows)
{
    auto file = dataFile(name, rows);
    file.content = FileContent::PositionDeletes;
    return file;
}

QString summaryText(const Table &table)
{
    QStringList words;
    for (const auto &[key, value] : table.metadata.currentSnapshot()->summary.asKeyValueRange())
        words.append(key + u'=' + value);
    return words.join(u' ');
}

QStringList livePaths(TestWarehouse &warehouse, const Table &table)
{
    return pathsOf(
        valueOf(liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}))
            .data);
}

// Fails, with what its list of failures holds, at the call of that number.
class BrokenIO final : public FileIO {
public:
    BrokenIO(FileIO &io, int failingCreate) : m_io(io), m_failing(failingCreate) {}

    Result<QByteArray> readAll(const QString &location) override { return m_io.readAll(location); }
    Status create(const QString &location, const QByteArray &bytes) override
    {
        if (++m_creates == m_failing)
            return fail(unavailableError(
                QStringLiteral("cannot write %1: No space left on device").arg(location)));
        return m_io.create(location, bytes);
    }
    Status remove(const QString &location) override { return m_io.remove(location); }
    Result<bool> exists(const QString &location) override { return m_io.exists(location); }
    Result<qint64> size(const QString &location) override { return m_io.size(location); }

private:
    FileIO &m_io;
    int m_failing;
    int m_creates = 0;
};

// A catalog whose answer to the swap is lost, after it took effect or before.
class LostAnswer final : public Catalog {
public:
    LostAnswer(Catalog &real, bool takesEffect) : m_real(real), m_takesEffect(takesEffect) {}

    Status swap(const TableName &name, const QString &expected, const QString &next) override
    {
        if (m_takesEffect)
            IVM_CHECK(m_real.swap(name, expected, next));
        return fail(commitUnknownError(QStringLiteral("the answer was lost")));
    }
    Result<QList<CatalogEntry>> list(const QString &schema) override { return m_real.list(schema); }
    Result<CatalogEntry> load(const TableName &name) override { return m_real.load(name); }
    Status create(const TableName &name, const QString &at) override
    {
        return m_real.create(name, at);
    }
    Status drop(const TableName &name) override { return m_real.drop(name); }
    Status rename(const TableName &from, const TableName &to) override
    {
        return m_real.rename(from, to);
    }
    Result<QStringList> schemas() override { return m_real.schemas(); }
    Status createSchema(const QString &schema) override { return m_real.createSchema(schema); }
    Status dropSchema(const QString &schema) override { return m_real.dropSchema(schema); }

private:
    Catalog &m_real;
    bool m_takesEffect;
};

// Appends `count` files one by one, whatever others do meanwhile. The exit code of a racing
// process.
int appendMany(const QString &database, const QString &prefix, int count)
{
    auto catalog = SqlCatalog::open({.database = database, .access = CatalogAccess::ReadWrite});
    if (!catalog)
        return 1;
    LocalFileIO io;
    const SystemClock clock;
    const Warehouse warehouse{**catalog, io, clock};
    for (int i = 0; i < count; ++i) {
        auto done = loadTable(warehouse, TestWarehouse::name(QStringLiteral("t")));
        while (done) {
            const auto base = std::exchange(done, {});
            done = commitSnapshot(warehouse, *base,
                                  {.added = {dataFile(prefix + QString::number(i), 1)}});
            if (done || done.error().kind != ErrorKind::Conflict)
                break;
            done = loadTable(warehouse, base->name);
        }
        if (!done) {
            qWarning("%s", qPrintable(done.error().text()));
            return 2;
        }
    }
    return 0;
}

}  // namespace

class tst_Commit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void makesAnEmptyTable();
    void appends();
    void keepsUntouchedManifests();
    void rewritesManifestsThatLoseFiles();
    void keepsNumbersOfFilesThatStay();
    void dropsManifestsWithoutLiveFiles();
    void countsDeletes();
    void carriesTheCallersSummary();
    void compacts();
    void refusesToRemoveWhatIsNotThere();
    void losesAgainstAnEarlierCommit();
    void losesAgainstAnotherTable();
    void leavesNoFilesOfALostCommit();
    void leavesNoFilesWhenTheDiskIsFull_data();
    void leavesNoFilesWhenTheDiskIsFull();
    void keepsFilesOfACommitThatMayHaveLanded_data();
    void keepsFilesOfACommitThatMayHaveLanded();
    void rollsBackAndGoesOn();
    void changesTheSchemaAlone();
    void keepsTimesInOrder();
    void remembersEarlierMetadataFiles();
    void removesEarlierMetadataFilesOnlyWhereToldTo_data();
    void removesEarlierMetadataFilesOnlyWhereToldTo();
    void saysWhichMetadataFileIsMissing();
    void survivesRacingThreads();
    void survivesRacingProcesses();
};

void tst_Commit::makesAnEmptyTable()
{
    TestWarehouse warehouse;
    const auto made = warehouse.table(QStringLiteral("t"));
    const auto table = warehouse.load(QStringLiteral("t"));
    QVERIFY(table.metadata == made.metadata);
    QVERIFY(!table.head().snapshot);
    QCOMPARE(table.head().tableId, table.metadata.location);
    QCOMPARE(table.head().token, table.metadataLocation);
    const QRegularExpression shape(QStringLiteral(
        "^file://.*/main/t-[0-9a-f]{32}/metadata/00000-[0-9a-f-]{36}\\.metadata\\.json$"));
    QVERIFY(shape.match(table.metadataLocation).hasMatch());
    const auto again =
        createTable(warehouse.all(), TestWarehouse::name(QStringLiteral("t")), made.metadata);
    QCOMPARE(again.error().kind, ErrorKind::AlreadyExists);
    QCOMPARE(warehouse.metadataFiles(made).size(), 1);
}

void tst_Commit::appends()
{
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"));
    table = warehouse.commit(
        table, {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 4)}});
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("c"), 5)}});
    QVERIFY(warehouse.load(QStringLiteral("t")).metadata == table.metadata);
    QCOMPARE(table.metadata.snapshots.size(), 2);
    QCOMPARE(table.metadata.lastSequenceNumber, 2);
    QCOMPARE(table.metadata.snapshots[1].parent, std::optional(table.metadata.snapshots[0].id));
    QCOMPARE(table.metadata.refs.value(QStringLiteral("main")).snapshot,
             *table.metadata.currentSnapshotId);
    QCOMPARE(table.metadata.snapshotLog.size(), 2);
    QCOMPARE(
        summaryText(table),
        QStringLiteral(
            "added-data-files=1 added-files-size=50 added-records=5 changed-partition-count=1 "
            "operation=append "
            "total-data-files=3 total-delete-files=0 total-equality-deletes=0 total-files-size=120 "
            "total-position-deletes=0 total-records=12"));
    QVERIFY(table.metadataLocation.section(u'/', -1).startsWith(u"00002-"));
    QCOMPARE(livePaths(warehouse, table), QStringLiteral("a b c").split(u' '));
}

void tst_Commit::keepsUntouchedManifests()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                  {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto before = valueOf(loadManifestList(warehouse.io, *table.metadata.currentSnapshot()));
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("b"), 1)}});
    const auto after = valueOf(loadManifestList(warehouse.io, *table.metadata.currentSnapshot()));
    QCOMPARE(after.size(), 2);
    QVERIFY(after.contains(before[0]));
}

void tst_Commit::rewritesManifestsThatLoseFiles()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 1), dataFile(QStringLiteral("b"), 1)}});
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("c"), 1)}});
    table = warehouse.commit(table, {.operation = Operation::Overwrite,
                                     .added = {dataFile(QStringLiteral("d"), 1)},
                                     .removed = {QStringLiteral("file:///data/a")}});
    QCOMPARE(manifestTexts(warehouse, table),
             (QStringList{QStringLiteral("1 added, 0 existing, 0 deleted"),
                          QStringLiteral("0 added, 1 existing, 1 deleted"),
                          QStringLiteral("1 added, 0 existing, 0 deleted")}));
    QCOMPARE(livePaths(warehouse, table), QStringLiteral("b c d").split(u' '));
}

void tst_Commit::keepsNumbersOfFilesThatStay()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 1), dataFile(QStringLiteral("b"), 1)}});
    const auto first = *table.metadata.currentSnapshotId;
    table = warehouse.commit(
        table, {.operation = Operation::Delete, .removed = {QStringLiteral("file:///data/a")}});
    const auto manifests =
        valueOf(loadManifestList(warehouse.io, *table.metadata.currentSnapshot()));
    QCOMPARE(manifests.size(), 1);
    for (const auto &entry : valueOf(loadManifest(warehouse.io, manifests[0], table.metadata))) {
        const bool gone = entry.file.path.endsWith(u'a');
        QCOMPARE(entry.status, gone ? EntryStatus::Deleted : EntryStatus::Existing);
        QCOMPARE(entry.snapshotId, std::optional(gone ? *table.metadata.currentSnapshotId : first));
        QCOMPARE(entry.sequenceNumber, std::optional<qint64>(1));
        QCOMPARE(entry.fileSequenceNumber, std::optional<qint64>(1));
    }
}

void tst_Commit::dropsManifestsWithoutLiveFiles()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                  {.added = {dataFile(QStringLiteral("a"), 1)}});
    table = warehouse.commit(
        table, {.operation = Operation::Delete, .removed = {QStringLiteral("file:///data/a")}});
    QCOMPARE(manifestTexts(warehouse, table),
             QStringList{QStringLiteral("0 added, 0 existing, 1 deleted")});
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("b"), 1)}});
    QCOMPARE(manifestTexts(warehouse, table),
             QStringList{QStringLiteral("1 added, 0 existing, 0 deleted")});
}

void tst_Commit::countsDeletes()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                  {.added = {dataFile(QStringLiteral("a"), 10)}});
    table = warehouse.commit(
        table, {.operation = Operation::Delete, .added = {deletesFor(QStringLiteral("d"), 3)}});
    QCOMPARE(
        summaryText(table),
        QStringLiteral(
            "added-delete-files=1 added-files-size=30 added-position-delete-files=1 "
            "added-position-deletes=3 "
            "changed-partition-count=1 operation=delete total-data-files=1 total-delete-files=1 "
            "total-equality-deletes=0 total-files-size=130 total-position-deletes=3 "
            "total-records=10"));
    table = warehouse.commit(
        table, {.operation = Operation::Overwrite,
                .added = {dataFile(QStringLiteral("b"), 7)},
                .removed = {QStringLiteral("file:///data/a"), QStringLiteral("file:///data/d")}});
    QCOMPARE(
        summaryText(table),
        QStringLiteral(
            "added-data-files=1 added-files-size=70 added-records=7 changed-partition-count=1 "
            "deleted-data-files=1 deleted-records=10 operation=overwrite removed-delete-files=1 "
            "removed-files-size=130 removed-position-delete-files=1 removed-position-deletes=3 "
            "total-data-files=1 total-delete-files=0 total-equality-deletes=0 total-files-size=70 "
            "total-position-deletes=0 total-records=7"));
}

void tst_Commit::carriesTheCallersSummary()
{
    TestWarehouse warehouse;
    const auto table =
        warehouse.commit(warehouse.table(QStringLiteral("t")),
                         {.added = {dataFile(QStringLiteral("a"), 1)},
                          .summary = {{QStringLiteral("ivm.bookmark"), QStringLiteral("{\"a\":1}")},
                                      {QStringLiteral("added-records"), QStringLiteral("99")}}});
    const auto summary = warehouse.load(QStringLiteral("t")).metadata.currentSnapshot()->summary;
    QCOMPARE(summary.value(QStringLiteral("ivm.bookmark")), QStringLiteral("{\"a\":1}"));
    QCOMPARE(summary.value(QStringLiteral("added-records")), QStringLiteral("1"));
}

void tst_Commit::compacts()
{
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"));
    for (const char16_t *file : {u"a", u"b"})
        table = warehouse.commit(table, {.added = {dataFile(QString::fromUtf16(file), 2)}});
    table = warehouse.commit(
        table, {.operation = Operation::Replace,
                .added = {dataFile(QStringLiteral("ab"), 4)},
                .removed = {QStringLiteral("file:///data/a"), QStringLiteral("file:///data/b")}});
    QCOMPARE(table.metadata.currentSnapshot()->operation(), QStringLiteral("replace"));
    QCOMPARE(livePaths(warehouse, table), QStringList{QStringLiteral("ab")});
}

void tst_Commit::refusesToRemoveWhatIsNotThere()
{
    TestWarehouse warehouse;
    const auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto files = warehouse.metadataFiles(table);
    const auto result =
        commitSnapshot(warehouse.all(), table,
                       {.operation = Operation::Delete, .removed = {QStringLiteral("file:///x")}});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Conflict);
    QCOMPARE(result.error().message,
             QStringLiteral("file:///x is not among the table's files any more"));
    QCOMPARE(warehouse.metadataFiles(table), files);
}

void tst_Commit::losesAgainstAnEarlierCommit()
{
    TestWarehouse warehouse;
    const auto base = warehouse.table(QStringLiteral("t"));
    warehouse.commit(base, {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto late =
        commitSnapshot(warehouse.all(), base, {.added = {dataFile(QStringLiteral("b"), 1)}});
    QVERIFY(!late);
    QCOMPARE(late.error().kind, ErrorKind::Conflict);
    QCOMPARE(livePaths(warehouse, warehouse.load(QStringLiteral("t"))),
             QStringList{QStringLiteral("a")});
}

void tst_Commit::losesAgainstAnotherTable()
{
    TestWarehouse warehouse;
    const auto base = warehouse.table(QStringLiteral("t"));
    QVERIFY(warehouse.catalog->drop(base.name));
    const auto other = warehouse.table(QStringLiteral("t"));
    const auto late =
        commitSnapshot(warehouse.all(), base, {.added = {dataFile(QStringLiteral("b"), 1)}});
    QVERIFY(!late);
    QCOMPARE(late.error().kind, ErrorKind::Conflict);
    QVERIFY(warehouse.load(QStringLiteral("t")).metadata == other.metadata);
}

void tst_Commit::leavesNoFilesOfALostCommit()
{
    TestWarehouse warehouse;
    const auto base = warehouse.table(QStringLiteral("t"));
    warehouse.commit(base, {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto files = warehouse.metadataFiles(base);
    QVERIFY(!commitSnapshot(warehouse.all(), base, {.added = {dataFile(QStringLiteral("b"), 1)}}));
    QVERIFY(!setCurrentSnapshot(warehouse.all(), base, 5));
    QVERIFY(!commitMetadata(warehouse.all(), base, base.metadata));
    QCOMPARE(warehouse.metadataFiles(base), files);
}

void tst_Commit::leavesNoFilesWhenTheDiskIsFull_data()
{
    QTest::addColumn<int>("failing");
    QTest::newRow("at the manifest") << 1;
    QTest::newRow("at the manifest list") << 2;
    QTest::newRow("at the metadata file") << 3;
}

void tst_Commit::leavesNoFilesWhenTheDiskIsFull()
{
    QFETCH(int, failing);
    TestWarehouse warehouse;
    const auto base = warehouse.table(QStringLiteral("t"));
    const auto files = warehouse.metadataFiles(base);
    BrokenIO io(warehouse.io, failing);
    const auto result = commitSnapshot({*warehouse.catalog, io, warehouse.clock}, base,
                                       {.added = {dataFile(QStringLiteral("a"), 1)}});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QVERIFY(result.error().message.endsWith(u"No space left on device"));
    QCOMPARE(warehouse.metadataFiles(base), files);
    QCOMPARE(warehouse.load(QStringLiteral("t")).metadataLocation, base.metadataLocation);
}

void tst_Commit::keepsFilesOfACommitThatMayHaveLanded_data()
{
    QTest::addColumn<bool>("landed");
    QTest::newRow("it landed") << true;
    QTest::newRow("it did not") << false;
}

void tst_Commit::keepsFilesOfACommitThatMayHaveLanded()
{
    QFETCH(bool, landed);
    TestWarehouse warehouse;
    const auto base = warehouse.table(QStringLiteral("t"));
    LostAnswer catalog(*warehouse.catalog, landed);
    const auto result = commitSnapshot({catalog, warehouse.io, warehouse.clock}, base,
                                       {.added = {dataFile(QStringLiteral("a"), 1)}});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::CommitUnknown);
    QCOMPARE(warehouse.metadataFiles(base).size(), 4);
    QCOMPARE(warehouse.load(QStringLiteral("t")).metadata.snapshots.size(), landed ? 1 : 0);
}

void tst_Commit::rollsBackAndGoesOn()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                  {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto first = *table.metadata.currentSnapshotId;
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("b"), 1)}});
    table = valueOf(setCurrentSnapshot(warehouse.all(), table, first));
    QCOMPARE(table.metadata.currentSnapshotId, std::optional(first));
    QCOMPARE(table.metadata.refs.value(QStringLiteral("main")).snapshot, first);
    QCOMPARE(table.metadata.snapshots.size(), 2);
    QCOMPARE(livePaths(warehouse, table), QStringList{QStringLiteral("a")});
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("c"), 1)}});
    QCOMPARE(table.metadata.currentSnapshot()->parent, std::optional(first));
    QCOMPARE(table.metadata.currentSnapshot()->sequenceNumber, 3);
    QCOMPARE(livePaths(warehouse, table), QStringLiteral("a c").split(u' '));
    const auto nowhere = setCurrentSnapshot(warehouse.all(), table, 5);
    QCOMPARE(nowhere.error().message, QStringLiteral("table iceberg.main.t has no snapshot 5"));
}

void tst_Commit::changesTheSchemaAlone()
{
    TestWarehouse warehouse;
    const auto before = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                         {.added = {dataFile(QStringLiteral("a"), 1)}});
    auto next = before.metadata;
    Schema schema = next.currentSchema();
    schema.fields.append(Field{
        .id = next.lastColumnId + 1, .name = QStringLiteral("n"), .type = {.id = TypeId::Date}});
    setCurrentSchema(next, schema);
    const auto after = valueOf(commitMetadata(warehouse.all(), before, next));
    QVERIFY(after.head().token != before.head().token);
    QCOMPARE(after.head().tableId, before.head().tableId);
    QCOMPARE(after.head().snapshot, before.head().snapshot);
    QCOMPARE(warehouse.load(QStringLiteral("t")).metadata.currentSchema().fields.size(), 4);
}

void tst_Commit::keepsTimesInOrder()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                  {.added = {dataFile(QStringLiteral("a"), 1)}});
    const qint64 before = table.metadata.lastUpdatedMs;
    warehouse.clock.advance(std::chrono::hours(-3));
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("b"), 1)}});
    QCOMPARE(table.metadata.lastUpdatedMs, before);
    QCOMPARE(table.metadata.currentSnapshot()->timestampMs, before);
}

void tst_Commit::remembersEarlierMetadataFiles()
{
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"));
    table.metadata.properties.insert(QStringLiteral("write.metadata.previous-versions-max"),
                                     QStringLiteral("2"));
    QStringList locations;
    for (int i = 0; i < 4; ++i) {
        locations.append(table.metadataLocation);
        table = valueOf(commitMetadata(warehouse.all(), table, table.metadata));
    }
    QCOMPARE(table.metadata.metadataLog.size(), 2);
    QCOMPARE(table.metadata.metadataLog[0].location, locations[2]);
    QCOMPARE(table.metadata.metadataLog[1].location, locations[3]);
}

void tst_Commit::removesEarlierMetadataFilesOnlyWhereToldTo_data()
{
    QTest::addColumn<QString>("told");
    QTest::addColumn<bool>("isRemoved");
    QTest::newRow("it is") << QStringLiteral("true") << true;
    QTest::newRow("it is not") << QStringLiteral("false") << false;
}

// And never what a log names that lies elsewhere.
void tst_Commit::removesEarlierMetadataFilesOnlyWhereToldTo()
{
    QFETCH(QString, told);
    QFETCH(bool, isRemoved);
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"));
    const QString first = table.metadataLocation;
    const QString elsewhere =
        QString(first).replace(QStringLiteral("/metadata/"), QStringLiteral("/metadata/x/"));
    QVERIFY(warehouse.io.create(elsewhere, "another's"));
    table.metadata.metadataLog.prepend({0, elsewhere});
    table.metadata.properties.insert(QStringLiteral("write.metadata.previous-versions-max"),
                                     QStringLiteral("2"));
    table.metadata.properties.insert(QStringLiteral("write.metadata.delete-after-commit.enabled"),
                                     told);
    for (int i = 0; i < 3; ++i)
        table = valueOf(commitMetadata(warehouse.all(), table, table.metadata));
    QCOMPARE(bool(warehouse.io.readAll(first)), !isRemoved);
    QVERIFY(warehouse.io.readAll(elsewhere));
    for (const auto &earlier : std::as_const(table.metadata.metadataLog))
        QVERIFY(warehouse.io.readAll(earlier.location));
}

void tst_Commit::saysWhichMetadataFileIsMissing()
{
    TestWarehouse warehouse;
    const auto table = warehouse.table(QStringLiteral("t"));
    QVERIFY(warehouse.io.remove(table.metadataLocation));
    const auto loaded = loadTable(warehouse.all(), table.name);
    QCOMPARE(loaded.error().kind, ErrorKind::Corrupt);
    QCOMPARE(loaded.error().message,
             QStringLiteral("the metadata file of table iceberg.main.t is missing: %1")
                 .arg(table.metadataLocation));
}

void tst_Commit::survivesRacingThreads()
{
    TestWarehouse warehouse(Storage::Disk);
    warehouse.table(QStringLiteral("t"));
    std::atomic<int> failures = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] {
                failures += appendMany(warehouse.database(), QStringLiteral("t%1-").arg(i), 5);
            });
    }
    QCOMPARE(failures.load(), 0);
    const auto table = warehouse.load(QStringLiteral("t"));
    QCOMPARE(table.metadata.snapshots.size(), 20);
    QCOMPARE(livePaths(warehouse, table).size(), 20);
    // One metadata file, one list and one manifest a commit, and the first metadata file: losers
    // left nothing.
    QCOMPARE(warehouse.metadataFiles(table).size(), 3 * 20 + 1);
}

void tst_Commit::survivesRacingProcesses()
{
    TestWarehouse warehouse(Storage::Disk);
    warehouse.table(QStringLiteral("t"));
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int i = 0; i < 3; ++i) {
        processes.push_back(std::make_unique<QProcess>());
        processes.back()->setProcessChannelMode(QProcess::ForwardedChannels);
        processes.back()->start(
            QCoreApplication::applicationFilePath(),
            {QStringLiteral("--append"), warehouse.database(), QStringLiteral("p%1-").arg(i)});
    }
    for (const auto &process : processes) {
        QVERIFY(process->waitForFinished(15'000));
        QCOMPARE(process->exitCode(), 0);
    }
    const auto table = warehouse.load(QStringLiteral("t"));
    QCOMPARE(livePaths(warehouse, table).size(), 15);
    QCOMPARE(table.metadata.snapshots.size(), 15);
    QCOMPARE(table.metadata.currentSnapshot()->summary.value(QStringLiteral("total-records")),
             QStringLiteral("15"));
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    const auto arguments = application.arguments();
    if (arguments.size() == 4 && arguments[1] == u"--append")
        return appendMany(arguments[2], arguments[3], 5);
    tst_Commit test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_commit.moc"
