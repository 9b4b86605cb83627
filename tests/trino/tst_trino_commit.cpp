#include "tests/trino/real_trino.h"

#include <atomic>
#include <thread>

using namespace ivm;
using namespace ivm::trino;

namespace {

Type typeOf(const QString &text) { return parseType(text).value_or(Type()); }

// A column as "name type class", for example "k varchar key".
QList<OutputColumn> columns(const QStringList &texts)
{
    QList<OutputColumn> out;
    for (const auto &text : texts) {
        const QString word = text.section(u' ', -1);
        const auto columnClass = word == u"key"     ? ColumnClass::Key
                                 : word == u"float" ? ColumnClass::Float
                                 : word == u"guess" ? ColumnClass::Approximate
                                                    : ColumnClass::Exact;
        out.append({text.section(u' ', 0, 0), typeOf(text.section(u' ', 1, -2)), columnClass});
    }
    return out;
}

const IntentRecorder kForget = [](const QString &) -> Status { return {}; };

QString hour(int number)
{
    return QStringLiteral("TIMESTAMP '2001-01-01 %1:00:00'").arg(number, 2, 10, QLatin1Char('0'));
}

}  // namespace

class tst_TrinoCommit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void writesOnlyWhatDiffers();
    void replacesOnlyItsBuckets();
    void replacesTheNullBucket();
    void saysHowToWriteToVeryManyPartitions();
    void endsExactForEveryKeyType();
    void comparesByClass();
    void keepsOneRowOfAViewWithoutKeys();
    void mendsDuplicates_data();
    void mendsDuplicates();
    void refusesAStaleHead();
    void refusesTwoRowsForOneKey();
    void tellsWhereTheQueryIsWrong();
    void writesNothingWhenTheIntentIsNotRecorded();
    void letsOneOfTwoRacersWin();

private:
    QString makeTable(const QString &name, const QStringList &texts,
                      const QStringList &partitioning = {})
    {
        TableSpec spec{.name = m_trino.table(name), .columns = {}};
        for (const auto &column : columns(texts))
            spec.columns.append({.name = column.name, .type = column.type});
        for (const auto &field : partitioning)
            spec.partitioning.append(parsePartitionField(field).value_or(PartitionField()));
        const auto made = m_trino.session().createTable(spec, Call{});
        return made ? QString() : made.error().text();
    }

    Result<CommitResult> commit(const Change &change, const IntentRecorder &record = kForget)
    {
        const TableName target = replacementOf(change).target;
        return commitAt(m_trino.head(target.table), change, record);
    }

    Result<CommitResult> commitAt(const TableHead &head, const Change &change,
                                  const IntentRecorder &record = kForget)
    {
        const Intent intent{.id = QStringLiteral("i"),
                            .view = QStringLiteral("v"),
                            .target = replacementOf(change).target,
                            .targetHead = head,
                            .statementId = {},
                            .summary = {}};
        return m_trino.session().commit(change, intent, record, Call{});
    }

    Replacement replacement(const QString &name, const QStringList &texts, const QString &query)
    {
        return {m_trino.table(name), columns(texts), query};
    }

    RealTrino m_trino;
};

#define COMMITTED(result)                                                                          \
    QVERIFY2(result, qPrintable((result) ? QString() : (result).error().text()))

void tst_TrinoCommit::initTestCase() { QCOMPARE(m_trino.open(), QString()); }

void tst_TrinoCommit::cleanupTestCase() { m_trino.close(); }

void tst_TrinoCommit::writesOnlyWhatDiffers()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("h timestamp(6) key"),
                            QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("differs"), shape, {QStringLiteral("day(h)")}), QString());
    const auto first = commit(ReplaceAll{
        replacement(QStringLiteral("differs"), shape,
                    QStringLiteral("SELECT * FROM (VALUES ('stays', %1, 1), ('changes', %1, 2), "
                                   "('vanishes', %1, 3), (NULL, NULL, 4)) AS v (k, h, n)")
                        .arg(hour(1)))});
    COMMITTED(first);
    QVERIFY(first->committed);
    QCOMPARE(first->rowsWritten, 4);
    QCOMPARE(first->rowsDeleted, 0);
    QCOMPARE(first->target, m_trino.head(QStringLiteral("differs")));

    const Change second = ReplaceAll{
        replacement(QStringLiteral("differs"), shape,
                    QStringLiteral("SELECT * FROM (VALUES ('stays', %1, 1), ('changes', %1, 20), "
                                   "('comes', %1, 5), (NULL, NULL, 4)) AS v (k, h, n)")
                        .arg(hour(1)))};
    const auto changed = commit(second);
    COMMITTED(changed);
    QVERIFY(changed->committed);
    QCOMPARE(changed->rowsWritten, 2);
    QCOMPARE(changed->rowsDeleted, 1);
    QVERIFY(changed->rowsRead >= 4);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT k, n FROM differs")),
             QStringList({QStringLiteral("NULL|4"), QStringLiteral("changes|20"),
                          QStringLiteral("comes|5"), QStringLiteral("stays|1")}));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*) FROM \"differs$snapshots\" WHERE "
                                         "element_at(summary, 'added-records') = '2'")),
             QStringList(QStringLiteral("1")));

    const auto again = commit(second);
    COMMITTED(again);
    QVERIFY(!again->committed);
    QCOMPARE(again->rowsWritten, 0);
    QCOMPARE(again->target, changed->target);
    QCOMPARE(m_trino.head(QStringLiteral("differs")), changed->target);
}

void tst_TrinoCommit::replacesOnlyItsBuckets()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("h timestamp(6) key"),
                            QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("buckets"), shape, {QStringLiteral("hour(h)")}), QString());
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO buckets VALUES ('a', %1, 1), ('a', %2, "
                                            "1), ('a', %3, 1), ('a', NULL, 1)")
                                 .arg(hour(1), hour(2), hour(3))),
             QString());
    const auto result = commit(ReplaceRanges{
        replacement(
            QStringLiteral("buckets"), shape,
            QStringLiteral(
                "SELECT * FROM (VALUES ('b', %1, 2), ('a', %2, 2)) AS v (k, h, n) -- hours 1 and 3")
                .arg(hour(1), hour(3))),
        BucketFilter{QStringLiteral("h"), {{hour(1), hour(2)}, {hour(3), std::nullopt}}, false}});
    COMMITTED(result);
    QCOMPARE(result->rowsWritten, 2);
    QCOMPARE(result->rowsDeleted, 1);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT k, hour(h), n FROM buckets")),
             QStringList({QStringLiteral("a|2|1"), QStringLiteral("a|3|2"),
                          QStringLiteral("a|NULL|1"), QStringLiteral("b|1|2")}));
}

void tst_TrinoCommit::replacesTheNullBucket()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("h timestamp(6) key"),
                            QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("null_bucket"), shape), QString());
    QCOMPARE(m_trino.problem(
                 QStringLiteral(
                     "INSERT INTO null_bucket VALUES ('a', NULL, 1), (NULL, NULL, 1), ('a', %1, 1)")
                     .arg(hour(1))),
             QString());
    const auto result = commit(ReplaceRanges{
        replacement(QStringLiteral("null_bucket"), shape,
                    QStringLiteral("SELECT NULL, CAST(NULL AS timestamp(6)), BIGINT '2'")),
        BucketFilter{QStringLiteral("h"), {}, true}});
    COMMITTED(result);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT k, hour(h), n FROM null_bucket")),
             QStringList({QStringLiteral("NULL|NULL|2"), QStringLiteral("a|1|1")}));
}

namespace {

struct KeyType {
    const char *type;
    const char *first;
    const char *second;
};

constexpr KeyType kKeyTypes[] = {
    {"boolean", "true", "false"},
    {"integer", "0", "-1"},
    {"bigint", "0", "9007199254740993"},
    {"decimal(12,2)", "DECIMAL '0.00'", "DECIMAL '-1.50'"},
    {"varchar", "''", "'a'"},
    {"varbinary", "X''", "X'00'"},
    {"date", "DATE '1970-01-01'", "DATE '1969-12-31'"},
    {"time(6)", "TIME '00:00:00'", "TIME '23:59:59.999999'"},
    {"timestamp(6)", "TIMESTAMP '1970-01-01 00:00:00'", "TIMESTAMP '1969-12-31 23:59:59.999999'"},
    {"timestamp(6) with time zone", "TIMESTAMP '1970-01-01 00:00:00 UTC'",
     "TIMESTAMP '2001-01-01 00:00:00 Europe/Berlin'"},
    {"uuid", "UUID '00000000-0000-0000-0000-000000000000'",
     "UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'"},
    {"double", "nan()", "-infinity()"},
    {"real", "CAST(nan() AS real)", "REAL '0.1'"},
    {"array(bigint)", "ARRAY[2, NULL]", "ARRAY[1, NULL]"},
    {"array(double)", "ARRAY[nan()]", "ARRAY[NULL]"},
    {"map(varchar, bigint)", "MAP()", "MAP(ARRAY['a'], ARRAY[NULL])"},
    {"row(a bigint, b row(c double))", "ROW(NULL, ROW(nan()))", "ROW(1, NULL)"},
};

// A row with `value` in one column and NULL in all others, and a count.
QString keyRow(size_t column, const QString &value, int count)
{
    QStringList values;
    for (size_t i = 0; i < std::size(kKeyTypes); ++i)
        values.append(QStringLiteral("CAST(%1 AS %2)")
                          .arg(i == column ? value : QStringLiteral("NULL"),
                               QString::fromUtf8(kKeyTypes[i].type)));
    return u'(' + values.join(QStringLiteral(", ")) + QStringLiteral(", BIGINT '%1')").arg(count);
}

// Two rows a type, which differ from all others in the column of that type alone, and a row whose
// keys are all NULL.
QString keyRows(const std::function<int(int row)> &count)
{
    QStringList rows{keyRow(std::size(kKeyTypes), {}, count(0))};
    for (size_t i = 0; i < std::size(kKeyTypes); ++i) {
        rows.append(
            keyRow(i, QString::fromUtf8(kKeyTypes[i].first), count(static_cast<int>(rows.size()))));
        rows.append(keyRow(i, QString::fromUtf8(kKeyTypes[i].second),
                           count(static_cast<int>(rows.size()))));
    }
    return QStringLiteral("SELECT * FROM (VALUES ") + rows.join(QStringLiteral(",\n")) +
           QStringLiteral(") AS v (%1n) WHERE n >= 0");
}

}  // namespace

// All types in one table: each value of each type makes a key of its own, beside the key that is
// NULL in every column.
void tst_TrinoCommit::saysHowToWriteToVeryManyPartitions()
{
    const QStringList shape{QStringLiteral("d date key"), QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("days"), shape, {QStringLiteral("day(d)")}), QString());
    const auto result = commit(ReplaceAll{replacement(
        QStringLiteral("days"), shape,
        QStringLiteral("SELECT date_add('day', i, DATE '2024-01-01') AS d, CAST(i AS bigint) AS n "
                       "FROM UNNEST(sequence(1, 1200)) AS s (i)"))});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Invalid);
    QCOMPARE(result.error().code, QStringLiteral("iceberg_too_many_open_partitions"));
    QCOMPARE(result.error().hint,
             QStringLiteral("Raise iceberg.max-partitions-per-writer in the catalog's properties, "
                            "or partition the view's table more coarsely (target_partitioning)"));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*) FROM days")),
             QStringList(QStringLiteral("0")));
}

void tst_TrinoCommit::endsExactForEveryKeyType()
{
    QStringList shape;
    QString names;
    for (const auto &[type, first, second] : kKeyTypes) {
        names += QStringLiteral("k%1, ").arg(shape.size());
        shape.append(QStringLiteral("k%1 %2 key").arg(shape.size()).arg(QString::fromUtf8(type)));
    }
    shape.append(QStringLiteral("n bigint exact"));
    const int rows = 2 * static_cast<int>(std::size(kKeyTypes)) + 1;
    QCOMPARE(makeTable(QStringLiteral("every_key"), shape), QString());
    const auto wanted = [&](const std::function<int(int)> &count) {
        return ReplaceAll{
            replacement(QStringLiteral("every_key"), shape, keyRows(count).arg(names))};
    };
    const auto numbers = [&](int from) {
        QStringList out;
        for (int i = 0; i < rows; ++i)
            out.append(QString::number(from + i));
        return out;
    };
    const QString counts = QStringLiteral("SELECT n FROM every_key");

    // Trino takes a range of the keys to a table that it reads, where it can order them.
    const QString broadcast = QStringLiteral("SET SESSION join_distribution_type = 'BROADCAST'");
    QCOMPARE(m_trino.problem(broadcast), QString());
    const auto first = commit(wanted([](int row) { return 100 + row; }));
    COMMITTED(first);
    QCOMPARE(m_trino.rows(counts), numbers(100));
    const auto same = commitAt(first->target, wanted([](int row) { return 100 + row; }));
    COMMITTED(same);
    QVERIFY(!same->committed);
    const auto updated = commitAt(first->target, wanted([](int row) { return 200 + row; }));
    COMMITTED(updated);
    QCOMPARE(updated->rowsWritten, rows);
    QCOMPARE(updated->rowsDeleted, 0);
    QCOMPARE(m_trino.rows(counts), numbers(200));
    const auto one = commitAt(updated->target, wanted([](int row) { return row == 0 ? 200 : -1; }));
    COMMITTED(one);
    QCOMPARE(one->rowsDeleted, rows - 1);
    QCOMPARE(m_trino.rows(counts), QStringList(QStringLiteral("200")));
    QCOMPARE(m_trino.problem(QStringLiteral("RESET SESSION join_distribution_type")), QString());
}

namespace {

struct ClassCase {
    const char *name;
    const char *column;  // type and class
    const char *before;
    const char *after;
    bool rewritten;
};

constexpr ClassCase kClassCases[] = {
    {"exact: one in the last place", "double exact", "1e0", "1.0000000000000002e0", true},
    {"exact: the sign of zero", "double exact", "0e0", "-0e0", true},
    {"exact: NaN is NaN", "double exact", "nan()", "-nan()", false},
    {"exact: NULL is NULL", "double exact", "NULL", "NULL", false},
    {"exact: NULL is not 0", "bigint exact", "NULL", "0", true},
    {"exact: the sign of zero in an array", "array(real) exact", "ARRAY[0e0, NULL]",
     "ARRAY[-0e0, NULL]", true},
    {"exact: equal arrays", "array(real) exact", "ARRAY[nan(), NULL]", "ARRAY[nan(), NULL]", false},
    {"exact: the sign of zero in a row in a map", "map(varchar, row(a double)) exact",
     "MAP(ARRAY['x'], ARRAY[ROW(0e0)])", "MAP(ARRAY['x'], ARRAY[ROW(-0e0)])", true},
    {"exact: a row is not a row of NULLs", "row(a double) exact", "NULL", "ROW(NULL)", true},
    {"float: within the tolerance", "double float", "1e0", "1.0000000005e0", false},
    {"float: beyond the tolerance", "double float", "1e0", "1.000000002e0", true},
    {"float: tiny numbers", "double float", "0e0", "1e-310", false},
    {"float: small numbers", "double float", "0e0", "1e-300", true},
    {"float: the sign of zero", "double float", "0e0", "-0e0", false},
    {"float: NaN is NaN", "double float", "nan()", "nan()", false},
    {"float: NaN is no number", "double float", "nan()", "1e0", true},
    {"float: infinity is no number", "double float", "infinity()", "1e308", true},
    {"float: two infinities", "double float", "infinity()", "-infinity()", true},
    {"float: NULL is no number", "double float", "NULL", "0e0", true},
    {"approximate: any difference", "double guess", "1e0", "1.0000000000000002e0", true},
    {"approximate: none", "double guess", "nan()", "nan()", false},
    {"more digits than a column holds", "timestamp(9) exact",
     "TIMESTAMP '2001-01-01 00:00:00.123456'", "TIMESTAMP '2001-01-01 00:00:00.123456001'", false},
    {"a length that a column has not", "varchar(3) exact", "'abc'", "CAST('abc' AS varchar(3))",
     false},
};

QString classRows(const char *ClassCase::*side)
{
    QStringList rows;
    for (const auto &row : kClassCases) {
        QStringList values{quotedLiteral(QString::fromUtf8(row.name))};
        for (const auto &column : kClassCases) {
            const QString type = QString::fromUtf8(column.column).section(u' ', 0, -2);
            const QString value =
                &row == &column ? QString::fromUtf8(row.*side) : QStringLiteral("NULL");
            values.append(QStringLiteral("CAST(%1 AS %2)").arg(value, type));
        }
        rows.append(u'(' + values.join(QStringLiteral(", ")) + u')');
    }
    return QStringLiteral("VALUES ") + rows.join(QStringLiteral(",\n"));
}

}  // namespace

// One row and one column a case; a row that was rewritten has moved to another file.
void tst_TrinoCommit::comparesByClass()
{
    QStringList shape{QStringLiteral("k varchar key")};
    QStringList expected;
    for (const auto &one : kClassCases) {
        shape.append(QStringLiteral("v%1 %2").arg(shape.size()).arg(QString::fromUtf8(one.column)));
        if (one.rewritten)
            expected.append(QString::fromUtf8(one.name));
    }
    expected.sort();
    QCOMPARE(makeTable(QStringLiteral("classes"), shape), QString());
    const auto first = commit(
        ReplaceAll{replacement(QStringLiteral("classes"), shape, classRows(&ClassCase::before))});
    COMMITTED(first);
    const QString paths = QStringLiteral("SELECT DISTINCT \"$path\" FROM classes");
    const QStringList before = m_trino.rows(paths);
    QCOMPARE(before.size(), 1);
    const auto second = commitAt(
        first->target,
        ReplaceAll{replacement(QStringLiteral("classes"), shape, classRows(&ClassCase::after))});
    COMMITTED(second);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT k FROM classes WHERE \"$path\" <> ") +
                          quotedLiteral(before[0])),
             expected);
    QCOMPARE(second->rowsWritten, expected.size());
}

void tst_TrinoCommit::keepsOneRowOfAViewWithoutKeys()
{
    const QStringList shape{QStringLiteral("n bigint exact"), QStringLiteral("a double float")};
    const QString name = QStringLiteral("total");
    QCOMPARE(makeTable(name, shape), QString());
    const auto wanted = [&](const QString &query) {
        return ReplaceAll{replacement(name, shape, query)};
    };
    COMMITTED(
        commit(wanted(QStringLiteral("SELECT count(*), avg(nationkey) FROM tpch.tiny.nation"))));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT * FROM total")),
             QStringList(QStringLiteral("25|12")));
    const auto same =
        commit(wanted(QStringLiteral("SELECT count(*), avg(nationkey) FROM tpch.tiny.nation")));
    COMMITTED(same);
    QVERIFY(!same->committed);
    COMMITTED(commit(wanted(QStringLiteral("SELECT count(*), NULL FROM tpch.tiny.region"))));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT * FROM total")),
             QStringList(QStringLiteral("5|NULL")));
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO total VALUES (5, NULL), (7, 1)")),
             QString());
    COMMITTED(commit(wanted(QStringLiteral("SELECT count(*), NULL FROM tpch.tiny.region"))));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT * FROM total")),
             QStringList(QStringLiteral("5|NULL")));
    COMMITTED(commit(
        wanted(QStringLiteral("SELECT count(*), NULL FROM tpch.tiny.region HAVING count(*) > 9"))));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT * FROM total")), QStringList());
}

void tst_TrinoCommit::mendsDuplicates_data()
{
    QTest::addColumn<QString>("inserted");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<QStringList>("rows");
    QTest::newRow("equal copies") << "('a', 1), ('a', 1), ('b', 1)" << "('a', 1), ('b', 1)"
                                  << QStringList({QStringLiteral("a|1"), QStringLiteral("b|1")});
    QTest::newRow("one copy is right")
        << "('a', 1), ('a', 2)" << "('a', 1)" << QStringList(QStringLiteral("a|1"));
    QTest::newRow("no copy is right")
        << "('a', 1), ('a', 2), ('a', 3)" << "('a', 4)" << QStringList(QStringLiteral("a|4"));
    QTest::newRow("the key vanishes")
        << "('a', 1), ('a', 1)" << "('b', 1)" << QStringList(QStringLiteral("b|1"));
    QTest::newRow("copies of NULL")
        << "(NULL, 1), (NULL, 1), ('', 1)" << "(NULL, 1), ('', 1)"
        << QStringList({QStringLiteral("NULL|1"), QStringLiteral("|1")});
}

void tst_TrinoCommit::mendsDuplicates()
{
    QFETCH(QString, inserted);
    QFETCH(QString, wanted);
    QFETCH(QStringList, rows);
    const QString name = QStringLiteral("dup_%1").arg(qHash(inserted));
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(name, shape), QString());
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO %1 VALUES %2").arg(name, inserted)),
             QString());
    const QString snapshots = QStringLiteral("SELECT count(*) FROM \"%1$snapshots\"").arg(name);
    const int before = m_trino.rows(snapshots).value(0).toInt();
    COMMITTED(commit(ReplaceAll{replacement(
        name, shape, QStringLiteral("SELECT * FROM (VALUES %1) AS v (k, n)").arg(wanted))}));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT * FROM ") + name), rows);
    QCOMPARE(m_trino.rows(snapshots).value(0).toInt(), before + 1);
}

void tst_TrinoCommit::refusesAStaleHead()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("n bigint exact")};
    const QString name = QStringLiteral("stale");
    QCOMPARE(makeTable(name, shape), QString());
    const TableHead old = m_trino.head(name);
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO stale VALUES ('a', 1)")), QString());
    const TableHead now = m_trino.head(name);
    const auto refused =
        commitAt(old, ReplaceAll{replacement(name, shape, QStringLiteral("SELECT 'a', 2"))});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Conflict);
    QCOMPARE(refused.error().message,
             QStringLiteral(
                 "target iceberg.%1.stale is at %2, not at %3 any more: somebody else changed it")
                 .arg(m_trino.schema(), now.token, old.token));
    QCOMPARE(m_trino.head(name), now);

    TableHead bySnapshot = old;
    bySnapshot.token.clear();
    const auto again =
        commitAt(bySnapshot, ReplaceAll{replacement(name, shape, QStringLiteral("SELECT 'a', 2"))});
    QVERIFY(!again);
    QCOMPARE(again.error().kind, ErrorKind::Conflict);

    QCOMPARE(m_trino.problem(QStringLiteral("ALTER TABLE stale ADD COLUMN c bigint")), QString());
    const auto schemaChanged =
        commitAt(now, ReplaceAll{replacement(name, shape, QStringLiteral("SELECT 'a', 2"))});
    QVERIFY(!schemaChanged);
    QCOMPARE(schemaChanged.error().kind, ErrorKind::Conflict);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT k, n FROM stale")),
             QStringList(QStringLiteral("a|1")));
}

void tst_TrinoCommit::refusesTwoRowsForOneKey()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("d date key"),
                            QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("twice"), shape), QString());
    const auto refused = commit(ReplaceAll{replacement(
        QStringLiteral("twice"), shape,
        QStringLiteral("SELECT * FROM (VALUES ('a', NULL, 1), ('a', NULL, 2)) AS v (k, d, n)"))});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Invalid);
    QCOMPARE(refused.error().code, QStringLiteral("duplicate_key"));
    QCOMPARE(refused.error().message,
             QStringLiteral(
                 "the query gives several rows for one key (k = a, d = NULL) of iceberg.%1.twice")
                 .arg(m_trino.schema()));
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*) FROM twice")),
             QStringList(QStringLiteral("0")));
}

void tst_TrinoCommit::tellsWhereTheQueryIsWrong()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("wrong"), shape), QString());
    const auto refused = commit(
        ReplaceAll{replacement(QStringLiteral("wrong"), shape,
                               QStringLiteral("SELECT name,\n  nope FROM tpch.tiny.nation"))});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Invalid);
    QCOMPARE(refused.error().place, (Place{{}, 2, 3}));
    QCOMPARE(refused.error().message,
             QStringLiteral("writing iceberg.%1.wrong: Column 'nope' cannot be resolved")
                 .arg(m_trino.schema()));
}

void tst_TrinoCommit::writesNothingWhenTheIntentIsNotRecorded()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("unrecorded"), shape), QString());
    const TableHead head = m_trino.head(QStringLiteral("unrecorded"));
    QString seen;
    const auto refused =
        commit(ReplaceAll{replacement(QStringLiteral("unrecorded"), shape,
                                      QStringLiteral("SELECT 'a', 1"))},
               [&](const QString &id) -> Status {
                   seen = id;
                   return fail(unavailableError(QStringLiteral("the disk is full")));
               });
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Unavailable);
    QCOMPARE(refused.error().message, QStringLiteral("recording the intent: the disk is full"));
    QVERIFY(!seen.isEmpty());
    QCOMPARE(m_trino.head(QStringLiteral("unrecorded")), head);
}

void tst_TrinoCommit::letsOneOfTwoRacersWin()
{
    const QStringList shape{QStringLiteral("k varchar key"), QStringLiteral("n bigint exact")};
    QCOMPARE(makeTable(QStringLiteral("race"), shape), QString());
    const TableHead head = m_trino.head(QStringLiteral("race"));
    const Change change = ReplaceAll{
        replacement(QStringLiteral("race"), shape,
                    QStringLiteral("SELECT name, count(*) FROM tpch.tiny.nation GROUP BY 1"))};
    std::atomic<int> won = 0;
    std::atomic<int> lost = 0;
    std::mutex guard;
    QStringList others;
    const auto racer = [&] {
        const auto session = m_trino.executor().openSession({}, Call{});
        const Intent intent{.id = {},
                            .view = {},
                            .target = m_trino.table(QStringLiteral("race")),
                            .targetHead = head,
                            .statementId = {},
                            .summary = {}};
        const auto result = (*session)->commit(change, intent, kForget, Call{});
        if (result && result->committed)
            ++won;
        else if (!result && result.error().kind == ErrorKind::Conflict)
            ++lost;
        else if (const std::scoped_lock lock(guard); true)
            others.append(result ? QStringLiteral("nothing committed") : result.error().text());
    };
    {
        std::vector<std::jthread> racers;
        for (int i = 0; i < 3; ++i)
            racers.emplace_back(racer);
    }
    QCOMPARE(others, QStringList());
    QCOMPARE(won.load(), 1);
    QCOMPARE(lost.load(), 2);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*), sum(n) FROM race")),
             QStringList(QStringLiteral("25|25")));
}

QTEST_GUILESS_MAIN(tst_TrinoCommit)
#include "tst_trino_commit.moc"
