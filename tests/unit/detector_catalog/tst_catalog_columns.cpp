// What the detector says of columns: their types and ids, and whether a snapshot shows them.
#include "tests/unit/detector_catalog/changes.h"

using namespace ivm;
using namespace ivm::catalog;
using namespace ivm::iceberg;
using namespace ivm::test;

class tst_CatalogColumns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsColumnsWithTheirIds();
    void seesASchemaChangeAlone();
    void seesFieldsThatChangeInsideAColumn();
};

void tst_CatalogColumns::tellsColumnsWithTheirIds()
{
    TestWarehouse warehouse;
    const auto table = warehouse.table(QStringLiteral("t"));
    const auto changes =
        between(warehouse, table, table,
                {QStringLiteral("part"), QStringLiteral("gone"), QStringLiteral("ID")});
    QCOMPARE(changes.columns.size(), 2);
    QCOMPARE(changes.columns[0], (Column{.name = QStringLiteral("part"),
                                         .type = {.kind = TypeKind::Varchar},
                                         .fieldId = 3}));
    QCOMPARE(
        changes.columns[1],
        (Column{.name = QStringLiteral("ID"), .type = {.kind = TypeKind::Bigint}, .fieldId = 1}));
}

void tst_CatalogColumns::seesASchemaChangeAlone()
{
    TestWarehouse warehouse;
    const auto before = warehouse.commit(warehouse.table(QStringLiteral("t")),
                                         {.added = {dataFile(QStringLiteral("a"), 1)}});
    auto next = before.metadata;
    Schema schema = next.currentSchema();
    schema.fields[2] = Field{.id = 4, .name = QStringLiteral("part"), .type = {.id = TypeId::Long}};
    setCurrentSchema(next, schema);
    const auto after = valueOf(commitMetadata(warehouse.all(), before, next));
    const auto changes = between(warehouse, before, after, {QStringLiteral("part")});
    QVERIFY(changes.files.isEmpty());
    QCOMPARE(changes.columns, (QList<Column>{{.name = QStringLiteral("part"),
                                              .type = {.kind = TypeKind::Bigint},
                                              .fieldId = 4}}));
    // A snapshot with its own schema does not show this column.
    QVERIFY(!changes.pinnable);
    QVERIFY(between(warehouse, before, after, {QStringLiteral("id")}).pinnable);
}

void tst_CatalogColumns::seesFieldsThatChangeInsideAColumn()
{
    TestWarehouse warehouse;
    const auto withField = [&](const Table &table, int id) {
        auto next = table.metadata;
        Schema schema = next.currentSchema();
        schema.fields[2] = Field{
            .id = 4,
            .name = QStringLiteral("g"),
            .type = {
                .id = TypeId::Struct,
                .fields = {{.id = id, .name = QStringLiteral("f"), .type = {.id = TypeId::Int}}}}};
        setCurrentSchema(next, schema);
        return valueOf(commitMetadata(warehouse.all(), table, next));
    };
    const auto before = warehouse.commit(withField(warehouse.table(QStringLiteral("t")), 5),
                                         {.added = {dataFile(QStringLiteral("a"), 1)}});
    const auto after = withField(before, 6);
    const auto changes = between(warehouse, before, after, {QStringLiteral("g")});
    QCOMPARE(changes.unmeasurable.value_or(QString()),
             QStringLiteral("the fields of column 'g' changed"));
    QVERIFY(!changes.pinnable);
}

QTEST_GUILESS_MAIN(tst_CatalogColumns)
#include "tst_catalog_columns.moc"
