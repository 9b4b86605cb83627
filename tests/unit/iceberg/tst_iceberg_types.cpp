#include "framework/iceberg/schema.h"

#include <QTest>

using namespace ivm;
using namespace ivm::iceberg;

namespace {

Type typeFrom(const QString &text) { return parseType(text).value_or(Type{}); }

}  // namespace

class tst_IcebergTypes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysHowATypeIsStored_data();
    void saysHowATypeIsStored();
    void refusesTypesThatCannotBeStored_data();
    void refusesTypesThatCannotBeStored();
    void goesThereAndBack_data();
    void goesThereAndBack();
    void numbersFieldsLevelByLevel();
    void namesTheColumnThatCannotBeStored();
    void refusesANameTwice();
};

void tst_IcebergTypes::saysHowATypeIsStored_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("stored");
    QTest::addColumn<int>("keeping");
    const auto row = [](const char *type, const char *stored, Keeping keeping) {
        QTest::newRow(type) << QString::fromLatin1(type) << QString::fromLatin1(stored)
                            << int(keeping);
    };
    row("bigint", "bigint", Keeping::Exact);
    row("tinyint", "integer", Keeping::Widened);
    row("smallint", "integer", Keeping::Widened);
    row("varchar", "varchar", Keeping::Exact);
    row("varchar(10)", "varchar", Keeping::Widened);
    row("timestamp(6)", "timestamp(6)", Keeping::Exact);
    row("timestamp(3)", "timestamp(6)", Keeping::Widened);
    row("timestamp(9)", "timestamp(6)", Keeping::Narrowed);
    row("timestamp(6) with time zone", "timestamp(6) with time zone", Keeping::Exact);
    row("timestamp(0) with time zone", "timestamp(6) with time zone", Keeping::Widened);
    row("time(12)", "time(6)", Keeping::Narrowed);
    row("array(smallint)", "array(integer)", Keeping::Widened);
    row("map(varchar, row(a timestamp(9), b tinyint))",
        "map(varchar, row(a timestamp(6), b integer))", Keeping::Narrowed);
}

void tst_IcebergTypes::saysHowATypeIsStored()
{
    QFETCH(QString, type);
    QFETCH(QString, stored);
    QFETCH(int, keeping);
    const auto found = storedType(typeFrom(type));
    QVERIFY(found);
    QCOMPARE(found->type.text(), stored);
    QCOMPARE(int(found->keeping), keeping);
}

void tst_IcebergTypes::refusesTypesThatCannotBeStored_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char *type, const char *problem) {
        QTest::newRow(type) << QString::fromLatin1(type) << QString::fromLatin1(problem);
    };
    row("json", "no Iceberg table can hold a column of type json");
    row("char(3)", "no Iceberg table can hold a column of type char(3)");
    row("interval day to second",
        "no Iceberg table can hold a column of type interval day to second");
    row("time(6) with time zone",
        "no Iceberg table can hold a column of type time(6) with time zone");
    row("array(json)", "no Iceberg table can hold a column of type json");
    row("row(bigint, b bigint)",
        "a field of row(bigint, b bigint) has no name, which a table needs");
    row("row(a bigint, \"A\" bigint)", "two fields of row(a bigint, \"A\" bigint) are called 'A'");
}

void tst_IcebergTypes::refusesTypesThatCannotBeStored()
{
    QFETCH(QString, type);
    QFETCH(QString, problem);
    const auto found = storedType(typeFrom(type));
    QVERIFY(!found);
    QCOMPARE(found.error().kind, ErrorKind::Unsupported);
    QCOMPARE(found.error().message, problem);
}

void tst_IcebergTypes::goesThereAndBack_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("iceberg");
    const auto row = [](const char *type, const char *iceberg) {
        QTest::newRow(type) << QString::fromLatin1(type) << QString::fromLatin1(iceberg);
    };
    row("boolean", "boolean");
    row("integer", "int");
    row("bigint", "long");
    row("real", "float");
    row("double", "double");
    row("decimal(12,2)", "decimal(12,2)");
    row("varchar", "string");
    row("varbinary", "binary");
    row("uuid", "uuid");
    row("date", "date");
    row("time(6)", "time");
    row("timestamp(6)", "timestamp");
    row("timestamp(6) with time zone", "timestamptz");
    row("array(bigint)", "list<long>");
    row("map(varchar, double)", "map<string, double>");
    row("row(a bigint, b array(date))", "struct<a: long, b: list<date>>");
}

void tst_IcebergTypes::goesThereAndBack()
{
    QFETCH(QString, type);
    QFETCH(QString, iceberg);
    int lastId = 0;
    const auto made = toIceberg(typeFrom(type), &lastId);
    QVERIFY(made);
    QCOMPARE(made->text(), iceberg);
    QCOMPARE(toTrino(*made).text(), type);
}

void tst_IcebergTypes::numbersFieldsLevelByLevel()
{
    const auto schema =
        makeSchema({{.name = QStringLiteral("r"),
                     .type = typeFrom(QStringLiteral("row(x row(y bigint), z bigint)"))},
                    {.name = QStringLiteral("k"),
                     .type = typeFrom(QStringLiteral("bigint")),
                     .nullable = false,
                     .comment = QStringLiteral("the key")}});
    QVERIFY(schema);
    QCOMPARE(schema->fields[0].id, 1);
    QCOMPARE(schema->fields[1].id, 2);
    QCOMPARE(schema->fields[0].type.fields[0].id, 3);
    QCOMPARE(schema->fields[0].type.fields[1].id, 4);
    QCOMPARE(schema->fields[0].type.fields[0].type.fields[0].id, 5);
    QCOMPARE(schema->highestId(), 5);
    const auto columns = columnsOf(*schema);
    QCOMPARE(columns[1], (Column{.name = QStringLiteral("k"),
                                 .type = typeFrom(QStringLiteral("bigint")),
                                 .nullable = false,
                                 .fieldId = 2,
                                 .comment = QStringLiteral("the key")}));
    QVERIFY(schemaFromJson(schemaToJson(*schema), u"s") == *schema);
}

void tst_IcebergTypes::namesTheColumnThatCannotBeStored()
{
    const auto schema = makeSchema(
        {{.name = QStringLiteral("n"), .type = typeFrom(QStringLiteral("timestamp(3)"))}});
    QVERIFY(!schema);
    QCOMPARE(schema.error().kind, ErrorKind::Unsupported);
    QCOMPARE(
        schema.error().message,
        QStringLiteral(
            "column 'n': a column of type timestamp(3) is stored as timestamp(6); cast it first"));
}

void tst_IcebergTypes::refusesANameTwice()
{
    const Column column{.name = QStringLiteral("a"), .type = typeFrom(QStringLiteral("bigint"))};
    Column other = column;
    other.name = QStringLiteral("A");
    QCOMPARE(makeSchema({column, other}).error().message,
             QStringLiteral("two columns are called 'A'"));
    QCOMPARE(makeSchema({}).error().message, QStringLiteral("a table needs at least one column"));
}

QTEST_GUILESS_MAIN(tst_IcebergTypes)
#include "tst_iceberg_types.moc"
