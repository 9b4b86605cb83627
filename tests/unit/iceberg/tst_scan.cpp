#include "framework/iceberg/scan.h"
#include "tests/unit/iceberg/warehouse.h"

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

constexpr int kId = 1;
constexpr int kTs = 2;
constexpr qint64 kDay = 86'400'000'000;

QString textOf(const FileBounds &bounds)
{
    static const char *kNulls[] = {"never", "some", "always", "unknown"};
    const auto end = [](std::optional<qint64> value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    return end(bounds.lower) + QStringLiteral("..") + end(bounds.upper) + u' ' +
           QString::fromLatin1(kNulls[int(bounds.nullState)]);
}

DataFile deleteFile(const QString &name, const QList<Literal> &partition = {})
{
    DataFile file = dataFile(name, 1, partition);
    file.content = FileContent::PositionDeletes;
    return file;
}

DataFile deletesOf(DataFile file, const QString &lowerPath, const QString &upperPath)
{
    file.lowerBounds.insert(kDeleteFilePathId,
                            (QStringLiteral("file:///data/") + lowerPath).toUtf8());
    file.upperBounds.insert(kDeleteFilePathId,
                            (QStringLiteral("file:///data/") + upperPath).toUtf8());
    return file;
}

}  // namespace

class tst_Scan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boundsComeFromMetrics();
    void boundsComeFromThePartition();
    void knowsNullsByCounts_data();
    void knowsNullsByCounts();
    void matchesRanges_data();
    void matchesRanges();
    void findsLiveFilesOnly();
    void prunesFilesAndManifests();
    void appliesDeletes();
    void appliesGlobalEqualityDeletes();
    void stopsWhenAsked();

private:
    LiveFiles live(TestWarehouse &warehouse, const Table &table,
                   const std::optional<ScanFilter> &filter = {})
    {
        return valueOf(
            liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), filter, {}));
    }
};

void tst_Scan::boundsComeFromMetrics()
{
    TestWarehouse warehouse;
    const auto table = warehouse.table(QStringLiteral("t"));
    const auto file = withBounds(dataFile(QStringLiteral("a"), 10), kTs, 5, 9, 1);
    QCOMPARE(textOf(fileBounds(file, kTs, table.metadata)), QStringLiteral("5..9 some"));
    QCOMPARE(textOf(fileBounds(file, kId, table.metadata)), QStringLiteral("?..? unknown"));
    QCOMPARE(textOf(fileBounds(file, 99, table.metadata)), QStringLiteral("?..? unknown"));
    // Text has no place among numbers.
    QCOMPARE(textOf(fileBounds(withBounds(file, 3, 1, 2), 3, table.metadata)),
             QStringLiteral("?..? never"));
}

void tst_Scan::boundsComeFromThePartition()
{
    TestWarehouse warehouse;
    const auto table =
        warehouse.table(QStringLiteral("t"), {{Transform::Day, QStringLiteral("ts"), 0}});
    QCOMPARE(
        textOf(fileBounds(dataFile(QStringLiteral("a"), 10, {{qint64(1)}}), kTs, table.metadata)),
        QStringLiteral("86400000000..172799999999 never"));
    QCOMPARE(textOf(fileBounds(dataFile(QStringLiteral("a"), 10, {{}}), kTs, table.metadata)),
             QStringLiteral("?..? always"));
    QCOMPARE(
        textOf(fileBounds(withBounds(dataFile(QStringLiteral("a"), 10, {{qint64(0)}}), kTs, 5, 9),
                          kTs, table.metadata)),
        QStringLiteral("5..9 never"));
}

void tst_Scan::knowsNullsByCounts_data()
{
    QTest::addColumn<qint64>("nulls");
    QTest::addColumn<qint64>("values");  // -1: not told
    QTest::addColumn<QString>("state");
    QTest::newRow("none") << qint64(0) << qint64(10) << QStringLiteral("never");
    QTest::newRow("some") << qint64(1) << qint64(10) << QStringLiteral("some");
    QTest::newRow("all") << qint64(10) << qint64(10) << QStringLiteral("always");
    QTest::newRow("all rows, values not told")
        << qint64(10) << qint64(-1) << QStringLiteral("always");
    QTest::newRow("not told") << qint64(-1) << qint64(10) << QStringLiteral("unknown");
}

void tst_Scan::knowsNullsByCounts()
{
    QFETCH(qint64, nulls);
    QFETCH(qint64, values);
    QFETCH(QString, state);
    TestWarehouse warehouse;
    const auto table = warehouse.table(QStringLiteral("t"));
    auto file = dataFile(QStringLiteral("a"), 10);
    if (nulls >= 0)
        file.nullValueCounts.insert(kTs, nulls);
    if (values >= 0)
        file.valueCounts.insert(kTs, values);
    QCOMPARE(textOf(fileBounds(file, kTs, table.metadata)), QStringLiteral("?..? ") + state);
}

void tst_Scan::matchesRanges_data()
{
    QTest::addColumn<qint64>("from");
    QTest::addColumn<qint64>("to");
    QTest::addColumn<bool>("matches");
    // The file holds 10 to 20.
    QTest::newRow("before") << qint64(0) << qint64(10) << false;
    QTest::newRow("over its start") << qint64(0) << qint64(11) << true;
    QTest::newRow("within") << qint64(12) << qint64(13) << true;
    QTest::newRow("over its end") << qint64(20) << qint64(30) << true;
    QTest::newRow("after") << qint64(21) << qint64(30) << false;
}

void tst_Scan::matchesRanges()
{
    QFETCH(qint64, from);
    QFETCH(qint64, to);
    QFETCH(bool, matches);
    const FileBounds bounds{.lower = 10, .upper = 20, .nullState = NullState::Never};
    QCOMPARE(mayMatch(bounds, {.fieldId = kTs, .ranges = {{from, to}}}), matches);
    QVERIFY(mayMatch(bounds, {.fieldId = kTs, .ranges = {{}}}));
    QVERIFY(!mayMatch(bounds, {.fieldId = kTs, .ranges = {}, .nulls = true}));
    QVERIFY(mayMatch({}, {.fieldId = kTs, .ranges = {}, .nulls = true}));
    QVERIFY(mayMatch({}, {.fieldId = kTs, .ranges = {{from, to}}}));
    const FileBounds onlyNulls{.lower = {}, .upper = {}, .nullState = NullState::Always};
    QVERIFY(!mayMatch(onlyNulls, {.fieldId = kTs, .ranges = {{}}}));
    QVERIFY(mayMatch(onlyNulls, {.fieldId = kTs, .ranges = {}, .nulls = true}));
}

void tst_Scan::findsLiveFilesOnly()
{
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"));
    table = warehouse.commit(
        table, {.added = {dataFile(QStringLiteral("a"), 1), dataFile(QStringLiteral("b"), 2)}});
    const auto first = table.metadata.currentSnapshotId;
    table = warehouse.commit(table, {.operation = Operation::Overwrite,
                                     .added = {dataFile(QStringLiteral("c"), 3)},
                                     .removed = {QStringLiteral("file:///data/a")}});
    const auto files = live(warehouse, table).data;
    QCOMPARE(pathsOf(files), QStringLiteral("b c").split(u' '));
    for (const auto &file : files) {
        const bool isOld = file.file.path.endsWith(u'b');
        QCOMPARE(file.sequenceNumber, isOld ? 1 : 2);
        QCOMPARE(file.addedBy == *first, isOld);
    }
}

void tst_Scan::prunesFilesAndManifests()
{
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"), {{Transform::Day, QStringLiteral("ts"), 0}});
    for (qint64 day = 0; day < 4; ++day)
        table = warehouse.commit(table, {.added = {dataFile(QString::number(day), 1, {{day}})}});
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("null"), 1, {{}})}});
    // A manifest that need not be opened may even be missing.
    const auto manifests =
        valueOf(loadManifestList(warehouse.io, *table.metadata.currentSnapshot()));
    for (const auto &manifest : manifests) {
        const auto entries = valueOf(loadManifest(warehouse.io, manifest, table.metadata));
        if (entries[0].file.path.endsWith(u'0'))
            QVERIFY(warehouse.io.remove(manifest.path));
    }
    const ScanFilter twoDays{.fieldId = kTs,
                             .ranges = {{kDay, 2 * kDay}, {3 * kDay + 5, std::nullopt}}};
    QCOMPARE(pathsOf(live(warehouse, table, twoDays).data), QStringLiteral("1 3").split(u' '));
    const ScanFilter nulls{.fieldId = kTs, .ranges = {}, .nulls = true};
    QCOMPARE(pathsOf(live(warehouse, table, nulls).data), QStringList{QStringLiteral("null")});
    const ScanFilter otherColumn{.fieldId = kId, .ranges = {{5, 6}}};
    QVERIFY(!liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), otherColumn,
                       {}));
}

void tst_Scan::appliesDeletes()
{
    TestWarehouse warehouse;
    auto table =
        warehouse.table(QStringLiteral("t"), {{Transform::Identity, QStringLiteral("part"), 0}});
    const QList<Literal> x{{QStringLiteral("x")}};
    const QList<Literal> y{{QStringLiteral("y")}};
    table = warehouse.commit(
        table, {.added = {dataFile(QStringLiteral("a"), 1, x), dataFile(QStringLiteral("b"), 1, x),
                          dataFile(QStringLiteral("c"), 1, y)}});
    auto referenced = deleteFile(QStringLiteral("d-referenced"), x);
    referenced.referencedDataFile = QStringLiteral("file:///data/b");
    auto equality = deleteFile(QStringLiteral("d-equality"), y);
    equality.content = FileContent::EqualityDeletes;
    equality.equalityIds = {kId};
    table = warehouse.commit(
        table, {.operation = Operation::Delete,
                .added = {deleteFile(QStringLiteral("d-any"), x), referenced, equality,
                          deletesOf(deleteFile(QStringLiteral("d-one"), x), QStringLiteral("a"),
                                    QStringLiteral("a"))}});
    table = warehouse.commit(table, {.added = {dataFile(QStringLiteral("later"), 1, x)}});
    const auto files = live(warehouse, table);
    QHash<QString, QStringList> found;
    for (const auto &file : files.data) {
        std::vector<LiveFile> deletes;
        for (const auto index : file.deletes)
            deletes.push_back(files.deletes[size_t(index)]);
        found.insert(file.file.path.section(u'/', -1), pathsOf(deletes));
    }
    QCOMPARE(found[QStringLiteral("a")], QStringLiteral("d-any d-one").split(u' '));
    QCOMPARE(found[QStringLiteral("b")], QStringLiteral("d-any d-referenced").split(u' '));
    QCOMPARE(found[QStringLiteral("c")], QStringList{QStringLiteral("d-equality")});
    QCOMPARE(found[QStringLiteral("later")], QStringList());
}

void tst_Scan::appliesGlobalEqualityDeletes()
{
    TestWarehouse warehouse;
    auto table =
        warehouse.table(QStringLiteral("t"), {{Transform::Identity, QStringLiteral("part"), 0}});
    table.metadata.specs.append(PartitionSpec{.id = 1});
    table = valueOf(
        commitMetadata(warehouse.all(), warehouse.load(QStringLiteral("t")), table.metadata));
    auto equality = deleteFile(QStringLiteral("d"));
    equality.content = FileContent::EqualityDeletes;
    equality.specId = 1;
    auto positions = deleteFile(QStringLiteral("p"));
    positions.specId = 1;
    table = warehouse.commit(
        table, {.added = {dataFile(QStringLiteral("a"), 1, {{QStringLiteral("x")}})}});
    table = warehouse.commit(
        table, {.operation = Operation::Delete,
                .added = {equality, positions, dataFile(QStringLiteral("same"), 1, {{}})}});
    const auto files = live(warehouse, table);
    for (const auto &file : files.data)
        QCOMPARE(file.deletes.size(), file.file.path.endsWith(u'a') ? 1 : 0);
}

void tst_Scan::stopsWhenAsked()
{
    TestWarehouse warehouse;
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                  {.added = {dataFile(QStringLiteral("a"), 1)}});
    std::stop_source stop;
    stop.request_stop();
    const auto files = liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(),
                                 {}, {.stop = stop.get_token(), .deadline = {}});
    QVERIFY(!files);
    QCOMPARE(files.error().kind, ErrorKind::Cancelled);
}

QTEST_GUILESS_MAIN(tst_Scan)
#include "tst_scan.moc"
