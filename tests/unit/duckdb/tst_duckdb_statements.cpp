#include "tests/unit/duckdb/warehouse_fixture.h"

#include <QRegularExpression>

using namespace ivm;
using namespace ivm::duckdb;

class tst_DuckdbStatements : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void hasNoWarehouseBeforeTheFirstWrite();
    void makesAndDropsSchemas();
    void makesTables();
    void storesWhatIcebergKeepsOfTypes();
    void insertsNamedColumns();
    void makesATableFromAQuery();
    void leavesNoTableBehindWhenItsQueryFails();
    void writesOneFileAPartition();
    void keepsNullAndEmptyPartitionsApart();
    void deletesFromTheFilesThatHoldTheRows();
    void deletesEverything();
    void deletesNothingWithoutASnapshot();
    void updatesRowsInPlaceOfTheOld();
    void movesUpdatedRowsToTheirPartition();
    void readsOldSnapshotsWithTheCurrentSchema();
    void takesOneTimeForAStatement();
    void rollsBack();
    void compactsWithoutChangingRows();
    void compactsNothingTwice();
    void dropsATableWithItsFiles();
    void keepsFilesThatAnotherTableIsIn();
    void readsFiles();
    void showsWhatThereIs();
    void readsMetadataTables();
    void readsOnlyTheFilesOfThePathsAskedFor();
    void describesQueriesWithoutRunningThem();
    void countsWhatItReads();
    void refusesByName_data();
    void refusesByName();
    void namesMissingTables();
    void refusesNullInRequiredColumns();

private:
    std::unique_ptr<WarehouseFixture> m_warehouse;
};

void tst_DuckdbStatements::init() { m_warehouse = std::make_unique<WarehouseFixture>(); }

void tst_DuckdbStatements::hasNoWarehouseBeforeTheFirstWrite()
{
    const Error error = m_warehouse->failure(QStringLiteral("SELECT * FROM t"));
    QCOMPARE(error.kind, ErrorKind::NotFound);
    QCOMPARE(error.message, QStringLiteral("there is no warehouse in %1: it has no catalog.db")
                                .arg(m_warehouse->folder()));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES")), QStringList());
    QVERIFY(!QFileInfo::exists(m_warehouse->folder()));
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a integer)"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW SCHEMAS")),
             QStringList{QStringLiteral("main")});
}

void tst_DuckdbStatements::makesAndDropsSchemas()
{
    m_warehouse->run(QStringLiteral("CREATE SCHEMA s"));
    QCOMPARE(m_warehouse->failure(QStringLiteral("CREATE SCHEMA iceberg.s")).kind,
             ErrorKind::AlreadyExists);
    m_warehouse->run(QStringLiteral("CREATE SCHEMA IF NOT EXISTS S"));
    m_warehouse->run(QStringLiteral("CREATE TABLE s.t (a integer)"));
    QCOMPARE(m_warehouse->failure(QStringLiteral("DROP SCHEMA s")).kind, ErrorKind::Conflict);
    m_warehouse->run(QStringLiteral("DROP TABLE s.t"));
    m_warehouse->run(QStringLiteral("DROP SCHEMA s"));
    QCOMPARE(m_warehouse->failure(QStringLiteral("DROP SCHEMA s")).kind, ErrorKind::NotFound);
    m_warehouse->run(QStringLiteral("DROP SCHEMA IF EXISTS s"));
    QCOMPARE(m_warehouse->failure(QStringLiteral("CREATE TABLE s.t (a integer)")).kind,
             ErrorKind::NotFound);
}

void tst_DuckdbStatements::makesTables()
{
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE t (\"A b\" integer NOT NULL, ts timestamp(6) COMMENT 'when', d date) "
        "COMMENT 'about' WITH (format = 'parquet', format_version = 2, partitioning = "
        "ARRAY['day(ts)', 'd'], sorted_by = ARRAY['ts DESC'])"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("DESCRIBE t")),
             (QStringList{QStringLiteral("a b|integer||"), QStringLiteral("ts|timestamp(6)||when"),
                          QStringLiteral("d|date||")}));
    const TableInfo info = m_warehouse->info("t");
    QCOMPARE(info.partitioning.size(), 2);
    QCOMPARE(info.partitioning[0].text(), QStringLiteral("day(ts)"));
    QCOMPARE(info.partitioning[1].text(), QStringLiteral("d"));
    QCOMPARE(info.columns[0].nullable, false);
    QVERIFY(!info.head.snapshot);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")), QStringList());
    QCOMPARE(m_warehouse->failure(QStringLiteral("CREATE TABLE t (a integer)")).kind,
             ErrorKind::AlreadyExists);
    m_warehouse->run(QStringLiteral("CREATE TABLE IF NOT EXISTS t (a integer)"));
}

void tst_DuckdbStatements::storesWhatIcebergKeepsOfTypes()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a smallint, b timestamp(3), c varchar(10), d "
                                    "timestamp(0) with time zone)"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("DESCRIBE t")),
             (QStringList{QStringLiteral("a|integer||"), QStringLiteral("b|timestamp(6)||"),
                          QStringLiteral("c|varchar||"),
                          QStringLiteral("d|timestamp(6) with time zone||")}));
}

void tst_DuckdbStatements::insertsNamedColumns()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a integer, b varchar, c double)"));
    QCOMPARE(
        m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (1, 'x', 1.5), (2, NULL, NULL)")),
        qint64(2));
    QCOMPARE(m_warehouse->run(QStringLiteral("INSERT INTO t (c, a) SELECT 2.5, 3")), qint64(1));
    QCOMPARE(
        m_warehouse->run(QStringLiteral("INSERT INTO t SELECT a + 10, b, c FROM t WHERE a < 2")),
        qint64(1));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t ORDER BY a")),
             (QStringList{QStringLiteral("1|x|1.5"), QStringLiteral("2|NULL|NULL"),
                          QStringLiteral("3|NULL|2.5"), QStringLiteral("11|x|1.5")}));
    const qint64 before = m_warehouse->head("t");
    QCOMPARE(m_warehouse->run(QStringLiteral("INSERT INTO t SELECT a, b, c FROM t WHERE a > 99")),
             qint64(0));
    QCOMPARE(m_warehouse->head("t"), before);
    const Error unknown =
        m_warehouse->failure(QStringLiteral("INSERT INTO t (a, nope) SELECT 1, 2"));
    QCOMPARE(unknown.text(), QStringLiteral("1:19: table iceberg.main.t has no column 'nope'"));
    const Error twice = m_warehouse->failure(QStringLiteral("INSERT INTO t (a, A) SELECT 1, 2"));
    QCOMPARE(twice.text(), QStringLiteral("1:19: column 'a' is named twice"));
}

void tst_DuckdbStatements::makesATableFromAQuery()
{
    QCOMPARE(m_warehouse->run(QStringLiteral(
                 "CREATE TABLE t WITH (partitioning = ARRAY['k']) AS SELECT * FROM (VALUES (1, "
                 "'a'), (2, 'b'), (2, 'c')) AS v(k, s)")),
             qint64(3));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t ORDER BY k, s")),
             (QStringList{QStringLiteral("1|a"), QStringLiteral("2|b"), QStringLiteral("2|c")}));
    QCOMPARE(m_warehouse->dataFiles("t").size(), 2);
    m_warehouse->run(QStringLiteral("CREATE TABLE u (x, y) AS SELECT k, s FROM t WITH NO DATA"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*), count(x) FROM u")),
             QStringList{QStringLiteral("0|0")});
    m_warehouse->run(QStringLiteral("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS one"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*) FROM t")),
             QStringList{QStringLiteral("3")});
}

void tst_DuckdbStatements::leavesNoTableBehindWhenItsQueryFails()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE s AS SELECT * FROM (VALUES '1', 'x') AS v(a)"));
    const QStringList before = m_warehouse->filesOnDisk();
    const Error error = m_warehouse->failure(
        QStringLiteral("CREATE TABLE t AS SELECT CAST(a AS integer) AS a FROM s"));
    QCOMPARE(error.kind, ErrorKind::Invalid);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES")), QStringList{QStringLiteral("s")});
    QCOMPARE(m_warehouse->filesOnDisk(), before);
}

void tst_DuckdbStatements::writesOneFileAPartition()
{
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE t (ts timestamp(6), k varchar) WITH (partitioning = ARRAY['day(ts)', 'k'])"));
    m_warehouse->run(QStringLiteral(
        "INSERT INTO t VALUES (TIMESTAMP '2001-01-01 00:00:00', 'a'), (TIMESTAMP '2001-01-01 "
        "23:59:59.999999', 'a'), (TIMESTAMP '1969-12-31 23:00:00', 'a'), (TIMESTAMP '2001-01-01 "
        "05:00:00', 'b/c=%d')"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT record_count FROM \"t$files\" ORDER BY 1")),
             (QStringList{QStringLiteral("1"), QStringLiteral("1"), QStringLiteral("2")}));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT k, count(*) FROM t GROUP BY k ORDER BY k")),
             (QStringList{QStringLiteral("a|3"), QStringLiteral("b/c=%d|1")}));
}

void tst_DuckdbStatements::keepsNullAndEmptyPartitionsApart()
{
    m_warehouse->run(
        QStringLiteral("CREATE TABLE t (k varchar, v integer) WITH (partitioning = ARRAY['k'])"));
    m_warehouse->run(QStringLiteral(
        "INSERT INTO t VALUES (NULL, 1), ('', 2), ('__HIVE_DEFAULT_PARTITION__', 3), ('null', 4)"));
    QCOMPARE(m_warehouse->dataFiles("t").size(), 4);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT v FROM t WHERE k IS NULL")),
             QStringList{QStringLiteral("1")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT v FROM t WHERE k = ''")),
             QStringList{QStringLiteral("2")});
    m_warehouse->run(QStringLiteral("DELETE FROM t WHERE k IS NULL"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT v FROM t ORDER BY v")),
             (QStringList{QStringLiteral("2"), QStringLiteral("3"), QStringLiteral("4")}));
}

void tst_DuckdbStatements::deletesFromTheFilesThatHoldTheRows()
{
    m_warehouse->run(
        QStringLiteral("CREATE TABLE t (k integer, v integer) WITH (partitioning = ARRAY['k'])"));
    m_warehouse->run(QStringLiteral(
        "INSERT INTO t VALUES (1, 10), (1, 11), (2, 20), (2, 21), (3, 30), (3, NULL)"));
    const QStringList before = m_warehouse->dataFiles("t");
    QCOMPARE(m_warehouse->run(QStringLiteral("DELETE FROM t WHERE v = 10 OR k = 2")), qint64(3));
    const QStringList after = m_warehouse->dataFiles("t");
    QCOMPARE(after.size(), 2);
    qsizetype kept = 0;
    for (const QString &file : after)
        kept += before.contains(file) ? 1 : 0;
    QCOMPARE(kept, 1);
    // NULL is not a reason to delete.
    QCOMPARE(m_warehouse->run(QStringLiteral("DELETE FROM t WHERE v > 29")), qint64(1));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t ORDER BY 1")),
             (QStringList{QStringLiteral("1|11"), QStringLiteral("3|NULL")}));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT operation FROM \"t$snapshots\"")),
             (QStringList{QStringLiteral("append"), QStringLiteral("overwrite"),
                          QStringLiteral("overwrite")}));
}

void tst_DuckdbStatements::deletesEverything()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    QCOMPARE(m_warehouse->run(QStringLiteral("DELETE FROM t")), qint64(1));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")), QStringList());
    QCOMPARE(m_warehouse->info("t").headSummary.value(QStringLiteral("operation")),
             QStringLiteral("delete"));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 2"));
    m_warehouse->run(QStringLiteral("TRUNCATE TABLE t"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")), QStringList());
}

void tst_DuckdbStatements::deletesNothingWithoutASnapshot()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    const TableHead before = m_warehouse->info("t").head;
    QCOMPARE(m_warehouse->run(QStringLiteral("DELETE FROM t WHERE a = 2")), qint64(0));
    QCOMPARE(m_warehouse->run(QStringLiteral("UPDATE t SET a = 3 WHERE a = 2")), qint64(0));
    QCOMPARE(m_warehouse->info("t").head, before);
}

void tst_DuckdbStatements::updatesRowsInPlaceOfTheOld()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a integer, b varchar, c bigint)"));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, NULL, 3)"));
    QCOMPARE(m_warehouse->run(QStringLiteral("UPDATE t SET b = 'new', c = a + 100 WHERE a >= 2")),
             qint64(2));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t ORDER BY a")),
             (QStringList{QStringLiteral("1|x|1"), QStringLiteral("2|new|102"),
                          QStringLiteral("3|new|103")}));
    QCOMPARE(m_warehouse->run(QStringLiteral("UPDATE t SET b = NULL")), qint64(3));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*), count(b) FROM t")),
             QStringList{QStringLiteral("3|0")});
    const Error unknown = m_warehouse->failure(QStringLiteral("UPDATE t SET z = 1"));
    QCOMPARE(unknown.text(), QStringLiteral("1:14: table iceberg.main.t has no column 'z'"));
    const Error twice = m_warehouse->failure(QStringLiteral("UPDATE t SET a = 1, A = 2"));
    QCOMPARE(twice.text(), QStringLiteral("1:21: column 'a' is set twice"));
}

void tst_DuckdbStatements::movesUpdatedRowsToTheirPartition()
{
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE t (ts timestamp(6), v integer) WITH (partitioning = ARRAY['day(ts)'])"));
    m_warehouse->run(QStringLiteral(
        "INSERT INTO t VALUES (TIMESTAMP '2001-01-01 10:00:00', 1), (TIMESTAMP '2001-01-02 "
        "10:00:00', 2), (TIMESTAMP '2001-01-02 11:00:00', 3)"));
    m_warehouse->run(
        QStringLiteral("UPDATE t SET ts = TIMESTAMP '2001-01-01 12:00:00' WHERE v = 2"));
    QCOMPARE(m_warehouse->rows(QStringLiteral(
                 "SELECT v FROM t WHERE ts < TIMESTAMP '2001-01-02 00:00:00' ORDER BY v")),
             (QStringList{QStringLiteral("1"), QStringLiteral("2")}));
    QCOMPARE(m_warehouse->rows(
                 QStringLiteral("SELECT v FROM t WHERE ts >= TIMESTAMP '2001-01-02 00:00:00'")),
             QStringList{QStringLiteral("3")});
}

void tst_DuckdbStatements::readsOldSnapshotsWithTheCurrentSchema()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    const qint64 first = m_warehouse->head("t");
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 2"));
    // As another program would add a column.
    const auto warehouse = m_warehouse->executor().warehouse().writing();
    QVERIFY(warehouse);
    const auto table = iceberg::loadTable(*warehouse, m_warehouse->name("t"));
    QVERIFY(table);
    auto next = table->metadata;
    auto schema = next.currentSchema();
    schema.fields[0].name = QStringLiteral("renamed");
    schema.fields.append(
        {.id = 2, .name = QStringLiteral("added"), .type = {.id = iceberg::TypeId::String}});
    iceberg::setCurrentSchema(next, schema);
    next.lastColumnId = 2;
    QVERIFY(iceberg::commitMetadata(*warehouse, *table, next));
    QCOMPARE(m_warehouse->rows(
                 QStringLiteral("SELECT renamed, added FROM t FOR VERSION AS OF %1").arg(first)),
             QStringList{QStringLiteral("1|NULL")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*) FROM t FOR VERSION AS OF 'main'")),
             QStringList{QStringLiteral("2")});
    const Error error =
        m_warehouse->failure(QStringLiteral("SELECT * FROM t FOR VERSION AS OF 17"));
    QCOMPARE(error.kind, ErrorKind::NotFound);
    QCOMPARE(error.message, QStringLiteral("table iceberg.main.t has no snapshot 17"));
}

void tst_DuckdbStatements::takesOneTimeForAStatement()
{
    const QString now = QStringLiteral("current_timestamp(6)");
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS k, %1 AS a, %1 AS b").arg(now));
    const QString alike = QStringLiteral("SELECT count(*) FROM t WHERE a = b AND a < %1").arg(now);
    m_warehouse->run(QStringLiteral("UPDATE t SET a = %1, b = %1 WHERE a < %1").arg(now));
    QCOMPARE(m_warehouse->rows(alike), QStringList{QStringLiteral("1")});
    m_warehouse->run(QStringLiteral("MERGE INTO t USING (VALUES 1, 3) AS s(k) ON t.k = s.k WHEN "
                                    "MATCHED THEN UPDATE SET a = %1, b = %1 WHEN NOT MATCHED THEN "
                                    "INSERT VALUES (s.k, %1, %1)")
                         .arg(now));
    QCOMPARE(m_warehouse->rows(alike), QStringList{QStringLiteral("2")});
}

void tst_DuckdbStatements::rollsBack()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    const qint64 first = m_warehouse->head("t");
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 2"));
    m_warehouse->run(QStringLiteral("ALTER TABLE t EXECUTE rollback_to_snapshot(%1)").arg(first));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")),
             QStringList{QStringLiteral("1")});
    QCOMPARE(m_warehouse->head("t"), first);
    QCOMPARE(
        m_warehouse->rows(QStringLiteral("SELECT is_current_ancestor FROM \"t$history\"")),
        (QStringList{QStringLiteral("true"), QStringLiteral("false"), QStringLiteral("true")}));
    QCOMPARE(m_warehouse->failure(QStringLiteral("ALTER TABLE t EXECUTE rollback_to_snapshot(17)"))
                 .message,
             QStringLiteral("table iceberg.main.t has no snapshot 17"));
    QCOMPARE(m_warehouse->failure(QStringLiteral("ALTER TABLE t EXECUTE rollback_to_snapshot('x')"))
                 .text(),
             QStringLiteral("1:23: rollback_to_snapshot takes the id of a snapshot. The ids are in "
                            "\"<table>$snapshots\""));
}

void tst_DuckdbStatements::compactsWithoutChangingRows()
{
    m_warehouse->run(
        QStringLiteral("CREATE TABLE t (k integer, v integer) WITH (partitioning = ARRAY['k'])"));
    for (int i = 0; i < 3; ++i)
        m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (1, %1), (2, %1)").arg(i));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (3, 0)"));
    const QString all = QStringLiteral("SELECT * FROM t ORDER BY k, v");
    const QStringList before = m_warehouse->rows(all);
    m_warehouse->run(QStringLiteral("ALTER TABLE t EXECUTE optimize"));
    QCOMPARE(m_warehouse->rows(all), before);
    QCOMPARE(m_warehouse->dataFiles("t").size(), 3);
    QCOMPARE(m_warehouse->info("t").headSummary.value(QStringLiteral("operation")),
             QStringLiteral("replace"));
}

void tst_DuckdbStatements::compactsNothingTwice()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (k integer)"));
    m_warehouse->run(QStringLiteral("ALTER TABLE t EXECUTE optimize"));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 1"));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 2"));
    m_warehouse->run(QStringLiteral("ALTER TABLE t EXECUTE optimize(file_size_threshold => '1B')"));
    QCOMPARE(m_warehouse->dataFiles("t").size(), 2);
    m_warehouse->run(
        QStringLiteral("ALTER TABLE t EXECUTE optimize(file_size_threshold => '1.5MB')"));
    const qint64 compacted = m_warehouse->head("t");
    QCOMPARE(m_warehouse->dataFiles("t").size(), 1);
    m_warehouse->run(QStringLiteral("ALTER TABLE t EXECUTE optimize"));
    QCOMPARE(m_warehouse->head("t"), compacted);
    QCOMPARE(m_warehouse
                 ->failure(
                     QStringLiteral("ALTER TABLE t EXECUTE optimize(file_size_threshold => 'big')"))
                 .message,
             QStringLiteral("'big' is not a size, as in '100MB'"));
}

void tst_DuckdbStatements::dropsATableWithItsFiles()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    QVERIFY(!m_warehouse->filesOnDisk().isEmpty());
    m_warehouse->run(QStringLiteral("DROP TABLE t"));
    QCOMPARE(m_warehouse->filesOnDisk(), QStringList());
    QCOMPARE(QDir(m_warehouse->folder() + QStringLiteral("/main"))
                 .entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             QStringList());
    QCOMPARE(m_warehouse->failure(QStringLiteral("DROP TABLE t")).kind, ErrorKind::NotFound);
    m_warehouse->run(QStringLiteral("DROP TABLE IF EXISTS t"));
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 'again' AS b"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT b FROM t")),
             QStringList{QStringLiteral("again")});
}

void tst_DuckdbStatements::keepsFilesThatAnotherTableIsIn()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    const auto writing = m_warehouse->executor().warehouse().writing();
    QVERIFY(writing);
    QVERIFY(writing->catalog.create(m_warehouse->name("u"), m_warehouse->info("t").head.token));
    QTest::ignoreMessage(
        QtWarningMsg,
        QRegularExpression(QStringLiteral("files of dropped table iceberg.main.t stay in .*: table "
                                          "iceberg.main.u is in it")));
    m_warehouse->run(QStringLiteral("DROP TABLE t"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT a FROM u")),
             QStringList{QStringLiteral("1")});
}

void tst_DuckdbStatements::readsFiles()
{
    const QString csv = m_warehouse->scratch() + QStringLiteral("/it's.csv");
    QFile file(csv);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a;b\n1;x\n2;\n");
    file.close();
    const QString from =
        QStringLiteral("TABLE(read_csv(%1, delim => ';'))").arg(quotedLiteral(csv));
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT a, b FROM ") + from);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t ORDER BY a")),
             (QStringList{QStringLiteral("1|x"), QStringLiteral("2|NULL")}));
    const QString parquet = m_warehouse->dataFiles("t").value(0).mid(7);
    QCOMPARE(m_warehouse->rows(
                 QStringLiteral("SELECT sum(a) FROM TABLE(read_parquet('%1'))").arg(parquet)),
             QStringList{QStringLiteral("3")});
    QCOMPARE(m_warehouse
                 ->failure(QStringLiteral("SELECT * FROM TABLE(read_parquet('/nowhere.parquet'))"))
                 .kind,
             ErrorKind::NotFound);
    QCOMPARE(m_warehouse->failure(QStringLiteral("SELECT * FROM TABLE(iceberg_scan('/x'))")).kind,
             ErrorKind::Unsupported);
}

void tst_DuckdbStatements::showsWhatThereIs()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE ab (x integer)"));
    m_warehouse->run(QStringLiteral("CREATE TABLE a_c (x integer)"));
    m_warehouse->run(QStringLiteral("CREATE SCHEMA s"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES")),
             (QStringList{QStringLiteral("a_c"), QStringLiteral("ab")}));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES FROM s")), QStringList());
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES LIKE 'a\\_%' ESCAPE '\\'")),
             QStringList{QStringLiteral("a_c")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW SCHEMAS LIKE '_'")),
             QStringList{QStringLiteral("s")});
    QCOMPARE(m_warehouse->failure(QStringLiteral("SHOW TABLES FROM nowhere")).kind,
             ErrorKind::NotFound);
    QCOMPARE(m_warehouse->failure(QStringLiteral("SHOW SCHEMAS FROM other")).message,
             QStringLiteral("catalog 'other' does not exist"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW COLUMNS FROM iceberg.main.ab")),
             QStringList{QStringLiteral("x|integer||")});
}

void tst_DuckdbStatements::readsMetadataTables()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a integer)"));
    for (const char *suffix : {"snapshots", "refs", "history", "files"})
        QCOMPARE(m_warehouse->rows(
                     QStringLiteral("SELECT * FROM \"t$%1\"").arg(QString::fromLatin1(suffix))),
                 QStringList());
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 1, 2, NULL"));
    const QString head = QString::number(m_warehouse->head("t"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT name, type, snapshot_id FROM \"t$refs\"")),
             QStringList{QStringLiteral("main|BRANCH|") + head});
    QCOMPARE(m_warehouse->rows(QStringLiteral(
                 "SELECT snapshot_id, parent_id, operation FROM main.\"t$snapshots\"")),
             QStringList{head + QStringLiteral("|NULL|append")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT content, file_format, record_count, "
                                              "null_value_counts, lower_bounds, upper_bounds "
                                              "FROM \"t$files\"")),
             QStringList{QStringLiteral("0|PARQUET|3|[1, 1]|[1, 1]|[1, 2]")});
    QCOMPARE(m_warehouse
                 ->failure(
                     QStringLiteral("SELECT * FROM \"t$snapshots\" FOR VERSION AS OF %1").arg(head))
                 .kind,
             ErrorKind::Unsupported);
    QCOMPARE(m_warehouse->failure(QStringLiteral("SELECT * FROM \"u$snapshots\"")).kind,
             ErrorKind::NotFound);
}

void tst_DuckdbStatements::readsOnlyTheFilesOfThePathsAskedFor()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES 2"));
    const QStringList paths =
        m_warehouse->rows(QStringLiteral("SELECT \"$path\" FROM t ORDER BY 1"));
    QCOMPARE(paths, m_warehouse->dataFiles("t"));
    const auto one = m_warehouse->attempt(
        QStringLiteral("SELECT x.a FROM t AS x WHERE x.\"$path\" IN ('%1')").arg(paths[1]));
    QVERIFY(one);
    QCOMPARE(one->rowsRead, qint64(1));
    // Not one of the columns.
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t WHERE a = 1")),
             QStringList{QStringLiteral("1")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT x.* FROM t AS x(b) WHERE b = 1")),
             QStringList{QStringLiteral("1")});
}

void tst_DuckdbStatements::describesQueriesWithoutRunningThem()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a bigint, ts timestamp(6))"));
    const auto columns =
        m_warehouse->session().describe(QStringLiteral("SELECT a, ts AS \"When\" FROM t"), {});
    QVERIFY2(columns, columns ? "" : qPrintable(columns.error().text()));
    QCOMPARE(columns->size(), 2);
    QCOMPARE((*columns)[0].type.text(), QStringLiteral("bigint"));
    QCOMPARE((*columns)[1].name, QStringLiteral("When"));
    QCOMPARE((*columns)[1].type.text(), QStringLiteral("timestamp(6)"));
    const auto unknown =
        m_warehouse->session().describe(QStringLiteral("SELECT * FROM nothing"), {});
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().kind, ErrorKind::NotFound);
}

void tst_DuckdbStatements::countsWhatItReads()
{
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE t (ts timestamp(6), v integer) WITH (partitioning = ARRAY['day(ts)'])"));
    for (int day = 1; day <= 4; ++day)
        m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (TIMESTAMP '2001-01-0%1 10:00:00', "
                                        "1), (TIMESTAMP '2001-01-0%1 11:00:00', 2)")
                             .arg(day));
    const auto all = m_warehouse->attempt(QStringLiteral("SELECT * FROM t"));
    QVERIFY(all);
    QCOMPARE(all->rowsRead, qint64(8));
    const auto one = m_warehouse->attempt(
        QStringLiteral("SELECT * FROM t WHERE ts >= TIMESTAMP '2001-01-02 00:00:00' AND ts < "
                       "date_trunc('day', TIMESTAMP '2001-01-02 23:59:59') + INTERVAL '1' DAY"));
    QVERIFY(one);
    QCOMPARE(one->rowsRead, qint64(2));
    QVERIFY(one->bytesRead > 0 && one->bytesRead < all->bytesRead);
}

void tst_DuckdbStatements::refusesByName_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *sql, const char *message) {
        QTest::newRow(name) << QString::fromUtf8(sql) << QString::fromUtf8(message);
    };
    row("like", "CREATE TABLE u (LIKE t)",
        "LIKE in CREATE TABLE is not supported by the embedded engine");
    row("cascade", "DROP SCHEMA main CASCADE",
        "DROP SCHEMA … CASCADE is not supported by the embedded engine");
    row("a procedure", "ALTER TABLE t EXECUTE drop_extended_stats",
        "procedure 'drop_extended_stats' is not supported by the embedded engine");
    row("optimize with a condition", "ALTER TABLE t EXECUTE optimize WHERE a = 1",
        "EXECUTE optimize … WHERE is not supported by the embedded engine");
    row("another format", "CREATE TABLE u (a integer) WITH (format = 'ORC')",
        "format 'ORC' is not supported by the embedded engine");
    row("another version", "CREATE TABLE u (a integer) WITH (format_version = 3)",
        "format_version 3 is not supported by the embedded engine");
    row("a property", "CREATE TABLE u (a integer) WITH (location = '/x')",
        "table property 'location' is not supported by the embedded engine");
    row("a property's value", "CREATE TABLE u (a integer) WITH (partitioning = 'x(a)')",
        "'x(a)' is not a partition transform");
    row("a transform", "CREATE TABLE u (a integer) WITH (partitioning = ARRAY['month(a)'])",
        "partition transform month does not take a column of type int");
    row("a type", "CREATE TABLE u (a json)", nullptr);
    row("another catalog", "CREATE TABLE hive.main.u (a integer)", "catalog 'hive' does not exist");
    row("a name of four parts", "CREATE TABLE a.b.c.d (a integer)",
        "'a.b.c.d' is not a table name");
}

void tst_DuckdbStatements::refusesByName()
{
    QFETCH(QString, sql);
    QFETCH(QString, message);
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    const Error error = m_warehouse->failure(sql);
    QVERIFY(error.kind == ErrorKind::Unsupported || error.kind == ErrorKind::Invalid ||
            error.kind == ErrorKind::NotFound);
    if (!message.isNull())
        QCOMPARE(error.message, message);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")),
             QStringList{QStringLiteral("1")});
}

void tst_DuckdbStatements::namesMissingTables()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a integer)"));
    const Error error = m_warehouse->failure(QStringLiteral("SELECT *\nFROM nothing"));
    QCOMPARE(error.kind, ErrorKind::NotFound);
    QCOMPARE(error.place.line, 2);
    QCOMPARE(error.place.column, 6);
    QVERIFY2(error.message.contains(QStringLiteral("iceberg.main.nothing")),
             qPrintable(error.message));
    QCOMPARE(m_warehouse->failure(QStringLiteral("INSERT INTO nothing VALUES 1")).place.column, 13);
    QCOMPARE(m_warehouse->failure(QStringLiteral("DELETE FROM nothing")).place.column, 13);
}

void tst_DuckdbStatements::refusesNullInRequiredColumns()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE t (a integer NOT NULL, b integer)"));
    const Error error = m_warehouse->failure(QStringLiteral("INSERT INTO t (b) VALUES 1"));
    QCOMPARE(error.kind, ErrorKind::Invalid);
    QCOMPARE(error.message,
             QStringLiteral("iceberg.main.t: NULL value not allowed for NOT NULL column: a"));
    QCOMPARE(m_warehouse->filesOnDisk(), QStringList());
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (1, NULL)"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")),
             QStringList{QStringLiteral("1|NULL")});
}

QTEST_GUILESS_MAIN(tst_DuckdbStatements)
#include "tst_duckdb_statements.moc"
