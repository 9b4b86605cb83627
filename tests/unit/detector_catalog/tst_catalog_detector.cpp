#include "plugins/detector_catalog/catalog_detector.h"
#include "tests/unit/detector_catalog/changes.h"

#include <QJsonDocument>

using namespace ivm;
using namespace ivm::catalog;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

constexpr int kTs = 2;
constexpr qint64 kDay = 86'400'000'000;
const QList<PartitionField> kByDay{{Transform::Day, QStringLiteral("ts"), 0}};

DataFile deletesIn(const QString &name, const QList<Literal> &partition = {})
{
    auto file = dataFile(name, 1, partition);
    file.content = FileContent::PositionDeletes;
    return file;
}

DataFile deletesOf(const QString &name, const QString &dataFileName,
                   const QList<Literal> &partition = {})
{
    auto file = deletesIn(name, partition);
    file.referencedDataFile = QStringLiteral("file:///data/") + dataFileName;
    return file;
}

QString path(const char *name)
{
    return QStringLiteral("file:///data/") + QString::fromLatin1(name);
}

QString boundsText(const FileBounds &bounds)
{
    static const char *kNulls[] = {"never", "some", "always", "unknown"};
    const auto end = [](std::optional<qint64> value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    return end(bounds.lower) + QStringLiteral("..") + end(bounds.upper) + u' ' +
           QString::fromLatin1(kNulls[int(bounds.nullState)]);
}

// "+a -b ~c": added, removed, deleted from; or why it cannot be told.
QString changesText(const TableChanges &changes)
{
    if (changes.unmeasurable)
        return *changes.unmeasurable;
    QStringList words;
    for (const auto &file : changes.files) {
        const char *sign = file.role == FileRole::Added     ? "+"
                           : file.role == FileRole::Removed ? "-"
                                                            : "~";
        words.append(QString::fromLatin1(sign) + file.path.section(u'/', -1));
    }
    return words.join(u' ');
}

// Counts what is read.
class CountingIO final : public FileIO {
public:
    explicit CountingIO(FileIO &io) : m_io(io) {}
    Result<QByteArray> readAll(const QString &location) override
    {
        read.append(location.section(u'/', -1));
        return m_io.readAll(location);
    }
    Status create(const QString &location, const QByteArray &bytes) override
    {
        return m_io.create(location, bytes);
    }
    Status remove(const QString &location) override { return m_io.remove(location); }
    Result<bool> exists(const QString &location) override { return m_io.exists(location); }
    Result<qint64> size(const QString &location) override { return m_io.size(location); }

    QStringList read;

private:
    FileIO &m_io;
};

}  // namespace

class tst_CatalogDetector : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void tellsHeads();
    void doesNotOpenWhatDidNotChange();
    void doesNotReadACatalogThatLooksAsItDid();
    void oneBadTableDoesNotSpoilTheOthers();
    void tellsEachTableOfAMissingCatalog();
    void stopsWhenAsked();

    void findsAppendsAndOverwrites();
    void findsNothingBetweenEqualEnds();
    void tellsBoundsAndNulls();
    void takesAllFilesOfANewTable();
    void followsRollbacks();
    void followsBranches();
    void skipsCompactions();
    void looksAtTheCountsOfReplacementsThatDropDeletes();
    void readsOnlyManifestsOfTheWay();
    void reportsFilesThatCameAndWent();
    void refusesTablesOfAnotherCatalog();

    void resolvesReferencedDeletes();
    void resolvesDeletesByTheirPaths();
    void resolvesOtherDeletesByPartition();
    void resolvesEqualityDeletes();
    void undoneDeletesTouchToo();
    void removedDeletesTouchToo();

    void doesNotTrustWhatDoesNotReconcile();
    void saysWhenATableWasMadeAgain();
    void saysWhichSnapshotIsMissing();
    void saysWhichManifestIsMissing();
};

void tst_CatalogDetector::tellsHeads()
{
    TestWarehouse warehouse(Storage::Disk);
    const auto empty = warehouse.table(QStringLiteral("empty"));
    const auto full = warehouse.commit(warehouse.table(QStringLiteral("full")),
                                       {.added = {dataFile(QStringLiteral("a"), 1)}});
    CatalogDetector detector({.database = warehouse.database()});
    const auto heads = valueOf(detector.heads({{full.name}, {empty.name}}, {}));
    QCOMPARE(heads.size(), 2);
    QCOMPARE(heads[0].value_or(TableHead{}), full.head());
    QCOMPARE(heads[1].value_or(TableHead{}), empty.head());
    QVERIFY(!heads[1]->snapshot);
}

void tst_CatalogDetector::doesNotOpenWhatDidNotChange()
{
    TestWarehouse warehouse(Storage::Disk);
    const auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("a"), 1)}});
    CatalogDetector detector({.database = warehouse.database()});
    QVERIFY(warehouse.io.remove(table.metadataLocation));
    const auto known = valueOf(detector.heads({{table.name, table.head()}}, {}));
    QCOMPARE(known[0].value_or(TableHead{}), table.head());
    const auto unknown = valueOf(detector.heads({{table.name}}, {}));
    QVERIFY(!unknown[0]);
    QCOMPARE(unknown[0].error().kind, ErrorKind::Corrupt);
}

void tst_CatalogDetector::doesNotReadACatalogThatLooksAsItDid()
{
    TestWarehouse warehouse(Storage::Disk);
    const auto table = warehouse.table(QStringLiteral("t"));
    const QString path = warehouse.database();
    const auto setTime = [](const QString &name, int secondsAgo) {
        QFile file(name);
        const QDateTime time = QDateTime::currentDateTime().addSecs(-secondsAgo);
        return !file.exists() || (file.open(QIODevice::ReadWrite) &&
                                  file.setFileTime(time, QFileDevice::FileModificationTime));
    };
    const auto log = QString(path + QStringLiteral("-wal"));
    CatalogDetector detector({.database = path});
    const auto isThere = [&] {
        const auto heads = detector.heads({{table.name}}, {});
        return heads && heads->first().has_value();
    };
    // Just written: what is written next may look the same.
    QVERIFY(isThere());
    warehouse.catalog.reset();
    // Reading makes a log, empty, where there is none.
    for (int look = 0; look < 2; ++look) {
        QVERIFY(setTime(path, 100) && setTime(log, 100));
        QVERIFY(isThere());
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QDateTime time = QFileInfo(path).lastModified();
    QVERIFY(file.write("broken") == 6);
    QVERIFY(file.flush() && file.setFileTime(time, QFileDevice::FileModificationTime));
    file.close();
    QVERIFY(isThere());
    QVERIFY(setTime(path, 50));
    QVERIFY(!isThere());
}

void tst_CatalogDetector::oneBadTableDoesNotSpoilTheOthers()
{
    TestWarehouse warehouse(Storage::Disk);
    const auto good = warehouse.table(QStringLiteral("good"));
    const auto future = TestWarehouse::name(QStringLiteral("future"));
    const QString location = fileUri(warehouse.path()) + QStringLiteral("/future/metadata/0.json");
    QVERIFY(warehouse.io.create(location, R"({"format-version": 3})"));
    QVERIFY(warehouse.catalog->create(future, location));
    CatalogDetector detector({.database = warehouse.database()});
    const auto heads = valueOf(detector.heads(
        {{future}, {TestWarehouse::name(QStringLiteral("nowhere"))}, {good.name}}, {}));
    QCOMPARE(heads[0].error().kind, ErrorKind::Unsupported);
    QCOMPARE(heads[1].error().kind, ErrorKind::NotFound);
    QCOMPARE(heads[1].error().message, QStringLiteral("there is no table iceberg.main.nowhere"));
    QCOMPARE(heads[2].value_or(TableHead{}), good.head());
}

void tst_CatalogDetector::tellsEachTableOfAMissingCatalog()
{
    CatalogDetector detector({.database = QStringLiteral("/nowhere/catalog.db")});
    const auto heads = valueOf(detector.heads({{TestWarehouse::name(QStringLiteral("t"))}}, {}));
    QCOMPARE(heads[0].error().kind, ErrorKind::NotFound);
    QCOMPARE(heads[0].error().message, QStringLiteral("there is no table iceberg.main.t: there is "
                                                      "no catalog /nowhere/catalog.db"));
    QCOMPARE(valueOf(detector.heads({}, {})).size(), 0);
}

void tst_CatalogDetector::stopsWhenAsked()
{
    TestWarehouse warehouse(Storage::Disk);
    const auto before = warehouse.table(QStringLiteral("t"));
    const auto after = warehouse.commit(before, {.added = {dataFile(QStringLiteral("a"), 1)}});
    std::stop_source stop;
    stop.request_stop();
    const Call call{.stop = stop.get_token(), .deadline = {}};
    CatalogDetector detector({.database = warehouse.database()});
    QCOMPARE(detector.heads({{after.name}}, call).error().kind, ErrorKind::Cancelled);
    const ChangesRequest request{.table = after.name,
                                 .from = before.head(),
                                 .to = after.head(),
                                 .column = {},
                                 .columns = {}};
    QCOMPARE(detector.changes(request, call).error().kind, ErrorKind::Cancelled);
    QCOMPARE(changesText(valueOf(detector.changes(request, {}))), QStringLiteral("+a"));
}

void tst_CatalogDetector::findsAppendsAndOverwrites()
{
    TestWarehouse warehouse;
    const auto start = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 4)}});
    auto table = warehouse.commit(start, {.added = {dataFile(QStringLiteral("c"), 5)}});
    table = warehouse.commit(table, {.operation = Operation::Overwrite,
                                     .added = {dataFile(QStringLiteral("d"), 6)},
                                     .removed = {path("a")}});
    const auto changes = between(warehouse, start, table);
    QCOMPARE(changesText(changes), QStringLiteral("-a +c +d"));
    QCOMPARE(changes.snapshots, 2);
    QCOMPARE(changes.files[0].records, 3);
    QCOMPARE(changes.files[0].bytes, 30);
    QCOMPARE(changes.files[2].records, 6);
}

void tst_CatalogDetector::findsNothingBetweenEqualEnds()
{
    TestWarehouse warehouse;
    const auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("a"), 3)}});
    const auto changes = between(warehouse, table, table, {QStringLiteral("id")});
    QCOMPARE(changesText(changes), QString());
    QCOMPARE(changes.snapshots, 0);
    QCOMPARE(changes.columns.size(), 1);
}

void tst_CatalogDetector::tellsBoundsAndNulls()
{
    TestWarehouse warehouse;
    const auto start = warehouse.table(QStringLiteral("t"), kByDay);
    const auto table = warehouse.commit(
        start, {.added = {withBounds(dataFile(QStringLiteral("metrics"), 9, {{qint64(1)}}), kTs,
                                     kDay, kDay + 5, 2),
                          dataFile(QStringLiteral("partition"), 9, {{qint64(1)}}),
                          dataFile(QStringLiteral("none"), 9, {{}})}});
    const auto changes = between(warehouse, start, table);
    QStringList texts;
    for (const auto &file : changes.files)
        texts.append(file.path.section(u'/', -1) + u' ' + boundsText(file.bounds));
    QCOMPARE(texts, (QStringList{QStringLiteral("metrics 86400000000..86400000005 some"),
                                 QStringLiteral("none ?..? always"),
                                 QStringLiteral("partition 86400000000..172799999999 never")}));
}

void tst_CatalogDetector::takesAllFilesOfANewTable()
{
    TestWarehouse warehouse;
    const auto empty = warehouse.table(QStringLiteral("t"));
    auto table = warehouse.commit(
        empty, {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 3)}});
    table = warehouse.commit(table, {.operation = Operation::Delete, .removed = {path("a")}});
    const auto changes = between(warehouse, empty, table);
    QCOMPARE(changesText(changes), QStringLiteral("+b"));
    QCOMPARE(changes.snapshots, 2);
    // Even where the first snapshots are expired.
    auto expired = table;
    expired.metadata.snapshots.removeFirst();
    QCOMPARE(changesText(between(warehouse, empty, expired)), QStringLiteral("+b"));
    QCOMPARE(changesText(between(warehouse, table, empty)),
             QStringLiteral("the table has no snapshot any more"));
}

void tst_CatalogDetector::followsRollbacks()
{
    TestWarehouse warehouse;
    const auto first = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("a"), 1)}});
    auto second = warehouse.commit(first, {.added = {dataFile(QStringLiteral("b"), 1)}});
    second = warehouse.commit(second, {.operation = Operation::Overwrite,
                                       .added = {dataFile(QStringLiteral("c"), 1)},
                                       .removed = {path("a")}});
    auto back = valueOf(setCurrentSnapshot(warehouse.all(), second, *first.head().snapshot));
    const auto undone = between(warehouse, second, back);
    QCOMPARE(changesText(undone), QStringLiteral("+a -b -c"));
    QCOMPARE(undone.snapshots, 2);
    back = warehouse.commit(back, {.added = {dataFile(QStringLiteral("d"), 1)}});
    QCOMPARE(changesText(between(warehouse, second, back)), QStringLiteral("+a -b -c +d"));
    QCOMPARE(between(warehouse, second, back).snapshots, 3);
}

void tst_CatalogDetector::followsBranches()
{
    TestWarehouse warehouse;
    const auto base = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                       {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto left = warehouse.commit(base, {.added = {dataFile(QStringLiteral("l"), 1)}});
    auto right = valueOf(setCurrentSnapshot(warehouse.all(), left, *base.head().snapshot));
    right = warehouse.commit(right, {.added = {dataFile(QStringLiteral("r1"), 1)}});
    right = warehouse.commit(right, {.added = {dataFile(QStringLiteral("r2"), 1)}});
    QCOMPARE(changesText(between(warehouse, left, right)), QStringLiteral("-l +r1 +r2"));
}

void tst_CatalogDetector::skipsCompactions()
{
    TestWarehouse warehouse;
    const auto start = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 1), dataFile(QStringLiteral("b"), 2)}});
    const auto table = warehouse.commit(start, {.operation = Operation::Replace,
                                                .added = {dataFile(QStringLiteral("ab"), 3)},
                                                .removed = {path("a"), path("b")}});
    const auto changes = between(warehouse, start, table);
    QCOMPARE(changesText(changes), QString());
    QCOMPARE(changes.snapshots, 1);
}

void tst_CatalogDetector::looksAtTheCountsOfReplacementsThatDropDeletes()
{
    const auto replaced = [](qint64 rows) {
        TestWarehouse warehouse;
        auto start = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                      {.added = {dataFile(QStringLiteral("a"), 2)}});
        start = warehouse.commit(start,
                                 {.operation = Operation::Delete,
                                  .added = {deletesOf(QStringLiteral("d"), QStringLiteral("a"))}});
        const auto table = warehouse.commit(start, {.operation = Operation::Replace,
                                                    .added = {dataFile(QStringLiteral("b"), rows)},
                                                    .removed = {path("a"), path("d")}});
        return changesText(between(warehouse, start, table));
    };
    QCOMPARE(replaced(1), QString());
    // A row that was deleted is back.
    QCOMPARE(replaced(2), QStringLiteral("-a ~a +b"));
}

void tst_CatalogDetector::readsOnlyManifestsOfTheWay()
{
    TestWarehouse warehouse;
    auto start = warehouse.table(QStringLiteral("t"));
    for (int i = 0; i < 5; ++i)
        start = warehouse.commit(start, {.added = {dataFile(QString::number(i), 1)}});
    const auto table = warehouse.commit(start, {.added = {dataFile(QStringLiteral("new"), 1)}});
    CountingIO io(warehouse.io);
    const auto changes = valueOf(fileChanges(io, table.metadata,
                                             {.table = table.name,
                                              .from = start.head(),
                                              .to = table.head(),
                                              .column = QStringLiteral("ts"),
                                              .columns = {}},
                                             {}));
    QCOMPARE(changesText(changes), QStringLiteral("+new"));
    QCOMPARE(io.read.size(), 2);
    QVERIFY(io.read[0].startsWith(u"snap-"));
}

void tst_CatalogDetector::reportsFilesThatCameAndWent()
{
    TestWarehouse warehouse;
    const auto start = warehouse.table(QStringLiteral("t"));
    const auto first = warehouse.commit(start, {.added = {dataFile(QStringLiteral("a"), 1)}});
    auto table = warehouse.commit(first, {.added = {dataFile(QStringLiteral("b"), 1)}});
    table = warehouse.commit(table, {.operation = Operation::Delete, .removed = {path("b")}});
    QCOMPARE(changesText(between(warehouse, first, table)), QStringLiteral("+b -b"));
}

void tst_CatalogDetector::refusesTablesOfAnotherCatalog()
{
    TestWarehouse warehouse;
    const auto table = warehouse.table(QStringLiteral("t"));
    CatalogDetector detector({.database = warehouse.database()}, QStringLiteral("lake"));
    const auto heads = detector.heads({{.table = table.name}}, Call{});
    QVERIFY(heads);
    QCOMPARE(heads->front().error().text(),
             QStringLiteral("table iceberg.main.t is in catalog 'iceberg', and the detector reads "
                            "'lake'. Set detector.engine_catalog to the engine's name for the "
                            "catalog that the detector reads"));
}

void tst_CatalogDetector::resolvesReferencedDeletes()
{
    TestWarehouse warehouse;
    const auto start =
        warehouse.commit(warehouse.table(QStringLiteral("t")),
                         {.added = {withBounds(dataFile(QStringLiteral("a"), 3), kTs, 5, 9),
                                    dataFile(QStringLiteral("b"), 3)}});
    const auto table =
        warehouse.commit(start, {.operation = Operation::Delete,
                                 .added = {deletesOf(QStringLiteral("d"), QStringLiteral("a"))}});
    const auto changes = between(warehouse, start, table);
    QCOMPARE(changesText(changes), QStringLiteral("~a"));
    QCOMPARE(changes.files[0].records, 3);
    QCOMPARE(boundsText(changes.files[0].bounds), QStringLiteral("5..9 never"));
}

void tst_CatalogDetector::resolvesDeletesByTheirPaths()
{
    TestWarehouse warehouse;
    const auto start = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 3),
                   dataFile(QStringLiteral("c"), 3)}});
    auto one = deletesIn(QStringLiteral("d"));
    one.lowerBounds.insert(kDeleteFilePathId, path("b").toUtf8());
    one.upperBounds.insert(kDeleteFilePathId, path("b").toUtf8());
    const auto table = warehouse.commit(start, {.operation = Operation::Delete, .added = {one}});
    QCOMPARE(changesText(between(warehouse, start, table)), QStringLiteral("~b"));
}

void tst_CatalogDetector::resolvesOtherDeletesByPartition()
{
    TestWarehouse warehouse;
    const QList<Literal> day1{{qint64(1)}};
    const auto start = warehouse.commit(
        warehouse.table(QStringLiteral("t"), kByDay),
        {.added = {dataFile(QStringLiteral("a"), 3, day1), dataFile(QStringLiteral("b"), 3, day1),
                   dataFile(QStringLiteral("other"), 3, {{qint64(2)}})}});
    auto table = warehouse.commit(
        start, {.operation = Operation::Delete, .added = {deletesIn(QStringLiteral("d"), day1)}});
    // What came later is not what was deleted from.
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("later"), 3, day1)}});
    QCOMPARE(changesText(between(warehouse, start, table)), QStringLiteral("~a ~b +later"));
}

void tst_CatalogDetector::resolvesEqualityDeletes()
{
    TestWarehouse warehouse;
    const auto equalityIn = [](const QString &name, const QList<Literal> &partition) {
        auto file = deletesIn(name, partition);
        file.content = FileContent::EqualityDeletes;
        file.equalityIds = {1};
        return file;
    };
    const auto flat = warehouse.commit(
        warehouse.table(QStringLiteral("flat")),
        {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 3)}});
    const auto flatAfter = warehouse.commit(
        flat, {.operation = Operation::Overwrite,
               .added = {equalityIn(QStringLiteral("d"), {}), dataFile(QStringLiteral("c"), 1)}});
    QCOMPARE(changesText(between(warehouse, flat, flatAfter)), QStringLiteral("~a ~b +c"));

    const auto byDay =
        warehouse.commit(warehouse.table(QStringLiteral("days"), kByDay),
                         {.added = {dataFile(QStringLiteral("a"), 3, {{qint64(1)}}),
                                    dataFile(QStringLiteral("b"), 3, {{qint64(2)}})}});
    const auto byDayAfter =
        warehouse.commit(byDay, {.operation = Operation::Delete,
                                 .added = {equalityIn(QStringLiteral("d"), {{qint64(2)}})}});
    QCOMPARE(changesText(between(warehouse, byDay, byDayAfter)), QStringLiteral("~b"));
}

void tst_CatalogDetector::undoneDeletesTouchToo()
{
    TestWarehouse warehouse;
    const auto start = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 3)}});
    const auto deleted =
        warehouse.commit(start, {.operation = Operation::Delete,
                                 .added = {deletesOf(QStringLiteral("d"), QStringLiteral("b"))}});
    const auto back = valueOf(setCurrentSnapshot(warehouse.all(), deleted, *start.head().snapshot));
    QCOMPARE(changesText(between(warehouse, deleted, back)), QStringLiteral("~b"));
}

void tst_CatalogDetector::removedDeletesTouchToo()
{
    TestWarehouse warehouse;
    auto start = warehouse.commit(
        warehouse.table(QStringLiteral("t")),
        {.added = {dataFile(QStringLiteral("a"), 3), dataFile(QStringLiteral("b"), 3)}});
    start =
        warehouse.commit(start, {.operation = Operation::Delete,
                                 .added = {deletesOf(QStringLiteral("d"), QStringLiteral("b"))}});
    const auto table =
        warehouse.commit(start, {.operation = Operation::Overwrite, .removed = {path("d")}});
    QCOMPARE(changesText(between(warehouse, start, table)), QStringLiteral("~b"));
}

void tst_CatalogDetector::doesNotTrustWhatDoesNotReconcile()
{
    TestWarehouse warehouse;
    const auto start = warehouse.table(QStringLiteral("t"));
    const auto first = warehouse.commit(start, {.added = {dataFile(QStringLiteral("a"), 1)}});
    auto table = warehouse.commit(first, {.added = {dataFile(QStringLiteral("b"), 1)}});
    auto &summary = table.metadata.snapshots.last().summary;
    summary.insert(QStringLiteral("added-data-files"), QStringLiteral("2"));
    QCOMPARE(changesText(between(warehouse, first, table)),
             QStringLiteral("snapshot %1 tells of 2 added data files, its manifests of 1")
                 .arg(*table.head().snapshot));
    summary.remove(QStringLiteral("added-data-files"));
    QCOMPARE(changesText(between(warehouse, first, table)), QStringLiteral("+b"));
    summary.insert(QStringLiteral("removed-delete-files"), QStringLiteral("1"));
    QVERIFY(between(warehouse, first, table).unmeasurable);
}

void tst_CatalogDetector::saysWhenATableWasMadeAgain()
{
    TestWarehouse warehouse;
    const auto old = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                      {.added = {dataFile(QStringLiteral("a"), 1)}});
    QVERIFY(warehouse.catalog->drop(old.name));
    const auto again = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("b"), 1)}});
    const auto changes = between(warehouse, old, again, {QStringLiteral("id")});
    QCOMPARE(changesText(changes), QStringLiteral("the table was dropped and made again"));
    QCOMPARE(changes.columns.size(), 1);
}

void tst_CatalogDetector::saysWhichSnapshotIsMissing()
{
    TestWarehouse warehouse;
    const auto first = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto second = warehouse.commit(first, {.added = {dataFile(QStringLiteral("b"), 1)}});
    auto third = warehouse.commit(second, {.added = {dataFile(QStringLiteral("c"), 1)}});
    third.metadata.snapshots.remove(0);
    // The bookmark itself may be gone, as long as nothing after it is.
    QCOMPARE(changesText(between(warehouse, first, third)), QStringLiteral("+b +c"));
    third.metadata.snapshots.remove(0);
    QCOMPARE(changesText(between(warehouse, first, third)),
             QStringLiteral("snapshot %1 is no longer there").arg(*first.head().snapshot));
}

void tst_CatalogDetector::saysWhichManifestIsMissing()
{
    TestWarehouse warehouse;
    const auto first = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                        {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto second = warehouse.commit(first, {.added = {dataFile(QStringLiteral("b"), 1)}});
    const QString list = second.metadata.currentSnapshot()->manifestList;
    QVERIFY(warehouse.io.remove(list));
    QCOMPARE(changesText(between(warehouse, first, second)),
             QStringLiteral("there is no file %1").arg(list));
}

QTEST_GUILESS_MAIN(tst_CatalogDetector)
#include "tst_catalog_detector.moc"
