#include "framework/api/table.h"

#include <QTest>

using namespace ivm;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};

}  // namespace

class tst_Table : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTableNames_data();
    void readsTableNames();
    void refusesTableNames_data();
    void refusesTableNames();
    void quotesEveryPart();
    void readsPartitionFields_data();
    void readsPartitionFields();
    void refusesPartitionFields_data();
    void refusesPartitionFields();
    void takesTheFolderForTheId_data();
    void takesTheFolderForTheId();
};

void tst_Table::readsTableNames_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::newRow("bare") << "Flights" << "iceberg.main.flights";
    QTest::newRow("schema and table") << "a.b" << "iceberg.a.b";
    QTest::newRow("whole") << "hive.a.b" << "hive.a.b";
    QTest::newRow("quoted parts") << "\"my schema\".\"a\"\"b.c\""
                                  << "iceberg.\"my schema\".\"a\"\"b.c\"";
}

void tst_Table::readsTableNames()
{
    QFETCH(QString, text);
    QFETCH(QString, name);
    const auto parsed = parseTableName(text, kDefaults);
    QVERIFY(parsed);
    QCOMPARE(parsed->text(), name);
    QCOMPARE(*parseTableName(parsed->quoted(), kDefaults), *parsed);
}

void tst_Table::refusesTableNames_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text :
         {"", ".", "a.", ".a", "a.b.c.d", "a b", "\"a", "\"\"", "1a", "a;drop", "a\"b\""})
        QTest::newRow(*text ? text : "empty") << QString::fromUtf8(text);
}

void tst_Table::refusesTableNames()
{
    QFETCH(QString, text);
    const auto parsed = parseTableName(text, kDefaults);
    QVERIFY(!parsed);
    QVERIFY(
        parsed.error().message.startsWith(QStringLiteral("'%1' is not a table name").arg(text)));
}

void tst_Table::quotesEveryPart()
{
    const TableName name{QStringLiteral("c"), QStringLiteral("s\"x"), QStringLiteral("order")};
    QCOMPARE(name.quoted(), QStringLiteral("\"c\".\"s\"\"x\".\"order\""));
    QCOMPARE(name.quotedMetadataTable(u"refs"), QStringLiteral("\"c\".\"s\"\"x\".\"order$refs\""));
    QCOMPARE(quotedLiteral(u"it's"), QStringLiteral("'it''s'"));
}

void tst_Table::readsPartitionFields_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("printed");
    QTest::newRow("identity") << "origin" << "origin";
    QTest::newRow("day") << " day( hour_ts ) " << "day(hour_ts)";
    QTest::newRow("any case") << "DAY(ts)" << "day(ts)";
    QTest::newRow("bucket") << "bucket(k,16)" << "bucket(k, 16)";
    QTest::newRow("a column named day") << "day" << "day";
    QTest::newRow("quoted") << "month(\"my ts\")" << "month(\"my ts\")";
}

void tst_Table::readsPartitionFields()
{
    QFETCH(QString, text);
    QFETCH(QString, printed);
    const auto field = parsePartitionField(text);
    QVERIFY(field);
    QCOMPARE(field->text(), printed);
}

void tst_Table::refusesPartitionFields_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "day(", "day()", "day(a, 1)", "bucket(a)", "bucket(a, 0)",
                             "week(a)", "a b", "truncate(a, x)", "day(a)) --"})
        QTest::newRow(*text ? text : "empty") << QString::fromUtf8(text);
}

void tst_Table::refusesPartitionFields()
{
    QFETCH(QString, text);
    QVERIFY(!parsePartitionField(text));
}

void tst_Table::takesTheFolderForTheId_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("id");
    QTest::newRow("usual") << "s3://b/t-1/metadata/00001-x.metadata.json" << "s3://b/t-1";
    QTest::newRow("a folder called metadata above")
        << "s3://b/metadata/t/metadata/v3.metadata.json" << "s3://b/metadata/t";
    QTest::newRow("metadata elsewhere") << "s3://b/log/t/v3.metadata.json" << "s3://b/log/t";
    QTest::newRow("a local one") << "file:///w/t/metadata/v3.metadata.json" << "file:///w/t";
    QTest::newRow("one slash") << "file:/w/t/metadata/v3.metadata.json" << "file:///w/t";
    QTest::newRow("a path") << "/w/t/metadata/v3.metadata.json" << "file:///w/t";
    QTest::newRow("no folder") << "x" << "";
}

void tst_Table::takesTheFolderForTheId()
{
    QFETCH(QString, file);
    QFETCH(QString, id);
    QCOMPARE(tableIdOf(file), id);
}

QTEST_GUILESS_MAIN(tst_Table)
#include "tst_table.moc"
