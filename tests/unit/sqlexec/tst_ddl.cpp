#include "framework/sqlexec/ddl.h"
#include "framework/sqlexec/type_sql.h"

#include <QTest>

using namespace ivm;

namespace {

const TableName kTable{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("order")};

Type typeOf(const char *text)
{
    const auto type = parseType(QString::fromUtf8(text));
    return type ? *type : Type();
}

}  // namespace

class tst_Ddl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void makesATableWithEverything();
    void makesAPlainTable();
    void refusesWhatNoTableHolds_data();
    void refusesWhatNoTableHolds();
    void makesSchemasAndDropsTables();
    void putsAnotherTableInItsPlace();
    void tellsTheTypeAColumnHas_data();
    void tellsTheTypeAColumnHas();
};

void tst_Ddl::makesATableWithEverything()
{
    const TableSpec spec{.name = kTable,
                         .columns = {{.name = QStringLiteral("hour \"ts"),
                                      .type = typeOf("timestamp(3)"),
                                      .nullable = false},
                                     {.name = QStringLiteral("origin"),
                                      .type = typeOf("varchar(3)"),
                                      .comment = QStringLiteral("it's")},
                                     {.name = QStringLiteral("r"),
                                      .type = typeOf("row(\"order\" smallint, x double)")}},
                         .partitioning = {{Transform::Day, QStringLiteral("hour \"ts"), 0},
                                          {Transform::Bucket, QStringLiteral("origin"), 16}},
                         .sortedBy = {QStringLiteral("origin DESC")},
                         .format = QStringLiteral("parquet"),
                         .comment = QStringLiteral("kept by 'us'")};
    const auto sql = createTableSql(spec);
    QVERIFY2(sql, qPrintable(sql ? QString() : sql.error().text()));
    QCOMPARE(*sql, QStringLiteral(
                       "CREATE TABLE \"iceberg\".\"main\".\"order\" (\n"
                       "    \"hour \"\"ts\" timestamp(6) NOT NULL,\n"
                       "    \"origin\" varchar COMMENT 'it''s',\n"
                       "    \"r\" row(\"order\" integer, \"x\" double)\n"
                       ")\n"
                       "COMMENT 'kept by ''us'''\n"
                       "WITH (\n"
                       "    format = 'PARQUET',\n"
                       "    partitioning = ARRAY['day(\"hour \"\"ts\")', 'bucket(origin, 16)'],\n"
                       "    sorted_by = ARRAY['origin DESC']\n"
                       ")"));
}

void tst_Ddl::makesAPlainTable()
{
    const TableSpec spec{.name = kTable,
                         .columns = {{.name = QStringLiteral("a"), .type = typeOf("bigint")}},
                         .format = {}};
    QCOMPARE(createTableSql(spec).value_or(QString()),
             QStringLiteral("CREATE TABLE \"iceberg\".\"main\".\"order\" (\n    \"a\" bigint\n)"));
}

void tst_Ddl::refusesWhatNoTableHolds_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("message");
    QTest::newRow("json") << "json"
                          << "column a: a column of type json cannot be stored in an Iceberg table";
    QTest::newRow("interval")
        << "interval day to second"
        << "column a: a column of type interval day to second cannot be stored in an Iceberg table";
    QTest::newRow("a row without names") << "row(bigint)"
                                         << "column a: a column of type row(bigint) cannot be "
                                            "stored in an Iceberg table: a field has no name";
    QTest::newRow("deep inside")
        << "array(map(varchar, time(3) with time zone))"
        << "column a: a column of type time(3) with time zone cannot be stored in an Iceberg table";
}

void tst_Ddl::refusesWhatNoTableHolds()
{
    QFETCH(QString, type);
    QFETCH(QString, message);
    const auto sql = createTableSql(
        {.name = kTable,
         .columns = {{.name = QStringLiteral("a"), .type = typeOf(qPrintable(type))}}});
    QVERIFY(!sql);
    QCOMPARE(sql.error().kind, ErrorKind::Unsupported);
    QCOMPARE(sql.error().message, message);
}

void tst_Ddl::makesSchemasAndDropsTables()
{
    QCOMPARE(createSchemaSql(kTable),
             QStringLiteral("CREATE SCHEMA IF NOT EXISTS \"iceberg\".\"main\""));
    QCOMPARE(dropTableSql(kTable), QStringLiteral("DROP TABLE \"iceberg\".\"main\".\"order\""));
    const auto empty = createTableSql({.name = kTable, .columns = {}});
    QVERIFY(!empty);
    QCOMPARE(empty.error().message,
             QStringLiteral("table iceberg.main.order cannot be made without columns"));
}

void tst_Ddl::putsAnotherTableInItsPlace()
{
    const TableSpec spec{.name = kTable,
                         .columns = {},
                         .partitioning = {{Transform::Day, QStringLiteral("h"), 0}},
                         .sortedBy = {QStringLiteral("k")},
                         .comment = QStringLiteral("it's ours")};
    QCOMPARE(replaceTableAsSql(spec, QStringLiteral("SELECT h FROM t -- all")),
             QStringLiteral("CREATE OR REPLACE TABLE \"iceberg\".\"main\".\"order\"\n"
                            "COMMENT 'it''s ours'\n"
                            "WITH (\n"
                            "    format = 'PARQUET',\n"
                            "    partitioning = ARRAY['day(h)'],\n"
                            "    sorted_by = ARRAY['k']\n"
                            ")\n"
                            "AS\n"
                            "SELECT h FROM t -- all"));
    QCOMPARE(rollbackSql(kTable, 1234567890123456789),
             QStringLiteral("ALTER TABLE \"iceberg\".\"main\".\"order\" EXECUTE "
                            "rollback_to_snapshot(1234567890123456789)"));
    QCOMPARE(renameTableSql(
                 kTable, {QStringLiteral("iceberg"), QStringLiteral("b"), QStringLiteral("a\"b")}),
             QStringLiteral("ALTER TABLE \"iceberg\".\"main\".\"order\" RENAME TO "
                            "\"iceberg\".\"b\".\"a\"\"b\""));
}

void tst_Ddl::tellsTheTypeAColumnHas_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("stored");
    QTest::newRow("kept") << "decimal(12,2)" << "decimal(12,2)";
    QTest::newRow("small integers") << "tinyint" << "integer";
    QTest::newRow("texts have no length") << "varchar(10)" << "varchar";
    QTest::newRow("fewer digits of a second")
        << "timestamp(0) with time zone" << "timestamp(6) with time zone";
    QTest::newRow("more digits of a second") << "timestamp(9)" << "timestamp(6)";
    QTest::newRow("nested") << "map(char(2), array(time(3)))" << "map(varchar, array(time(6)))";
}

void tst_Ddl::tellsTheTypeAColumnHas()
{
    QFETCH(QString, type);
    QFETCH(QString, stored);
    const auto column = columnType(typeOf(qPrintable(type)));
    QVERIFY(column);
    QCOMPARE(column->text(), stored);
}

QTEST_GUILESS_MAIN(tst_Ddl)
#include "tst_ddl.moc"
