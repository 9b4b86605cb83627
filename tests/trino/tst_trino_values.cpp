#include "tests/trino/real_trino.h"

#include <cmath>

using namespace ivm;
using namespace ivm::trino;

class tst_TrinoValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void givesItsOwnTypesExactly_data();
    void givesItsOwnTypesExactly();
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

// Beside those that every executor is asked for (conformance/executor_suite_values.cpp).
void tst_TrinoValues::givesItsOwnTypesExactly_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("type");
    QTest::addColumn<Value>("value");
    const auto row = [](const char *sql, const char *type, const Value &value) {
        QTest::newRow(sql) << QString::fromUtf8(sql) << QString::fromUtf8(type) << value;
    };
    const double nan = std::nan("");
    row("NULL", "unknown", {});
    row("'gr\xc3\xbc\xc3\x9f \"dich\" \xf0\x9f\x98\x80'", "varchar(13)",
        text("gr\xc3\xbc\xc3\x9f \"dich\" \xf0\x9f\x98\x80"));
    row("''", "varchar", text(""));
    row("JSON '{\"a\": [1, null]}'", "json", text("{\"a\":[1,null]}"));
    row("DATE '-0044-03-15'", "date", text("-0044-03-15"));
    row("TIME '12:00:00.1+02:00'", "time(1) with time zone", text("12:00:00.1+02:00"));
    row("TIMESTAMP '2001-01-31 12:00:00'", "timestamp(0)", text("2001-01-31 12:00:00"));
    row("TIMESTAMP '2001-01-31 12:00:00.123456789012'", "timestamp(12)",
        text("2001-01-31 12:00:00.123456789012"));
    row("TIMESTAMP '2001-07-31 12:00:00.000 Europe/Berlin'", "timestamp(3) with time zone",
        text("2001-07-31 12:00:00.000 Europe/Berlin"));
    row("INTERVAL '-3' MONTH", "interval year to month", text("-0-3"));
    row("INTERVAL '1' SECOND", "interval day to second", text("0 00:00:01.000"));
    row("ARRAY[]", "array(unknown)", list({}));
    row("ARRAY[ARRAY[nan()], NULL, ARRAY[]]", "array(array(double))",
        list({list({number(nan)}), {}, list({})}));
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

void tst_TrinoValues::givesItsOwnTypesExactly()
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
