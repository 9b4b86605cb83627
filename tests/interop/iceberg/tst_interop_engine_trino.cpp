// Trino and the embedded engine on one warehouse, by the catalog `embedded` of tests/trino/up: each
// reads what the other writes.
#include "plugins/detector_catalog/file_changes.h"
#include "plugins/executor_duckdb/executor.h"
#include "plugins/executor_duckdb/session.h"
#include "plugins/executor_duckdb/table/table_reader.h"
#include "tests/interop/iceberg/peer.h"

#include <QCoreApplication>

using namespace ivm;
using namespace ivm::duckdb;

class tst_InteropEngineTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void agreesOnPartitions_data();
    void agreesOnPartitions();
    void mergesAsItDoes_data();
    void mergesAsItDoes();
    void itReadsOurDeletes();
    void itWritesWhereWeWrote();
    void weReadItsVersion1();
    void itReadsOurTypes();

private:
    // `@` stands for the schema.
    QString with(const QString &text) const { return QString(text).replace(u'@', m_schema); }
    QStringList its(const QString &text) { return m_peer.sql(with(text)); }
    QStringList ours(const QString &text)
    {
        EmbeddedSession session(*m_executor);
        const auto found = query(session, with(text), {});
        if (!found)
            return {found.error().text()};
        QStringList rows;
        for (const auto &row : found->rows) {
            QStringList values;
            for (const auto &value : row)
                values.append(value.isNull() ? QString() : value.text());
            rows.append(values.join(u'|'));
        }
        return rows;
    }
    void run(const QString &text)
    {
        EmbeddedSession session(*m_executor);
        const auto result = execute(session, with(text), {});
        QVERIFY2(result, qPrintable(text + (result ? QString() : result.error().text())));
    }
    iceberg::Table load(const QString &table)
    {
        const auto open = m_executor->warehouse().reading();
        auto loaded = iceberg::loadTable(*open, {QStringLiteral("iceberg"), m_schema, table});
        if (!loaded)
            qFatal("%s", qPrintable(loaded.error().text()));
        return *loaded;
    }
    void setProperty(const QString &name, const char *key, const char *value)
    {
        const auto open = m_executor->warehouse().writing();
        const auto table = load(name);
        auto next = table.metadata;
        next.properties.insert(QString::fromLatin1(key), QString::fromLatin1(value));
        QVERIFY(iceberg::commitMetadata(*open, table, next));
    }

    QString m_schema = QStringLiteral("engine_%1").arg(QCoreApplication::applicationPid());
    std::unique_ptr<EmbeddedExecutor> m_executor;
    test::Peer m_peer;
};

void tst_InteropEngineTrino::initTestCase()
{
    const QString folder = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    QVERIFY2(!folder.isEmpty() && qEnvironmentVariableIsSet("TRINO_URL"),
             "TRINO_URL and IVM_TEST_EMBEDDED are not set: start a Trino with tests/trino/up and "
             "load the env file it names");
    m_executor = std::make_unique<EmbeddedExecutor>(ExecutorOptions{.warehouse = folder});
    const QString problem = m_peer.start(folder);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(its(QStringLiteral("CREATE SCHEMA embedded.@")), QStringList());
}

void tst_InteropEngineTrino::cleanupTestCase()
{
    its(QStringLiteral("DROP SCHEMA IF EXISTS embedded.@ CASCADE"));
}

void tst_InteropEngineTrino::agreesOnPartitions_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("transforms");  // of column v
    QTest::addColumn<QString>("values");
    const auto row = [](const char *type, const char *transforms, const char *values) {
        QTest::addRow("%s by %s", type, transforms)
            << QString::fromLatin1(type) << QString::fromLatin1(transforms)
            << QString::fromUtf8(values);
    };
    for (const char *transforms : {"year(v), bucket(v, 7)", "month(v)", "day(v)"})
        row("date", transforms,
            "DATE '2017-11-16', DATE '1969-12-31', DATE '0001-01-01', DATE '9999-12-31', NULL");
    for (const char *transforms : {"year(v)", "month(v), bucket(v, 7)", "day(v)", "hour(v)"}) {
        row("timestamp(6)", transforms,
            "TIMESTAMP '2017-11-16 22:31:08.000001', TIMESTAMP '1969-12-31 23:59:59.999999', "
            "TIMESTAMP '0001-01-01 00:00:00.000000', NULL");
        row("timestamp(6) with time zone", transforms,
            "TIMESTAMP '2017-11-16 14:31:08.000000 UTC', TIMESTAMP '1969-12-31 23:00:00.000000 "
            "UTC', NULL");
    }
    row("integer", "v, bucket(v, 16), truncate(v, 10)", "34, -1, 0, 2147483647, -11, NULL");
    row("bigint", "bucket(v, 16), truncate(v, 10)",
        "34, -1, 9223372036854775807, -9223372036854775000, NULL");
    row("decimal(9,2)", "v, bucket(v, 16), truncate(v, 50)",
        "DECIMAL '14.20', DECIMAL '-0.05', DECIMAL '0.00', NULL");
    row("decimal(38,3)", "bucket(v, 16), truncate(v, 50)",
        "DECIMAL '12345678901234567890123456789012345.678', DECIMAL '-1.001', NULL");
    row("varchar", "v, bucket(v, 16), truncate(v, 3)",
        "'iceberg', '', 'a/b c%20', 'Zürich', '漢字漢字', 'x=y&z', NULL");
    row("varbinary", "bucket(v, 16), truncate(v, 3)", "X'00010203', X'', X'ffffffff', NULL");
    row("boolean", "v", "true, false, NULL");
}

// Whoever writes a row, it is in the same partition; and each finds the other's rows by value.
void tst_InteropEngineTrino::agreesOnPartitions()
{
    QFETCH(QString, type);
    QFETCH(QString, transforms);
    QFETCH(QString, values);
    const QString table = QStringLiteral("p%1").arg(qHash(QString(type + transforms)));
    const QString partitioning =
        u'\'' + QString(transforms).replace(QStringLiteral("), "), QStringLiteral(")', '")) + u'\'';
    run(QStringLiteral("CREATE TABLE @.%1 (who varchar, v %2) WITH (partitioning = ARRAY[%3])")
            .arg(table, type,
                 QString(partitioning)
                     .replace(QStringLiteral("v, "), QStringLiteral("v', '"))
                     .replace(QStringLiteral("(v', '"), QStringLiteral("(v, "))));
    const auto insert = [&](const char *who) {
        return QStringLiteral("INSERT INTO %1@.%2 SELECT '%3', v FROM (VALUES %4) AS s(v)")
            .arg(qstrcmp(who, "it") == 0 ? QStringLiteral("embedded.") : QString(), table,
                 QString::fromLatin1(who), values);
    };
    run(insert("we"));
    QCOMPARE(its(insert("it")),
             QStringList{QString::number(values.count(QStringLiteral(", ")) + 1)});
    const QStringList counts = its(
        QStringLiteral("SELECT DISTINCT file_count FROM embedded.@.\"%1$partitions\"").arg(table));
    for (const auto &count : counts)
        QVERIFY2(count.toInt() % 2 == 0, qPrintable(counts.join(u' ')));
    // Each by itself, so that both prune by partitions and bounds of either.
    const QStringList each = values.split(QStringLiteral(", "));
    const auto counting = [&](const char *catalog) {
        QStringList selects;
        for (const QString &value : each)
            selects.append(QStringLiteral("SELECT count(*) FROM %1@.%2 WHERE v %3")
                               .arg(QString::fromLatin1(catalog), table,
                                    value == u"NULL" ? QStringLiteral("IS NULL")
                                                     : QStringLiteral("= ") + value));
        return selects.join(QStringLiteral(" UNION ALL "));
    };
    const QStringList twos(each.size(), QStringLiteral("2"));
    QCOMPARE(ours(counting("")), twos);
    QCOMPARE(its(counting("embedded.")), twos);
}

void tst_InteropEngineTrino::mergesAsItDoes_data()
{
    QTest::addColumn<QString>("merge");
    const auto row = [](const char *name, const char *merge) {
        QTest::newRow(name) << QString::fromLatin1(merge);
    };
    row("all three", "USING (VALUES (1, 'd'), (2, 'u'), (3, 'i'), (NULL, 'z')) AS s(k, v) ON t.k = "
                     "s.k WHEN MATCHED AND s.v = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET v = "
                     "s.v || t.v WHEN NOT MATCHED AND s.v <> 'q' THEN INSERT (v, k) VALUES (s.v, "
                     "s.k)");
    row("itself", "USING @.m AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = s.k + 10");
    row("a subquery", "USING (SELECT max(k) AS k FROM @.m) AS s ON t.k = s.k WHEN MATCHED THEN "
                      "UPDATE SET v = (SELECT min(v) FROM @.m) WHEN NOT MATCHED THEN INSERT VALUES "
                      "(s.k, 'x')");
    row("matched twice, taken once",
        "USING (VALUES (1, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED AND s.v = 'x' THEN "
        "UPDATE SET v = s.v");
    row("matched twice",
        "USING (VALUES (1, 'x'), (1, 'y')) AS s(k, v) ON t.k = s.k WHEN MATCHED THEN DELETE");
}

void tst_InteropEngineTrino::mergesAsItDoes()
{
    QFETCH(QString, merge);
    run(QStringLiteral("DROP TABLE IF EXISTS @.m"));
    QStringList results[2];
    for (int side = 0; side < 2; ++side) {
        run(QStringLiteral("CREATE TABLE @.m AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (NULL, "
                           "'n')) AS v(k, v)"));
        if (side == 0) {
            QString text = merge;
            text.replace(QStringLiteral("@.m"), QStringLiteral("embedded.@.m"));
            results[0] = its(QStringLiteral("MERGE INTO embedded.@.m AS t ") + text);
        } else {
            EmbeddedSession session(*m_executor);
            const auto result =
                execute(session, with(QStringLiteral("MERGE INTO @.m AS t ") + merge), {});
            results[1] = {result ? QString::number(result->rowsAffected) : result.error().message};
        }
        const QString sql = QStringLiteral("SELECT k, v FROM %1@.m ORDER BY k, v");
        results[side] += its(sql.arg(QStringLiteral("embedded.")));
        QCOMPARE(ours(sql.arg(QString())), results[side].sliced(1));
        run(QStringLiteral("DROP TABLE @.m"));
    }
    if (results[0][0].contains(u"One MERGE target table row"))
        results[0][0] =
            QStringLiteral("One MERGE target table row matched more than one source row");
    QCOMPARE(results[1], results[0]);
}

void tst_InteropEngineTrino::itReadsOurDeletes()
{
    run(QStringLiteral("CREATE TABLE @.d WITH (partitioning = ARRAY['truncate(k, 10)']) AS SELECT "
                       "* FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'), (11, 'd'), (12, 'e')) AS v(k, "
                       "v)"));
    setProperty(QStringLiteral("d"), "write.delete.mode", "merge-on-read");
    run(QStringLiteral("DELETE FROM @.d WHERE k = 2"));
    run(QStringLiteral("UPDATE @.d SET v = 'new' WHERE k IN (3, 11)"));
    const QStringList rows = QStringLiteral("1|a 3|new 11|new 12|e").split(u' ');
    const QString sql = QStringLiteral("SELECT k, v FROM %1@.d ORDER BY k");
    QCOMPARE(its(sql.arg(QStringLiteral("embedded."))), rows);
    QCOMPARE(ours(sql.arg(QString())), rows);
    QCOMPARE(its(QStringLiteral("SELECT count(*), sum(record_count) FROM embedded.@.\"d$files\" "
                                "WHERE content = 1")),
             QStringList{QStringLiteral("3|3")});
    // It deletes and compacts on top of ours.
    its(QStringLiteral("DELETE FROM embedded.@.d WHERE k = 1"));
    QCOMPARE(ours(sql.arg(QString())), rows.sliced(1));
    its(QStringLiteral("ALTER TABLE embedded.@.d EXECUTE optimize"));
    QCOMPARE(ours(sql.arg(QString())), rows.sliced(1));
    QCOMPARE(its(QStringLiteral("SELECT count(*) FROM embedded.@.\"d$files\" WHERE content = 1")),
             QStringList{QStringLiteral("0")});
}

void tst_InteropEngineTrino::itWritesWhereWeWrote()
{
    its(QStringLiteral("CREATE TABLE embedded.@.w (k integer, ts timestamp(6)) WITH (partitioning "
                       "= ARRAY['month(ts)', 'bucket(k, 3)'])"));
    run(QStringLiteral("INSERT INTO @.w VALUES (1, TIMESTAMP '2001-01-31 10:00:00'), (2, NULL)"));
    its(QStringLiteral("INSERT INTO embedded.@.w VALUES (3, TIMESTAMP '2001-02-01 00:00:00')"));
    run(QStringLiteral("UPDATE @.w SET ts = ts + INTERVAL '1' DAY WHERE k IN (1, 3)"));
    its(QStringLiteral("UPDATE embedded.@.w SET k = k + 10 WHERE ts IS NOT NULL"));
    run(QStringLiteral("DELETE FROM @.w WHERE k = 13"));
    const QStringList rows{QStringLiteral("2|"), QStringLiteral("11|2001-02-01 10:00:00.000000")};
    QCOMPARE(ours(QStringLiteral("SELECT k, ts FROM @.w ORDER BY k")), rows);
    QCOMPARE(its(QStringLiteral("SELECT k, CAST(ts AS varchar) FROM embedded.@.w ORDER BY k")),
             rows);
}

void tst_InteropEngineTrino::weReadItsVersion1()
{
    its(QStringLiteral("CREATE TABLE embedded.@.one (k integer, ts timestamp(6), v varchar) WITH "
                       "(format_version = 1, partitioning = ARRAY['day(ts)'])"));
    its(QStringLiteral("INSERT INTO embedded.@.one VALUES (1, TIMESTAMP '2001-01-01 00:00:00', "
                       "'a'), (2, TIMESTAMP '2001-01-03 00:00:00', 'b')"));
    const auto before = load(QStringLiteral("one"));
    its(QStringLiteral("INSERT INTO embedded.@.one VALUES (3, TIMESTAMP '2001-01-02 00:00:00', "
                       "'c')"));
    its(QStringLiteral("DELETE FROM embedded.@.one WHERE ts < TIMESTAMP '2001-01-02 00:00:00'"));
    const auto after = load(QStringLiteral("one"));
    QCOMPARE(after.metadata.formatVersion, 1);
    QCOMPARE(its(QStringLiteral("SELECT k, v FROM embedded.@.one ORDER BY k")),
             QStringLiteral("2|b 3|c").split(u' '));
    QCOMPARE(ours(QStringLiteral("SELECT k, v FROM @.one ORDER BY k")),
             QStringLiteral("2|b 3|c").split(u' '));
    QCOMPARE(ours(QStringLiteral("SELECT k FROM @.one FOR VERSION AS OF %1 ORDER BY k")
                      .arg(*before.metadata.currentSnapshotId)),
             QStringLiteral("1 2").split(u' '));
    const auto open = m_executor->warehouse().reading();
    const auto changes = catalog::fileChanges(open->io, after.metadata,
                                              {.table = after.name,
                                               .from = before.head(),
                                               .to = after.head(),
                                               .column = QStringLiteral("ts"),
                                               .columns = {}},
                                              {});
    QVERIFY(changes && !changes->unmeasurable);
    QCOMPARE(changes->files.size(), 2);
    EmbeddedSession session(*m_executor);
    const auto refused = execute(session, with(QStringLiteral("DELETE FROM @.one")), {});
    QVERIFY(!refused && refused.error().kind == ErrorKind::Unsupported);
    its(QStringLiteral("ALTER TABLE embedded.@.one SET PROPERTIES format_version = 2"));
    run(QStringLiteral("UPDATE @.one SET v = 'x' WHERE k = 3"));
    QCOMPARE(its(QStringLiteral("SELECT k, v FROM embedded.@.one ORDER BY k")),
             QStringLiteral("2|b 3|x").split(u' '));
}

void tst_InteropEngineTrino::itReadsOurTypes()
{
    its(QStringLiteral(
        "CREATE TABLE embedded.@.types (b boolean, i integer, l bigint, r real, d double, c "
        "decimal(20,3), dt date, tm time(6), ts timestamp(6), tz timestamp(6) with time zone, s "
        "varchar, u uuid, x varbinary, a array(row(m map(varchar, array(integer)), n row(p "
        "date))))"));
    its(QStringLiteral(
        "INSERT INTO embedded.@.types VALUES (true, -2147483648, 9223372036854775807, REAL '-0.0', "
        "nan(), DECIMAL '-12345678901234567.891', DATE '1582-10-15', TIME '23:59:59.999999', "
        "TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '2001-01-01 12:00:00.000001 UTC', "
        "'Zürich 😀', UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59', X'00ff', ARRAY[ROW(MAP(ARRAY["
        "'k'], ARRAY[ARRAY[1, NULL]]), ROW(DATE '2001-01-01')), NULL, ROW(NULL, ROW(NULL))]), "
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"));
    run(QStringLiteral("CREATE TABLE @.copied AS SELECT * FROM @.types"));
    QCOMPARE(its(QStringLiteral("SELECT count(*) FROM (SELECT * FROM embedded.@.types EXCEPT "
                                "SELECT * FROM embedded.@.copied)")),
             QStringList{QStringLiteral("0")});
    QCOMPARE(its(QStringLiteral("SELECT count(*) FROM embedded.@.copied WHERE u IS NULL AND a IS "
                                "NULL AND x IS NULL AND tm IS NULL")),
             QStringList{QStringLiteral("1")});
    QCOMPARE(its(QStringLiteral("SELECT count(*) FROM embedded.@.copied WHERE is_nan(d) AND r = 0 "
                                "AND s = 'Zürich 😀' AND u = UUID "
                                "'12151fd2-7586-11e9-8f9e-2a86e4085a59' AND tm = TIME "
                                "'23:59:59.999999' AND x = X'00ff'")),
             QStringList{QStringLiteral("1")});
    QCOMPARE(ours(QStringLiteral("SELECT * FROM @.copied ORDER BY i")),
             ours(QStringLiteral("SELECT * FROM @.types ORDER BY i")));
}

QTEST_GUILESS_MAIN(tst_InteropEngineTrino)
#include "tst_interop_engine_trino.moc"
