#include "plugins/executor_duckdb/translate/translate.h"
#include "tests/unit/duckdb/warehouse_fixture.h"

#include <QSet>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

iceberg::Literal literalOf(const iceberg::FieldType &type, const Value &value)
{
    if (value.isNull())
        return {};
    if (const auto *number = std::get_if<double>(&value.data))
        return {*number};
    if (const auto *bytes = std::get_if<QByteArray>(&value.data))
        return {*bytes};
    const auto literal = iceberg::literalFromText(type, value.text());
    if (!literal)
        qFatal("%s", qPrintable(literal.error().text()));
    return *literal;
}

}  // namespace

// Every transform over every type that takes it: which rows go to which file, and whether they are
// found again.
class tst_DuckdbPartitions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsRowsOfPartitionsApart_data();
    void keepsRowsOfPartitionsApart();
    void keepsFieldsTogether();
    void writesNothingApartByVoid();
    void partitionsByFieldsOfStructs();
    void writesFewFilesForEachPartition();
    void changesKeepPartitions();
    void makesPartitionedTablesFromQueries();
    void readsOnlyPartitionsThatMayMatch_data();
    void readsOnlyPartitionsThatMayMatch();

private:
    // Rows of a query in the engine's own SQL.
    void addRows(WarehouseFixture &warehouse, const QString &select,
                 const QStringList &settings = sessionSettings());
};

void tst_DuckdbPartitions::addRows(WarehouseFixture &warehouse, const QString &select,
                                   const QStringList &settings)
{
    const auto open = warehouse.executor().warehouse().writing();
    const auto database = Database::open({});
    const auto connection = Connection::open(*database, settings);
    const auto table = warehouse.table("t");
    auto files = writeFiles(table, select, **connection, {});
    QVERIFY2(files, files ? "" : qPrintable(files.error().text()));
    QVERIFY(commitFiles(*open, table, {}, *files));
}

void tst_DuckdbPartitions::keepsRowsOfPartitionsApart_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("transforms");  // of column v
    QTest::addColumn<QStringList>("values");
    QTest::addColumn<QStringList>("others");  // in the engine's SQL: there are no literals for them
    const auto row = [](const char *type, const char *transforms, const QStringList &values,
                        const QStringList &others = {}) {
        QTest::addRow("%s of %s", transforms, type)
            << QString::fromLatin1(type) << QString::fromLatin1(transforms) << values << others;
    };
    const auto prefixed = [](const char *prefix, const char *texts, const char *suffix = "'") {
        QStringList values{QStringLiteral("NULL")};
        for (const QString &text : QString::fromLatin1(texts).split(u'|'))
            values.append(QString::fromLatin1(prefix) + u'\'' + text + QString::fromLatin1(suffix));
        return values;
    };
    const QStringList dates = prefixed("DATE ", "2001-01-31|2001-02-01|1970-01-01|1969-12-31|"
                                                "1969-01-01|0001-01-01|9999-12-31");
    const QStringList farDates = prefixed("DATE ", "0001-12-31 (BC)|0044-03-15 (BC)|12000-01-01");
    const auto moments = "2001-01-31 23:59:59.999999|2001-02-01 00:00:00|1970-01-01 00:00:00|"
                         "1969-12-31 23:59:59.999999|1969-12-31 22:59:59|0001-01-01 00:00:00|"
                         "9999-12-31 23:59:59.999999";
    const auto farMoments =
        "0001-12-31 (BC) 23:00:00|0044-03-15 (BC) 12:30:00|12000-06-01 00:00:00";
    const QStringList timestamps = prefixed("TIMESTAMP ", moments);
    const QStringList farTimestamps = prefixed("TIMESTAMP ", farMoments);
    const QStringList instants = prefixed("TIMESTAMP ", moments, " UTC'");
    const QStringList farInstants = prefixed("TIMESTAMPTZ ", farMoments, "+00'");
    for (const char *transform : {"v", "month(v)|bucket(v, 3)", "day(v)|v", "year(v)"}) {
        row("date", transform, dates, farDates);
        row("timestamp(6)", transform, timestamps, farTimestamps);
        row("timestamp(6) with time zone", transform, instants, farInstants);
    }
    row("timestamp(6)", "hour(v)|v", timestamps, farTimestamps);
    row("timestamp(6) with time zone", "hour(v)", instants, farInstants);
    const QStringList integers =
        QStringLiteral("NULL 0 1 -1 9 10 -9 -10 -11 2147483647 -2147483647").split(u' ');
    const QStringList bigints =
        integers + QStringLiteral("9223372036854775807 -9223372036854775800").split(u' ');
    const QStringList decimals =
        prefixed("DECIMAL ", "0.00|0.05|-0.05|10.65|-10.65|999.99|-999.99");
    const QStringList wide =
        prefixed("DECIMAL ", "12345678901234567890123456789.123456789|-0.000000001|0.000000000");
    const QString longText(3000, u'x');
    const QStringList texts{QStringLiteral("NULL"),
                            QStringLiteral("''"),
                            QStringLiteral("'a/b?c=d&e'"),
                            QStringLiteral("'100%25'"),
                            QStringLiteral("'..'"),
                            QStringLiteral("' '"),
                            QStringLiteral("'__HIVE_DEFAULT_PARTITION__'"),
                            QStringLiteral("'NULL'"),
                            QStringLiteral("'Zürich'"),
                            QStringLiteral("'Zürich 😀😀😀'"),
                            QStringLiteral("'漢字漢字'"),
                            QStringLiteral("'it''s \"quoted\"'"),
                            QStringLiteral("'%1'").arg(longText),
                            QStringLiteral("'%1y'").arg(longText)};
    QStringList bytes = prefixed("X", "|00|0061|ff|e6bca2e5ad97");
    bytes.append(QStringLiteral("X'%1'").arg(QString(600, u'a')));
    for (const char *transform : {"v|bucket(v, 3)", "bucket(v, 3)|truncate(v, 10)"}) {
        row("integer", transform, integers);
        row("bigint", transform, bigints);
        row("decimal(5,2)", transform, decimals);
        row("decimal(38,9)", transform, wide);
        row("varchar", transform, texts);
        row("varbinary", transform, bytes);
    }
    row("varchar", "truncate(v, 1)", texts);
    row("varbinary", "truncate(v, 1)", bytes);
    const QStringList uuids = prefixed("UUID ", "f79c3e09-677c-4bbd-a479-3f349cb785e7|"
                                                "00000000-0000-0000-0000-000000000000|"
                                                "ffffffff-ffff-ffff-ffff-ffffffffffff");
    const QStringList times = prefixed("TIME ", "00:00:00|22:31:08.000001|23:59:59.999999");
    for (const char *transform : {"v|bucket(v, 5)"}) {
        row("uuid", transform, {}, uuids);
        row("time(6)", transform, {}, times);
    }
    row("boolean", "v", {QStringLiteral("NULL"), QStringLiteral("true"), QStringLiteral("false")});
    row("double", "v",
        QStringLiteral("NULL|0e0|-0e0|1.5e0|-1.5e300|DOUBLE 'NaN'|DOUBLE 'Infinity'|DOUBLE "
                       "'-Infinity'")
            .split(u'|'));
    row("real", "v",
        QStringLiteral("NULL|REAL '0'|REAL '-0'|REAL '1.1'|REAL 'NaN'|REAL '-Infinity'")
            .split(u'|'));
}

void tst_DuckdbPartitions::keepsRowsOfPartitionsApart()
{
    QFETCH(QString, type);
    QFETCH(QString, transforms);
    QFETCH(QStringList, values);
    QFETCH(QStringList, others);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (id integer, v %1) WITH (partitioning = "
                                 "ARRAY['%2'])")
                      .arg(type, transforms.replace(QStringLiteral("|"), QStringLiteral("', '"))));
    QStringList rows;
    for (qsizetype i = 0; i < values.size(); ++i)
        rows.append(QStringLiteral("(%1, %2)").arg(QString::number(i), values[i]));
    if (!values.isEmpty())
        QCOMPARE(warehouse.run(QStringLiteral("INSERT INTO t VALUES ") + rows.join(u',')),
                 values.size());
    if (!others.isEmpty())
        addRows(warehouse,
                QStringLiteral("SELECT -1 AS id, unnest([%1]) AS v").arg(others.join(u',')));

    const auto table = warehouse.table("t");
    const auto &source = *table.metadata.currentSchema().column(u"v");
    const auto stored =
        query(warehouse.session(), QStringLiteral("SELECT \"$path\", v FROM t"), {});
    QVERIFY2(stored, stored ? "" : qPrintable(stored.error().text()));
    QCOMPARE(qsizetype(stored->rows.size()), values.size() + others.size());
    QSet<std::pair<QList<iceberg::Literal>, qint64>> partitions;
    QHash<QString, QList<iceberg::Literal>> partitionOf;
    for (const auto &file : warehouse.liveFiles("t").data) {
        QVERIFY(!partitions.contains({file.file.partition, file.sequenceNumber}));
        partitions.insert({file.file.partition, file.sequenceNumber});
        partitionOf.insert(file.file.path, file.file.partition);
    }
    for (const auto &one : stored->rows) {
        const auto found = partitionOf.value(one[0].text());
        for (qsizetype i = 0; i < found.size(); ++i) {
            const auto &transform = table.metadata.defaultSpec().fields[i].transform;
            const auto expected =
                iceberg::applyTransform(transform, source.type, literalOf(source.type, one[1]));
            QVERIFY2(expected && found[i] == *expected,
                     qPrintable(one[1].text() + QStringLiteral(" is in ") + found[i].text()));
        }
    }
    // No file that could match is left out.
    QStringList asked;
    QStringList expected;
    for (qsizetype i = 0; i < values.size(); ++i) {
        const QString condition =
            values[i] == u"NULL" ? QStringLiteral("v IS NULL") : QStringLiteral("v = ") + values[i];
        asked.append(QStringLiteral("SELECT %1 FROM t WHERE id = %1 AND ").arg(i) + condition);
        if (!values[i].contains(u"NaN"))
            expected.append(QString::number(i));
    }
    if (!asked.isEmpty())
        QCOMPARE(warehouse.rows(asked.join(QStringLiteral(" UNION ALL ")) +
                                QStringLiteral(" ORDER BY 1")),
                 expected);
}

void tst_DuckdbPartitions::keepsFieldsTogether()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (k varchar, ts timestamp(6), n bigint) WITH "
                                 "(partitioning = ARRAY['month(ts)', 'k', 'bucket(n, 4)', "
                                 "'truncate(k, 1)'])"));
    warehouse.run(QStringLiteral(
        "INSERT INTO t VALUES ('a', TIMESTAMP '2001-01-31 00:00:00', 1), ('a', TIMESTAMP "
        "'2001-01-01 00:00:00', 1), ('b', TIMESTAMP '2001-01-31 00:00:00', 1), (NULL, NULL, NULL), "
        "('', NULL, 1)"));
    QStringList partitions;
    for (const auto &file : warehouse.liveFiles("t").data) {
        QStringList values;
        for (const auto &value : file.file.partition)
            values.append(value.text());
        partitions.append(
            QStringLiteral("%1: %2").arg(values.join(u'|')).arg(file.file.recordCount));
    }
    partitions.sort();
    const auto bucket = iceberg::applyTransform(iceberg::makeTransform(Transform::Bucket, 4),
                                                {.id = iceberg::TypeId::Long}, {qint64(1)});
    QStringList expected{QStringLiteral("null|null|null|null: 1")};
    for (const char *text : {"null||%1|: 1", "372|a|%1|a: 2", "372|b|%1|b: 1"})
        expected.append(QString::fromLatin1(text).arg(bucket->text()));
    expected.sort();
    QCOMPARE(partitions, expected);
}

void tst_DuckdbPartitions::writesNothingApartByVoid()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (v bigint)"));
    const auto open = warehouse.executor().warehouse().writing();
    auto table = warehouse.table("t");
    auto next = table.metadata;
    next.specs.append({.id = 1,
                       .fields = {{.sourceId = 1,
                                   .fieldId = 1000,
                                   .name = QStringLiteral("v_null"),
                                   .transform = iceberg::makeTransform(Transform::Void)}}});
    next.defaultSpecId = 1;
    next.lastPartitionId = 1000;
    QVERIFY(iceberg::commitMetadata(*open, table, next));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES 1, 2, NULL"));
    const auto files = warehouse.liveFiles("t");
    QCOMPARE(files.data.size(), size_t(1));
    QCOMPARE(files.data[0].file.partition, QList<iceberg::Literal>{iceberg::Literal{}});
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*), sum(v) FROM t")),
             QStringList{QStringLiteral("3|3")});
}

void tst_DuckdbPartitions::partitionsByFieldsOfStructs()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (r row(x integer, y varchar))"));
    const auto open = warehouse.executor().warehouse().writing();
    auto table = warehouse.table("t");
    auto next = table.metadata;
    const int y = next.currentSchema().fields[0].type.fields[1].id;
    next.specs.append({.id = 1,
                       .fields = {{.sourceId = y,
                                   .fieldId = 1000,
                                   .name = QStringLiteral("r.y"),
                                   .transform = iceberg::makeTransform(Transform::Identity)}}});
    next.defaultSpecId = 1;
    next.lastPartitionId = 1000;
    QVERIFY(iceberg::commitMetadata(*open, table, next));
    addRows(warehouse, QStringLiteral("SELECT {'x': n, 'y': y} AS r FROM (VALUES (1, 'a'), (2, "
                                      "'b'), (3, 'a'), (4, NULL)) AS v(n, y)"));
    QStringList partitions;
    for (const auto &file : warehouse.liveFiles("t").data)
        partitions.append(file.file.partition[0].text() + u':' +
                          QString::number(file.file.recordCount));
    partitions.sort();
    QCOMPARE(partitions, QStringLiteral("a:2 b:1 null:1").split(u' '));
}

// Rows that come in any order, more of them than the engine holds back, in more partitions than it
// keeps files open.
void tst_DuckdbPartitions::writesFewFilesForEachPartition()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (v integer) WITH (partitioning = ARRAY['v'])"));
    addRows(warehouse, QStringLiteral("SELECT (range % 120)::INTEGER AS v FROM range(50000)"),
            sessionSettings() +
                QStringList{QStringLiteral("SET partitioned_write_flush_threshold = 5000")});
    const auto files = warehouse.liveFiles("t").data.size();
    QVERIFY2(files <= 2 * 120, qPrintable(QStringLiteral("%1 files").arg(files)));
}

void tst_DuckdbPartitions::changesKeepPartitions()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (k integer, v varchar) WITH (partitioning = "
                                 "ARRAY['bucket(k, 3)', 'truncate(v, 2)'])"));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (1, 'abc'), (2, 'abd'), (3, 'xyz'), (4, "
                                 "NULL)"));
    warehouse.run(QStringLiteral("UPDATE t SET v = 'zz/zz' WHERE k <= 2"));
    warehouse.run(QStringLiteral("DELETE FROM t WHERE k = 3"));
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT k, v FROM t ORDER BY k")),
             QStringLiteral("1|zz/zz 2|zz/zz 4|NULL").split(u' '));
    for (const auto &file : warehouse.liveFiles("t").data)
        QCOMPARE(file.file.partition[1].text(),
                 file.file.partition[1].isNull() ? QStringLiteral("null") : QStringLiteral("zz"));
}

void tst_DuckdbPartitions::makesPartitionedTablesFromQueries()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t WITH (partitioning = ARRAY['year(d)']) AS SELECT "
                                 "* FROM (VALUES (1, DATE '1969-06-01'), (2, DATE '1970-06-01')) "
                                 "AS v(k, d)"));
    QStringList partitions;
    for (const auto &file : warehouse.liveFiles("t").data)
        partitions.append(file.file.partition[0].text());
    partitions.sort();
    QCOMPARE(partitions, QStringLiteral("-1 0").split(u' '));
}

void tst_DuckdbPartitions::readsOnlyPartitionsThatMayMatch_data()
{
    QTest::addColumn<QString>("partitioning");
    QTest::addColumn<QString>("condition");
    QTest::addColumn<qint64>("read");
    const auto row = [](const char *partitioning, const char *condition, qint64 read) {
        QTest::addRow("%s by %s", condition, partitioning)
            << QString::fromLatin1(partitioning) << QString::fromLatin1(condition) << read;
    };
    row("s", "s = 'bb'", 1);
    row("truncate(s, 1)", "s = 'bb'", 1);
    row("truncate(s, 1)", "s IN ('aa', 'zz')", 1);
    row("truncate(k, 10)", "k = 12", 1);
    row("truncate(k, 10)", "k BETWEEN 12 AND 25", 2);
    row("bucket(k, 1000)", "k = 12", 1);
    row("bucket(s, 1000)", "s = 'bb' OR s = 'cc'", 2);
    row("month(d)", "d = DATE '2001-02-03'", 1);
    row("bucket(d, 1000)", "d = DATE '2001-02-03'", 1);
    row("bucket(k, 1000)", "k > 12", 2);
}

void tst_DuckdbPartitions::readsOnlyPartitionsThatMayMatch()
{
    QFETCH(QString, partitioning);
    QFETCH(QString, condition);
    QFETCH(qint64, read);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (k integer, s varchar, d date) WITH (partitioning "
                                 "= ARRAY['%1'])")
                      .arg(partitioning));
    warehouse.run(QStringLiteral("INSERT INTO t VALUES (1, 'aa', DATE '2001-01-01'), (12, 'bb', "
                                 "DATE '2001-02-03'), (25, 'cc', DATE '2001-03-01')"));
    const auto result = warehouse.attempt(QStringLiteral("SELECT * FROM t WHERE ") + condition);
    QVERIFY(result);
    QCOMPARE(result->rowsRead, read);
}

QTEST_GUILESS_MAIN(tst_DuckdbPartitions)
#include "tst_duckdb_partitions.moc"
