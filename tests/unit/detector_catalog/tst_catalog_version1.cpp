#include "tests/unit/detector_catalog/changes.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace ivm;
using namespace ivm::test;
using namespace ivm::iceberg;

namespace {

constexpr qint64 kHour = 3'600'000'000;

enum class Manifests { InLists, InMetadata };

// The metadata as a writer of format version 1 would have left them.
QByteArray version1(TestWarehouse &warehouse, const Table &table, Manifests manifests)
{
    auto object = QJsonDocument::fromJson(metadataToJson(table.metadata)).object();
    object.insert(QStringLiteral("format-version"), 1);
    auto schema = object.value(u"schemas").toArray().first().toObject();
    schema.remove(QStringLiteral("schema-id"));
    object.insert(QStringLiteral("schema"), schema);
    object.insert(QStringLiteral("partition-spec"),
                  object.value(u"partition-specs")[0][u"fields"].toArray());
    for (const char *key :
         {"table-uuid", "last-sequence-number", "schemas", "current-schema-id", "partition-specs",
          "default-spec-id", "last-partition-id", "sort-orders", "default-sort-order-id", "refs"})
        object.remove(QLatin1StringView(key));
    auto snapshots = object.value(u"snapshots").toArray();
    for (qsizetype i = 0; i < snapshots.size(); ++i) {
        auto snapshot = snapshots[i].toObject();
        snapshot.remove(QStringLiteral("sequence-number"));
        snapshot.remove(QStringLiteral("schema-id"));
        if (manifests == Manifests::InMetadata) {
            snapshot.remove(QStringLiteral("manifest-list"));
            snapshot.remove(QStringLiteral("summary"));
            QJsonArray paths;
            for (const auto &manifest :
                 valueOf(loadManifestList(warehouse.io, table.metadata.snapshots[i])))
                paths.append(manifest.path);
            snapshot.insert(QStringLiteral("manifests"), paths);
        }
        snapshots[i] = snapshot;
    }
    object.insert(QStringLiteral("snapshots"), snapshots);
    return QJsonDocument(object).toJson();
}

Table asVersion1(TestWarehouse &warehouse, const Table &table, Manifests manifests)
{
    const QString location =
        table.metadata.location + QStringLiteral("/metadata/00009-v1.metadata.json");
    if (!warehouse.io.create(location, version1(warehouse, table, manifests)) ||
        !warehouse.catalog->swap(table.name, table.metadataLocation, location))
        qFatal("the table could not be made one of version 1");
    return warehouse.load(table.name.table);
}

}  // namespace

// Tables of format version 1: read, measured, upgraded; not written.
class tst_CatalogVersion1 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reads_data();
    void reads();
    void findsChanges_data() { reads_data(); }
    void findsChanges();
    void isNotWritten();
    void isWrittenAfterAnUpgrade_data() { reads_data(); }
    void isWrittenAfterAnUpgrade();

private:
    // Three snapshots: two files, one more, one less.
    Table three(TestWarehouse &warehouse);
};

Table tst_CatalogVersion1::three(TestWarehouse &warehouse)
{
    auto table = warehouse.table(QStringLiteral("t"), {{Transform::Day, QStringLiteral("ts"), 0}});
    const auto file = [](const char *name, qint64 day) {
        return withBounds(dataFile(QString::fromLatin1(name), 2, {Literal{day}}), 2,
                          day * 24 * kHour, day * 24 * kHour + kHour);
    };
    table = warehouse.commit(table, {.added = {file("a", 0), file("b", 1)}});
    table = warehouse.commit(table, {.added = {file("c", 2)}});
    return warehouse.commit(
        table, {.operation = Operation::Delete, .removed = {QStringLiteral("file:///data/a")}});
}

void tst_CatalogVersion1::reads_data()
{
    QTest::addColumn<int>("manifests");
    QTest::newRow("with manifest lists") << int(Manifests::InLists);
    QTest::newRow("with manifests in the metadata") << int(Manifests::InMetadata);
}

void tst_CatalogVersion1::reads()
{
    QFETCH(int, manifests);
    TestWarehouse warehouse;
    const auto table = asVersion1(warehouse, three(warehouse), Manifests(manifests));
    QCOMPARE(table.metadata.formatVersion, 1);
    QCOMPARE(table.metadata.snapshots.size(), 3);
    const auto live =
        valueOf(liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}));
    QCOMPARE(pathsOf(live.data), QStringLiteral("b c").split(u' '));
    const ScanFilter secondDay{.fieldId = 2, .ranges = {{24 * kHour, 48 * kHour}}};
    const auto pruned = valueOf(
        liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), secondDay, {}));
    QCOMPARE(pathsOf(pruned.data), QStringList{QStringLiteral("b")});
}

void tst_CatalogVersion1::findsChanges()
{
    QFETCH(int, manifests);
    TestWarehouse warehouse;
    const auto to = asVersion1(warehouse, three(warehouse), Manifests(manifests));
    auto from = to;
    from.metadata.currentSnapshotId = to.metadata.snapshots[0].id;
    const auto changes = between(warehouse, from, to);
    QCOMPARE(changes.unmeasurable.value_or(QString()), QString());
    QCOMPARE(changes.snapshots, 2);
    QCOMPARE(changes.files.size(), 2);
    QCOMPARE(changes.files[0].path, QStringLiteral("file:///data/a"));
    QVERIFY(changes.files[0].role == FileRole::Removed);
    QCOMPARE(changes.files[1].path, QStringLiteral("file:///data/c"));
    QVERIFY(changes.files[1].role == FileRole::Added);
    QCOMPARE(changes.files[1].bounds.lower, std::optional(48 * kHour));
}

void tst_CatalogVersion1::isNotWritten()
{
    TestWarehouse warehouse;
    const auto table = asVersion1(warehouse, three(warehouse), Manifests::InLists);
    const auto files = warehouse.metadataFiles(table);
    const auto refused = commitSnapshot(warehouse.all(), table,
                                        {.added = {dataFile(QStringLiteral("d"), 1, {Literal{}})}});
    QVERIFY(!refused);
    QVERIFY(refused.error().kind == ErrorKind::Unsupported);
    QCOMPARE(refused.error().text(),
             QStringLiteral("table iceberg.main.t is of format version 1, which is read and not "
                            "written. Upgrade it, which moves no data: ALTER TABLE iceberg.main.t "
                            "SET PROPERTIES format_version = 2"));
    QCOMPARE(warehouse.metadataFiles(table), files);
    QCOMPARE(warehouse.load(QStringLiteral("t")).metadataLocation, table.metadataLocation);
}

void tst_CatalogVersion1::isWrittenAfterAnUpgrade()
{
    QFETCH(int, manifests);
    TestWarehouse warehouse;
    const auto old = asVersion1(warehouse, three(warehouse), Manifests(manifests));
    auto next = old.metadata;
    next.formatVersion = kFormatVersion;
    const auto upgraded = valueOf(commitMetadata(warehouse.all(), old, next));
    QVERIFY(!upgraded.metadata.uuid.isEmpty());
    QCOMPARE(upgraded.metadata.lastSequenceNumber, 0);
    auto table =
        warehouse.commit(upgraded, {.operation = Operation::Overwrite,
                                    .added = {dataFile(QStringLiteral("d"), 1, {Literal{}})},
                                    .removed = {QStringLiteral("file:///data/b")}});
    table = warehouse.load(QStringLiteral("t"));
    QCOMPARE(table.metadata.formatVersion, kFormatVersion);
    const auto live =
        valueOf(liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}));
    QCOMPARE(pathsOf(live.data), QStringLiteral("c d").split(u' '));
    const auto changes = between(warehouse, old, table);
    QCOMPARE(changes.files.size(), 2);
    QVERIFY(changes.files[0].role == FileRole::Removed);
    QVERIFY(changes.files[1].role == FileRole::Added);
}

QTEST_GUILESS_MAIN(tst_CatalogVersion1)
#include "tst_catalog_version1.moc"
