#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/engine/damage.h"
#include "plugins/executor_duckdb/engine/spelling.h"

#include <QTest>

#include <limits>
#include <thread>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

Type typeOf(const char *text) { return *parseType(QString::fromLatin1(text)); }

}  // namespace

class tst_DuckdbEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void readsValues_data();
    void readsValues();
    void describesTypes_data();
    void describesTypes();
    void streamsMoreRowsThanAChunk();
    void stopsAtAnErrorOfTheSink();
    void namesWhatIsWrong_data();
    void namesWhatIsWrong();
    void tellsDamageFromOtherFaults();
    void timesOut();
    void isCancelled();
    void worksAfterAnInterrupt();
    void refusesOptions_data();
    void refusesOptions();
    void spellsDates_data();
    void spellsDates();
    void spellsDecimals_data();
    void spellsDecimals();

private:
    std::unique_ptr<Connection> m_connection;
};

void tst_DuckdbEngine::initTestCase()
{
    auto database = Database::open({});
    QVERIFY(database);
    auto connection = Connection::open(*database, {QStringLiteral("SET TimeZone='UTC'")});
    QVERIFY(connection);
    m_connection = std::move(*connection);
}

void tst_DuckdbEngine::readsValues_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *name, const char *expression, const char *type,
                        const char *text) {
        QTest::newRow(name) << QString::fromUtf8(expression) << QString::fromUtf8(type)
                            << QString::fromUtf8(text);
    };
    row("null", "NULL::BIGINT", "bigint", "NULL");
    row("boolean", "true", "boolean", "true");
    row("tinyint", "(-128)::TINYINT", "tinyint", "-128");
    row("bigint", "9223372036854775807", "bigint", "9223372036854775807");
    row("hugeint as bigint", "(9223372036854775807)::HUGEINT", "bigint", "9223372036854775807");
    row("hugeint as decimal", "(-170141183460469231731687303715884105728)::HUGEINT",
        "decimal(38,0)", "-170141183460469231731687303715884105728");
    row("ubigint", "18446744073709551615::UBIGINT", "decimal(20,0)", "18446744073709551615");
    row("real", "1.5::FLOAT", "real", "1.5");
    row("NaN", "'nan'::DOUBLE", "double", "NaN");
    row("infinity", "'-inf'::DOUBLE", "double", "-Infinity");
    row("decimal of 4 digits", "(-1.05)::DECIMAL(4,2)", "decimal(4,2)", "-1.05");
    row("decimal of 9 digits", "0.000000001::DECIMAL(9,9)", "decimal(9,9)", "0.000000001");
    row("decimal of 18 digits", "123456789012345678::DECIMAL(18,0)", "decimal(18,0)",
        "123456789012345678");
    row("decimal of 38 digits", "(-99999999999999999999999999999999999999)::DECIMAL(38,0)",
        "decimal(38,0)", "-99999999999999999999999999999999999999");
    row("varchar inline", "'é'", "varchar", "é");
    row("varchar by pointer", "repeat('ab', 20)", "varchar",
        "abababababababababababababababababababab");
    row("varchar with NUL inside", "length('a' || chr(0) || 'b')::VARCHAR", "varchar", "3");
    row("blob", "'\\x00\\xFF'::BLOB", "varbinary", "X'00FF'");
    row("uuid", "'f0112233-4455-6677-8899-aabbccddeeff'::UUID", "uuid",
        "f0112233-4455-6677-8899-aabbccddeeff");
    row("date", "DATE '2001-02-28'", "date", "2001-02-28");
    row("date before 1970", "DATE '1969-12-31'", "date", "1969-12-31");
    row("time(6)", "TIME '01:02:03.04'", "time(6)", "01:02:03.040000");
    row("time(0)", "TIME '01:02:03.94'", "time(0)", "01:02:03");
    row("timestamp(6)", "TIMESTAMP '2001-01-31 12:00:00.000001'", "timestamp(6)",
        "2001-01-31 12:00:00.000001");
    row("timestamp(3)", "TIMESTAMP '2001-01-31 12:00:00.120000'", "timestamp(3)",
        "2001-01-31 12:00:00.120");
    row("timestamp before 1970", "TIMESTAMP '1969-12-31 23:59:59.999999'", "timestamp(6)",
        "1969-12-31 23:59:59.999999");
    row("timestamp(9)", "'2001-01-31 12:00:00.000000001'::TIMESTAMP_NS", "timestamp(9)",
        "2001-01-31 12:00:00.000000001");
    row("timestamp in seconds", "'2001-01-31 12:00:00'::TIMESTAMP_S", "timestamp(6)",
        "2001-01-31 12:00:00.000000");
    row("timestamp in milliseconds", "'2001-01-31 12:00:00.5'::TIMESTAMP_MS", "timestamp(6)",
        "2001-01-31 12:00:00.500000");
    row("timestamp with time zone", "TIMESTAMPTZ '2001-01-31 12:00:00+02'",
        "timestamp(6) with time zone", "2001-01-31 10:00:00.000000 UTC");
    row("time with time zone", "'12:00:00.5-05:30'::TIMETZ", "time(3) with time zone",
        "12:00:00.500-05:30");
    row("interval year to month", "INTERVAL '14 months'", "interval year to month", "1-2");
    row("interval day to second", "INTERVAL '-3 days -4 hours'", "interval day to second",
        "-3 04:00:00.000");
    row("enum", "'b'::ENUM('a', 'b')", "varchar", "b");
    row("array", "[1, NULL, 3]", "array(integer)", "[1, NULL, 3]");
    row("empty array", "[]::INTEGER[]", "array(integer)", "[]");
    row("fixed array", "[1, 2]::INTEGER[2]", "array(integer)", "[1, 2]");
    row("map", "MAP{'a': 1.5::DOUBLE, 'b': NULL}", "map(varchar, double)", "[a, 1.5, b, NULL]");
    row("row", "{'a': 1, 'b': 'x'}", "row(a integer, b varchar)", "[1, x]");
    row("nested", "[{'a': [TIMESTAMP '2001-01-01 00:00:00']}]", "array(row(a array(timestamp(3))))",
        "[[[2001-01-01 00:00:00.000]]]");
    row("null row", "NULL::STRUCT(a INTEGER)", "row(a integer)", "NULL");
}

void tst_DuckdbEngine::readsValues()
{
    QFETCH(QString, expression);
    QFETCH(QString, type);
    QFETCH(QString, text);
    const auto rows = m_connection->rows(u"SELECT " + expression, {*parseType(type)}, {});
    QVERIFY2(rows, rows ? "" : qPrintable(rows.error().text()));
    QCOMPARE(rows->size(), size_t(1));
    QCOMPARE((*rows)[0][0].text(), text);
}

void tst_DuckdbEngine::describesTypes_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("type");
    QTest::newRow("integer") << "1" << "integer";
    QTest::newRow("unsigned becomes the next larger") << "1::USMALLINT" << "integer";
    QTest::newRow("hugeint") << "1::HUGEINT" << "decimal(38,0)";
    QTest::newRow("decimal") << "1.50" << "decimal(3,2)";
    QTest::newRow("timestamp") << "TIMESTAMP '2001-01-01 00:00:00'" << "timestamp(6)";
    QTest::newRow("nested") << "{'a': [1], 'm': MAP{'k': now()}}"
                            << "row(a array(integer), m map(varchar, timestamp(6) with time zone))";
}

void tst_DuckdbEngine::describesTypes()
{
    QFETCH(QString, expression);
    QFETCH(QString, type);
    const auto columns = m_connection->describe(u"SELECT " + expression + u" AS \"The Name\"", {});
    QVERIFY2(columns, columns ? "" : qPrintable(columns.error().text()));
    QCOMPARE(columns->size(), 1);
    QCOMPARE((*columns)[0].name, QStringLiteral("The Name"));
    QCOMPARE((*columns)[0].type.text(), type);
}

void tst_DuckdbEngine::streamsMoreRowsThanAChunk()
{
    qint64 sum = 0;
    const auto status =
        m_connection->stream(QStringLiteral("SELECT range FROM range(100000)"), {typeOf("bigint")},
                             [&](Row &&row) -> Status {
                                 sum += std::get<qint64>(row[0].data);
                                 return {};
                             },
                             {});
    QVERIFY(status);
    QCOMPARE(sum, qint64(4999950000));
}

void tst_DuckdbEngine::stopsAtAnErrorOfTheSink()
{
    int taken = 0;
    const auto status = m_connection->stream(
        QStringLiteral("SELECT range FROM range(100000)"), {},
        [&](Row &&) -> Status {
            return ++taken < 10 ? Status{} : fail(invalidError(QStringLiteral("enough")));
        },
        {});
    QVERIFY(!status);
    QCOMPARE(status.error().message, QStringLiteral("enough"));
    QCOMPARE(taken, 10);
    QVERIFY(m_connection->execute(QStringLiteral("SELECT 1"), {}));
}

void tst_DuckdbEngine::namesWhatIsWrong_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const QString &sql, ErrorKind kind, const char *message) {
        QTest::newRow(name) << sql << int(kind) << QString::fromUtf8(message);
    };
    row("a value that does not convert",
        QStringLiteral("SELECT CAST('x' || range AS INTEGER) FROM range(2)"), ErrorKind::Invalid,
        "'x0' cannot be read as integer");
    row("a sum that is too large",
        QStringLiteral("SELECT 9223372036854775807 + range FROM range(3)"), ErrorKind::Invalid,
        "a number overflows: 9223372036854775807 + 1");
    row("a value too large for its type",
        QStringLiteral("SELECT CAST(range + 127 AS TINYINT) "
                       "FROM range(2)"),
        ErrorKind::Invalid, "128 does not fit into tinyint");
    row("a value too large for its decimal",
        QStringLiteral("SELECT CAST(range + 99 AS DECIMAL(3,1)) FROM range(2)"), ErrorKind::Invalid,
        "100 does not fit into decimal(3,1)");
    row("the smallest number with another sign",
        QStringLiteral("SELECT -(-9223372036854775808 + range) FROM range(1)"), ErrorKind::Invalid,
        "a number overflows when its sign changes");
    row("a day that is not there",
        QStringLiteral("SELECT CAST('2021-02-3' || range AS DATE) FROM range(1)"),
        ErrorKind::Invalid, "'2021-02-30' is not a date or time that there is");
    row("several rows for one value", QStringLiteral("SELECT (SELECT range FROM range(2))"),
        ErrorKind::Invalid, "a subquery that stands for one value gave more");
    row("a file that is missing",
        QStringLiteral("SELECT * FROM read_parquet('/nowhere/x.parquet')"), ErrorKind::Unavailable,
        "No files found that match the pattern \"/nowhere/x.parquet\"");
    row("a statement DuckDB does not take", QStringLiteral("SELECT nothing_such(1)"),
        ErrorKind::Internal, nullptr);
    row("a NUL", QStringLiteral("SELECT '") + QChar(u'\0') + u'\'', ErrorKind::Unsupported,
        "the statement holds a NUL character");
    row("a type without a place", QStringLiteral("SELECT union_value(a := 1)"),
        ErrorKind::Unsupported,
        "column 'union_value(a := 1)' has a DuckDB type that Trino's types have no place for");
}

void tst_DuckdbEngine::namesWhatIsWrong()
{
    QFETCH(QString, sql);
    QFETCH(int, kind);
    QFETCH(QString, message);
    const auto rows = m_connection->rows(sql, {}, {});
    QVERIFY(!rows);
    QCOMPARE(int(rows.error().kind), kind);
    if (!message.isNull())
        QCOMPARE(rows.error().message, message);
}

void tst_DuckdbEngine::tellsDamageFromOtherFaults()
{
    QVERIFY(isDamage(QStringLiteral("Invalid Error: Out of buffer")));
    QVERIFY(isDamage(QStringLiteral("Invalid Error: DELTA_BYTE_ARRAY - prefix is out of range")));
    QVERIFY(!isDamage(QStringLiteral("Invalid Error: basic_string::substr")));
    QVERIFY(!isDamage(QStringLiteral("Conversion Error: 'corrupt' is no number")));
}

namespace {

const auto kEndless = QStringLiteral(
    "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range < 0");

}

void tst_DuckdbEngine::timesOut()
{
    const Call call{.stop = {},
                    .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30)};
    const auto rows = m_connection->rows(kEndless, {}, call);
    QVERIFY(!rows);
    QCOMPARE(rows.error().kind, ErrorKind::Timeout);
}

void tst_DuckdbEngine::isCancelled()
{
    std::stop_source source;
    const std::jthread stopper([&] { source.request_stop(); });
    const auto status =
        m_connection->execute(kEndless, {.stop = source.get_token(), .deadline = {}});
    QVERIFY(!status);
    QCOMPARE(status.error().kind, ErrorKind::Cancelled);
}

void tst_DuckdbEngine::worksAfterAnInterrupt()
{
    timesOut();
    const auto rows = m_connection->rows(QStringLiteral("SELECT 42"), {}, {});
    QVERIFY(rows);
    QCOMPARE((*rows)[0][0], Value{qint64(42)});
}

void tst_DuckdbEngine::refusesOptions_data()
{
    QTest::addColumn<int>("threads");
    QTest::addColumn<QString>("memory");
    QTest::newRow("memory without a unit it knows") << 0 << "much";
}

void tst_DuckdbEngine::refusesOptions()
{
    QFETCH(int, threads);
    QFETCH(QString, memory);
    const auto database =
        Database::open({.spillFolder = {}, .threads = threads, .memoryLimit = memory});
    QVERIFY(!database);
    QCOMPARE(database.error().kind, ErrorKind::Invalid);
    QCOMPARE(database.error().message,
             QStringLiteral(
                 "option memory_limit: 'much' is not a value that DuckDB takes for memory_limit"));
}

void tst_DuckdbEngine::spellsDates_data()
{
    QTest::addColumn<qint64>("days");
    QTest::addColumn<QString>("text");
    QTest::newRow("epoch") << qint64(0) << "1970-01-01";
    QTest::newRow("leap day") << qint64(11016) << "2000-02-29";
    QTest::newRow("no leap day in 1900") << qint64(-25509) << "1900-02-28";
    QTest::newRow("the day after it") << qint64(-25508) << "1900-03-01";
    QTest::newRow("year 0") << qint64(-719528) << "0000-01-01";
    QTest::newRow("before year 0") << qint64(-719529) << "-0001-12-31";
    QTest::newRow("past year 9999") << qint64(2932897) << "+10000-01-01";
}

void tst_DuckdbEngine::spellsDates()
{
    QFETCH(qint64, days);
    QFETCH(QString, text);
    QCOMPARE(dateText(days), text);
}

void tst_DuckdbEngine::spellsDecimals_data()
{
    QTest::addColumn<qint64>("unscaled");
    QTest::addColumn<int>("scale");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << qint64(0) << 0 << "0";
    QTest::newRow("zero with a scale") << qint64(0) << 2 << "0.00";
    QTest::newRow("less than one") << qint64(-5) << 2 << "-0.05";
    QTest::newRow("digits on both sides") << qint64(150) << 2 << "1.50";
    QTest::newRow("the smallest number")
        << std::numeric_limits<qint64>::min() << 0 << "-9223372036854775808";
}

void tst_DuckdbEngine::spellsDecimals()
{
    QFETCH(qint64, unscaled);
    QFETCH(int, scale);
    QFETCH(QString, text);
    QCOMPARE(decimalText(unscaled, scale), text);
}

QTEST_GUILESS_MAIN(tst_DuckdbEngine)
#include "tst_duckdb_engine.moc"
