#include "plugins/detector_catalog/file_changes.h"
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

// Rows taken out by delete files: ours by position, those of others by equality.
class tst_DuckdbDeletes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void deletesByPosition();
    void updatesByPosition();
    void mergesByPosition();
    void refreshesByPosition();
    void writesSmallFilesAgain();
    void keepsLargeFiles();
    void dropsDeletesWithTheirFile();
    void compactionAppliesDeletes();
    void tellsWhichFilesLostRows();
    void keepsPartitionsOfDeletes();
    void deletesFromFilesOfAnyName();
    void readsEqualityDeletes();
    void readsEqualityDeletesOfDroppedColumns();
    void refusesEqualityDeletesByFloats();

private:
    // A file of rows that are deleted, as another writer would add it.
    void deleteEqual(WarehouseFixture &warehouse, const QString &select, const QList<int> &ids);
    void make(WarehouseFixture &warehouse, const char *mode, const char *with = "");
    void setMode(WarehouseFixture &warehouse, const char *mode);
    QString rows(WarehouseFixture &warehouse)
    {
        return warehouse.rows(QStringLiteral("SELECT k, v FROM t ORDER BY k"))
            .join(QStringLiteral(", "));
    }
};

void tst_DuckdbDeletes::setMode(WarehouseFixture &warehouse, const char *mode)
{
    const auto open = warehouse.executor().warehouse().writing();
    const auto table = warehouse.table("t");
    auto next = table.metadata;
    next.properties.insert(QStringLiteral("write.delete.mode"), QString::fromLatin1(mode));
    QVERIFY(iceberg::commitMetadata(*open, table, next));
}

void tst_DuckdbDeletes::make(WarehouseFixture &warehouse, const char *mode, const char *with)
{
    warehouse.run(QStringLiteral("CREATE TABLE t %1 AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), "
                                 "(3, 'c'), (4, 'd')) AS v(k, v)")
                      .arg(QString::fromLatin1(with)));
    setMode(warehouse, mode);
}

void tst_DuckdbDeletes::deletesByPosition()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    const QStringList before = warehouse.dataFiles("t");
    QCOMPARE(warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 2")), 1);
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 3|c, 4|d"));
    QCOMPARE(warehouse.run(QStringLiteral("DELETE FROM t WHERE k <= 3")), 2);
    QCOMPARE(rows(warehouse), QStringLiteral("4|d"));
    const auto files = warehouse.liveFiles("t");
    QCOMPARE(files.data.size(), size_t(1));
    QCOMPARE(files.data[0].file.path, before[0]);
    QCOMPARE(files.deletes.size(), size_t(2));
    for (const auto &deletes : files.deletes) {
        QVERIFY(deletes.file.content == iceberg::FileContent::PositionDeletes);
        QCOMPARE(deletes.file.referencedDataFile, before[0]);
        QCOMPARE(deletes.file.lowerBounds.value(iceberg::kDeleteFilePathId), before[0].toUtf8());
        QVERIFY(deletes.sequenceNumber > files.data[0].sequenceNumber);
    }
    const auto table = warehouse.table("t");
    const auto &summary = table.metadata.currentSnapshot()->summary;
    QCOMPARE(table.metadata.currentSnapshot()->operation(), QStringLiteral("delete"));
    QCOMPARE(summary.value(QStringLiteral("added-position-deletes")), QStringLiteral("2"));
    QCOMPARE(summary.value(QStringLiteral("total-position-deletes")), QStringLiteral("3"));
    QCOMPARE(summary.value(QStringLiteral("total-records")), QStringLiteral("4"));
}

void tst_DuckdbDeletes::updatesByPosition()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    QCOMPARE(warehouse.run(QStringLiteral("UPDATE t SET v = v || '!' WHERE k >= 3")), 2);
    QCOMPARE(warehouse.run(QStringLiteral("UPDATE t SET v = v || '?' WHERE k = 4")), 1);
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 2|b, 3|c!, 4|d!?"));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT operation FROM \"t$snapshots\" ORDER BY "
                                           "committed_at OFFSET 1")),
             QStringLiteral("overwrite overwrite").split(u' '));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(2));
}

void tst_DuckdbDeletes::mergesByPosition()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    QCOMPARE(warehouse.run(QStringLiteral(
                 "MERGE INTO t USING (VALUES (1, 'x'), (2, 'y'), (9, 'z')) AS s(k, v) ON t.k = s.k "
                 "WHEN MATCHED AND s.k = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN "
                 "NOT MATCHED THEN INSERT VALUES (s.k, s.v)")),
             3);
    QCOMPARE(rows(warehouse), QStringLiteral("2|y, 3|c, 4|d, 9|z"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(1));
}

void tst_DuckdbDeletes::refreshesByPosition()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    const Change change = ReplaceAll{
        {.target = warehouse.name("t"),
         .columns = {{QStringLiteral("k"), {.kind = TypeKind::Integer}, ColumnClass::Key},
                     {QStringLiteral("v"), {.kind = TypeKind::Varchar}, ColumnClass::Exact}},
         .query = QStringLiteral("SELECT * FROM (VALUES (1, 'a'), (2, 'new'), (5, 'e'), (4, 'd')) "
                                 "AS v(k, v)")}};
    const Intent intent{.id = QStringLiteral("1"),
                        .view = QStringLiteral("v"),
                        .target = warehouse.name("t"),
                        .targetHead = warehouse.info("t").head,
                        .statementId = {},
                        .summary = {}};
    const auto result = warehouse.session().commit(change, intent, {}, {});
    QVERIFY2(result, result ? "" : qPrintable(result.error().text()));
    QCOMPARE(result->rowsWritten, 2);
    QCOMPARE(result->rowsDeleted, 1);
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 2|new, 4|d, 5|e"));
    const auto files = warehouse.liveFiles("t");
    QCOMPARE(files.data.size(), size_t(2));
    QCOMPARE(files.deletes.size(), size_t(1));
    QCOMPARE(files.deletes[0].file.recordCount, 2);
}

void tst_DuckdbDeletes::writesSmallFilesAgain()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT * FROM (VALUES 1, 2, 3) AS v(k)"));
    warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 2"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(0));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*) FROM t")),
             QStringList{QStringLiteral("2")});
}

void tst_DuckdbDeletes::keepsLargeFiles()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT BIGINT '-1' AS k, 'x' AS s"));
    const auto open = warehouse.executor().warehouse().writing();
    const auto database = Database::open({});
    const auto connection = Connection::open(*database, {});
    const auto table = warehouse.table("t");
    // 6 MB that do not compress.
    auto files = writeFiles(
        table,
        QStringLiteral("SELECT n AS k, array_to_string(list_transform(range(100), lambda i: "
                       "md5(concat(n, '-', i))), '') AS s FROM range(2000) AS r(n)"),
        **connection, {});
    QVERIFY(files);
    QVERIFY(commitFiles(*open, table, {}, *files));
    qint64 gone = 0;
    const auto deleteWhere = [&](const QString &condition) {
        gone += warehouse.run(QStringLiteral("DELETE FROM t WHERE ") + condition);
    };
    constexpr size_t kMost = 10;
    for (size_t i = 1; i <= kMost; ++i) {
        deleteWhere(QStringLiteral("k = %1").arg(i));
        QCOMPARE(warehouse.liveFiles("t").deletes.size(), i);
    }
    // Too many delete files, then too many rows.
    deleteWhere(QStringLiteral("k = 11"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(0));
    deleteWhere(QStringLiteral("k BETWEEN 100 AND 150"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(1));
    deleteWhere(QStringLiteral("k BETWEEN 200 AND 250"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(0));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*) FROM t")),
             QStringList{QString::number(2001 - gone)});
}

void tst_DuckdbDeletes::dropsDeletesWithTheirFile()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 2"));
    setMode(warehouse, "copy-on-write");
    warehouse.run(QStringLiteral("UPDATE t SET v = 'x' WHERE k = 3"));
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 3|x, 4|d"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(0));
    const auto table = warehouse.table("t");
    QCOMPARE(table.metadata.currentSnapshot()->summary.value(QStringLiteral("total-delete-files")),
             QStringLiteral("0"));
}

void tst_DuckdbDeletes::compactionAppliesDeletes()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 2"));
    const auto before = warehouse.table("t");
    warehouse.run(QStringLiteral("ALTER TABLE t EXECUTE optimize"));
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 3|c, 4|d"));
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(0));
    const auto open = warehouse.executor().warehouse().reading();
    const auto after = warehouse.table("t");
    const auto changes = catalog::fileChanges(open->io, after.metadata,
                                              {.table = after.name,
                                               .from = before.head(),
                                               .to = after.head(),
                                               .column = {},
                                               .columns = {}},
                                              {});
    QVERIFY(changes);
    QCOMPARE(changes->files.size(), 0);
}

void tst_DuckdbDeletes::tellsWhichFilesLostRows()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (5, 'e'), (6, 'f')"));
    const auto before = warehouse.table("t");
    const QString second =
        warehouse.rows(QStringLiteral("SELECT \"$path\" FROM t WHERE k = 5")).value(0);
    warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 6"));
    const auto open = warehouse.executor().warehouse().reading();
    const auto after = warehouse.table("t");
    const auto changes = catalog::fileChanges(open->io, after.metadata,
                                              {.table = after.name,
                                               .from = before.head(),
                                               .to = after.head(),
                                               .column = {},
                                               .columns = {}},
                                              {});
    QVERIFY(changes);
    QCOMPARE(changes->files.size(), 1);
    QCOMPARE(changes->files[0].path, second);
    QVERIFY(changes->files[0].role == FileRole::DeletedFrom);
}

void tst_DuckdbDeletes::keepsPartitionsOfDeletes()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read", "WITH (partitioning = ARRAY['truncate(k, 2)'])");
    warehouse.run(QStringLiteral("DELETE FROM t WHERE k IN (2, 4)"));
    // 4 was alone in its file's partition.
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 3|c"));
    const auto files = warehouse.liveFiles("t");
    QCOMPARE(files.deletes.size(), size_t(1));
    QCOMPARE(files.deletes[0].file.partition, QList<iceberg::Literal>{{qint64(2)}});
    QCOMPARE(files.data.size(), size_t(2));
}

// As others name the folders of partitions: origin=A%2FB.
void tst_DuckdbDeletes::deletesFromFilesOfAnyName()
{
    WarehouseFixture warehouse;
    make(warehouse, "merge-on-read");
    {
        const auto open = warehouse.executor().warehouse().writing();
        const auto table = warehouse.table("t");
        auto moved = warehouse.liveFiles("t").data[0].file;
        const QString from = *localPath(moved.path);
        const QString folder = QFileInfo(from).path() + QStringLiteral("/a=%2F%3A%4/b=%1%5");
        const QString to = folder + QStringLiteral("/x.parquet");
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(QFile::copy(from, to));
        const QStringList old{moved.path};
        moved.path = fileUri(to);
        QVERIFY(iceberg::commitSnapshot(*open, table,
                                        {.operation = iceberg::Operation::Replace,
                                         .added = {moved},
                                         .removed = {old.begin(), old.end()}}));
    }
    QCOMPARE(warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 2")), 1);
    QCOMPARE(warehouse.liveFiles("t").deletes.size(), size_t(1));
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 3|c, 4|d"));
}

void tst_DuckdbDeletes::deleteEqual(WarehouseFixture &warehouse, const QString &select,
                                    const QList<int> &ids)
{
    const auto open = warehouse.executor().warehouse().writing();
    const auto database = Database::open({});
    const auto connection = Connection::open(*database, {});
    const auto table = warehouse.table("t");
    QStringList names;
    for (const int id : ids)
        names.append(QStringLiteral("%1: %2").arg(table.metadata.field(id)->name).arg(id));
    iceberg::DataFile file{.content = iceberg::FileContent::EqualityDeletes,
                           .path = iceberg::newDataFileLocation(table.metadata),
                           .recordCount = 1,
                           .sizeInBytes = 0,
                           .equalityIds = ids};
    const QString path = *localPath(file.path);
    QVERIFY((*connection)
                ->execute(QStringLiteral("COPY (%1) TO %2 (FORMAT parquet, FIELD_IDS {%3})")
                              .arg(select, quotedLiteral(path), names.join(u',')),
                          {}));
    file.sizeInBytes = QFileInfo(path).size();
    QVERIFY(iceberg::commitSnapshot(*open, table,
                                    {.operation = iceberg::Operation::Delete, .added = {file}}));
}

void tst_DuckdbDeletes::readsEqualityDeletes()
{
    WarehouseFixture warehouse;
    make(warehouse, "copy-on-write");
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (NULL, 'n'), (5, NULL)"));
    deleteEqual(warehouse, QStringLiteral("SELECT unnest([2, NULL]) AS k"), {1});
    // Later rows are not meant.
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (2, 'again')"));
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 2|again, 3|c, 4|d, 5|NULL"));
    deleteEqual(warehouse,
                QStringLiteral("SELECT unnest([3, 4, 5]) AS k, unnest(['c', 'x', NULL]) "
                               "AS v"),
                {1, 2});
    QCOMPARE(rows(warehouse), QStringLiteral("1|a, 2|again, 4|d"));
    QCOMPARE(warehouse.run(QStringLiteral("UPDATE t SET v = v || '!'")), 3);
    QCOMPARE(rows(warehouse), QStringLiteral("1|a!, 2|again!, 4|d!"));
    warehouse.run(QStringLiteral("ALTER TABLE t EXECUTE optimize"));
    QCOMPARE(rows(warehouse), QStringLiteral("1|a!, 2|again!, 4|d!"));
}

void tst_DuckdbDeletes::readsEqualityDeletesOfDroppedColumns()
{
    WarehouseFixture warehouse;
    make(warehouse, "copy-on-write");
    deleteEqual(warehouse, QStringLiteral("SELECT 'b' AS v"), {2});
    const auto open = warehouse.executor().warehouse().writing();
    const auto table = warehouse.table("t");
    auto next = table.metadata;
    auto schema = next.currentSchema();
    schema.fields.removeLast();
    iceberg::setCurrentSchema(next, schema);
    QVERIFY(iceberg::commitMetadata(*open, table, next));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT * FROM t ORDER BY k")),
             QStringLiteral("1 3 4").split(u' '));
}

void tst_DuckdbDeletes::refusesEqualityDeletesByFloats()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 1.5e0 AS k"));
    deleteEqual(warehouse, QStringLiteral("SELECT 1.5::DOUBLE AS k"), {1});
    const Error error = warehouse.failure(QStringLiteral("SELECT * FROM t"));
    QVERIFY(error.kind == ErrorKind::Unsupported);
    QVERIFY2(error.message.endsWith(QStringLiteral("deletes rows by column 1, and this engine can "
                                                   "compare only whole columns that are no "
                                                   "floats")),
             qPrintable(error.message));
}

QTEST_GUILESS_MAIN(tst_DuckdbDeletes)
#include "tst_duckdb_deletes.moc"
