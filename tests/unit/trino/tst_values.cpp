#include "plugins/trino_sql/values.h"

#include <QTest>

#include <cmath>

using namespace ivm;
using namespace ivm::trino;

class tst_Values : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsValues_data();
    void readsValues();
    void refusesMisfits_data();
    void refusesMisfits();
    void namesTheColumn();
};

void tst_Values::readsValues_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("type");
    QTest::addColumn<Value>("value");
    const auto row = [](const char *name, const QByteArray &json, const char *type,
                        const Value &value) {
        QTest::newRow(name) << json << QString::fromUtf8(type) << value;
    };
    row("a whole number above 2^53", "9007199254740993", "bigint", {qint64(9007199254740993)});
    row("the least bigint", "-9223372036854775808", "bigint", {std::numeric_limits<qint64>::min()});
    row("minus zero", "-0.0", "double", {-0.0});
    row("a whole double", "10000000", "double", {1e7});
    row("a real is not its decimal text", "0.1", "real", {double(0.1F)});
    row("NaN", "\"NaN\"", "double", {std::nan("")});
    row("infinity", "\"-Infinity\"", "real", {-std::numeric_limits<double>::infinity()});
    row("bytes", "\"AP8=\"", "varbinary", {QByteArray::fromHex("00ff")});
    row("decimal keeps its zeros", "\"1.50\"", "decimal(3,2)", {QStringLiteral("1.50")});
    row("row", "[1, null]", "row(a bigint, b varchar)", {std::vector<Value>{{qint64(1)}, {}}});
    row("map with numbers for keys", "{\"9007199254740993\": \"x\"}", "map(bigint, varchar)",
        {std::vector<Value>{{qint64(9007199254740993)}, {QStringLiteral("x")}}});
    row("map with NaN for a key", "{\"NaN\": true}", "map(double, boolean)",
        {std::vector<Value>{{std::nan("")}, {true}}});
}

void tst_Values::readsValues()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, type);
    QFETCH(Value, value);
    const auto node = parseRawJson(json, u"a test");
    QVERIFY(node);
    const auto read = readValue(*node, parseType(type).value_or(Type()));
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QVERIFY2(*read == value, qPrintable(read->text()));
}

void tst_Values::refusesMisfits_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const QByteArray &json, const char *type,
                        const char *message) {
        QTest::newRow(name) << json << QString::fromUtf8(type) << QString::fromUtf8(message);
    };
    row("past 64 bits", "9223372036854775808", "bigint",
        "Trino gave 9223372036854775808 for a value of type bigint");
    row("a fraction", "1.5", "bigint", "Trino gave 1.5 for a value of type bigint");
    row("past the type", "128", "tinyint", "Trino gave 128 for a value of type tinyint");
    row("text for a number", "\"1\"", "integer", "Trino gave \"1\" for a value of type integer");
    row("a word for a double", "\"nan\"", "double",
        "Trino gave \"nan\" for a value of type double");
    row("no base64", "\"!\"", "varbinary", "Trino gave \"!\" for a value of type varbinary");
    row("a number for text", "1", "varchar", "Trino gave 1 for a value of type varchar");
    row("a number for a boolean", "1", "boolean", "Trino gave 1 for a value of type boolean");
    row("an object for an array", "{}", "array(bigint)",
        "Trino gave an object for a value of type array(bigint)");
    row("a row too short", "[1]", "row(a bigint, b bigint)",
        "Trino gave a list for a value of type row(a bigint, b bigint)");
    row("a list for a map", "[]", "map(bigint, bigint)",
        "Trino gave a list for a value of type map(bigint, bigint)");
    row("deep inside", "[[true]]", "array(array(bigint))",
        "Trino gave true for a value of type bigint");
    row("a value where there is none", "1", "unknown", "Trino gave 1 for a value of type unknown");
    row("nested keys", "{\"[1, a]\": 1}", "map(row(integer), integer)",
        "Trino does not give the keys of a map back exactly when they are of type row(integer)");
}

void tst_Values::refusesMisfits()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, type);
    QFETCH(QString, message);
    const auto node = parseRawJson(json, u"a test");
    QVERIFY(node);
    const auto read = readValue(*node, parseType(type).value_or(Type()));
    QVERIFY(!read);
    QCOMPARE(read.error().message, message);
}

void tst_Values::namesTheColumn()
{
    const QList<Column> columns{{.name = QStringLiteral("n"), .type = {.kind = TypeKind::Bigint}}};
    const auto bad = parseRawJson("[\"x\"]", u"a test");
    const auto longer = parseRawJson("[1, 2]", u"a test");
    QVERIFY(bad && longer);
    QCOMPARE(readRow(*bad, columns).error().message,
             QStringLiteral("column n: Trino gave \"x\" for a value of type bigint"));
    QCOMPARE(readRow(*longer, columns).error().message,
             QStringLiteral("Trino gave a row that is not a list of 1 values"));
}

QTEST_GUILESS_MAIN(tst_Values)
#include "tst_values.moc"
