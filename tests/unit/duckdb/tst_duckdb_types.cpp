#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

// Every type a table can have, through files on disk: as a value, as a bound, as a partition.
class tst_DuckdbTypes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsValues_data();
    void keepsValues();
    void keepsValuesAsPartitions_data();
    void keepsValuesAsPartitions();
    void writesFieldIdsOfNestedColumns();
    void keepsBounds_data();
    void keepsBounds();
    void keepsNaNOutOfBounds();
    void cutsLongBoundsOutward();
    void refusesNullInsideRequiredFields_data();
    void refusesNullInsideRequiredFields();

private:
    enum class Floats { With, Without };
    static void addValues(Floats floats);
};

void tst_DuckdbTypes::addValues(Floats floats)
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("values");  // of VALUES
    QTest::addColumn<QStringList>("texts");
    const auto row = [](const char *type, const char *values, const QStringList &texts) {
        QTest::newRow(type) << QString::fromUtf8(type) << QString::fromUtf8(values) << texts;
    };
    row("boolean", "true, false, NULL",
        {QStringLiteral("true"), QStringLiteral("false"), QStringLiteral("NULL")});
    row("integer", "2147483647, -2147483648, NULL",
        {QStringLiteral("2147483647"), QStringLiteral("-2147483648"), QStringLiteral("NULL")});
    row("bigint", "9223372036854775807, -9223372036854775807",
        {QStringLiteral("9223372036854775807"), QStringLiteral("-9223372036854775807")});
    row("decimal(5,2)", "DECIMAL '1.50', DECIMAL '-999.99', NULL",
        {QStringLiteral("1.50"), QStringLiteral("-999.99"), QStringLiteral("NULL")});
    row("decimal(38,9)",
        "DECIMAL '12345678901234567890123456789.123456789', DECIMAL '-0.000000001'",
        {QStringLiteral("12345678901234567890123456789.123456789"),
         QStringLiteral("-0.000000001")});
    row("varchar", "'a', '', 'é''\"', NULL",
        {QStringLiteral("a"), QString(), QStringLiteral("é'\""), QStringLiteral("NULL")});
    row("date", "DATE '2001-01-31', DATE '1969-12-31', NULL",
        {QStringLiteral("2001-01-31"), QStringLiteral("1969-12-31"), QStringLiteral("NULL")});
    row("timestamp(6)",
        "TIMESTAMP '2001-01-31 12:00:00.000001', TIMESTAMP '1969-12-31 23:59:59.999999', NULL",
        {QStringLiteral("2001-01-31 12:00:00.000001"), QStringLiteral("1969-12-31 23:59:59.999999"),
         QStringLiteral("NULL")});
    row("timestamp(6) with time zone",
        "TIMESTAMP '2001-01-31 12:00:00.000001 UTC', TIMESTAMP '1969-12-31 23:59:59 UTC'",
        {QStringLiteral("2001-01-31 12:00:00.000001 UTC"),
         QStringLiteral("1969-12-31 23:59:59.000000 UTC")});
    if (floats == Floats::Without)
        return;
    row("real", "REAL '1.5', REAL 'NaN', REAL 'Infinity', NULL",
        {QStringLiteral("1.5"), QStringLiteral("NaN"), QStringLiteral("Infinity"),
         QStringLiteral("NULL")});
    row("double", "1.5e0, DOUBLE 'NaN', DOUBLE '-Infinity', NULL",
        {QStringLiteral("1.5"), QStringLiteral("NaN"), QStringLiteral("-Infinity"),
         QStringLiteral("NULL")});
}

void tst_DuckdbTypes::keepsValues_data() { addValues(Floats::With); }

void tst_DuckdbTypes::keepsValues()
{
    QFETCH(QString, type);
    QFETCH(QString, values);
    QFETCH(QStringList, texts);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (v %1)").arg(type));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES %1").arg(values));
    QStringList found = warehouse.rows(QStringLiteral("SELECT v FROM t"));
    found.sort();
    texts.sort();
    QCOMPARE(found, texts);
    QCOMPARE(warehouse.info("t").columns[0].type.text(), type);
}

void tst_DuckdbTypes::keepsValuesAsPartitions_data() { addValues(Floats::Without); }

void tst_DuckdbTypes::keepsValuesAsPartitions()
{
    QFETCH(QString, type);
    QFETCH(QString, values);
    QFETCH(QStringList, texts);
    WarehouseFixture warehouse;
    warehouse.run(
        QStringLiteral("CREATE TABLE t (v %1) WITH (partitioning = ARRAY['v'])").arg(type));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES %1").arg(values));
    QCOMPARE(warehouse.dataFiles("t").size(), texts.size());
    QStringList found = warehouse.rows(QStringLiteral("SELECT v FROM t"));
    found.sort();
    texts.sort();
    QCOMPARE(found, texts);
    // Each partition's value is the one its rows have.
    const auto open = warehouse.executor().warehouse().reading();
    QVERIFY(open);
    const auto table = iceberg::loadTable(*open, warehouse.name("t"));
    QVERIFY(table);
    const auto live =
        iceberg::liveFiles(open->io, table->metadata, *table->metadata.currentSnapshot(), {}, {});
    QVERIFY(live);
    for (const auto &file : live->data) {
        const auto lower = file.file.lowerBounds.constFind(1);
        if (lower == file.file.lowerBounds.cend())
            QVERIFY(file.file.partition[0].isNull());
        else
            QCOMPARE(iceberg::literalToBytes(table->metadata.currentSchema().fields[0].type,
                                             file.file.partition[0]),
                     *lower);
    }
}

void tst_DuckdbTypes::writesFieldIdsOfNestedColumns()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (a integer, r row(x integer, l array(row(\"Y z\" "
                                 "varchar))), m map(varchar, double))"));
    const auto open = warehouse.executor().warehouse().writing();
    QVERIFY(open);
    const auto table = iceberg::loadTable(*open, warehouse.name("t"));
    QVERIFY(table);
    auto database = Database::open({});
    QVERIFY(database);
    auto connection = Connection::open(*database, {});
    QVERIFY(connection);
    const auto files = writeFiles(
        *table,
        QStringLiteral(
            "SELECT 1 AS a, {'x': 2, 'l': [{'Y z': 'q'}]} AS r, MAP {'k': 1.5::DOUBLE} AS m"),
        **connection, {});
    QVERIFY2(files, files ? "" : qPrintable(files.error().text()));
    QCOMPARE(files->files().size(), 1);
    const auto path = localPath(files->files()[0].path);
    QVERIFY(path);
    const auto rows = (*connection)
                          ->rows(QStringLiteral("SELECT name, field_id FROM parquet_schema(%1) "
                                                "WHERE field_id IS NOT NULL ORDER BY 2")
                                     .arg(quotedLiteral(*path)),
                                 {}, {});
    QVERIFY(rows);
    QStringList ids;
    for (const auto &row : *rows)
        ids.append(row[0].text() + u'=' + row[1].text());
    QStringList expected;
    std::function<void(const QList<iceberg::Field> &)> add =
        [&](const QList<iceberg::Field> &fields) {
            for (const auto &field : fields) {
                expected.append(field.name + u'=' + QString::number(field.id));
                add(field.type.fields);
            }
        };
    add(table->metadata.currentSchema().fields);
    std::ranges::sort(expected, {},
                      [](const QString &text) { return text.section(u'=', 1).toInt(); });
    QCOMPARE(ids, expected);
    QVERIFY(files->files()[0].lowerBounds.contains(1));
}

void tst_DuckdbTypes::keepsBounds_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("values");
    QTest::addColumn<QString>("bounds");  // as $files shows them
    QTest::newRow("integer") << "integer" << "3, NULL, -5" << "[1, -5]|[1, 3]|[1, 1]";
    QTest::newRow("date") << "date" << "DATE '2001-01-31', DATE '1969-12-31'"
                          << "[1, 1969-12-31]|[1, 2001-01-31]|[1, 0]";
    QTest::newRow("timestamp")
        << "timestamp(6)" << "TIMESTAMP '2001-01-31 12:00:00.000001'"
        << "[1, 2001-01-31T12:00:00.000001]|[1, 2001-01-31T12:00:00.000001]|[1, 0]";
    QTest::newRow("varchar") << "varchar" << "'b', 'é', ''" << "[1, ]|[1, é]|[1, 0]";
    QTest::newRow("decimal") << "decimal(5,2)" << "DECIMAL '1.50', DECIMAL '-2.00'"
                             << "[1, -2.00]|[1, 1.50]|[1, 0]";
    QTest::newRow("only NULL") << "integer" << "NULL, NULL" << "[]|[]|[1, 2]";
}

void tst_DuckdbTypes::keepsBounds()
{
    QFETCH(QString, type);
    QFETCH(QString, values);
    QFETCH(QString, bounds);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (v %1)").arg(type));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES %1").arg(values));
    const QStringList found = warehouse.rows(
        QStringLiteral("SELECT lower_bounds, upper_bounds, null_value_counts FROM \"t$files\""));
    QCOMPARE(found, QStringList{bounds});
}

void tst_DuckdbTypes::keepsNaNOutOfBounds()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT * FROM (VALUES 1.0e0, nan()) AS v(a)"));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES 2.0e0"));
    QCOMPARE(warehouse.rows(QStringLiteral(
                 "SELECT lower_bounds, nan_value_counts FROM \"t$files\" ORDER BY record_count")),
             (QStringList{QStringLiteral("[1, 2]|[1, 0]"), QStringLiteral("[1, 1]|[1, 1]")}));
}

void tst_DuckdbTypes::cutsLongBoundsOutward()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (v varchar)"));
    const QString longText(5000, u'x');
    warehouse.run(QStringLiteral("INSERT INTO t VALUES '%1'").arg(longText));
    const auto open = warehouse.executor().warehouse().reading();
    QVERIFY(open);
    const auto table = iceberg::loadTable(*open, warehouse.name("t"));
    QVERIFY(table);
    const auto live =
        iceberg::liveFiles(open->io, table->metadata, *table->metadata.currentSnapshot(), {}, {});
    QVERIFY(live && live->data.size() == 1);
    QVERIFY(live->data[0].file.lowerBounds.value(1) <= longText.toUtf8());
    QVERIFY(live->data[0].file.upperBounds.value(1) >= longText.toUtf8());
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT length(v) FROM t WHERE v = '%1'").arg(longText)),
             QStringList{QStringLiteral("5000")});
}

void tst_DuckdbTypes::refusesNullInsideRequiredFields_data()
{
    QTest::addColumn<QString>("values");  // of r, l and m, in the engine's SQL
    QTest::addColumn<bool>("kept");
    const auto row = [](const char *name, const char *values, bool kept) {
        QTest::newRow(name) << QString::fromLatin1(values) << kept;
    };
    row("whole", "{'x': 1, 'y': NULL}, [1, 2], MAP {'k': 1}", true);
    row("NULL around them", "NULL, NULL, NULL", true);
    row("nothing inside", "{'x': 1, 'y': NULL}, [], MAP {}", true);
    row("a field", "{'x': NULL, 'y': 2}, [1], MAP {'k': 1}", false);
    row("an element", "{'x': 1, 'y': 2}, [1, NULL], MAP {'k': 1}", false);
    row("a map's value", "{'x': 1, 'y': 2}, [1], MAP {'k': NULL}", false);
}

void tst_DuckdbTypes::refusesNullInsideRequiredFields()
{
    QFETCH(QString, values);
    QFETCH(bool, kept);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (r row(x integer, y integer), l array(integer), m "
                                 "map(varchar, integer))"));
    const auto open = warehouse.executor().warehouse().writing();
    auto table = *iceberg::loadTable(*open, warehouse.name("t"));
    auto schema = table.metadata.currentSchema();
    schema.fields[0].type.fields[0].required = true;
    schema.fields[1].type.fields[0].required = true;
    schema.fields[2].type.fields[1].required = true;
    iceberg::setCurrentSchema(table.metadata, schema);
    const auto database = Database::open({});
    const auto connection = Connection::open(*database, {});
    const auto files = writeFiles(
        table,
        QStringLiteral("SELECT CAST(a AS STRUCT(x INTEGER, y INTEGER)) AS r, CAST(b AS INTEGER[]) "
                       "AS l, CAST(c AS MAP(VARCHAR, INTEGER)) AS m FROM (SELECT %1) AS v(a, b, c)")
            .arg(values),
        **connection, {});
    QVERIFY2(bool(files) == kept, files ? "" : qPrintable(files.error().text()));
    if (!kept)
        QCOMPARE(files.error().code, QStringLiteral("not_null"));
}

QTEST_GUILESS_MAIN(tst_DuckdbTypes)
#include "tst_duckdb_types.moc"
