#include "framework/api/store.h"
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

namespace {

OutputColumn column(const char *name, const char *type,
                    ColumnClass columnClass = ColumnClass::Exact)
{
    return {QString::fromLatin1(name), *parseType(QString::fromLatin1(type)), columnClass};
}

OutputColumn key(const char *name, const char *type)
{
    return column(name, type, ColumnClass::Key);
}

BucketFilter days(const QList<QPair<const char *, const char *>> &ranges, bool nullBucket = false)
{
    BucketFilter filter{.column = QStringLiteral("day"), .ranges = {}, .nullBucket = nullBucket};
    for (const auto &[from, to] : ranges) {
        const auto literal = [](const char *text) {
            return text ? std::optional(QStringLiteral("DATE '%1'").arg(QString::fromLatin1(text)))
                        : std::nullopt;
        };
        filter.ranges.append({literal(from), literal(to)});
    }
    return filter;
}

}  // namespace

class tst_DuckdbReplace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void fillsAnEmptyTarget();
    void commitsNothingWhenNothingDiffers();
    void writesOnlyWhatDiffers();
    void leavesOtherBucketsAlone();
    void readsOnlyTheFilesOfItsBuckets();
    void replacesTheNullBucket();
    void replacesUnboundedRanges();
    void takesNullKeysForEqual();
    void mendsDuplicatedKeys();
    void replacesTheOneRowOfAViewWithoutKeys();
    void comparesFloats_data();
    void comparesFloats();
    void comparesExactDoublesBitByBit();
    void takesNaNKeysForEqual();
    void writesEstimatesAgainThatChanged();
    void carriesTheIntentInItsSnapshot();
    void refusesAnotherHead();
    void losesTheRaceWithoutATrace();
    void refusesTwoRowsOfOneKey();
    void refusesRowsOutsideOfItsRanges();
    void refusesOtherColumns();
    void settlesWhatLanded();
    void settlesWhatLandedBelowOthers();
    void settlesWhatDidNotLand();
    void leavesTheTargetReadableWhenItsQueryFails();

private:
    // A target `v(day, k, n)` over a source `s(ts, k)`, both partitioned by day.
    void makeSource();
    static Replacement counts(const QString &where);
    Intent intent(const char *target = "v");
    Result<CommitResult> replace(const Change &change) { return replace(change, intent()); }
    Result<CommitResult> replace(const Change &change, const Intent &intent);
    CommitResult mustReplace(const Change &change);
    QStringList wanted();
    QStringList target()
    {
        return m_warehouse->rows(QStringLiteral("SELECT * FROM v ORDER BY day, k, n"));
    }

    std::unique_ptr<WarehouseFixture> m_warehouse;
    int m_intents = 0;
};

void tst_DuckdbReplace::init() { m_warehouse = std::make_unique<WarehouseFixture>(); }

void tst_DuckdbReplace::makeSource()
{
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE s (ts timestamp(6), k varchar) WITH (partitioning = ARRAY['day(ts)'])"));
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE v (day date, k varchar, n bigint) WITH (partitioning = ARRAY['day'])"));
    for (int day = 1; day <= 4; ++day) {
        m_warehouse->run(QStringLiteral("INSERT INTO s VALUES (TIMESTAMP '2001-01-0%1 10:00:00', "
                                        "'a'), (TIMESTAMP '2001-01-0%1 "
                                        "11:00:00', 'a'), (TIMESTAMP '2001-01-0%1 12:00:00', 'b')")
                             .arg(day));
    }
    mustReplace(ReplaceAll{counts({})});
}

Replacement tst_DuckdbReplace::counts(const QString &where)
{
    return {.target = {QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("v")},
            .columns = {key("day", "date"), key("k", "varchar"), column("n", "bigint")},
            .query = QStringLiteral(
                         "SELECT CAST(ts AS date) AS day, k, count(*) AS n FROM s %1 GROUP BY 1, 2")
                         .arg(where)};
}

Intent tst_DuckdbReplace::intent(const char *target)
{
    return {.id = QStringLiteral("intent-%1").arg(++m_intents),
            .view = QStringLiteral("v"),
            .target = m_warehouse->name(target),
            .targetHead = m_warehouse->info(target).head,
            .statementId = {},
            .summary = {{QStringLiteral("ivm.bookmark"), QStringLiteral("{}")}}};
}

Result<CommitResult> tst_DuckdbReplace::replace(const Change &change, const Intent &intent)
{
    return m_warehouse->session().commit(change, intent, {}, {});
}

CommitResult tst_DuckdbReplace::mustReplace(const Change &change)
{
    const auto result =
        replace(change, intent(replacementOf(change).target.table.toLatin1().constData()));
    if (!result)
        QTest::qFail(qPrintable(result.error().text()), __FILE__, __LINE__);
    return result.value_or(CommitResult{});
}

QStringList tst_DuckdbReplace::wanted()
{
    return m_warehouse->rows(QStringLiteral(
        "SELECT CAST(ts AS date) AS day, k, count(*) AS n FROM s GROUP BY 1, 2 ORDER BY 1, 2, 3"));
}

void tst_DuckdbReplace::fillsAnEmptyTarget()
{
    makeSource();
    QCOMPARE(target(), wanted());
    QCOMPARE(target().size(), 8);
    QCOMPARE(m_warehouse->info("v").headSummary.value(QStringLiteral("operation")),
             QStringLiteral("append"));
    QCOMPARE(m_warehouse->dataFiles("v").size(), 4);
}

void tst_DuckdbReplace::commitsNothingWhenNothingDiffers()
{
    makeSource();
    const TableHead before = m_warehouse->info("v").head;
    const auto result = mustReplace(ReplaceAll{counts({})});
    QVERIFY(!result.committed);
    QCOMPARE(result.target, before);
    QCOMPARE(result.rowsWritten, qint64(0));
    QCOMPARE(result.rowsDeleted, qint64(0));
    QCOMPARE(m_warehouse->info("v").head, before);
}

void tst_DuckdbReplace::writesOnlyWhatDiffers()
{
    makeSource();
    const QStringList before = m_warehouse->dataFiles("v");
    // One group more, one changed, one gone.
    m_warehouse->run(QStringLiteral("INSERT INTO s VALUES (TIMESTAMP '2001-01-01 13:00:00', 'c'), "
                                    "(TIMESTAMP '2001-01-01 14:00:00', 'a')"));
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE ts = TIMESTAMP '2001-01-02 12:00:00'"));
    const auto result = mustReplace(ReplaceAll{counts({})});
    QVERIFY(result.committed);
    QCOMPARE(result.rowsWritten, qint64(2));
    QCOMPARE(result.rowsDeleted, qint64(1));
    QCOMPARE(target(), wanted());
    QStringList kept = m_warehouse->dataFiles("v");
    kept.removeIf([&](const QString &file) { return !before.contains(file); });
    QCOMPARE(kept.size(), 2);
    const TableInfo info = m_warehouse->info("v");
    QCOMPARE(info.head, result.target);
    QCOMPARE(info.headSummary.value(QStringLiteral("operation")), QStringLiteral("overwrite"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*) FROM \"v$snapshots\"")),
             QStringList{QStringLiteral("2")});
}

void tst_DuckdbReplace::leavesOtherBucketsAlone()
{
    makeSource();
    // A hand edit outside of the range is none of this change's business.
    m_warehouse->run(QStringLiteral("UPDATE v SET n = 99 WHERE day = DATE '2001-01-04'"));
    m_warehouse->run(QStringLiteral("UPDATE v SET n = 98 WHERE day = DATE '2001-01-02'"));
    const QString range = QStringLiteral(
        "WHERE ts >= TIMESTAMP '2001-01-02 00:00:00' AND ts < TIMESTAMP '2001-01-03 00:00:00'");
    const auto result =
        mustReplace(ReplaceRanges{counts(range), days({{"2001-01-02", "2001-01-03"}})});
    QCOMPARE(result.rowsWritten, qint64(2));
    QCOMPARE(
        m_warehouse->rows(QStringLiteral("SELECT DISTINCT n FROM v WHERE day = DATE '2001-01-04'")),
        QStringList{QStringLiteral("99")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*) FROM v WHERE n = 98")),
             QStringList{QStringLiteral("0")});
}

void tst_DuckdbReplace::readsOnlyTheFilesOfItsBuckets()
{
    makeSource();
    m_warehouse->run(QStringLiteral("INSERT INTO s VALUES (TIMESTAMP '2001-01-03 13:00:00', 'a')"));
    const QString range = QStringLiteral(
        "WHERE ts >= TIMESTAMP '2001-01-03 00:00:00' AND ts < TIMESTAMP '2001-01-04 00:00:00'");
    const auto result =
        mustReplace(ReplaceRanges{counts(range), days({{"2001-01-03", "2001-01-04"}})});
    QCOMPARE(result.filesRead, qint64(3));  // two of the source, one of the target
    QCOMPARE(result.rowsRead, qint64(6));
    QVERIFY(result.bytesRead > 0);
    QCOMPARE(target(), wanted());
}

void tst_DuckdbReplace::replacesTheNullBucket()
{
    makeSource();
    m_warehouse->run(
        QStringLiteral("INSERT INTO s VALUES (NULL, 'a'), (NULL, NULL), (NULL, NULL)"));
    auto result =
        mustReplace(ReplaceRanges{counts(QStringLiteral("WHERE ts IS NULL")), days({}, true)});
    QCOMPARE(result.rowsWritten, qint64(2));
    QCOMPARE(target(), wanted());
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE ts IS NULL AND k IS NULL"));
    result = mustReplace(ReplaceRanges{counts(QStringLiteral("WHERE ts IS NULL")), days({}, true)});
    QCOMPARE(result.rowsDeleted, qint64(1));
    QCOMPARE(target(), wanted());
}

void tst_DuckdbReplace::replacesUnboundedRanges()
{
    makeSource();
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE ts < TIMESTAMP '2001-01-02 00:00:00' OR "
                                    "ts >= TIMESTAMP '2001-01-04 00:00:00'"));
    const QString range = QStringLiteral(
        "WHERE ts < TIMESTAMP '2001-01-02 00:00:00' OR ts >= TIMESTAMP '2001-01-03 00:00:00'");
    auto result = mustReplace(
        ReplaceRanges{counts(range), days({{nullptr, "2001-01-02"}, {"2001-01-03", nullptr}})});
    QCOMPARE(result.rowsDeleted, qint64(4));
    QCOMPARE(target(), wanted());
    m_warehouse->run(QStringLiteral("DELETE FROM s"));
    result = mustReplace(
        ReplaceRanges{counts(QStringLiteral("WHERE ts IS NOT NULL")), days({{nullptr, nullptr}})});
    QCOMPARE(result.rowsDeleted, qint64(4));
    QCOMPARE(target(), QStringList());
    QCOMPARE(m_warehouse->info("v").headSummary.value(QStringLiteral("operation")),
             QStringLiteral("delete"));
}

void tst_DuckdbReplace::takesNullKeysForEqual()
{
    makeSource();
    m_warehouse->run(QStringLiteral(
        "INSERT INTO s VALUES (TIMESTAMP '2001-01-01 10:00:00', NULL), (NULL, 'a')"));
    QCOMPARE(mustReplace(ReplaceAll{counts({})}).rowsWritten, qint64(2));
    QVERIFY(!mustReplace(ReplaceAll{counts({})}).committed);
    m_warehouse->run(
        QStringLiteral("INSERT INTO s VALUES (TIMESTAMP '2001-01-01 10:00:00', NULL)"));
    const auto result = mustReplace(ReplaceAll{counts({})});
    QCOMPARE(result.rowsWritten, qint64(1));
    QCOMPARE(result.rowsDeleted, qint64(0));
    QCOMPARE(target(), wanted());
}

void tst_DuckdbReplace::mendsDuplicatedKeys()
{
    makeSource();
    m_warehouse->run(QStringLiteral("INSERT INTO v SELECT day, k, n FROM v WHERE k = 'a'"));
    m_warehouse->run(QStringLiteral("INSERT INTO v SELECT day, k, n + 1 FROM v WHERE k = 'b'"));
    const auto result = mustReplace(ReplaceAll{counts({})});
    QVERIFY(result.committed);
    QCOMPARE(result.rowsWritten, qint64(0));
    QCOMPARE(result.rowsDeleted, qint64(8));
    QCOMPARE(target(), wanted());
}

void tst_DuckdbReplace::replacesTheOneRowOfAViewWithoutKeys()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE s AS SELECT 1 AS a"));
    m_warehouse->run(QStringLiteral("CREATE TABLE v (n bigint)"));
    const ReplaceAll change{{.target = m_warehouse->name("v"),
                             .columns = {column("n", "bigint")},
                             .query = QStringLiteral("SELECT count(*) AS n FROM s")}};
    QCOMPARE(mustReplace(change).rowsWritten, qint64(1));
    QVERIFY(!mustReplace(change).committed);
    m_warehouse->run(QStringLiteral("INSERT INTO s VALUES 2"));
    QCOMPARE(mustReplace(change).rowsWritten, qint64(1));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM v")),
             QStringList{QStringLiteral("2")});
}

void tst_DuckdbReplace::comparesFloats_data()
{
    QTest::addColumn<QString>("stored");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<bool>("differs");
    QTest::newRow("equal") << "1.5e0" << "1.5e0" << false;
    QTest::newRow("within the tolerance") << "1.0e0" << "1.0000000009e0" << false;
    QTest::newRow("beyond the tolerance") << "1.0e0" << "1.0000000011e0" << true;
    QTest::newRow("large numbers within") << "1.0e300" << "1.0000000009e300" << false;
    QTest::newRow("zero against a small number") << "0.0e0" << "1.0e-300" << true;
    QTest::newRow("NaN against NaN") << "nan()" << "nan()" << false;
    QTest::newRow("NaN against a number") << "nan()" << "1.0e0" << true;
    QTest::newRow("NaN against infinity") << "nan()" << "infinity()" << true;
    QTest::newRow("infinity against itself") << "infinity()" << "infinity()" << false;
    QTest::newRow("infinity against a number") << "infinity()" << "1.0e308" << true;
    QTest::newRow("infinity against minus infinity") << "infinity()" << "-infinity()" << true;
    QTest::newRow("NULL against NULL") << "CAST(NULL AS double)" << "CAST(NULL AS double)" << false;
    QTest::newRow("NULL against zero") << "CAST(NULL AS double)" << "0.0e0" << true;
}

void tst_DuckdbReplace::comparesFloats()
{
    QFETCH(QString, stored);
    QFETCH(QString, wanted);
    QFETCH(bool, differs);
    m_warehouse->run(QStringLiteral("CREATE TABLE v (k integer, x double)"));
    m_warehouse->run(QStringLiteral("INSERT INTO v SELECT 1, %1").arg(stored));
    const ReplaceAll change{
        {.target = m_warehouse->name("v"),
         .columns = {key("k", "integer"), column("x", "double", ColumnClass::Float)},
         .query = QStringLiteral("SELECT 1 AS k, %1 AS x").arg(wanted)}};
    QCOMPARE(mustReplace(change).committed, differs);
}

void tst_DuckdbReplace::comparesExactDoublesBitByBit()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE v AS SELECT 1 AS k, 0.0e0 AS x"));
    const auto change = [&](const char *value) {
        return ReplaceAll{
            {.target = m_warehouse->name("v"),
             .columns = {key("k", "integer"), column("x", "double")},
             .query = QStringLiteral("SELECT 1 AS k, %1 AS x").arg(QString::fromLatin1(value))}};
    };
    QVERIFY(!mustReplace(change("0.0e0")).committed);
    QVERIFY(mustReplace(change("-0.0e0")).committed);
    QVERIFY(mustReplace(change("1.0e0")).committed);
    QVERIFY(mustReplace(change("1.0000000000000002e0")).committed);
    QVERIFY(mustReplace(change("nan()")).committed);
    QVERIFY(!mustReplace(change("nan()")).committed);
    QVERIFY(mustReplace(change("CAST(NULL AS double)")).committed);
    QVERIFY(!mustReplace(change("CAST(NULL AS double)")).committed);
}

void tst_DuckdbReplace::takesNaNKeysForEqual()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE v (k double, n bigint)"));
    const ReplaceAll change{
        {.target = m_warehouse->name("v"),
         .columns = {key("k", "double"), column("n", "bigint")},
         .query = QStringLiteral(
             "SELECT k, count(*) AS n FROM (VALUES nan(), nan(), 1.0e0) AS s(k) GROUP BY k")}};
    QCOMPARE(mustReplace(change).rowsWritten, qint64(2));
    QVERIFY(!mustReplace(change).committed);
}

void tst_DuckdbReplace::writesEstimatesAgainThatChanged()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE v (k integer, x bigint, y varchar)"));
    const auto change = [&](const char *values) {
        return ReplaceAll{
            {.target = m_warehouse->name("v"),
             .columns = {key("k", "integer"), column("x", "bigint", ColumnClass::Approximate),
                         column("y", "varchar", ColumnClass::OrderDependent)},
             .query = QStringLiteral("SELECT 1 AS k, %1").arg(QString::fromLatin1(values))}};
    };
    QVERIFY(mustReplace(change("CAST(5 AS bigint) AS x, 'a' AS y")).committed);
    QVERIFY(!mustReplace(change("CAST(5 AS bigint) AS x, 'a' AS y")).committed);
    QVERIFY(mustReplace(change("CAST(6 AS bigint) AS x, 'a' AS y")).committed);
    QVERIFY(mustReplace(change("CAST(6 AS bigint) AS x, 'b' AS y")).committed);
}

void tst_DuckdbReplace::carriesTheIntentInItsSnapshot()
{
    makeSource();
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE k = 'b'"));
    Intent mine = intent();
    mine.summary.insert(QStringLiteral("ivm.bookmark"), QStringLiteral("{\"view\":\"v\"}"));
    QVERIFY(replace(ReplaceAll{counts({})}, mine));
    const auto summary = m_warehouse->info("v").headSummary;
    QCOMPARE(summary.value(QStringLiteral("ivm.bookmark")), QStringLiteral("{\"view\":\"v\"}"));
    QCOMPARE(summary.value(kIntentSummaryKey.toString()), mine.id);
    QCOMPARE(summary.value(QStringLiteral("deleted-records")), QStringLiteral("8"));
}

void tst_DuckdbReplace::refusesAnotherHead()
{
    makeSource();
    const Intent stale = intent();
    m_warehouse->run(QStringLiteral("DELETE FROM v WHERE k = 'b'"));
    const TableHead before = m_warehouse->info("v").head;
    const QStringList files = m_warehouse->filesOnDisk();
    const auto result = replace(ReplaceAll{counts({})}, stale);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Conflict);
    QCOMPARE(m_warehouse->info("v").head, before);
    QCOMPARE(m_warehouse->filesOnDisk(), files);
}

void tst_DuckdbReplace::losesTheRaceWithoutATrace()
{
    makeSource();
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE k = 'b'"));
    // Another writer commits between our look at the table and our swap.
    const Intent mine = intent();
    WarehouseFixture *warehouse = m_warehouse.get();
    const auto open = warehouse->executor().warehouse().writing();
    QVERIFY(open);
    auto base = iceberg::loadTable(*open, warehouse->name("v"));
    QVERIFY(base);
    auto database = Database::open({});
    auto connection = Connection::open(*database, {});
    QVERIFY(connection);
    auto files = writeFiles(
        *base, QStringLiteral("SELECT DATE '2001-01-09' AS day, 'x' AS k, 1::BIGINT AS n"),
        **connection, {});
    QVERIFY(files);
    warehouse->run(QStringLiteral("DELETE FROM v WHERE k = 'a'"));
    const QStringList before = warehouse->filesOnDisk();
    {
        NewFiles doomed = std::move(*files);
        const auto lost = commitFiles(*open, *base, {}, doomed);
        QVERIFY(!lost);
        QCOMPARE(lost.error().kind, ErrorKind::Conflict);
    }
    QCOMPARE(warehouse->filesOnDisk().size(), before.size() - 1);
    QCOMPARE(warehouse->rows(QStringLiteral("SELECT DISTINCT k FROM v")),
             QStringList{QStringLiteral("b")});
}

void tst_DuckdbReplace::refusesTwoRowsOfOneKey()
{
    makeSource();
    Replacement replacement = counts({});
    replacement.query =
        QStringLiteral("SELECT CAST(ts AS date) AS day, k, CAST(1 AS bigint) AS n FROM s");
    const TableHead before = m_warehouse->info("v").head;
    const auto result = replace(ReplaceAll{replacement});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Invalid);
    QCOMPARE(result.error().message, QStringLiteral("the query for iceberg.main.v gives more than "
                                                    "one row for 4 of its keys (\"day\", \"k\")"));
    QCOMPARE(m_warehouse->info("v").head, before);
}

void tst_DuckdbReplace::refusesRowsOutsideOfItsRanges()
{
    makeSource();
    const auto result = replace(ReplaceRanges{counts({}), days({{"2001-01-02", "2001-01-03"}})});
    QVERIFY(!result);
    QCOMPARE(result.error().message,
             QStringLiteral("the query for iceberg.main.v gives 6 rows outside of its ranges"));
}

void tst_DuckdbReplace::refusesOtherColumns()
{
    makeSource();
    Replacement replacement = counts({});
    replacement.columns.removeLast();
    const auto result = replace(ReplaceAll{replacement});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Invalid);
}

void tst_DuckdbReplace::settlesWhatLanded()
{
    makeSource();
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE k = 'b'"));
    const Intent mine = intent();
    const auto result = replace(ReplaceAll{counts({})}, mine);
    QVERIFY(result);
    const auto settled = m_warehouse->session().settle(mine, {});
    QVERIFY(settled);
    const auto *landed = std::get_if<Landed>(&*settled);
    QVERIFY(landed);
    QCOMPARE(landed->target, result->target);
    QCOMPARE(landed->summary.value(QStringLiteral("ivm.bookmark")), QStringLiteral("{}"));
}

void tst_DuckdbReplace::settlesWhatLandedBelowOthers()
{
    makeSource();
    m_warehouse->run(QStringLiteral("DELETE FROM s WHERE k = 'b'"));
    const Intent mine = intent();
    const auto result = replace(ReplaceAll{counts({})}, mine);
    QVERIFY(result);
    m_warehouse->run(QStringLiteral("INSERT INTO v VALUES (DATE '2001-02-01', 'x', 1)"));
    m_warehouse->run(QStringLiteral("INSERT INTO v VALUES (DATE '2001-02-02', 'x', 1)"));
    const auto settled = m_warehouse->session().settle(mine, {});
    QVERIFY(settled);
    const auto *landed = std::get_if<Landed>(&*settled);
    QVERIFY(landed);
    QCOMPARE(landed->target, result->target);
}

void tst_DuckdbReplace::settlesWhatDidNotLand()
{
    makeSource();
    const Intent mine = intent();
    auto settled = m_warehouse->session().settle(mine, {});
    QVERIFY(settled && std::holds_alternative<NotLanded>(*settled));
    m_warehouse->run(QStringLiteral("DROP TABLE v"));
    settled = m_warehouse->session().settle(mine, {});
    QVERIFY(settled && std::holds_alternative<NotLanded>(*settled));
    WarehouseFixture none;
    settled = none.session().settle(mine, {});
    QVERIFY(settled && std::holds_alternative<NotLanded>(*settled));
}

void tst_DuckdbReplace::leavesTheTargetReadableWhenItsQueryFails()
{
    makeSource();
    const QStringList before = target();
    const QStringList files = m_warehouse->filesOnDisk();
    Replacement replacement = counts({});
    replacement.query = QStringLiteral(
        "SELECT CAST(ts AS date) AS day, k, CAST(max(k) AS bigint) AS n FROM s GROUP BY 1, 2");
    const auto result = replace(ReplaceAll{replacement});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Invalid);
    QCOMPARE(target(), before);
    QCOMPARE(m_warehouse->filesOnDisk(), files);
    QVERIFY(!mustReplace(ReplaceAll{counts({})}).committed);
}

QTEST_GUILESS_MAIN(tst_DuckdbReplace)
#include "tst_duckdb_replace.moc"
