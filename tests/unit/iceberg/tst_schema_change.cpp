#include "framework/iceberg/schema_change.h"
#include "tests/unit/iceberg/warehouse.h"

using namespace ivm;
using namespace ivm::test;

// What is refused, and what comes out beside the ids, is in tst_duckdb_alter and tst_interop_ddl.
class tst_SchemaChange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersFieldsAboveAllThereWere();
    void leavesTheMetadataAloneWhenItRefuses();
    void sharesIdsOfEqualSchemas();
    void tellsWhatCanBeReadAs_data();
    void tellsWhatCanBeReadAs();

private:
    static Column column(const char *name, const char *type)
    {
        return {.name = QString::fromLatin1(name),
                .type = valueOf(parseType(QString::fromLatin1(type)))};
    }
};

void tst_SchemaChange::numbersFieldsAboveAllThereWere()
{
    TestWarehouse warehouse;
    auto metadata = warehouse.table(QStringLiteral("t")).metadata;
    QVERIFY(addField(metadata, {QStringLiteral("r")}, column("r", "row(a bigint, b array(date))")));
    QCOMPARE(metadata.lastColumnId, 7);
    QVERIFY(dropField(metadata, {QStringLiteral("r")}));
    QCOMPARE(metadata.lastColumnId, 7);
    QVERIFY(addField(metadata, {QStringLiteral("again")}, column("again", "bigint")));
    QCOMPARE(metadata.currentSchema().column(u"again")->id, 8);
}

void tst_SchemaChange::leavesTheMetadataAloneWhenItRefuses()
{
    TestWarehouse warehouse;
    auto metadata =
        warehouse.table(QStringLiteral("t"), {{Transform::Day, QStringLiteral("ts"), 0}}).metadata;
    const auto before = metadata;
    QVERIFY(!addField(metadata, {QStringLiteral("id")}, column("id", "bigint")));
    QVERIFY(!addField(metadata, {QStringLiteral("ts_day")}, column("ts_day", "date")));
    QVERIFY(!dropField(metadata, {QStringLiteral("ts")}));
    QVERIFY(!renameField(metadata, {QStringLiteral("id")}, QStringLiteral("ts_day")));
    QVERIFY(!setFieldType(metadata, {QStringLiteral("id")}, {.kind = TypeKind::Integer}));
    QVERIFY(!setPartitioning(metadata, {{Transform::Day, QStringLiteral("id"), 0}}));
    QVERIFY(metadata == before);
}

void tst_SchemaChange::sharesIdsOfEqualSchemas()
{
    TestWarehouse warehouse;
    auto metadata = warehouse.table(QStringLiteral("t")).metadata;
    const QString id = QStringLiteral("id");
    const QString other = QStringLiteral("other");
    QVERIFY(renameField(metadata, {id}, other));
    QCOMPARE(metadata.currentSchemaId, 1);
    QVERIFY(renameField(metadata, {other}, id));
    QCOMPARE(metadata.currentSchemaId, 0);
    QVERIFY(renameField(metadata, {id}, other));
    QCOMPARE(metadata.currentSchemaId, 1);
    QCOMPARE(metadata.schemas.size(), 2);
}

void tst_SchemaChange::tellsWhatCanBeReadAs_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<bool>("readable");
    const auto row = [](const char *from, const char *to, bool readable) {
        QTest::addRow("%s as %s", from, to)
            << QString::fromLatin1(from) << QString::fromLatin1(to) << readable;
    };
    row("integer", "integer", true);
    row("integer", "bigint", true);
    row("bigint", "integer", false);
    row("real", "double", true);
    row("integer", "double", false);
    row("decimal(9,2)", "decimal(10,2)", true);
    row("decimal(9,2)", "decimal(10,3)", false);
    row("date", "timestamp(6)", false);
    row("row(a integer)", "row(a bigint)", true);
    row("row(a integer)", "row(a varchar)", false);
    row("row(a integer)", "row(a integer, b varchar)", true);
    row("row(a integer, b varchar)", "row(a integer)", true);
    row("array(integer)", "array(bigint)", true);
    row("array(integer)", "row(a integer)", false);
    row("map(varchar, real)", "map(varchar, double)", true);
    row("map(varchar, real)", "map(varchar, date)", false);
}

void tst_SchemaChange::tellsWhatCanBeReadAs()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(bool, readable);
    const auto schemaOf = [](const QString &type) {
        return valueOf(
            makeSchema({{.name = QStringLiteral("c"), .type = valueOf(parseType(type))}}));
    };
    QCOMPARE(canReadAs(schemaOf(from), schemaOf(to)), readable);
}

QTEST_GUILESS_MAIN(tst_SchemaChange)
#include "tst_schema_change.moc"
