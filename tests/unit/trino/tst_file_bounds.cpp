#include "plugins/detector_trino/field_ids.h"
#include "plugins/detector_trino/file_bounds.h"
#include "tests/unit/trino/scripted_session.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

Type typeOf(const QString &text) { return parseType(text).value_or(Type()); }

QString shown(const FileBounds &bounds)
{
    const auto bound = [](const std::optional<qint64> &value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    static const QStringList states{QStringLiteral("never"), QStringLiteral("some"),
                                    QStringLiteral("always"), QStringLiteral("unknown")};
    return QStringLiteral("[%1, %2] %3")
        .arg(bound(bounds.lower), bound(bounds.upper), states[static_cast<int>(bounds.nullState)]);
}

}  // namespace

class tst_FileBounds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsMetrics_data();
    void readsMetrics();
    void readsPartitionValues_data();
    void readsPartitionValues();
    void believesMetricsBeforePartitions();
    void readsFieldIdsFromAPlan();
    void refusesPlansWithoutColumns_data();
    void refusesPlansWithoutColumns();
};

void tst_FileBounds::readsMetrics_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QStringList>("texts");     // lower and upper bound
    QTest::addColumn<QList<qint64>>("counts");  // values and NULLs; -1 for none
    QTest::addColumn<QString>("bounds");
    const auto row = [](const char *name, const char *type, const char *lower, const char *upper,
                        qint64 values, qint64 nulls, const char *bounds) {
        QTest::newRow(name) << QString::fromUtf8(type)
                            << QStringList{QString::fromUtf8(lower), QString::fromUtf8(upper)}
                            << QList<qint64>{values, nulls} << QString::fromUtf8(bounds);
    };
    row("timestamp", "timestamp(6)", "1969-12-31T23:59:59.999999", "2001-01-31T12:00:00", 5, 0,
        "[-1, 980942400000000] never");
    row("timestamp with time zone", "timestamp(6) with time zone", "2001-01-31T12:00:00+00:00",
        "2001-01-31T12:00:00.000001+00:00", 5, 1, "[980942400000000, 980942400000001] some");
    row("date", "date", "1969-12-31", "1970-01-02", 5, 0, "[-1, 1] never");
    row("integer", "integer", "-7", "8", 5, 0, "[-7, 8] never");
    row("the whole range of bigint", "bigint", "-9223372036854775808", "9223372036854775807", 5, 0,
        "[-9223372036854775808, 9223372036854775807] never");
    row("only NULLs", "date", "", "", 5, 5, "[?, ?] always");
    row("NULLs are not counted", "date", "1970-01-01", "1970-01-02", 5, -1, "[0, 1] unknown");
    row("values are not counted, all ten records are NULL", "date", "", "", -1, 10,
        "[?, ?] always");
    row("no metrics", "date", "", "", -1, -1, "[?, ?] unknown");
    row("half a metric", "date", "1970-01-01", "", 5, 0, "[0, ?] never");
    row("a year of five digits", "date", "1970-01-01", "+10000-01-01", 5, 0, "[0, 2932897] never");
    row("a date that is none", "date", "yesterday", "1970-01-01", 5, 0, "[?, 0] never");
    row("nonsense", "bigint", "1.5", "x", 5, -3, "[?, ?] unknown");
    row("another type", "varchar", "a", "b", 5, 0, "[?, ?] never");
    row("a type no table holds", "json", "1", "2", 5, 0, "[?, ?] never");
}

void tst_FileBounds::readsMetrics()
{
    QFETCH(QString, type);
    QFETCH(QStringList, texts);
    QFETCH(QList<qint64>, counts);
    QFETCH(QString, bounds);
    const auto count = [](qint64 value) {
        return value == -1 ? std::nullopt : std::optional(value);
    };
    QCOMPARE(shown(boundsFromMetrics(typeOf(type),
                                     {texts[0], texts[1], count(counts[0]), count(counts[1])}, 10)),
             bounds);
}

void tst_FileBounds::readsPartitionValues_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("partitioning");
    QTest::addColumn<QString>("fields");
    QTest::addColumn<Value>("partition");
    QTest::addColumn<QString>("bounds");
    const auto row = [](const char *name, const char *type, const char *partitioning,
                        const char *fields, const Value &value, const char *bounds) {
        QTest::newRow(name) << QString::fromUtf8(type) << QString::fromUtf8(partitioning)
                            << QString::fromUtf8(fields) << Value{std::vector<Value>{value}}
                            << QString::fromUtf8(bounds);
    };
    row("a day of a timestamp", "timestamp(6)", "day(ts)", "row(ts_day date)", cell("1970-01-02"),
        "[86400000000, 172799999999] never");
    row("an hour", "timestamp(6)", "hour(ts)", "row(ts_hour integer)", cell(1),
        "[3600000000, 7199999999] never");
    row("an hour that old writers numbered one too high", "timestamp(6)", "hour(ts)",
        "row(ts_hour integer)", cell(-1), "[-7200000000, -1] never");
    row("a month of a date", "date", "month(ts)", "row(ts_month integer)", cell(1),
        "[31, 58] never");
    row("a year", "date", "year(ts)", "row(ts_year integer)", cell(1), "[365, 729] never");
    row("itself", "date", "ts", "row(ts date)", cell("1970-01-05"), "[4, 4] never");
    row("NULL may be another spec's", "date", "ts", "row(ts date)", {}, "[?, ?] unknown");
    row("of another column", "date", "day(other)", "row(other_day date)", cell("1970-01-05"),
        "[?, ?] unknown");
    row("a field that is none of the spec's", "date", "month(ts)", "row(ts_day date)",
        cell("1970-01-05"), "[?, ?] unknown");
    row("a width", "bigint", "truncate(ts, 100)", "row(ts_trunc bigint)", cell(200),
        "[200, 299] never");
    row("a width that may be an earlier spec's", "bigint", "truncate(ts, 10)",
        "row(ts_trunc bigint, ts_trunc bigint)", cell(200), "[?, ?] unknown");
    row("a table that had other fields", "date", "ts", "row(ts date, other integer)",
        cell("1970-01-05"), "[?, ?] unknown");
    row("a bucket tells nothing", "bigint", "bucket(ts, 4)", "row(ts_bucket integer)", cell(1),
        "[?, ?] unknown");
}

void tst_FileBounds::readsPartitionValues()
{
    QFETCH(QString, type);
    QFETCH(QString, partitioning);
    QFETCH(QString, fields);
    QFETCH(Value, partition);
    QFETCH(QString, bounds);
    const Column column{.name = QStringLiteral("TS"), .type = typeOf(type)};
    const auto field = parsePartitionField(partitioning);
    QVERIFY(field);
    QCOMPARE(shown(boundsFromPartition(column, {*field}, typeOf(fields), partition)), bounds);
}

void tst_FileBounds::believesMetricsBeforePartitions()
{
    const FileBounds day{.lower = 0, .upper = 86399999999, .nullState = NullState::Never};
    QCOMPARE(shown(completed({.lower = 5, .upper = {}, .nullState = NullState::Unknown}, day)),
             QStringLiteral("[5, 86399999999] never"));
    QCOMPARE(shown(completed({.lower = {}, .upper = {}, .nullState = NullState::Always}, day)),
             QStringLiteral("[?, ?] always"));
    QCOMPARE(shown(completed({.lower = 5, .upper = 6, .nullState = NullState::Some}, day)),
             QStringLiteral("[5, 6] some"));
}

namespace {

// Below the class: moc does not see past such a literal.
const QByteArray kPlan = R"json({"id":"5","name":"Output","details":["a:b := a_b"],
    "children":[{"name":"TableScan","outputs":[{"type":"bigint","name":"a_b"},
        {"type":"row(\"x y\" bigint)","name":"c_d"},{"type":"varchar","name":"a"},
        {"type":"timestamp(6) with time zone","name":"x"},{"type":"row(bigint)","name":"field"}],
    "details":["a_b := 1:a:b:bigint","c_d := 2:c d:row(x y bigint)","a := 4:a:varchar",
        "x := 3:ts:timestamp(6) with time zone","    :: [NULL]",
        "field := -2147483648:$row_id:row(_file varchar)","y := nonsense","z := 9:z:bigint"],
    "children":[]}]})json";

}  // namespace

void tst_FileBounds::readsFieldIdsFromAPlan()
{
    const auto fields = TableFields::fromPlan(kPlan);
    QVERIFY2(fields, qPrintable(fields ? QString() : fields.error().text()));
    QStringList found;
    for (const auto &column :
         fields->columnsOf({QStringLiteral("A:B"), QStringLiteral("a"), QStringLiteral("gone"),
                            QStringLiteral("c d"), QStringLiteral("ts"), QStringLiteral("c"),
                            QStringLiteral("z")}))
        found.append(
            QStringLiteral("%1 %2 %3").arg(column.fieldId).arg(column.name, column.type.text()));
    QCOMPARE(found, QStringList({QStringLiteral("1 A:B bigint"), QStringLiteral("4 a varchar"),
                                 QStringLiteral("2 c d row(\"x y\" bigint)"),
                                 QStringLiteral("3 ts timestamp(6) with time zone")}));
}

void tst_FileBounds::refusesPlansWithoutColumns_data()
{
    QTest::addColumn<QString>("plan");
    QTest::addColumn<QString>("message");
    QTest::newRow("no JSON") << "Fragment 0" << "Trino's plan is not JSON: illegal value at byte 1";
    QTest::newRow("no details") << "{}" << "Trino's plan names no field ids of c.s.t";
    QTest::newRow("nested past all use")
        << QString(QStringLiteral("{\"children\":[").repeated(300) +
                   QStringLiteral("]}").repeated(300))
        << "Trino's plan names no field ids of c.s.t";
}

void tst_FileBounds::refusesPlansWithoutColumns()
{
    QFETCH(QString, plan);
    QFETCH(QString, message);
    ScriptedSession session;
    session.answer(QStringLiteral("EXPLAIN"), Rows{.columns = {}, .rows = {rowOf(plan)}});
    const auto fields = readFields(
        session, {QStringLiteral("c"), QStringLiteral("s"), QStringLiteral("t")}, {}, Call{});
    QVERIFY(!fields);
    QCOMPARE(fields.error().message, message);
}

QTEST_GUILESS_MAIN(tst_FileBounds)
#include "tst_file_bounds.moc"
