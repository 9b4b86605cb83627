#include "tests/unit/duckdb/warehouse_fixture.h"

#include <thread>

using namespace ivm;
using namespace ivm::duckdb;

// What MERGE does to a table (k, v) of (1, a), (2, b), (NULL, n). The rows and counts are those of
// Trino 476; tst_interop_merge_trino asks it again.
class tst_DuckdbMerge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void merges_data();
    void merges();
    void refuses_data();
    void refuses();
    void changesNothingWhenNothingMatches();
    void commitsOneSnapshot();
    void readsOnlyFilesThatMayMatch();
    void keepsColumnsThatUpdateDoesNotName();
    void mergesIntoColumnsOfAnyName();
    void refusesNullForRequiredColumns();
    void mergesAgainAfterAnotherWriter();
};

void tst_DuckdbMerge::merges_data()
{
    QTest::addColumn<QString>("merge");  // after MERGE INTO t
    QTest::addColumn<qint64>("count");
    QTest::addColumn<QString>("rows");
    const auto row = [](const char *name, const char *merge, qint64 count, const char *rows) {
        QTest::newRow(name) << QString::fromLatin1(merge) << count << QString::fromLatin1(rows);
    };
    row("update",
        "USING (VALUES (1, 'x'), (9, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED THEN "
        "UPDATE SET v = s.v",
        1, "1|x, 2|b, NULL|n");
    row("update with the old value",
        "AS o USING (VALUES (1, 'x')) AS s(k, v) ON o.k = s.k WHEN MATCHED THEN UPDATE SET v = o.v "
        "|| s.v, k = o.k + 10",
        1, "2|b, 11|ax, NULL|n");
    row("delete", "USING (VALUES 1, 2) AS s(k) ON t.k = s.k WHEN MATCHED THEN DELETE", 2, "NULL|n");
    row("insert",
        "USING (VALUES (5, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN NOT MATCHED THEN "
        "INSERT VALUES (s.k, s.v)",
        1, "1|a, 2|b, 5|x, NULL|n");
    row("NULL keys never match",
        "USING (VALUES (5, 'x'), (NULL, 'y')) AS s(k, v) ON t.k = s.k WHEN NOT MATCHED THEN INSERT "
        "VALUES (s.k, s.v)",
        2, "1|a, 2|b, 5|x, NULL|n, NULL|y");
    row("insert of some columns",
        "USING (VALUES (5, 'x'), (NULL, 'y')) AS s(k, v) ON t.k = s.k WHEN NOT MATCHED AND s.k IS "
        "NULL THEN INSERT (v) VALUES (s.v) WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)",
        2, "1|a, 2|b, 5|NULL, NULL|n, NULL|y");
    row("the first WHEN that takes a pair",
        "USING (VALUES (1, 'x'), (2, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED AND s.v = 'x' THEN "
        "DELETE WHEN MATCHED AND s.v >= 'x' THEN UPDATE SET v = 'second' WHEN MATCHED THEN UPDATE "
        "SET v = 'third'",
        2, "2|second, NULL|n");
    row("a condition that is NULL takes nothing",
        "USING (VALUES (1, CAST(NULL AS varchar))) AS s(k, v) ON t.k = s.k WHEN MATCHED AND s.v = "
        "'x' THEN DELETE",
        0, "1|a, 2|b, NULL|n");
    row("all three",
        "USING (VALUES (1, 'd'), (2, 'u'), (3, 'i')) AS s(k, v) ON t.k = s.k WHEN "
        "MATCHED AND s.v = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN "
        "NOT MATCHED THEN INSERT (v, k) VALUES (s.v, s.k)",
        3, "2|u, 3|i, NULL|n");
    row("a table as source", "USING u ON t.k = u.k WHEN MATCHED THEN UPDATE SET v = u.v", 1,
        "1|a, 2|from u, NULL|n");
    row("itself as source", "USING t AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v || '!'",
        2, "1|a!, 2|b!, NULL|n");
    row("a query as source",
        "USING (SELECT k, max(v) AS m FROM u GROUP BY k) AS s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET v = m",
        1, "1|a, 2|from u, NULL|n");
    row("a subquery as value",
        "USING (VALUES 1) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET "
        "v = (SELECT max(v) FROM u)",
        1, "1|from u, 2|b, NULL|n");
    row("a subquery in a condition",
        "USING (VALUES 1, 2) AS s(k) ON t.k = s.k WHEN MATCHED AND s.k IN (SELECT k FROM u) THEN "
        "DELETE",
        1, "1|a, NULL|n");
    row("two source rows of which one takes",
        "USING (VALUES (1, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED AND s.v = 'x' THEN "
        "UPDATE SET v = s.v",
        1, "1|x, 2|b, NULL|n");
    row("a target's column where nothing matched",
        "USING (VALUES 7) AS s(k) ON t.k = s.k WHEN NOT MATCHED AND t.k IS NULL THEN INSERT VALUES "
        "(s.k, 'q')",
        1, "1|a, 2|b, 7|q, NULL|n");
    row("a value that would fail elsewhere",
        "USING (VALUES 1, 7) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = 7 / (7 - s.k) "
        "WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)",
        2, "1|a, 2|b, 7|NULL, NULL|n");
    row("conversions as INSERT does them",
        "USING (VALUES (BIGINT '5', 'x')) AS s(k, v) ON t.k = s.k WHEN NOT MATCHED THEN INSERT "
        "VALUES (s.k, s.v)",
        1, "1|a, 2|b, 5|x, NULL|n");
    row("no row at all",
        "USING (SELECT * FROM u WHERE false) AS s ON t.k = s.k WHEN MATCHED THEN "
        "DELETE WHEN NOT MATCHED THEN INSERT VALUES (1, 'x')",
        0, "1|a, 2|b, NULL|n");
}

void tst_DuckdbMerge::merges()
{
    QFETCH(QString, merge);
    QFETCH(qint64, count);
    QFETCH(QString, rows);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral(
        "CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (NULL, 'n')) AS v(k, v)"));
    warehouse.run(
        QStringLiteral("CREATE TABLE u AS SELECT * FROM (VALUES (2, 'from u')) AS v(k, v)"));
    QCOMPARE(warehouse.run(QStringLiteral("MERGE INTO t ") + merge), count);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT k, v FROM t ORDER BY k, v"))
                 .join(QStringLiteral(", ")),
             rows);
}

void tst_DuckdbMerge::refuses_data()
{
    QTest::addColumn<QString>("merge");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *merge, const char *message) {
        QTest::newRow(name) << QString::fromLatin1(merge) << QString::fromLatin1(message);
    };
    row("a row matched twice",
        "USING (VALUES (1, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED THEN DELETE",
        "1:20: One MERGE target table row matched more than one source row. Make the source give "
        "one row for each row of the target");
    row("a row matched twice by nothing",
        "USING (VALUES (1, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED AND s.v = 'z' THEN "
        "DELETE",
        "1:20: One MERGE target table row matched more than one source row. Make the source give "
        "one row for each row of the target");
    row("a row taken by two WHENs",
        "USING (VALUES (1, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED AND s.v = 'x' THEN "
        "DELETE WHEN MATCHED THEN UPDATE SET v = 'q'",
        "1:20: One MERGE target table row matched more than one source row. Make the source give "
        "one row for each row of the target");
    row("a column that is not there",
        "USING (VALUES 1) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET nope = 1",
        "1:81: table iceberg.main.t has no column 'nope'");
    row("a column set twice",
        "USING (VALUES 1) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 'a', v = 'b'",
        "1:90: column 'v' is set twice");
    row("a column named twice",
        "USING (VALUES 1) AS s(k) ON false WHEN NOT MATCHED THEN INSERT (k, k) VALUES (1, 2)",
        "1:81: column 'k' is named twice");
    row("too many values",
        "USING (VALUES 1) AS s(k) ON false WHEN NOT MATCHED THEN INSERT (k) VALUES (1, 2)",
        "1:48: INSERT gives 2 values for 1 columns");
    row("a value of another type",
        "USING (VALUES 1) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 5",
        "1:20: column 'v (WHEN 1)' is of type varchar, the value is integer");
}

void tst_DuckdbMerge::refuses()
{
    QFETCH(QString, merge);
    QFETCH(QString, message);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a')) AS v(k, v)"));
    const qint64 head = warehouse.head("t");
    QCOMPARE(warehouse.failure(QStringLiteral("MERGE INTO t ") + merge).text(), message);
    QCOMPARE(warehouse.head("t"), head);
}

void tst_DuckdbMerge::changesNothingWhenNothingMatches()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS k"));
    const qint64 head = warehouse.head("t");
    QCOMPARE(warehouse.run(QStringLiteral(
                 "MERGE INTO t USING (VALUES 2) AS s(k) ON t.k = s.k WHEN MATCHED THEN DELETE")),
             0);
    QCOMPARE(warehouse.head("t"), head);
}

void tst_DuckdbMerge::commitsOneSnapshot()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t WITH (partitioning = ARRAY['bucket(k, 4)']) AS "
                                 "SELECT * FROM (VALUES 1, 2, 3) AS v(k)"));
    warehouse.run(QStringLiteral(
        "MERGE INTO t USING (VALUES 1, 7) AS s(k) ON t.k = s.k WHEN MATCHED THEN DELETE WHEN NOT "
        "MATCHED THEN INSERT VALUES (s.k)"));
    QCOMPARE(warehouse.rows(
                 QStringLiteral("SELECT operation FROM \"t$snapshots\" ORDER BY committed_at")),
             QStringLiteral("append overwrite").split(u' '));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT k FROM t ORDER BY k")),
             QStringLiteral("2 3 7").split(u' '));
}

void tst_DuckdbMerge::readsOnlyFilesThatMayMatch()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t WITH (partitioning = ARRAY['k']) AS SELECT * FROM "
                                 "(VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS v(k, v)"));
    const auto result = warehouse.attempt(
        QStringLiteral("MERGE INTO t AS o USING (VALUES (1, 'x'), (2, 'y')) AS s(k, v) ON o.k = "
                       "s.k AND o.k = 2 WHEN MATCHED THEN UPDATE SET v = s.v"));
    QVERIFY(result);
    QCOMPARE(result->rowsRead, 1);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT k, v FROM t ORDER BY k")),
             QStringLiteral("1|a 2|y 3|c").split(u' '));
}

void tst_DuckdbMerge::keepsColumnsThatUpdateDoesNotName()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (k integer, d double, ts timestamp(6))"));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (1, nan(), TIMESTAMP '1969-12-31 "
                                 "23:59:59.999999'), (2, NULL, NULL)"));
    const QStringList before = warehouse.rows(QStringLiteral("SELECT d, ts FROM t ORDER BY k"));
    warehouse.run(QStringLiteral(
        "MERGE INTO t USING (VALUES 1, 2) AS s(k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = "
        "s.k + 10"));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT d, ts FROM t WHERE k > 10 ORDER BY k")), before);
}

// Like the place markers of the texts that statements are made from.
void tst_DuckdbMerge::mergesIntoColumnsOfAnyName()
{
    WarehouseFixture warehouse;
    warehouse.run(
        QStringLiteral("CREATE TABLE t (\"k%1\" integer, \"v%2\" varchar, \"%3\" double)"));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (1, 'a', 0.5)"));
    warehouse.run(QStringLiteral(
        "MERGE INTO t USING (VALUES (1, 'x'), (2, 'y')) AS s(k, v) ON t.\"k%1\" = s.k WHEN MATCHED "
        "THEN UPDATE SET \"v%2\" = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v, 1.5)"));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT * FROM t ORDER BY 1")).join(u' '),
             QStringLiteral("1|x|0.5 2|y|1.5"));
}

void tst_DuckdbMerge::refusesNullForRequiredColumns()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (k integer NOT NULL, v varchar)"));
    const Error error = warehouse.failure(QStringLiteral(
        "MERGE INTO t USING (VALUES 'x') AS s(v) ON t.v = s.v WHEN NOT MATCHED THEN INSERT (v) "
        "VALUES (s.v)"));
    QCOMPARE(error.code, QStringLiteral("not_null"));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*) FROM t")),
             QStringList{QStringLiteral("0")});
    QCOMPARE(warehouse.filesOnDisk(), QStringList());
}

void tst_DuckdbMerge::mergesAgainAfterAnotherWriter()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS k, 0 AS n"));
    constexpr int kRounds = 5;
    int failed = 0;
    const auto merge = [&](EmbeddedSession &session) {
        for (int i = 0; i < kRounds; ++i)
            failed += execute(session,
                              QStringLiteral("MERGE INTO t USING (VALUES 1) AS s(k) ON t.k = s.k "
                                             "WHEN MATCHED THEN UPDATE SET n = n + 1"),
                              {})
                          ? 0
                          : 1;
    };
    std::jthread other([&] {
        EmbeddedSession session(warehouse.executor());
        merge(session);
    });
    merge(warehouse.session());
    other.join();
    QCOMPARE(failed, 0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT n FROM t")),
             QStringList{QString::number(2 * kRounds)});
}

QTEST_GUILESS_MAIN(tst_DuckdbMerge)
#include "tst_duckdb_merge.moc"
