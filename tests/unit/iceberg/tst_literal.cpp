#include "framework/iceberg/literal.h"

#include <QTest>

#include <limits>

using namespace ivm;
using namespace ivm::iceberg;

Q_DECLARE_METATYPE(FieldType)

namespace {

FieldType typeOf(TypeId id) { return {.id = id}; }

const FieldType kDecimal{.id = TypeId::Decimal, .precision = 9, .scale = 2};
const FieldType kWide{.id = TypeId::Decimal, .precision = 38, .scale = 0};

QString readBack(const FieldType &type, const QByteArray &hex)
{
    const auto literal = literalFromBytes(type, QByteArray::fromHex(hex));
    return literal ? literal->text() : literal.error().message;
}

}  // namespace

class tst_Literal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAndWritesBytes_data();
    void readsAndWritesBytes();
    void readsBoundsFromBeforeAPromotion();
    void refusesBytesOfAnotherSize();
    void readsWhatEnginesPrint_data();
    void readsWhatEnginesPrint();
    void refusesOtherText_data();
    void refusesOtherText();
    void comparesFloatsByTheirBits();
    void ordersByType_data();
    void ordersByType();
};

// Iceberg table spec, Appendix D.
void tst_Literal::readsAndWritesBytes_data()
{
    QTest::addColumn<FieldType>("type");
    QTest::addColumn<QByteArray>("hex");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *name, const FieldType &type, const char *hex,
                        const char *text) {
        QTest::newRow(name) << type << QByteArray(hex) << QString::fromUtf8(text);
    };
    row("true", typeOf(TypeId::Boolean), "01", "true");
    row("false", typeOf(TypeId::Boolean), "00", "false");
    row("int", typeOf(TypeId::Int), "feffffff", "-2");
    row("long", typeOf(TypeId::Long), "0000000000000080", "-9223372036854775808");
    row("float", typeOf(TypeId::Float), "0000c03f", "1.5");
    row("double", typeOf(TypeId::Double), "000000000000f87f", "nan");
    row("date", typeOf(TypeId::Date), "00420000", "16896");
    row("timestamp", typeOf(TypeId::Timestamp), "0100000000000000", "1");
    row("string", typeOf(TypeId::String), "69636562657267", "iceberg");
    row("uuid", typeOf(TypeId::Uuid), "f79c3e09677c4bbda4793f349cb785e7",
        "f79c3e09677c4bbda4793f349cb785e7");
    row("decimal 14.20", kDecimal, "058c", "058c");
    row("negative decimal", kDecimal, "ff", "ff");
    row("binary", typeOf(TypeId::Binary), "00ff", "00ff");
}

void tst_Literal::readsAndWritesBytes()
{
    QFETCH(FieldType, type);
    QFETCH(QByteArray, hex);
    QFETCH(QString, text);
    const auto literal = literalFromBytes(type, QByteArray::fromHex(hex));
    QVERIFY(literal);
    QCOMPARE(literal->text(), text);
    QCOMPARE(literalToBytes(type, *literal).toHex(), hex);
}

void tst_Literal::readsBoundsFromBeforeAPromotion()
{
    QCOMPARE(readBack(typeOf(TypeId::Long), "feffffff"), QStringLiteral("-2"));
    QCOMPARE(readBack(typeOf(TypeId::Double), "0000c03f"), QStringLiteral("1.5"));
    QCOMPARE(readBack(typeOf(TypeId::Timestamp), "01000000"), QStringLiteral("86400000000"));
    QCOMPARE(readBack(kDecimal, "0000058c"), QStringLiteral("058c"));
}

void tst_Literal::refusesBytesOfAnotherSize()
{
    QCOMPARE(readBack(typeOf(TypeId::Int), "0000000000000000"),
             QStringLiteral("8 bytes are no value of type int"));
    QCOMPARE(readBack(typeOf(TypeId::Time), "00000000"),
             QStringLiteral("4 bytes are no value of type time"));
    QCOMPARE(readBack(typeOf(TypeId::Uuid), "00"),
             QStringLiteral("1 bytes are no value of type uuid"));
    QCOMPARE(readBack(kDecimal, ""), QStringLiteral("0 bytes are no value of type decimal(9,2)"));
    QCOMPARE(readBack(typeOf(TypeId::Struct), "00"),
             QStringLiteral("1 bytes are no value of type struct<>"));
}

void tst_Literal::readsWhatEnginesPrint_data()
{
    QTest::addColumn<FieldType>("type");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("literal");
    const auto row = [](const char *name, const FieldType &type, const char *text,
                        const char *literal) {
        QTest::newRow(name) << type << QString::fromUtf8(text) << QString::fromUtf8(literal);
    };
    row("a boolean as a digit", typeOf(TypeId::Boolean), "1", "true");
    row("the least bigint", typeOf(TypeId::Long), "-9223372036854775808", "-9223372036854775808");
    row("the epoch", typeOf(TypeId::Date), "1970-01-01", "0");
    row("a day before it", typeOf(TypeId::Date), "1969-12-31", "-1");
    row("a leap day", typeOf(TypeId::Date), "2000-02-29", "11016");
    row("year 0", typeOf(TypeId::Date), "0000-12-31", "-719163");
    row("a year of six digits", typeOf(TypeId::Date), "+290000-01-01", "105200797");
    row("seconds", typeOf(TypeId::Timestamp), "2017-11-16 22:31:08", "1510871468000000");
    row("microseconds", typeOf(TypeId::Timestamp), "2017-11-16T22:31:08.000001",
        "1510871468000001");
    row("fewer digits", typeOf(TypeId::Timestamp), "1970-01-01 00:00:00.5", "500000");
    row("before the epoch", typeOf(TypeId::Timestamp), "1969-12-31 23:59:59.999999", "-1");
    row("more digits, all zero", typeOf(TypeId::Timestamp), "1970-01-01 00:00:00.000001000", "1");
    row("a date alone", typeOf(TypeId::Timestamp), "1970-01-02", "86400000000");
    row("UTC", typeOf(TypeId::Timestamptz), "1970-01-01 00:00:01.000000 UTC", "1000000");
    row("short offset", typeOf(TypeId::Timestamptz), "1970-01-01 00:00:01+00", "1000000");
    row("offset", typeOf(TypeId::Timestamptz), "2017-11-16T14:31:08-08:00", "1510871468000000");
    row("time", typeOf(TypeId::Time), "22:31:08", "81068000000");
    row("decimal", kDecimal, "14.20", "058c");
    row("decimal with fewer digits", kDecimal, "14.2", "058c");
    row("decimal with zeros beyond", kDecimal, "14.2000", "058c");
    row("negative decimal", kDecimal, "-0.01", "ff");
    row("the largest decimal", kWide, "99999999999999999999999999999999999999",
        "4b3b4ca85a86c47a098a223fffffffff");
    row("not a number", typeOf(TypeId::Double), "NaN", "nan");
    row("infinity", typeOf(TypeId::Double), "-Infinity", "-inf");
    row("real", typeOf(TypeId::Float), "0.1", "0.10000000149011612");
    row("uuid", typeOf(TypeId::Uuid), "f79c3e09-677c-4bbd-a479-3f349cb785e7",
        "f79c3e09677c4bbda4793f349cb785e7");
    row("nil uuid", typeOf(TypeId::Uuid), "00000000-0000-0000-0000-000000000000",
        "00000000000000000000000000000000");
    row("binary", typeOf(TypeId::Binary), "00FF", "00ff");
    row("text", typeOf(TypeId::String), " as it is ", " as it is ");
}

void tst_Literal::readsWhatEnginesPrint()
{
    QFETCH(FieldType, type);
    QFETCH(QString, text);
    QFETCH(QString, literal);
    const auto read = literalFromText(type, text);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(read->text(), literal);
}

void tst_Literal::refusesOtherText_data()
{
    QTest::addColumn<FieldType>("type");
    QTest::addColumn<QString>("text");
    const auto row = [](const FieldType &type, const char *text) {
        QTest::addRow("%s: %s", qPrintable(type.text()), text) << type << QString::fromUtf8(text);
    };
    row(typeOf(TypeId::Boolean), "yes");
    row(typeOf(TypeId::Int), "2147483648");
    row(typeOf(TypeId::Long), "9223372036854775808");
    row(typeOf(TypeId::Long), "1.0");
    row(typeOf(TypeId::Date), "2001-02-29");
    row(typeOf(TypeId::Date), "2001-1-1");
    row(typeOf(TypeId::Date), "999999-01-01");
    row(typeOf(TypeId::Timestamp), "2001-01-01 24:00:00");
    row(typeOf(TypeId::Timestamp), "2001-01-01 00:00:00.0000001");
    row(typeOf(TypeId::Timestamp), "2001-01-01 00:00:00+00");
    row(typeOf(TypeId::Timestamptz), "2001-01-01 00:00:00");
    row(typeOf(TypeId::Timestamptz), "2001-01-01 00:00:00 Mars/Olympus");
    row(typeOf(TypeId::Time), "12");
    row(kDecimal, "1.234");
    row(kDecimal, "12345678.90");
    row(kDecimal, "1e3");
    row(typeOf(TypeId::Uuid), "f79c3e09");
    row(typeOf(TypeId::Binary), "abc");
    row({.id = TypeId::Fixed, .length = 2}, "00");
    row(typeOf(TypeId::Double), "");
}

void tst_Literal::refusesOtherText()
{
    QFETCH(FieldType, type);
    QFETCH(QString, text);
    const auto read = literalFromText(type, text);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Invalid);
    QCOMPARE(read.error().message,
             QStringLiteral("'%1' is not a value of type %2").arg(text, type.text()));
}

void tst_Literal::comparesFloatsByTheirBits()
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(Literal{kNan} == Literal{-kNan});
    QCOMPARE(qHash(Literal{kNan}), qHash(Literal{-kNan}));
    QVERIFY(!(Literal{0.0} == Literal{-0.0}));
    QVERIFY(Literal{} == Literal{});
    QVERIFY(!(Literal{} == Literal{qint64(0)}));
}

void tst_Literal::ordersByType_data()
{
    QTest::addColumn<FieldType>("type");
    QTest::addColumn<QStringList>("ascending");
    QTest::newRow("numbers") << typeOf(TypeId::Long) << QStringLiteral("-10 -9 0 9 10").split(u' ');
    QTest::newRow("zeros") << typeOf(TypeId::Double) << QStringLiteral("-1 -0.0 0.0 1").split(u' ');
    QTest::newRow("decimals")
        << kDecimal
        << QStringLiteral("-300.00 -2.57 -2.56 -0.01 0.00 1.27 1.28 300.00").split(u' ');
    QTest::newRow("strings by code point")
        << typeOf(TypeId::String)
        << QStringList{QStringLiteral(""), QStringLiteral("a"), QStringLiteral("ab"),
                       QString(QChar(0xfb01)), QString::fromUtf8("\xf0\x9f\x90\xa7")};
    QTest::newRow("bytes without sign")
        << typeOf(TypeId::Binary) << QStringLiteral("00 7f 80 8000").split(u' ');
}

void tst_Literal::ordersByType()
{
    QFETCH(FieldType, type);
    QFETCH(QStringList, ascending);
    for (qsizetype i = 0; i < ascending.size(); ++i) {
        for (qsizetype j = 0; j < ascending.size(); ++j) {
            const auto left = literalFromText(type, ascending[i]);
            const auto right = literalFromText(type, ascending[j]);
            QVERIFY(left && right);
            QCOMPARE(literalLess(type, *left, *right), i < j);
        }
    }
}

QTEST_GUILESS_MAIN(tst_Literal)
#include "tst_literal.moc"
