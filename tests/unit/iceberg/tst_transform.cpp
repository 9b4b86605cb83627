#include "framework/iceberg/transform.h"

#include <QTest>

#include <limits>

using namespace ivm;
using namespace ivm::iceberg;

Q_DECLARE_METATYPE(FieldType)

namespace {

FieldType typeOf(TypeId id) { return {.id = id}; }

const FieldType kDecimal{.id = TypeId::Decimal, .precision = 9, .scale = 2};

QString textOf(const FileBounds &bounds)
{
    static const char *kNulls[] = {"never", "some", "always", "unknown"};
    const auto end = [](std::optional<qint64> value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    return end(bounds.lower) + QStringLiteral("..") + end(bounds.upper) + u' ' +
           QString::fromLatin1(kNulls[int(bounds.nullState)]);
}

}  // namespace

class tst_Transform : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsItsName_data();
    void readsItsName();
    void transformsValues_data();
    void transformsValues();
    void givesNullForNull();
    void refusesTypesItDoesNotTake();
    void boundsTheColumn_data();
    void boundsTheColumn();
    void boundsHoldForEveryValue_data();
    void boundsHoldForEveryValue();
};

void tst_Transform::readsItsName_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("known");
    for (const char *text :
         {"identity", "year", "month", "day", "hour", "void", "bucket[16]", "truncate[3]"})
        QTest::newRow(text) << QString::fromLatin1(text) << true;
    for (const char *text :
         {"", "bucket", "bucket[0]", "bucket[-1]", "bucket[99999999999]", "day[1]", "zorder"})
        QTest::addRow("not %s", text) << QString::fromLatin1(text) << false;
}

void tst_Transform::readsItsName()
{
    QFETCH(QString, text);
    QFETCH(bool, known);
    const auto transform = parseTransform(text);
    QCOMPARE(transform.kind.has_value(), known);
    QCOMPARE(transform.text, text);
    if (known)
        QCOMPARE(makeTransform(*transform.kind, transform.argument).text, text);
}

// The examples of the Iceberg table spec, "Partition Transforms" and Appendix B; buckets of 2^31 -
// 1 would hide the sign only, so hashes are compared modulo a prime.
void tst_Transform::transformsValues_data()
{
    QTest::addColumn<FieldType>("type");
    QTest::addColumn<QString>("transform");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("result");
    const auto row = [](const FieldType &type, const char *transform, const char *value,
                        const QString &result) {
        QTest::addRow("%s of %s", transform, value)
            << type << QString::fromLatin1(transform) << QString::fromUtf8(value) << result;
    };
    const auto text = [](const char *result) { return QString::fromUtf8(result); };
    row(typeOf(TypeId::Timestamp), "year", "2017-11-16 22:31:08", text("47"));
    row(typeOf(TypeId::Timestamp), "year", "1969-12-31 23:59:59.999999", text("-1"));
    row(typeOf(TypeId::Timestamp), "month", "2017-11-16 22:31:08", text("574"));
    row(typeOf(TypeId::Timestamp), "month", "1969-12-31 23:59:59", text("-1"));
    row(typeOf(TypeId::Timestamp), "day", "2017-11-16 22:31:08", text("17486"));
    row(typeOf(TypeId::Timestamp), "day", "1969-12-31 23:59:59", text("-1"));
    row(typeOf(TypeId::Timestamp), "hour", "2017-11-16 22:31:08", text("419686"));
    row(typeOf(TypeId::Timestamp), "hour", "1969-12-31 23:59:59", text("-1"));
    row(typeOf(TypeId::Timestamptz), "day", "1970-01-01 00:30:00+01", text("-1"));
    row(typeOf(TypeId::Date), "year", "1970-01-01", text("0"));
    row(typeOf(TypeId::Date), "year", "0000-01-01", text("-1970"));
    row(typeOf(TypeId::Date), "year", "-0001-01-01", text("-1971"));
    row(typeOf(TypeId::Date), "month", "0000-12-31", text("-23629"));
    row(typeOf(TypeId::Date), "day", "2017-11-16", text("17486"));
    row(typeOf(TypeId::Int), "truncate[10]", "1", text("0"));
    row(typeOf(TypeId::Int), "truncate[10]", "-1", text("-10"));
    row(kDecimal, "truncate[50]", "10.65", text("041a"));
    row(kDecimal, "truncate[50]", "-0.01", text("ce"));
    row(typeOf(TypeId::String), "truncate[3]", "iceberg", text("ice"));
    row(typeOf(TypeId::String), "truncate[2]", "\xf0\x9f\x90\xa7Zü", text("\xf0\x9f\x90\xa7Z"));
    row(typeOf(TypeId::Binary), "truncate[3]", "0102030405", text("010203"));
    row(typeOf(TypeId::String), "identity", "as it is", text("as it is"));

    constexpr int kBuckets = 999983;
    const auto hash = [&](const FieldType &type, const char *value, qint32 expected) {
        row(type, "bucket[999983]", value, QString::number((expected & 0x7fffffff) % kBuckets));
    };
    hash(typeOf(TypeId::Int), "34", 2017239379);
    hash(typeOf(TypeId::Long), "34", 2017239379);
    hash(kDecimal, "14.20", -500754589);
    hash(typeOf(TypeId::Date), "2017-11-16", -653330422);
    hash(typeOf(TypeId::Time), "22:31:08", -662762989);
    hash(typeOf(TypeId::Timestamp), "2017-11-16T22:31:08", -2047944441);
    hash(typeOf(TypeId::Timestamp), "2017-11-16T22:31:08.000001", -1207196810);
    hash(typeOf(TypeId::Timestamptz), "2017-11-16T14:31:08-08:00", -2047944441);
    hash(typeOf(TypeId::String), "iceberg", 1210000089);
    hash(typeOf(TypeId::Uuid), "f79c3e09-677c-4bbd-a479-3f349cb785e7", 1488055340);
    hash({.id = TypeId::Fixed, .length = 4}, "00010203", -188683207);
    hash(typeOf(TypeId::Binary), "00010203", -188683207);
}

void tst_Transform::transformsValues()
{
    QFETCH(FieldType, type);
    QFETCH(QString, transform);
    QFETCH(QString, value);
    QFETCH(QString, result);
    const auto literal = literalFromText(type, value);
    QVERIFY(literal);
    const auto made = applyTransform(parseTransform(transform), type, *literal);
    QVERIFY2(made, qPrintable(made ? QString() : made.error().text()));
    QCOMPARE(made->text(), result);
}

void tst_Transform::givesNullForNull()
{
    for (const char *text : {"identity", "year", "month", "day", "bucket[4]", "void"}) {
        const auto made =
            applyTransform(parseTransform(QString::fromLatin1(text)), typeOf(TypeId::Date), {});
        QVERIFY(made && made->isNull());
    }
    const auto made =
        applyTransform(parseTransform(QStringLiteral("void")), typeOf(TypeId::Date), {qint64(1)});
    QVERIFY(made && made->isNull());
}

void tst_Transform::refusesTypesItDoesNotTake()
{
    const auto problem = [](const char *transform, const FieldType &type) {
        const auto result = transformedType(parseTransform(QString::fromLatin1(transform)), type);
        return result ? QStringLiteral("taken") : result.error().message;
    };
    QCOMPARE(problem("hour", typeOf(TypeId::Date)),
             QStringLiteral("partition transform hour does not take a column of type date"));
    QCOMPARE(problem("day", typeOf(TypeId::Long)),
             QStringLiteral("partition transform day does not take a column of type long"));
    QCOMPARE(problem("bucket[3]", typeOf(TypeId::Double)),
             QStringLiteral("partition transform bucket[3] does not take a column of type double"));
    QCOMPARE(problem("zorder", typeOf(TypeId::Long)),
             QStringLiteral("partition transform 'zorder' is not known"));
}

void tst_Transform::boundsTheColumn_data()
{
    QTest::addColumn<FieldType>("type");
    QTest::addColumn<QString>("transform");
    QTest::addColumn<qint64>("value");
    QTest::addColumn<QString>("bounds");
    const auto row = [](const char *name, const FieldType &type, const char *transform,
                        qint64 value, const char *bounds) {
        QTest::newRow(name) << type << QString::fromLatin1(transform) << value
                            << QString::fromLatin1(bounds);
    };
    row("a date itself", typeOf(TypeId::Date), "identity", 12, "12..12 never");
    row("a number itself", typeOf(TypeId::Long), "identity", -5, "-5..-5 never");
    row("the day of a date", typeOf(TypeId::Date), "day", 12, "12..12 never");
    row("a day", typeOf(TypeId::Timestamp), "day", 1, "86400000000..172799999999 never");
    row("an hour", typeOf(TypeId::Timestamp), "hour", 1, "3600000000..7199999999 never");
    // Up to 0 a number may also be one too high.
    row("the first hour", typeOf(TypeId::Timestamp), "hour", 0, "-3600000000..3599999999 never");
    row("a day before the epoch", typeOf(TypeId::Timestamptz), "day", -1,
        "-172800000000..-1 never");
    row("the day of a date before the epoch", typeOf(TypeId::Date), "day", -1, "-1..-1 never");
    row("a month of dates", typeOf(TypeId::Date), "month", 1, "31..58 never");
    row("the month before the epoch", typeOf(TypeId::Date), "month", -1, "-61..-1 never");
    row("a leap year", typeOf(TypeId::Date), "year", 2, "730..1095 never");
    row("a year", typeOf(TypeId::Timestamp), "year", 1, "31536000000000..63071999999999 never");
    row("the first year of dates", typeOf(TypeId::Date), "year", 0, "-365..364 never");
    row("a width", typeOf(TypeId::Int), "truncate[10]", -10, "-10..-1 never");
    row("a bucket", typeOf(TypeId::Long), "bucket[4]", 3, "?..? never");
    row("nothing", typeOf(TypeId::Long), "void", 3, "?..? unknown");
    row("an unknown transform", typeOf(TypeId::Long), "zorder", 3, "?..? unknown");
    constexpr qint64 kMost = std::numeric_limits<qint64>::max();
    row("a day beyond time", typeOf(TypeId::Timestamp), "day", kMost, "?..? never");
    row("a month beyond time", typeOf(TypeId::Timestamp), "month", kMost, "?..? never");
    row("a year beyond time", typeOf(TypeId::Timestamp), "year", kMost / 2, "?..? never");
    row("a width beyond numbers", typeOf(TypeId::Long), "truncate[10]", kMost, "?..? never");
}

void tst_Transform::boundsTheColumn()
{
    QFETCH(FieldType, type);
    QFETCH(QString, transform);
    QFETCH(qint64, value);
    QFETCH(QString, bounds);
    QCOMPARE(textOf(boundsOfPartition(parseTransform(transform), type, {value})), bounds);
}

void tst_Transform::boundsHoldForEveryValue_data()
{
    QTest::addColumn<QString>("transform");
    for (const char *text : {"identity", "year", "month", "day", "hour"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

// Every value lies within the bounds of its own partition, and the values next to these do not. The
// period before belongs to it where old writers numbered periods one too high.
void tst_Transform::boundsHoldForEveryValue()
{
    QFETCH(QString, transform);
    const auto parsed = parseTransform(transform);
    const auto type = typeOf(TypeId::Timestamp);
    const auto partitionOf = [&](qint64 value) {
        return applyTransform(parsed, type, {value}).value_or(Literal{});
    };
    for (qint64 value = -200'000'000'000'000'000; value < 200'000'000'000'000'000;
         value += 3'141'592'653'589'793) {
        const auto partition = partitionOf(value);
        const auto bounds = boundsOfPartition(parsed, type, partition);
        QVERIFY(bounds.lower && bounds.upper);
        QVERIFY(*bounds.lower <= value && value <= *bounds.upper);
        auto first = partition;
        if (auto &number = std::get<qint64>(first.data); transform != u"identity" && number <= 0)
            --number;
        QVERIFY(partitionOf(*bounds.lower) == first && partitionOf(*bounds.upper) == partition);
        QVERIFY(!(partitionOf(*bounds.lower - 1) == first));
        QVERIFY(!(partitionOf(*bounds.upper + 1) == partition));
    }
}

QTEST_GUILESS_MAIN(tst_Transform)
#include "tst_transform.moc"
