// Values of every type, in what form they arrive, and statements that take their time.
#include "tests/conformance/checks.h"
#include "tests/conformance/executor_suite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

namespace ivm::test {

namespace {

Value text(const char *value) { return {QString::fromUtf8(value)}; }
Value whole(qint64 value) { return {value}; }
Value number(double value) { return {value}; }
Value list(std::vector<Value> values) { return {std::move(values)}; }

// So many digits, one a row.
const QString kDigits = QStringLiteral("(VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) AS ");

// Takes hours.
QString longStatement()
{
    QStringList relations;
    QStringList terms;
    for (int i = 0; i < 14; ++i) {
        relations.append(kDigits + QStringLiteral("v%1(n)").arg(i));
        terms.append(QStringLiteral("v%1.n").arg(i));
    }
    return QStringLiteral("SELECT max(%1) AS most FROM %2")
        .arg(terms.join(QStringLiteral(" * 3 % 7 + ")),
             relations.join(QStringLiteral(" CROSS JOIN ")));
}

// A map has its entries in no order of its own: here by their keys.
Value ordered(const Value &value, const QString &type)
{
    if (!type.startsWith(u"map("))
        return value;
    const auto &flat = std::get<std::vector<Value>>(value.data);
    std::vector<std::pair<Value, Value>> entries;
    for (size_t i = 0; i + 1 < flat.size(); i += 2)
        entries.emplace_back(flat[i], flat[i + 1]);
    std::ranges::sort(entries, {}, [](const auto &entry) { return entry.first.text(); });
    std::vector<Value> out;
    for (auto &[key, held] : entries) {
        out.push_back(std::move(key));
        out.push_back(std::move(held));
    }
    return {out};
}

}  // namespace

void ExecutorSuite::givesEveryTypeExactly_data()
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
    row("true", "boolean", {true});
    row("TINYINT '-128'", "tinyint", whole(-128));
    row("SMALLINT '32767'", "smallint", whole(32767));
    row("INTEGER '-2147483648'", "integer", whole(std::numeric_limits<qint32>::min()));
    row("BIGINT '9223372036854775807'", "bigint", whole(std::numeric_limits<qint64>::max()));
    row("BIGINT '-9223372036854775808'", "bigint", whole(std::numeric_limits<qint64>::min()));
    row("9007199254740993", "bigint", whole(9007199254740993));
    row("REAL '0.1'", "real", number(double(0.1F)));
    row("CAST(3.4028234663852886e38 AS real)", "real",
        number(double(std::numeric_limits<float>::max())));
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
    row("CAST('gr\xc3\xbc\xc3\x9f \"dich\" \xf0\x9f\x98\x80' AS varchar)", "varchar",
        text("gr\xc3\xbc\xc3\x9f \"dich\" \xf0\x9f\x98\x80"));
    row("CAST('' AS varchar)", "varchar", text(""));
    row("CAST('a' AS char(3))", "char(3)", text("a  "));
    row("X'00ff10'", "varbinary", {QByteArray::fromHex("00ff10")});
    row("X''", "varbinary", {QByteArray()});
    row("UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", "uuid",
        text("12151fd2-7586-11e9-8f9e-2a86e4085a59"));
    row("DATE '0001-01-01'", "date", text("0001-01-01"));
    row("DATE '9999-12-31'", "date", text("9999-12-31"));
    row("TIME '01:02:03.123456'", "time(6)", text("01:02:03.123456"));
    row("TIMESTAMP '2001-01-31 12:00:00.123456'", "timestamp(6)",
        text("2001-01-31 12:00:00.123456"));
    row("TIMESTAMP '1969-12-31 23:59:59.999999'", "timestamp(6)",
        text("1969-12-31 23:59:59.999999"));
    row("TIMESTAMP '2001-01-31 12:00:00.123456 UTC'", "timestamp(6) with time zone",
        text("2001-01-31 12:00:00.123456 UTC"));
    row("ARRAY[1, NULL]", "array(integer)", list({whole(1), {}}));
    row("ARRAY[ARRAY[nan()], NULL]", "array(array(double))", list({list({number(nan)}), {}}));
    row("CAST(ROW(1, 'a', NULL) AS row(a bigint, \"order\" varchar, c date))",
        "row(a bigint, order varchar, c date)", list({whole(1), text("a"), {}}));
    row("MAP(ARRAY['b', 'a'], ARRAY[1, NULL])", "map(varchar(1), integer)",
        list({text("b"), whole(1), text("a"), {}}));
    row("MAP(ARRAY[9007199254740993], ARRAY[true])", "map(bigint, boolean)",
        list({whole(9007199254740993), {true}}));
}

void ExecutorSuite::givesEveryTypeExactly()
{
    QFETCH(QString, sql);
    QFETCH(QString, type);
    QFETCH(Value, value);
    const QString statement = QStringLiteral("SELECT %1 AS x").arg(sql);
    const auto known = parseType(type);
    QVERIFY(known);
    willAnswer(statement, Rows{{{QStringLiteral("x"), *known}}, {{value}}});
    const auto rows = query(*m_session, statement, Call{});
    if (missingTypes().contains(type)) {
        REFUSED(ErrorKind::Unsupported, rows);
        return;
    }
    QVERIFY2(rows, qPrintable(rows ? QString() : rows.error().text()));
    QCOMPARE(rows->columns.size(), 1);
    QCOMPARE(rows->columns[0].name, QStringLiteral("x"));
    QCOMPARE(rows->columns[0].type.text(), type);
    QCOMPARE(rows->rows.size(), size_t(1));
    const Value &given = rows->rows[0][0];
    QVERIFY2(ordered(given, type) == ordered(value, type), qPrintable(given.text()));
}

void ExecutorSuite::givesManyRows()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    const QString sql =
        QStringLiteral("SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n AS n FROM %1a(n) CROSS JOIN "
                       "%1b(n) CROSS JOIN %1c(n) CROSS JOIN %1d(n) ORDER BY 1 DESC")
            .arg(kDigits);
    int rows = 0;
    bool inOrder = true;
    RowSink sink{.row = [&](Row &&row) -> Status {
        inOrder = inOrder && row[0] == whole(9999 - rows);
        ++rows;
        return {};
    }};
    TAKE(const auto result, m_session->run(sql, sink, Call{}));
    QCOMPARE(rows, 10'000);
    QVERIFY(inOrder);
    QCOMPARE(result.updateType, QString());
}

void ExecutorSuite::aSessionWorksOnAfterAnError()
{
    if (!keepsRows())
        QSKIP("this one runs nothing");
    REFUSED(ErrorKind::Invalid, execute(*m_session, QStringLiteral("SELECT nope"), Call{}));
    REFUSED(ErrorKind::Invalid, execute(*m_session, QStringLiteral("SELECT 1 / 0"), Call{}));
    TAKE(const auto rows, query(*m_session, QStringLiteral("SELECT 1 AS one"), Call{}));
    QVERIFY(rows.rows[0][0] == whole(1));
}

// The ranges of a refresh are counted in UTC.
void ExecutorSuite::bucketsAreOfUtc()
{
    if (!keepsRows())
        QSKIP("this one runs nothing");
    const QString sql = QStringLiteral("SELECT CAST(TIMESTAMP '2026-07-01 00:30:00.000000 UTC' AS "
                                       "timestamp(6)) AS t");
    TAKE(const auto rows, query(*m_session, sql, Call{}));
    QCOMPARE(rows.rows[0][0].text(), QStringLiteral("2026-07-01 00:30:00.000000"));
}

void ExecutorSuite::aStatementEndsInItsTime_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<ErrorKind>("kind");
    QTest::newRow("the session's time") << QStringLiteral("session") << ErrorKind::Timeout;
    QTest::newRow("the call's deadline") << QStringLiteral("deadline") << ErrorKind::Timeout;
    QTest::newRow("a stop") << QStringLiteral("stop") << ErrorKind::Cancelled;
}

void ExecutorSuite::aStatementEndsInItsTime()
{
    if (!keepsRows())
        QSKIP("this one's statements take no time");
    QFETCH(QString, how);
    QFETCH(ErrorKind, kind);
    using namespace std::chrono_literals;
    SessionOptions options;
    std::stop_source stop;
    Call call{.stop = stop.get_token(), .deadline = {}};
    std::jthread stopper;
    if (how == u"session")
        options.statementTimeout = 300ms;
    else if (how == u"deadline")
        call.deadline = std::chrono::steady_clock::now() + 300ms;
    TAKE(const auto session, executor().openSession(options, Call{}));
    if (how == u"stop")
        stopper = std::jthread([&stop] {
            std::this_thread::sleep_for(200ms);  // lint: allow sleep: it tells not when it begins
            stop.request_stop();
        });
    REFUSED(kind, execute(*session, longStatement(), call));
    // And the session is good for more.
    DO(execute(*session, QStringLiteral("SELECT 1 AS one"), Call{}));
}

}  // namespace ivm::test
