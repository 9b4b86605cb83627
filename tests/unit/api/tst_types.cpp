#include "framework/api/types.h"

#include <QTest>

using namespace ivm;

class tst_Types : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTrinosSpelling_data();
    void readsTrinosSpelling();
    void refusesWhatIsNoType_data();
    void refusesWhatIsNoType();
};

void tst_Types::readsTrinosSpelling_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("printed");
    const auto row = [](const char *name, const char *text, const char *printed) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(printed);
    };
    row("plain word", "bigint", "bigint");
    row("any case", "BigInt", "bigint");
    row("short name", "int", "integer");
    row("two words", "double precision", "double");
    row("decimal", "decimal( 12 , 2 )", "decimal(12,2)");
    row("decimal without scale", "decimal(5)", "decimal(5,0)");
    row("bare decimal", "decimal", "decimal(38,0)");
    row("unbounded varchar", "varchar", "varchar");
    row("bounded varchar", "varchar(10)", "varchar(10)");
    row("char is one character", "char", "char(1)");
    row("timestamp has milliseconds", "timestamp", "timestamp(3)");
    row("timestamp with time zone", "timestamp(6)  with time zone", "timestamp(6) with time zone");
    row("timestamp without time zone", "timestamp(6) without time zone", "timestamp(6)");
    row("interval", "interval day to second", "interval day to second");
    row("array", "array(varchar(3))", "array(varchar(3))");
    row("map", "map(varchar, array(bigint))", "map(varchar, array(bigint))");
    row("row", "row(a bigint, \"B c\" row(double, x timestamp(6) with time zone))",
        "row(a bigint, \"B c\" row(double, x timestamp(6) with time zone))");
    row("a field named like a type", "row(date date, double double)",
        "row(date date, double double)");
    row("a quoted quote", "row(\"a\"\"b\" bigint)", "row(\"a\"\"b\" bigint)");
}

void tst_Types::readsTrinosSpelling()
{
    QFETCH(QString, text);
    QFETCH(QString, printed);
    const auto type = parseType(text);
    QVERIFY2(type, qPrintable(type ? QString() : type.error().text()));
    QCOMPARE(type->text(), printed);
    QVERIFY(parseType(printed) == *type);
}

void tst_Types::refusesWhatIsNoType_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text :
         {"", "bigints", "decimal(39,0)", "decimal(3,4)", "decimal(0)", "timestamp(13)", "array()",
          "array(bigint, bigint)", "map(bigint)", "row(a)", "row(a bigint", "bigint)",
          "varchar(-1)", "interval day", "row(\"a bigint)", "decimal(99999999999)"})
        QTest::newRow(*text ? text : "empty") << QString::fromUtf8(text);
    QTest::newRow("nested past all use") << QStringLiteral("array(").repeated(5000);
}

void tst_Types::refusesWhatIsNoType()
{
    QFETCH(QString, text);
    const auto type = parseType(text);
    QVERIFY(!type);
    QCOMPARE(type.error().kind, ErrorKind::Invalid);
}

QTEST_GUILESS_MAIN(tst_Types)
#include "tst_types.moc"
