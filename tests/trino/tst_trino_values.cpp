#include "tests/trino/real_trino.h"

#include <cmath>
#include <limits>

using namespace ivm;
using namespace ivm::trino;

class tst_TrinoValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void givesEveryTypeExactly_data();
    void givesEveryTypeExactly();
    void givesManyPages();
    void describesWithoutRunning();
    void isPinnedToUtc();

private:
    RealTrino m_trino;
};

void tst_TrinoValues::initTestCase() { QCOMPARE(m_trino.open(), QString()); }

void tst_TrinoValues::cleanupTestCase() { m_trino.close(); }

namespace {

Value text(const char *value) { return {QString::fromUtf8(value)}; }
Value whole(qint64 value) { return {value}; }
Value number(double value) { return {value}; }
Value list(std::vector<Value> values) { return {std::move(values)}; }

}  // namespace

void tst_TrinoValues::givesEveryTypeExactly_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("type");
    QTest::addColumn<Value>("value");
    const auto row = [](const char *sql, const char *type, const Value &value) {
        QTest::newRow(sql) << QString::fromUtf8(sql) << QString::fromUtf8(type) << value;
    };
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    row("CAST(NULL AS bigint)", "bigint", {});
    row("NULL", "unknown", {});
    row("true", "boolean", {true});
    row("TINYINT '-128'", "tinyint", whole(-128));
    row("SMALLINT '32767'", "smallint", whole(32767));
    row("INTEGER '-2147483648'", "integer", whole(std::numeric_limits<qint32>::min()));
    row("9223372036854775807", "bigint", whole(std::numeric_limits<qint64>::max()));
    row("BIGINT '-9223372036854775808'", "bigint", whole(std::numeric_limits<qint64>::min()));
    row("9007199254740993", "bigint", whole(9007199254740993));
    row("REAL '0.1'", "real", number(double(0.1F)));
    row("REAL '3.4028235e38'", "real", number(double(std::numeric_limits<float>::max())));
    row("0.1e0", "double", number(0.1));
    row("4.9E-324", "double", number(std::numeric_limits<double>::denorm_min()));
    row("1.7976931348623157E308", "double", number(std::numeric_limits<double>::max()));
    row("-0e0", "double", number(-0.0));
    row("nan()", "double", number(nan));
    row("-infinity()", "double", number(-infinity));
    row("CAST(infinity() AS real)", "real", number(infinity));
    row("DECIMAL '1.50'", "decimal(3,2)", text("1.50"));
    row("DECIMAL '-99999999999999999999999999999999999999'", "decimal(38,0)",
        text("-99999999999999999999999999999999999999"));
    row("'gr\xc3\xbc\xc3\x9f \"dich\" \xf0\x9f\x98\x80'", "varchar(13)",
        text("gr\xc3\xbc\xc3\x9f \"dich\" \xf0\x9f\x98\x80"));
    row("CAST('a' AS varchar)", "varchar", text("a"));
    row("CAST('a' AS char(3))", "char(3)", text("a  "));
    row("''", "varchar", text(""));
    row("X'00ff10'", "varbinary", {QByteArray::fromHex("00ff10")});
    row("X''", "varbinary", {QByteArray()});
    row("UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", "uuid",
        text("12151fd2-7586-11e9-8f9e-2a86e4085a59"));
    row("JSON '{\"a\": [1, null]}'", "json", text("{\"a\":[1,null]}"));
    row("DATE '0001-01-01'", "date", text("0001-01-01"));
    row("DATE '-0044-03-15'", "date", text("-0044-03-15"));
    row("TIME '01:02:03.123456'", "time(6)", text("01:02:03.123456"));
    row("TIME '12:00:00.1+02:00'", "time(1) with time zone", text("12:00:00.1+02:00"));
    row("TIMESTAMP '2001-01-31 12:00:00'", "timestamp(0)", text("2001-01-31 12:00:00"));
    row("TIMESTAMP '2001-01-31 12:00:00.123456789012'", "timestamp(12)",
        text("2001-01-31 12:00:00.123456789012"));
    row("TIMESTAMP '2001-01-31 12:00:00.123456 UTC'", "timestamp(6) with time zone",
        text("2001-01-31 12:00:00.123456 UTC"));
    row("TIMESTAMP '2001-07-31 12:00:00.000 Europe/Berlin'", "timestamp(3) with time zone",
        text("2001-07-31 12:00:00.000 Europe/Berlin"));
    row("INTERVAL '-3' MONTH", "interval year to month", text("-0-3"));
    row("INTERVAL '1' SECOND", "interval day to second", text("0 00:00:01.000"));
    row("ARRAY[1, NULL]", "array(integer)", list({whole(1), {}}));
    row("ARRAY[]", "array(unknown)", list({}));
    row("ARRAY[ARRAY[nan()], NULL, ARRAY[]]", "array(array(double))",
        list({list({number(nan)}), {}, list({})}));
    row("CAST(ROW(1, 'a', NULL) AS row(a bigint, \"order\" varchar, c date))",
        "row(a bigint, order varchar, c date)", list({whole(1), text("a"), {}}));
    row("MAP(ARRAY['b', 'a'], ARRAY[1, NULL])", "map(varchar(1), integer)",
        list({text("b"), whole(1), text("a"), {}}));
    row("MAP(ARRAY[9007199254740993], ARRAY[true])", "map(bigint, boolean)",
        list({whole(9007199254740993), {true}}));
    row("MAP(ARRAY[1.5e0, nan()], ARRAY[1, 2])", "map(double, integer)",
        list({number(1.5), whole(1), number(nan), whole(2)}));
    row("MAP(ARRAY[false], ARRAY[ROW(1)])", "map(boolean, row(integer))",
        list({{false}, list({whole(1)})}));
    row("MAP(ARRAY[X'00ff'], ARRAY[DECIMAL '1.0'])", "map(varbinary, decimal(2,1))",
        list({{QByteArray::fromHex("00ff")}, text("1.0")}));
}

// A map of two entries, the second first.
Value swapped(const Value &map)
{
    auto parts = std::get<std::vector<Value>>(map.data);
    if (parts.size() == 4)
        std::rotate(parts.begin(), parts.begin() + 2, parts.end());
    return Value{parts};
}

void tst_TrinoValues::givesEveryTypeExactly()
{
    QFETCH(QString, sql);
    QFETCH(QString, type);
    QFETCH(Value, value);
    const auto rows =
        query(m_trino.session(), QStringLiteral("SELECT ") + sql + QStringLiteral(" AS x"), Call{});
    QVERIFY2(rows, qPrintable(rows ? QString() : rows.error().text()));
    QCOMPARE(rows->columns.size(), 1);
    QCOMPARE(rows->columns[0].name, QStringLiteral("x"));
    QCOMPARE(rows->columns[0].type.text(), type);
    QCOMPARE(rows->rows.size(), size_t(1));
    // The JDBC driver keeps a map's entries in no order.
    const bool isSwapped =
        overJdbc() && sql.startsWith(u"MAP") && swapped(rows->rows[0][0]) == value;
    QVERIFY2(rows->rows[0][0] == value || isSwapped, qPrintable(rows->rows[0][0].text()));
}

void tst_TrinoValues::givesManyPages()
{
    qint64 rows = 0;
    qint64 sum = 0;
    RowSink sink{.row = [&](Row &&row) -> Status {
        ++rows;
        sum += std::get<qint64>(row[0].data);
        return {};
    }};
    const auto result = m_trino.session().run(
        QStringLiteral("SELECT orderkey, comment FROM tpch.tiny.orders"), sink, Call{});
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(rows, 15000);
    QCOMPARE(QString::number(sum),
             m_trino.rows(QStringLiteral("SELECT sum(orderkey) FROM tpch.tiny.orders")).value(0));
    QCOMPARE(result->updateType, QString());
    QCOMPARE(result->rowsAffected, -1);
    QCOMPARE(result->rowsRead, 15000);
    QVERIFY(!result->statementId.isEmpty());
}

void tst_TrinoValues::describesWithoutRunning()
{
    const auto columns = m_trino.session().describe(
        QStringLiteral("WITH big AS (SELECT * FROM tpch.sf1000.lineitem)\n"
                       "SELECT l.shipdate, count(*) AS \"The Count\", sum(l.extendedprice), "
                       "TIMESTAMP '2001-01-01 00:00:00.000000 UTC' AS t\n"
                       "FROM big l GROUP BY 1 -- the end"),
        Call{});
    QVERIFY2(columns, qPrintable(columns ? QString() : columns.error().text()));
    QStringList found;
    for (const auto &column : *columns)
        found.append(column.name + QStringLiteral(": ") + column.type.text());
    QCOMPARE(found,
             QStringList({QStringLiteral("shipdate: date"), QStringLiteral("The Count: bigint"),
                          QStringLiteral("_col2: double"),
                          QStringLiteral("t: timestamp(6) with time zone")}));
}

void tst_TrinoValues::isPinnedToUtc()
{
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT current_timezone()")),
             QStringList(QStringLiteral("UTC")));
    const auto refused =
        execute(m_trino.session(), QStringLiteral("SET TIME ZONE 'Europe/Berlin'"), Call{});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Unsupported);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT current_timezone()")),
             QStringList(QStringLiteral("UTC")));
}

QTEST_GUILESS_MAIN(tst_TrinoValues)
#include "tst_trino_values.moc"
