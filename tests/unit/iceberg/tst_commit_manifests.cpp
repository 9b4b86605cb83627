#include "tests/unit/iceberg/warehouse.h"

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

// Into which manifests a commit puts a table's files.
class tst_CommitManifests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mergesManyManifests();
    void keepsManifestsShort();
};

void tst_CommitManifests::mergesManyManifests()
{
    TestWarehouse warehouse;
    auto table = warehouse.table(QStringLiteral("t"));
    for (int i = 0; i < 101; ++i)
        table = warehouse.commit(table, {.added = {dataFile(QString::number(i), 1)}});
    QCOMPARE(manifestTexts(warehouse, table),
             (QStringList{QStringLiteral("1 added, 0 existing, 0 deleted"),
                          QStringLiteral("0 added, 100 existing, 0 deleted")}));
    const auto files =
        valueOf(liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}))
            .data;
    QCOMPARE(files.size(), size_t(101));
    for (const auto &file : files)
        QCOMPARE(file.sequenceNumber, file.file.path.section(u'/', -1).toLongLong() + 1);
}

// So that taking out one file of many does not write the entries of all the others.
void tst_CommitManifests::keepsManifestsShort()
{
    TestWarehouse warehouse;
    SnapshotChange many;
    for (int i = 0; i < 300; ++i)
        many.added.append(dataFile(QString::number(i), 1));
    auto table = warehouse.commit(warehouse.table(QStringLiteral("t")), many);
    const QString whole = QStringLiteral("128 added, 0 existing, 0 deleted");
    const QString rest = QStringLiteral("44 added, 0 existing, 0 deleted");
    QCOMPARE(manifestTexts(warehouse, table), (QStringList{whole, whole, rest}));
    table = warehouse.commit(table, {.removed = {many.added[200].path}});
    const QString without = QStringLiteral("0 added, 127 existing, 1 deleted");
    QCOMPARE(manifestTexts(warehouse, table), (QStringList{without, whole, rest}));
    // The whole ones stay as they are where small ones are merged.
    for (int i = 300; i < 400; ++i)
        table = warehouse.commit(table, {.added = {dataFile(QString::number(i), 1)}});
    QCOMPARE(manifestTexts(warehouse, table),
             (QStringList{QStringLiteral("1 added, 0 existing, 0 deleted"),
                          QStringLiteral("0 added, 128 existing, 0 deleted"),
                          QStringLiteral("0 added, 15 existing, 0 deleted"), without, whole}));
    const auto live =
        valueOf(liveFiles(warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}));
    QCOMPARE(live.data.size(), size_t(399));
}

QTEST_GUILESS_MAIN(tst_CommitManifests)
#include "tst_commit_manifests.moc"
