#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

// What keeps a table's files where they are: its own properties, and other tables in its folder.
class tst_DuckdbGuards : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void replacementsKeepWhatGuardsFiles();
    void expiryKeepsFilesOfASharedFolder();

private:
    static iceberg::Table load(WarehouseFixture &warehouse);
};

iceberg::Table tst_DuckdbGuards::load(WarehouseFixture &warehouse)
{
    const auto open = warehouse.executor().warehouse().reading();
    auto table = iceberg::loadTable(*open, warehouse.name("t"));
    if (!table)
        qFatal("%s", qPrintable(table.error().text()));
    return *table;
}

// The snapshots from before are there still, and so is what says that they must be.
void tst_DuckdbGuards::replacementsKeepWhatGuardsFiles()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t COMMENT 'first' AS SELECT 1 AS a"));
    warehouse.run(QStringLiteral(
        "ALTER TABLE t SET PROPERTIES extra_properties = MAP(ARRAY['gc.enabled', "
        "'history.expire.min-snapshots-to-keep', 'write.delete.mode'], ARRAY['false', '7', "
        "'merge-on-read'])"));
    warehouse.run(QStringLiteral("CREATE OR REPLACE TABLE t COMMENT 'second' AS SELECT 2 AS a"));
    QCOMPARE(load(warehouse).metadata.properties,
             (QMap<QString, QString>{
                 {QStringLiteral("comment"), QStringLiteral("second")},
                 {QStringLiteral("gc.enabled"), QStringLiteral("false")},
                 {QStringLiteral("history.expire.min-snapshots-to-keep"), QStringLiteral("7")}}));
}

// The other entry of the catalog spells the folder in its own way.
void tst_DuckdbGuards::expiryKeepsFilesOfASharedFolder()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    warehouse.run(QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT 2 AS a"));
    const QStringList files = warehouse.filesOnDisk();
    const auto path = localPath(load(warehouse).metadataLocation);
    {
        const auto open = warehouse.executor().warehouse().writing();
        QVERIFY(open->catalog.create(warehouse.name("other"), QStringLiteral("file:") + *path));
    }
    warehouse.run(
        QStringLiteral("ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s')"));
    QCOMPARE(load(warehouse).metadata.snapshots.size(), 1);
    QCOMPARE(warehouse.filesOnDisk(), files);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT a FROM other")).join(u' '), QStringLiteral("2"));
}

QTEST_GUILESS_MAIN(tst_DuckdbGuards)
#include "tst_duckdb_guards.moc"
