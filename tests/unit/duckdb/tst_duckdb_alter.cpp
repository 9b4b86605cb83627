// ALTER TABLE, COMMENT and CREATE OR REPLACE TABLE: what a table is changes, and what its files
// hold stays right.
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

class tst_DuckdbAlter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsTheMetadataFiles();
    void init();
    void addsColumns();
    void addsFieldsToRows();
    void bringsNothingBackThatWasDropped();
    void renamesColumns();
    void widensTypes();
    void allowsNull();
    void keepsIds();
    void changesWithoutSnapshots();
    void commentsOnTablesAndColumns();
    void renamesTables();
    void changesPartitioning();
    void numbersPartitionFieldsOnce();
    void changesSorting();
    void setsProperties();
    void isFineWhereSaidSo_data();
    void isFineWhereSaidSo();
    void refuses_data();
    void refuses();
    void replacesTables();
    void replacesATableByItsOwnPast();
    void makesWhatIsNotThereToReplace();
    void rollsBackOnlyToReadableRows();

private:
    void run(const char *sql) { m_warehouse->run(QString::fromUtf8(sql)); }
    QStringList rows(const char *sql) { return m_warehouse->rows(QString::fromUtf8(sql)); }
    QString text(const char *sql) { return rows(sql).join(u' '); }
    QString sorted(const char *sql)
    {
        auto lines = rows(sql);
        lines.sort();
        return lines.join(u' ');
    }
    void append(const char *table, const char *select);
    iceberg::TableMetadata metadata(const char *table);
    QString columns(const char *table);
    QString specs(const char *table);

    std::unique_ptr<WarehouseFixture> m_warehouse;
    QString m_test;
    bool m_isNew = true;
};

// What only refuses changes nothing, so that all of it can share one warehouse.
void tst_DuckdbAlter::listsTheMetadataFiles()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (a integer)"));
    warehouse.run(QStringLiteral("ALTER TABLE t ADD COLUMN b integer"));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (1, 2)"));
    QCOMPARE(warehouse.rows(QStringLiteral(
                 "SELECT regexp_extract(file, '/(\\d+)-[^/]*$', 1), latest_snapshot_id = (SELECT "
                 "snapshot_id FROM \"t$refs\") FROM \"t$metadata_log_entries\" ORDER BY 1")),
             (QStringList{QStringLiteral("00000|NULL"), QStringLiteral("00001|NULL"),
                          QStringLiteral("00002|true")}));
}

void tst_DuckdbAlter::init()
{
    const QString test = QString::fromLatin1(QTest::currentTestFunction());
    if (!m_warehouse || test != m_test)
        m_warehouse = std::make_unique<WarehouseFixture>();
    m_isNew = std::exchange(m_test, test) != test;
}

iceberg::TableMetadata tst_DuckdbAlter::metadata(const char *table)
{
    const auto open = m_warehouse->executor().warehouse().reading();
    const auto loaded = open ? iceberg::loadTable(*open, m_warehouse->name(table))
                             : Result<iceberg::Table>(fail(open.error()));
    if (!loaded)
        QTest::qFail(qPrintable(loaded.error().text()), __FILE__, __LINE__);
    return loaded ? loaded->metadata : iceberg::TableMetadata();
}

// Rows of types that SQL has no literals for, from the engine's own.
void tst_DuckdbAlter::append(const char *table, const char *select)
{
    const auto appended = [&]() -> Status {
        IVM_TRY(const auto open, m_warehouse->executor().warehouse().writing());
        IVM_TRY(const auto loaded, iceberg::loadTable(open, m_warehouse->name(table)));
        IVM_TRY(auto database, Database::open({}));
        IVM_TRY(const auto connection, Connection::open(database, {}));
        IVM_TRY(NewFiles files, writeFiles(loaded, QString::fromUtf8(select), *connection, {}));
        IVM_CHECK(commitFiles(open, loaded, {}, files));
        return {};
    }();
    QVERIFY2(appended, appended ? "" : qPrintable(appended.error().text()));
}

// "a:1 b:2", the columns with their ids.
QString tst_DuckdbAlter::columns(const char *table)
{
    const auto now = metadata(table);
    QStringList texts;
    for (const auto &field : now.currentSchema().fields)
        texts.append(QStringLiteral("%1:%2").arg(field.name).arg(field.id));
    return texts.join(u' ');
}

// "0: ts_day:1000 | 1: …", the default one with a star.
QString tst_DuckdbAlter::specs(const char *table)
{
    const auto now = metadata(table);
    QStringList texts;
    for (const auto &spec : now.specs) {
        QStringList fields;
        for (const auto &field : spec.fields)
            fields.append(QStringLiteral("%1:%2").arg(field.name).arg(field.fieldId));
        texts.append(QStringLiteral("%1%2: %3")
                         .arg(spec.id)
                         .arg(spec.id == now.defaultSpecId ? QStringLiteral("*") : QString(),
                              fields.join(u' ')));
    }
    return texts.join(QStringLiteral(" | "));
}

void tst_DuckdbAlter::addsColumns()
{
    run("CREATE TABLE t AS SELECT 1 AS a");
    run("ALTER TABLE t ADD COLUMN B bigint COMMENT 'the second'");
    run("ALTER TABLE t ADD COLUMN zero varchar FIRST");
    run("ALTER TABLE t ADD COLUMN half decimal(3,1) AFTER a");
    run("ALTER TABLE t ADD COLUMN small tinyint");
    QCOMPARE(rows("DESCRIBE t"), QStringLiteral("zero|varchar|| a|integer|| half|decimal(3,1)|| "
                                                "b|bigint||the§second small|integer||")
                                     .split(u' ')
                                     .replaceInStrings(QStringLiteral("§"), QStringLiteral(" ")));
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("NULL|1|NULL|NULL|NULL"));
    run("INSERT INTO t VALUES ('z', 2, 1.5, 3, 4)");
    QCOMPARE(text("SELECT * FROM t WHERE b = 3"), QStringLiteral("z|2|1.5|3|4"));
    QCOMPARE(text("SELECT a FROM t WHERE b IS NULL"), QStringLiteral("1"));
    QCOMPARE(columns("t"), QStringLiteral("zero:3 a:1 half:4 b:2 small:5"));
}

void tst_DuckdbAlter::addsFieldsToRows()
{
    run("CREATE TABLE t (r row(a integer, b varchar))");
    append("t", "SELECT {'a': 1, 'b': 'x'} AS r");
    run("ALTER TABLE t ADD COLUMN r.c bigint");
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("[1, x, NULL]"));
    append("t", "SELECT {'a': 2, 'b': 'y', 'c': 3::BIGINT} AS r");
    QCOMPARE(sorted("SELECT * FROM t"), QStringLiteral("[1, x, NULL] [2, y, 3]"));
    run("ALTER TABLE t DROP COLUMN r.b");
    QCOMPARE(sorted("SELECT * FROM t"), QStringLiteral("[1, NULL] [2, 3]"));
    run("ALTER TABLE t ALTER COLUMN r.a SET DATA TYPE bigint");
    append("t", "SELECT {'a': 3000000000, 'c': 4::BIGINT} AS r");
    QCOMPARE(sorted("SELECT * FROM t"), QStringLiteral("[1, NULL] [2, 3] [3000000000, 4]"));
    QCOMPARE(text("DESCRIBE t"), QStringLiteral("r|row(a bigint, c bigint)||"));
    // A name that was dropped would be found in the files that have it still.
    QCOMPARE(
        m_warehouse->failure(QStringLiteral("ALTER TABLE t ADD COLUMN r.b varchar")).message,
        QStringLiteral("nested field '1.b' was renamed or made again, which this engine cannot "
                       "read"));
}

void tst_DuckdbAlter::bringsNothingBackThatWasDropped()
{
    run("CREATE TABLE t AS SELECT 1 AS a, 'old' AS b");
    run("ALTER TABLE t DROP COLUMN b");
    run("ALTER TABLE t ADD COLUMN b varchar");
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("1|NULL"));
    run("INSERT INTO t VALUES (2, 'new')");
    QCOMPARE(text("SELECT b FROM t WHERE b = 'old'"), QString());
    run("UPDATE t SET a = a + 10");
    QCOMPARE(text("SELECT * FROM t ORDER BY 1"), QStringLiteral("11|NULL 12|new"));
    QCOMPARE(columns("t"), QStringLiteral("a:1 b:3"));
}

void tst_DuckdbAlter::renamesColumns()
{
    run("CREATE TABLE t WITH (partitioning = ARRAY['k'], sorted_by = ARRAY['v']) AS "
        "SELECT 'x' AS k, 1 AS v");
    run("ALTER TABLE t RENAME COLUMN k TO Key");
    run("ALTER TABLE t RENAME COLUMN v TO w");
    run("ALTER TABLE t ADD COLUMN v varchar");
    run("INSERT INTO t VALUES ('y', 2, 'new')");
    QCOMPARE(text("SELECT key, w, v FROM t ORDER BY w"), QStringLiteral("x|1|NULL y|2|new"));
    QCOMPARE(text("SELECT w FROM t WHERE key = 'x'"), QStringLiteral("1"));
    QCOMPARE(m_warehouse->info("t").partitioning.front().text(), QStringLiteral("key"));
    QCOMPARE(m_warehouse->info("t").sortedBy.join(u' '), QStringLiteral("w"));
}

void tst_DuckdbAlter::widensTypes()
{
    run("CREATE TABLE t WITH (partitioning = ARRAY['i']) AS SELECT 7 AS i, REAL '1.5' AS r, "
        "DECIMAL '1.25' AS d");
    run("ALTER TABLE t ALTER COLUMN i SET DATA TYPE bigint");
    run("ALTER TABLE t ALTER COLUMN r SET DATA TYPE double");
    run("ALTER TABLE t ALTER COLUMN d SET DATA TYPE decimal(12,2)");
    run("ALTER TABLE t ALTER COLUMN d SET DATA TYPE decimal(12,2)");
    run("INSERT INTO t VALUES (3000000000, DOUBLE '2.5', DECIMAL '1234567890.12')");
    QCOMPARE(text("SELECT * FROM t WHERE i = 7 AND r = DOUBLE '1.5'"),
             QStringLiteral("7|1.5|1.25"));
    QCOMPARE(text("SELECT * FROM t WHERE i > 7"), QStringLiteral("3000000000|2.5|1234567890.12"));
    run("DELETE FROM t WHERE i = 7");
    QCOMPARE(text("SELECT i FROM t"), QStringLiteral("3000000000"));
}

void tst_DuckdbAlter::allowsNull()
{
    run("CREATE TABLE t (a integer NOT NULL)");
    run("INSERT INTO t VALUES 1");
    run("ALTER TABLE t ALTER COLUMN a DROP NOT NULL");
    run("INSERT INTO t VALUES CAST(NULL AS integer)");
    QCOMPARE(text("SELECT count(*), count(a) FROM t"), QStringLiteral("2|1"));
}

void tst_DuckdbAlter::keepsIds()
{
    run("CREATE TABLE t (a integer, b integer)");
    run("ALTER TABLE t ADD COLUMN c integer");
    run("ALTER TABLE t DROP COLUMN c");
    QCOMPARE(metadata("t").currentSchemaId, 0);
    QCOMPARE(metadata("t").schemas.size(), 2);
    run("ALTER TABLE t ADD COLUMN c row(x integer, y array(integer))");
    run("ALTER TABLE t ADD COLUMN d integer");
    QCOMPARE(columns("t"), QStringLiteral("a:1 b:2 c:4 d:8"));
    QCOMPARE(metadata("t").lastColumnId, 8);
}

void tst_DuckdbAlter::changesWithoutSnapshots()
{
    run("CREATE TABLE t AS SELECT 1 AS a");
    const auto before = m_warehouse->info("t").head;
    run("ALTER TABLE t ADD COLUMN b integer");
    const auto after = m_warehouse->info("t").head;
    QCOMPARE(after.snapshot, before.snapshot);
    QCOMPARE(after.tableId, before.tableId);
    QVERIFY(after.token != before.token);
    run("ALTER TABLE t ADD COLUMN IF NOT EXISTS b integer");
    QCOMPARE(m_warehouse->info("t").head, after);
}

void tst_DuckdbAlter::commentsOnTablesAndColumns()
{
    run("CREATE TABLE t (a integer COMMENT 'one', b integer) COMMENT 'first'");
    run("COMMENT ON COLUMN t.a IS NULL");
    run("COMMENT ON COLUMN iceberg.main.t.b IS 'it''s'");
    QCOMPARE(rows("DESCRIBE t"),
             (QStringList{QStringLiteral("a|integer||"), QStringLiteral("b|integer||it's")}));
    run("COMMENT ON TABLE t IS 'second'");
    QCOMPARE(metadata("t").properties.value(QStringLiteral("comment")), QStringLiteral("second"));
    run("COMMENT ON TABLE main.t IS NULL");
    QVERIFY(!metadata("t").properties.contains(QStringLiteral("comment")));
}

void tst_DuckdbAlter::renamesTables()
{
    run("CREATE SCHEMA other");
    run("CREATE TABLE other.t AS SELECT 1 AS a");
    run("ALTER TABLE other.t RENAME TO u");
    run("ALTER TABLE other.u RENAME TO iceberg.main.V");
    QCOMPARE(rows("SHOW TABLES FROM other"), QStringList());
    run("INSERT INTO v VALUES 2");
    QCOMPARE(text("SELECT sum(a) FROM v"), QStringLiteral("3"));
    run("DROP TABLE v");
    QCOMPARE(m_warehouse->filesOnDisk(), QStringList());
}

void tst_DuckdbAlter::changesPartitioning()
{
    run("CREATE TABLE t WITH (partitioning = ARRAY['day(ts)']) AS SELECT TIMESTAMP '2001-01-01 "
        "00:00:00' AS ts, 'x' AS k");
    run("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['k', 'day(ts)']");
    run("INSERT INTO t VALUES (TIMESTAMP '2001-01-02 00:00:00', 'y')");
    run("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['k']");
    run("INSERT INTO t VALUES (TIMESTAMP '2001-01-03 00:00:00', 'x')");
    run("ALTER TABLE t SET PROPERTIES partitioning = DEFAULT");
    run("INSERT INTO t VALUES (TIMESTAMP '2001-01-04 00:00:00', 'x')");
    QCOMPARE(text("SELECT day(ts) FROM t WHERE k = 'x' ORDER BY 1"), QStringLiteral("1 3 4"));
    QCOMPARE(text("SELECT k FROM t WHERE ts = TIMESTAMP '2001-01-02 00:00:00'"),
             QStringLiteral("y"));
    QCOMPARE(text("SELECT spec_id FROM \"t$files\" ORDER BY 1"), QStringLiteral("0 1 2 3"));
    run("DELETE FROM t WHERE k = 'y'");
    run("UPDATE t SET k = 'z' WHERE day(ts) = 1");
    QCOMPARE(text("SELECT day(ts), k FROM t ORDER BY 1"), QStringLiteral("1|z 3|x 4|x"));
    run("ALTER TABLE t EXECUTE optimize");
    QCOMPARE(text("SELECT spec_id FROM \"t$files\""), QStringLiteral("3"));
    QCOMPARE(text("SELECT day(ts), k FROM t ORDER BY 1"), QStringLiteral("1|z 3|x 4|x"));
}

// As Trino numbers and names them.
void tst_DuckdbAlter::numbersPartitionFieldsOnce()
{
    run("CREATE TABLE p (id bigint, ts timestamp(6)) WITH (partitioning = ARRAY['day(ts)'])");
    run("ALTER TABLE p SET PROPERTIES partitioning = ARRAY['month(ts)', 'bucket(id, 4)']");
    run("ALTER TABLE p SET PROPERTIES partitioning = ARRAY['day(ts)', 'bucket(id, 4)']");
    run("ALTER TABLE p SET PROPERTIES partitioning = ARRAY['bucket(id, 4)', 'day(ts)']");
    run("ALTER TABLE p SET PROPERTIES partitioning = ARRAY['bucket(id, 8)', 'day(ts)']");
    run("ALTER TABLE p SET PROPERTIES partitioning = DEFAULT");
    QCOMPARE(
        specs("p"),
        QStringLiteral("0: ts_day:1000 | 1: ts_month:1001 id_bucket:1002 | "
                       "2: id_bucket:1002 ts_day:1000 | 3: ts_day:1000 id_bucket:1003 | 4*: "));
    run("ALTER TABLE p SET PROPERTIES partitioning = ARRAY['day(ts)']");
    QCOMPARE(metadata("p").defaultSpecId, 0);
    run("ALTER TABLE p RENAME COLUMN id TO ts_hour");
    run("ALTER TABLE p SET PROPERTIES partitioning = ARRAY['hour(ts)']");
    QVERIFY(specs("p").endsWith(QStringLiteral("5*: ts_hour_2:1004")));
    QCOMPARE(metadata("p").lastPartitionId, 1004);
}

void tst_DuckdbAlter::changesSorting()
{
    run("CREATE TABLE t (a integer, b varchar)");
    run("ALTER TABLE t SET PROPERTIES sorted_by = ARRAY['a DESC', 'b']");
    QCOMPARE(m_warehouse->info("t").sortedBy.join(u','), QStringLiteral("a DESC,b"));
    run("ALTER TABLE t SET PROPERTIES sorted_by = DEFAULT");
    run("ALTER TABLE t SET PROPERTIES sorted_by = ARRAY['a DESC', 'b']");
    QCOMPARE(metadata("t").sortOrders.size(), 2);
    QCOMPARE(metadata("t").defaultSortOrderId, 1);
    run("ALTER TABLE t SET PROPERTIES sorted_by = ARRAY['b']");
    // Only the present order needs its columns.
    run("ALTER TABLE t DROP COLUMN a");
    QCOMPARE(m_warehouse->info("t").sortedBy.join(u','), QStringLiteral("b"));
}

void tst_DuckdbAlter::setsProperties()
{
    run("CREATE TABLE t (a integer)");
    run("ALTER TABLE t SET PROPERTIES format = 'PARQUET', format_version = 2, max_commit_retry = "
        "7, "
        "extra_properties = MAP(ARRAY['owner', 'tier'], ARRAY['me', '1'])");
    auto properties = metadata("t").properties;
    QCOMPARE(properties.value(QStringLiteral("write.format.default")), QStringLiteral("PARQUET"));
    QCOMPARE(properties.value(QStringLiteral("commit.retry.num-retries")), QStringLiteral("7"));
    QCOMPARE(properties.value(QStringLiteral("owner")), QStringLiteral("me"));
    run("ALTER TABLE t SET PROPERTIES max_commit_retry = DEFAULT");
    properties = metadata("t").properties;
    QCOMPARE(properties.value(QStringLiteral("commit.retry.num-retries")), QStringLiteral("4"));
    QCOMPARE(properties.value(QStringLiteral("tier")), QStringLiteral("1"));
}

void tst_DuckdbAlter::isFineWhereSaidSo_data()
{
    QTest::addColumn<QString>("sql");
    for (const char *sql :
         {"ALTER TABLE IF EXISTS nope ADD COLUMN x bigint",
          "ALTER TABLE IF EXISTS nope DROP COLUMN x",
          "ALTER TABLE IF EXISTS nope RENAME COLUMN x TO y",
          "ALTER TABLE IF EXISTS nope ALTER COLUMN x SET DATA TYPE bigint",
          "ALTER TABLE IF EXISTS nope ALTER COLUMN x DROP NOT NULL",
          "ALTER TABLE IF EXISTS nope RENAME TO t",
          "ALTER TABLE t ADD COLUMN IF NOT EXISTS A varchar",
          "ALTER TABLE t ADD COLUMN IF NOT EXISTS r.x varchar",
          "ALTER TABLE t DROP COLUMN IF EXISTS x", "ALTER TABLE t DROP COLUMN IF EXISTS r.y",
          "ALTER TABLE t DROP COLUMN IF EXISTS x.y", "ALTER TABLE t RENAME COLUMN IF EXISTS x TO a",
          "ALTER TABLE t ALTER COLUMN s SET DATA TYPE varchar(5)"})
        QTest::newRow(sql) << QString::fromUtf8(sql);
}

void tst_DuckdbAlter::isFineWhereSaidSo()
{
    QFETCH(QString, sql);
    if (m_isNew)
        run("CREATE TABLE t (a integer, s varchar, r row(x integer))");
    const auto head = m_warehouse->info("t").head;
    m_warehouse->run(sql);
    QCOMPARE(m_warehouse->info("t").head, head);
}

void tst_DuckdbAlter::refuses_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("error");
    const auto row = [](const char *sql, const char *error) {
        QTest::newRow(sql) << QString::fromUtf8(sql) << QString::fromUtf8(error);
    };
    row("ALTER TABLE nope ADD COLUMN x bigint", "1:13: there is no table iceberg.main.nope");
    row("ALTER TABLE nope RENAME TO u", "1:13: there is no table iceberg.main.nope");
    row("COMMENT ON TABLE nope IS 'x'", "1:18: there is no table iceberg.main.nope");
    row("ALTER TABLE t ADD COLUMN A bigint", "1:26: there is a column 'a' already");
    row("ALTER TABLE t ADD COLUMN r.x bigint", "1:26: there is a field 'x' in 'r' already");
    row("ALTER TABLE t ADD COLUMN n bigint NOT NULL",
        "1:26: column 'n' cannot be NOT NULL: the rows that there are have no value for it. "
        "Add it without NOT NULL");
    row("ALTER TABLE t ADD COLUMN n bigint AFTER z",
        "1:26: there is no column 'z' (there are: a, k, ts, r, l, m, s, d)");
    row("ALTER TABLE t ADD COLUMN r.n bigint FIRST",
        "1:26: a field inside of a row has no FIRST or AFTER");
    row("ALTER TABLE t ADD COLUMN z.n bigint",
        "1:26: there is no column 'z' (there are: a, k, ts, r, l, m, s, d)");
    row("ALTER TABLE t ADD COLUMN a.n bigint",
        "1:26: 'a' is of type integer, and only a row has fields");
    row("ALTER TABLE t ADD COLUMN l.n bigint",
        "1:26: 'l' is of type array(row(e integer)), and only a row has fields. The fields of an "
        "array's rows are behind \"l.element\"");
    row("ALTER TABLE t ADD COLUMN m.value.n bigint",
        "1:26: 'm' is of type map(varchar, integer), and what is inside of a map cannot be "
        "altered");
    row("ALTER TABLE t ADD COLUMN n json", "1:28: the embedded engine has no type json");
    row("ALTER TABLE t ADD COLUMN ts_day date",
        "1:26: a column cannot be called 'ts_day': a partition field of the table is, or was, day. "
        "Choose "
        "another name");
    row("ALTER TABLE t ADD COLUMN \"$path\" varchar",
        "1:26: every table has a hidden column '$path'");
    row("ALTER TABLE t ADD COLUMN n bigint WITH (x = 1)",
        "1:26: properties of a column are not supported by the embedded engine");
    row("ALTER TABLE t DROP COLUMN z",
        "1:27: there is no column 'z' (there are: a, k, ts, r, l, m, s, d)");
    row("ALTER TABLE t DROP COLUMN r.z",
        "1:27: there is no field 'z' in 'r', which is of type row(x integer, y varchar)");
    row("ALTER TABLE t DROP COLUMN ts",
        "1:27: 'ts' cannot be dropped: the table is partitioned by it");
    row("ALTER TABLE t DROP COLUMN k",
        "1:27: 'k' cannot be dropped: the table was partitioned by it");
    row("ALTER TABLE t DROP COLUMN s",
        "1:27: 's' cannot be dropped: the table is sorted by it. First: ALTER TABLE … SET "
        "PROPERTIES sorted_by = …");
    row("ALTER TABLE one DROP COLUMN a",
        "1:29: 'a' cannot be dropped: it is the only one that is left");
    row("ALTER TABLE t RENAME COLUMN a TO K", "1:29: there is a column 'k' already");
    row("ALTER TABLE t RENAME COLUMN a TO A", "1:29: there is a column 'a' already");
    row("ALTER TABLE t RENAME COLUMN a TO ts_day",
        "1:29: a column cannot be called 'ts_day': a partition field of the table is, or was, day. "
        "Choose "
        "another name");
    row("ALTER TABLE t RENAME COLUMN r.x TO z",
        "1:29: nested field '4.z' was renamed or made again, which this engine cannot read. Choose "
        "a name that no field of this row has had");
    row("ALTER TABLE t ALTER COLUMN a SET DATA TYPE varchar",
        "1:28: column 'a' is of type integer and cannot become varchar. integer can become bigint, "
        "real double, and a decimal one of more digits with the same scale");
    row("ALTER TABLE t ALTER COLUMN d SET DATA TYPE decimal(9,3)",
        "1:28: column 'd' is of type decimal(9,2) and cannot become decimal(9,3). integer can "
        "become bigint, real double, and a decimal one of more digits with the same scale");
    row("ALTER TABLE t ALTER COLUMN d SET DATA TYPE decimal(8,2)",
        "1:28: column 'd' is of type decimal(9,2) and cannot become decimal(8,2). integer can "
        "become bigint, real double, and a decimal one of more digits with the same scale");
    row("ALTER TABLE t ALTER COLUMN ts SET DATA TYPE timestamp(3)",
        "1:28: column 'ts' is of type timestamp(6) and cannot become timestamp(3). integer can "
        "become bigint, real double, and a decimal one of more digits with the same scale");
    row("ALTER TABLE t ALTER COLUMN a DROP NOT NULL", "1:28: column 'a' may be NULL already");
    row("ALTER TABLE t ALTER COLUMN z DROP NOT NULL",
        "1:28: there is no column 'z' (there are: a, k, ts, r, l, m, s, d)");
    row("COMMENT ON COLUMN t.z IS 'x'",
        "1:21: there is no column 'z' (there are: a, k, ts, r, l, m, s, d)");
    row("ALTER TABLE t RENAME TO one", "1:25: table iceberg.main.one is there already");
    row("ALTER TABLE t RENAME TO T", "1:25: table iceberg.main.t is there already");
    row("ALTER TABLE t RENAME TO nope.t",
        "1:25: there is no schema nope. Create it with CREATE SCHEMA");
    row("ALTER TABLE t RENAME TO hive.main.t",
        "1:25: catalog 'hive' does not exist. This executor's catalog is called iceberg");
    row("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['z']",
        "1:30: there is no column 'z' (there are: a, k, ts, r, l, m, s, d)");
    row("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['day(s)']",
        "1:30: partition transform day does not take a column of type string");
    row("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['hour(ts)', 'day(ts)']",
        "1:30: partitioning by hour(ts) is redundant beside day of the same column");
    row("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['k', 'K']",
        "1:30: partitioning names \"K\" twice");
    row("ALTER TABLE t SET PROPERTIES format = 'ORC'",
        "1:30: format 'ORC' is not supported by the embedded engine. It writes PARQUET");
    row("ALTER TABLE t SET PROPERTIES format_version = 3",
        "1:30: format_version 3 is not supported by the embedded engine. It writes version 2");
    row("ALTER TABLE t SET PROPERTIES location = 'x'",
        "1:30: table property 'location' is not supported by the embedded engine. It knows "
        "partitioning, sorted_by, format, format_version, max_commit_retry and extra_properties");
    row("ALTER TABLE t SET PROPERTIES location = DEFAULT",
        "1:30: table property 'location' is not supported by the embedded engine. It knows "
        "partitioning, sorted_by, format, format_version, max_commit_retry and extra_properties");
    row("ALTER TABLE t SET PROPERTIES extra_properties = MAP(ARRAY['comment'], ARRAY['x'])",
        "1:30: extra_properties cannot set 'comment'");
    row("ALTER TABLE t SET PROPERTIES extra_properties = DEFAULT",
        "1:30: table property 'extra_properties' takes a map of texts, as in MAP(ARRAY['x'], "
        "ARRAY['1'])");
}

void tst_DuckdbAlter::refuses()
{
    QFETCH(QString, sql);
    QFETCH(QString, error);
    if (m_isNew) {
        run("CREATE TABLE one (a integer)");
        run("CREATE TABLE t (a integer, k varchar, ts timestamp(6), r row(x integer, y varchar), l "
            "array(row(e integer)), m map(varchar, integer), s varchar, d decimal(9,2)) WITH "
            "(partitioning = ARRAY['k'], sorted_by = ARRAY['s'])");
        run("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['day(ts)']");
    }
    const auto head = m_warehouse->info("t").head;
    QCOMPARE(m_warehouse->failure(sql).text(), error);
    QCOMPARE(m_warehouse->info("t").head, head);
}

void tst_DuckdbAlter::replacesTables()
{
    run("CREATE TABLE p (ts timestamp(6)) WITH (partitioning = ARRAY['day(ts)'])");
    run("CREATE TABLE t COMMENT 'first' WITH (partitioning = ARRAY['id'], sorted_by = ARRAY['x']) "
        "AS "
        "SELECT BIGINT '1' AS id, 2 AS x");
    run("ALTER TABLE t ADD COLUMN r row(a integer, b varchar)");
    const qint64 first = m_warehouse->head("t");
    const auto before = metadata("t");
    run("CREATE OR REPLACE TABLE t (x bigint, id varchar, r row(b varchar, c bigint), y varchar)");
    const auto after = metadata("t");
    QCOMPARE(after.uuid, before.uuid);
    QCOMPARE(after.location, before.location);
    QCOMPARE(columns("t"), QStringLiteral("x:2 id:1 r:3 y:6"));
    QCOMPARE(after.currentSchema().fields[2].type.text(),
             QStringLiteral("struct<b: string, c: long>"));
    QCOMPARE(after.currentSchema().fields[2].type.fields[0].id, 5);
    QCOMPARE(after.currentSchema().fields[2].type.fields[1].id, 7);
    QCOMPARE(after.currentSnapshot()->parent, std::optional<SnapshotId>());
    QCOMPARE(after.currentSnapshot()->operation(), QStringLiteral("append"));
    QCOMPARE(after.snapshots.size(), 2);
    QCOMPARE(specs("t"), QStringLiteral("0: id:1000 | 1*: "));
    QVERIFY(after.properties.isEmpty());
    QCOMPARE(
        m_warehouse->failure(QStringLiteral("CREATE OR REPLACE TABLE p (ts_day date)")).text(),
        QStringLiteral("a column cannot be called 'ts_day': a partition field of the table is, "
                       "or was, day. Choose another name"));
    QCOMPARE(rows("SELECT * FROM t"), QStringList());
    run("INSERT INTO t (id) VALUES 'one'");
    QCOMPARE(text("SELECT id, x FROM t"), QStringLiteral("one|NULL"));
    const QString old = QStringLiteral("SELECT id + 1, x FROM t FOR VERSION AS OF %1 ").arg(first);
    QCOMPARE(m_warehouse->rows(old).join(u' '), QStringLiteral("2|2"));
    QCOMPARE(m_warehouse->rows(old + QStringLiteral("WHERE id = 1")).size(), 1);
    QCOMPARE(m_warehouse->rows(old + QStringLiteral("WHERE id = 2")).size(), 0);
}

void tst_DuckdbAlter::replacesATableByItsOwnPast()
{
    run("CREATE TABLE t AS SELECT 1 AS a, 'x' AS b");
    const qint64 first = m_warehouse->head("t");
    run("CREATE OR REPLACE TABLE t COMMENT 'second' AS SELECT a + 1 AS a, DATE '2001-02-03' AS c "
        "FROM t");
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("2|2001-02-03"));
    QCOMPARE(metadata("t").snapshots.size(), 2);
    m_warehouse->run(
        QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT * FROM t FOR VERSION AS OF %1")
            .arg(first));
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("1|x"));
    QCOMPARE(columns("t"), QStringLiteral("a:1 b:4"));
    const auto before = m_warehouse->info("t").head;
    const QStringList files = m_warehouse->filesOnDisk();
    m_warehouse->failure(
        QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT CAST(b AS integer) AS n FROM t"));
    QCOMPARE(m_warehouse->info("t").head, before);
    QCOMPARE(m_warehouse->filesOnDisk(), files);
}

void tst_DuckdbAlter::makesWhatIsNotThereToReplace()
{
    run("CREATE OR REPLACE TABLE t (a integer)");
    QCOMPARE(
        m_warehouse->failure(QStringLiteral("CREATE TABLE h AS SELECT 1 AS \"$path\"")).message,
        QStringLiteral("column name '$path' occurs twice when case is ignored, or is one of the "
                       "hidden columns'"));
    run("CREATE OR REPLACE TABLE n (r row(a integer, b integer))");
    run("CREATE OR REPLACE TABLE n (r row(b integer))");
    QCOMPARE(
        m_warehouse->failure(QStringLiteral("CREATE OR REPLACE TABLE n (r row(a integer))"))
            .message,
        QStringLiteral("nested field '1.a' was renamed or made again, which this engine cannot "
                       "read"));
    run("CREATE OR REPLACE TABLE u (x) WITH (partitioning = ARRAY['x']) AS SELECT 1 AS one");
    QCOMPARE(text("SELECT * FROM u"), QStringLiteral("1"));
    QCOMPARE(metadata("u").snapshots.size(), 1);
    QCOMPARE(m_warehouse->failure(QStringLiteral("CREATE OR REPLACE TABLE nope.t AS SELECT 1 AS a"))
                 .text(),
             QStringLiteral("there is no schema nope. Create it with CREATE SCHEMA"));
}

void tst_DuckdbAlter::rollsBackOnlyToReadableRows()
{
    run("CREATE TABLE t AS SELECT 1 AS a, 'x' AS b");
    const qint64 first = m_warehouse->head("t");
    const QString back =
        QStringLiteral("ALTER TABLE t EXECUTE rollback_to_snapshot(%1)").arg(first);
    run("CREATE OR REPLACE TABLE t AS SELECT BIGINT '2' AS a, 3 AS c");
    m_warehouse->run(back);
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("1|NULL"));
    run("CREATE OR REPLACE TABLE t AS SELECT 'text' AS a");
    QCOMPARE(m_warehouse->failure(back).message,
             QStringLiteral("table iceberg.main.t cannot go back to snapshot %1: its columns had "
                            "other types")
                 .arg(first));
    QCOMPARE(text("SELECT * FROM t"), QStringLiteral("text"));
}

QTEST_GUILESS_MAIN(tst_DuckdbAlter)
#include "tst_duckdb_alter.moc"
