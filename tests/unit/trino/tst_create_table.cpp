#include "plugins/trino_sql/create_table.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

class tst_CreateTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEverything();
    void readsAPlainTable();
    void refusesOtherTexts_data();
    void refusesOtherTexts();
};

void tst_CreateTable::readsEverything()
{
    const auto table =
        readCreateTable(u"CREATE TABLE iceberg.\"my (schema\".\"t,1\" (\n"
                        u"   \"a:b\" bigint NOT NULL COMMENT 'it''s, (a) key',\n"
                        u"   \"c d\" ROW(\"order\" bigint, x map(varchar, decimal(12, 2))),\n"
                        u"   ts timestamp(6) with time zone COMMENT 'when',\n"
                        u"   \"e\"\"f\" varchar\n"
                        u")\n"
                        u"COMMENT 'WITH ( partitioning = ARRAY[''x''] )'\n"
                        u"WITH (\n"
                        u"   format = 'PARQUET',\n"
                        u"   format_version = 2,\n"
                        u"   partitioning = ARRAY['\"a:b\"','bucket(\"e\"\"f\", 4)','day(ts)'],\n"
                        u"   sorted_by = ARRAY['\"a:b\" DESC NULLS LAST']\n"
                        u")");
    QVERIFY2(table, qPrintable(table ? QString() : table.error().text()));
    QStringList columns;
    for (const auto &column : table->columns)
        columns.append(QStringLiteral("%1: %2%3 %4")
                           .arg(column.name, column.type.text(),
                                column.nullable ? QString() : QStringLiteral("!"), column.comment));
    QCOMPARE(columns,
             QStringList({QStringLiteral("a:b: bigint! it's, (a) key"),
                          QStringLiteral("c d: row(order bigint, x map(varchar, decimal(12,2))) "),
                          QStringLiteral("ts: timestamp(6) with time zone when"),
                          QStringLiteral("e\"f: varchar ")}));
    QStringList fields;
    for (const auto &field : table->partitioning)
        fields.append(field.text());
    QCOMPARE(fields,
             QStringList({QStringLiteral("\"a:b\""), QStringLiteral("bucket(\"e\"\"f\", 4)"),
                          QStringLiteral("day(ts)")}));
    QCOMPARE(table->sortedBy, QStringList(QStringLiteral("\"a:b\" DESC NULLS LAST")));
}

void tst_CreateTable::readsAPlainTable()
{
    const auto table = readCreateTable(u"CREATE TABLE t (\n   a bigint\n)");
    QVERIFY(table);
    QCOMPARE(table->columns.size(), 1);
    QVERIFY(table->columns[0].nullable);
    QVERIFY(table->partitioning.isEmpty());
}

void tst_CreateTable::refusesOtherTexts_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *text, const char *message) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(message);
    };
    const char *unreadable = "SHOW CREATE TABLE printed what cannot be read at ''";
    row("nothing", "", unreadable);
    row("a view", "SELECT 1", "SHOW CREATE TABLE printed what cannot be read at 'SELECT 1'");
    row("cut after the name", "CREATE TABLE t", unreadable);
    row("cut in a column", "CREATE TABLE t (a row(b bigint", unreadable);
    row("cut in a name", "CREATE TABLE t (\"a", unreadable);
    row("cut in a property", "CREATE TABLE t (a bigint) WITH (format = 'X", unreadable);
    row("an unknown type", "CREATE TABLE t (a geometry)",
        "column a has type geometry, which is not handled");
}

void tst_CreateTable::refusesOtherTexts()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    const auto table = readCreateTable(text);
    QVERIFY(!table);
    QCOMPARE(table.error().message, message);
}

QTEST_GUILESS_MAIN(tst_CreateTable)
#include "tst_create_table.moc"
