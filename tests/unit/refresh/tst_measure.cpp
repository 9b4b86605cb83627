#include "framework/refresh/measure.h"

#include "tests/support/fake_engine.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

constexpr Micros kHour = 3'600 * kMicrosPerSecond;

FileChange file(FileRole role, const char *path, std::optional<qint64> lower,
                std::optional<qint64> upper, NullState nulls = NullState::Never)
{
    return {.role = role,
            .path = QString::fromLatin1(path),
            .records = 10,
            .bytes = 100,
            .bounds = {.lower = lower, .upper = upper, .nullState = nulls}};
}

// Milliseconds since the year 1, as the statements count.
Value millis(Micros micros) { return {qint64(micros / 1000 + 62'135'596'800'000)}; }

const QString kReadNow = QStringLiteral(
    "SELECT date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00', min(\"ts\")), "
    "date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00', max(\"ts\")), count(*) "
    "FROM \"iceberg\".\"main\".\"t\" FOR VERSION AS OF 2 WHERE \"$path\" IN ('it''s') "
    "GROUP BY date_trunc('hour', \"ts\") LIMIT 10001");

}  // namespace

class tst_Measure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void takesTheBucketsOfBounds_data();
    void takesTheBucketsOfBounds();
    void countsFilesThatCameAndWent();
    void readsOnlyFilesWithoutBounds();
    void readsOnceWhatSeveralViewsAskFor();
    void readsAddedFilesOfFewRows();
    void readsNumbersAsTheyAre();
    void touchesEverythingWhenReadingCannotTell_data();
    void touchesEverythingWhenReadingCannotTell();
    void goesByBoundsWhereTheEngineRefuses();
    void tellsRowsApart();
    void tellsZeroFromMinusZero();
    void doesNotTellRowsApart_data();
    void doesNotTellRowsApart();
    void countsFiles();

private:
    Result<RangeSet> measure(const QList<FileChange> &files);

    FakeWorld m_world;
    FakeSession m_session{m_world};
    FakeDetector m_detector{m_world};
    MeasuredColumn m_column;
    QList<Column> m_columns;  // as the table has them
    bool m_complete = true;
    bool m_pinnable = true;
    ChangesRequest m_request;
    std::unique_ptr<MeasuredRanges> m_measured;  // none: everything is measured anew
    int m_sessionsAsked = 0;
};

void tst_Measure::init()
{
    m_world.log.clear();
    m_world.answers.clear();
    m_world.refusals.clear();
    m_measured.reset();
    m_sessionsAsked = 0;
    m_world.live.clear();
    m_column = {
        tableNamed(QStringLiteral("t")),
        {.name = QStringLiteral("ts"), .type = {.kind = TypeKind::Timestamp, .precision = 6}},
        {.steps = {Truncate{BucketUnit::Hour}}}};
    m_request = {.table = m_column.table,
                 .from = {},
                 .to = {},
                 .column = m_column.column.name,
                 .columns = {QStringLiteral("dev"), QStringLiteral("ts")}};
    m_columns = {{.name = QStringLiteral("dev"), .type = {.kind = TypeKind::Varchar}},
                 m_column.column};
    m_complete = true;
    m_pinnable = true;
    m_request.from.snapshot = 1;
    m_request.to.snapshot = 2;
}

Result<RangeSet> tst_Measure::measure(const QList<FileChange> &files)
{
    TableChanges changes;
    changes.files = files;
    changes.complete = m_complete;
    changes.columns = m_columns;
    const MeasureInput input{.column = m_column,
                             .request = m_request,
                             .changes = changes,
                             .pinnableBefore = m_pinnable,
                             .pinnableNow = true,
                             .detector = m_detector,
                             .session = [this]() -> Result<Session *> {
                                 ++m_sessionsAsked;
                                 return &m_session;
                             }};
    return m_measured ? m_measured->of(input, {}) : measureRanges(input, {});
}

void tst_Measure::takesTheBucketsOfBounds_data()
{
    QTest::addColumn<qint64>("lower");
    QTest::addColumn<qint64>("upper");
    QTest::addColumn<qint64>("from");
    QTest::addColumn<qint64>("to");
    QTest::newRow("one instant") << kHour + 5 << kHour + 5 << kHour << 2 * kHour;
    QTest::newRow("a bound on the border") << kHour << 2 * kHour << kHour << 3 * kHour;
    QTest::newRow("before the epoch") << qint64(-1) << qint64(0) << -kHour << kHour;
}

void tst_Measure::takesTheBucketsOfBounds()
{
    QFETCH(qint64, lower);
    QFETCH(qint64, upper);
    QFETCH(qint64, from);
    QFETCH(qint64, to);
    for (const auto role : {FileRole::Added, FileRole::Removed, FileRole::DeletedFrom}) {
        const auto ranges = measure({file(role, "a", lower, upper)});
        QVERIFY(ranges);
        QCOMPARE(ranges->ranges(), (QList<BucketRange>{{from, to}}));
        QVERIFY(!ranges->hasNullBucket());
    }
    QCOMPARE(m_sessionsAsked, 0);
    const auto withNulls = measure({file(FileRole::Added, "a", lower, upper, NullState::Unknown)});
    QVERIFY(withNulls->hasNullBucket());
    const auto onlyNulls =
        measure({file(FileRole::Added, "a", std::nullopt, std::nullopt, NullState::Always)});
    QVERIFY(onlyNulls->hasNullBucket() && onlyNulls->ranges().isEmpty());
}

void tst_Measure::countsFilesThatCameAndWent()
{
    const auto ranges =
        measure({file(FileRole::Added, "a", 0, 0), file(FileRole::Removed, "a", 0, 0),
                 file(FileRole::DeletedFrom, "a", 0, 0), file(FileRole::Added, "b", kHour, kHour)});
    // One that was removed first and then put back without its deletes looks the same.
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{0, 2 * kHour}}));
}

void tst_Measure::readsOnlyFilesWithoutBounds()
{
    m_world.answers.insert(kReadNow, {{},
                                      {{millis(24 * kHour), millis(25 * kHour - 1000), {qint64(6)}},
                                       {millis(48 * kHour), millis(48 * kHour), {qint64(3)}},
                                       {{}, {}, {qint64(1)}}}});
    QTest::ignoreMessage(QtInfoMsg, "iceberg.main.t: changed files that tell no bounds of 'ts' are "
                                    "read: 1");
    const auto ranges = measure({file(FileRole::Added, "it's", std::nullopt, std::nullopt),
                                 file(FileRole::Added, "b", 0, 0)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(),
             (QList<BucketRange>{{0, kHour}, {24 * kHour, 25 * kHour}, {48 * kHour, 49 * kHour}}));
    QVERIFY(ranges->hasNullBucket());
}

// Two rows, one of them late: not all that lies between them.
void tst_Measure::readsOnceWhatSeveralViewsAskFor()
{
    const QList<FileChange> files{file(FileRole::Added, "it's", std::nullopt, std::nullopt)};
    m_world.answers.insert(kReadNow,
                           {.columns = {}, .rows = {{millis(5), millis(6), {qint64(2)}}}});
    m_measured = std::make_unique<MeasuredRanges>();
    const auto first = measure(files);
    const auto second = measure(files);
    QVERIFY(first && second && !first->isEmpty());
    QCOMPARE(*second, *first);
    QCOMPARE(m_sessionsAsked, 1);
    m_request.to.token = QStringLiteral("other");
    QVERIFY(measure(files));
    QCOMPARE(m_sessionsAsked, 2);
    // What is the same in the columns of one view may differ in those of another.
    m_request.columns.append(QStringLiteral("w"));
    QVERIFY(measure(files));
    QCOMPARE(m_sessionsAsked, 3);
    m_column.function = {.steps = {Truncate{BucketUnit::Day}}};
    m_world.answers.clear();
    (void)measure(files);
    QCOMPARE(m_sessionsAsked, 4);
}

void tst_Measure::readsAddedFilesOfFewRows()
{
    m_world.answers.insert(kReadNow, {{},
                                      {{millis(0), millis(0), {qint64(9)}},
                                       {millis(90 * kHour), millis(90 * kHour), {qint64(1)}}}});
    const auto ranges = measure({file(FileRole::Added, "it's", 0, 90 * kHour)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{0, kHour}, {90 * kHour, 91 * kHour}}));
    QVERIFY(!ranges->hasNullBucket());
    // A row of it was deleted meanwhile: the bounds are what is left.
    m_world.answers.insert(kReadNow, {{}, {{millis(0), millis(0), {qint64(9)}}}});
    QCOMPARE(measure({file(FileRole::Added, "it's", 0, 90 * kHour)})->ranges(),
             (QList<BucketRange>{{0, 91 * kHour}}));
    // As many rows as buckets: reading them first would be work done twice.
    m_sessionsAsked = 0;
    QCOMPARE(measure({file(FileRole::Added, "it's", 0, 30 * kHour)})->ranges(),
             (QList<BucketRange>{{0, 31 * kHour}}));
    QCOMPARE(m_sessionsAsked, 0);
}

void tst_Measure::readsNumbersAsTheyAre()
{
    m_column.column = {.name = QStringLiteral("epoch"), .type = {.kind = TypeKind::Bigint}};
    m_column.function = {BucketFunction::Domain::Number,
                         BucketFunction::Domain::Number,
                         {Divide{300}, Multiply{300}}};
    m_world.answers.insert(
        QStringLiteral("SELECT CAST(min(\"epoch\") AS bigint), CAST(max(\"epoch\") AS bigint), "
                       "count(*) FROM \"iceberg\".\"main\".\"t\" FOR VERSION AS OF 2 "
                       "WHERE \"$path\" IN ('a') GROUP BY \"epoch\" / "),
        {{}, {{{qint64(-299)}, {qint64(650)}, {qint64(10)}}}});
    const auto ranges = measure({file(FileRole::Added, "a", std::nullopt, std::nullopt)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{0, 601}}));
    QVERIFY(!ranges->hasNullBucket());
}

void tst_Measure::touchesEverythingWhenReadingCannotTell_data()
{
    QTest::addColumn<std::vector<Row>>("rows");
    QTest::newRow("rows are missing") << std::vector<Row>{{millis(0), millis(0), {qint64(9)}}};
    QTest::newRow("before all calendars")
        << std::vector<Row>{{{qint64(-5)}, {qint64(7)}, {qint64(10)}}};
    QTest::newRow("very many buckets")
        << std::vector<Row>(10'001, {millis(0), millis(0), {qint64(1)}});
    QTest::newRow("no counts") << std::vector<Row>{{millis(0), millis(0), {}}};
}

void tst_Measure::touchesEverythingWhenReadingCannotTell()
{
    QFETCH(std::vector<Row>, rows);
    m_world.answers.insert(QStringLiteral("SELECT"), {{}, rows});
    const auto removed = file(FileRole::Removed, "a", std::nullopt, std::nullopt);
    const auto ranges = measure({removed});
    QVERIFY(ranges && ranges->coversEverything());
    m_request.from.snapshot.reset();
    m_sessionsAsked = 0;
    QVERIFY(measure({removed})->coversEverything());
    m_request.from.snapshot = 1;
    m_pinnable = false;
    QVERIFY(measure({removed})->coversEverything());
    QCOMPARE(m_sessionsAsked, 0);
}

// A snapshot without the column is no reason to fail: bounds do.
void tst_Measure::goesByBoundsWhereTheEngineRefuses()
{
    m_world.live.insert(m_column.table, {.files = 100, .records = 1000, .bytes = 1});
    m_world.refusals.insert(QStringLiteral("SELECT"),
                            invalidError(QStringLiteral("Column 'ts' cannot be resolved")));
    QCOMPARE(measure({file(FileRole::DeletedFrom, "a", 0, 90 * kHour)})->ranges(),
             (QList<BucketRange>{{0, 91 * kHour}}));
    QVERIFY(measure({file(FileRole::Added, "a", std::nullopt, std::nullopt)})->coversEverything());
    m_world.refusals.clear();
    m_world.refusals.insert(QStringLiteral("SELECT"), unavailableError(QStringLiteral("away")));
    const auto away = measure({file(FileRole::DeletedFrom, "a", 0, 90 * kHour)});
    QVERIFY(!away && away.error().kind == ErrorKind::Unavailable);
}

void tst_Measure::tellsRowsApart()
{
    m_world.live.insert(m_column.table, {.files = 100, .records = 1000, .bytes = 1});
    m_world.answers.insert(
        QStringLiteral(
            "SELECT date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00', min(c0)), "
            "date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00', max(c0)), count(*) "
            "FROM (\nSELECT c0 FROM (\n"
            "SELECT \"ts\" AS c0, \"dev\" AS c1, 1 AS weight FROM \"iceberg\".\"main\".\"t\" FOR "
            "VERSION AS OF 2 WHERE \"$path\" IN ('a', 'd')\n"
            "UNION ALL SELECT \"ts\" AS c0, \"dev\" AS c1, -1 AS weight FROM "
            "\"iceberg\".\"main\".\"t\" FOR VERSION AS OF 1 WHERE \"$path\" IN ('d', 'r')\n"
            ") GROUP BY c0, c1 HAVING sum(weight) <> 0\n"
            ") GROUP BY date_trunc('hour', c0) LIMIT 10001"),
        {{}, {{millis(7 * kHour), millis(7 * kHour), {qint64(1)}}}});
    const auto ranges = measure({file(FileRole::Added, "a", 0, 90 * kHour),
                                 file(FileRole::DeletedFrom, "d", 0, 90 * kHour),
                                 file(FileRole::Removed, "r", 0, 90 * kHour)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{7 * kHour, 8 * kHour}}));
    QCOMPARE(m_world.log, QStringList({QStringLiteral("files t"), QStringLiteral("run")}));
}

// GROUP BY takes them for one.
void tst_Measure::tellsZeroFromMinusZero()
{
    m_world.live.insert(m_column.table, {.files = 100, .records = 1000, .bytes = 1});
    m_columns[0].type = {.kind = TypeKind::Double};
    m_world.answers.insert(
        QStringLiteral(
            "SELECT date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00', min(c0)), "
            "date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00', max(c0)), count(*) "
            "FROM (\nSELECT c0 FROM (\n"
            "SELECT \"ts\" AS c0, \"dev\" AS c1, 1E0 / \"dev\" AS c2, 1 AS weight FROM "),
        {{}, {{millis(7 * kHour), millis(7 * kHour), {qint64(1)}}}});
    const auto ranges = measure({file(FileRole::DeletedFrom, "d", 0, 90 * kHour)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{7 * kHour, 8 * kHour}}));
}

void tst_Measure::doesNotTellRowsApart_data()
{
    const Type real{.kind = TypeKind::Real};
    QTest::addColumn<qint64>("live");
    QTest::addColumn<qint64>("upper");
    QTest::addColumn<bool>("complete");
    QTest::addColumn<bool>("pinnable");
    QTest::addColumn<Type>("type");  // of a column besides the bucket's
    const Type text{.kind = TypeKind::Varchar};
    const auto row = [](const char *name, qint64 live, qint64 upper, bool complete, bool pinnable,
                        const Type &type) {
        QTest::newRow(name) << live << upper << complete << pinnable << type;
    };
    row("the ranges hold little more", 40, 90 * kHour, true, true, text);
    row("few buckets", 1000, 3 * kHour, true, true, text);
    row("a compaction was left out", 1000, 90 * kHour, false, true, text);
    row("other columns then", 1000, 90 * kHour, true, false, text);
    // Equal values of these need not be the same.
    row("floats in a list", 1000, 90 * kHour, true, true,
        {.kind = TypeKind::Array, .fields = {{.name = {}, .type = real}}});
    row("a map", 1000, 90 * kHour, true, true,
        {.kind = TypeKind::Map,
         .fields = {{.name = {}, .type = text}, {.name = {}, .type = text}}});
}

void tst_Measure::doesNotTellRowsApart()
{
    QFETCH(qint64, live);
    QFETCH(qint64, upper);
    QFETCH(bool, complete);
    QFETCH(bool, pinnable);
    QFETCH(Type, type);
    m_complete = complete;
    m_pinnable = pinnable;
    m_columns[0].type = type;
    m_world.live.insert(m_column.table, {.files = 10, .records = live, .bytes = 1});
    QCOMPARE(measure({file(FileRole::DeletedFrom, "d", 0, upper)})->ranges(),
             (QList<BucketRange>{{0, upper + kHour}}));
    QVERIFY(!m_world.log.contains(QStringLiteral("run")));
}

void tst_Measure::countsFiles()
{
    TableChanges changes;
    changes.files = {file(FileRole::Added, "a", 0, 0), file(FileRole::Added, "b", 0, 0),
                     file(FileRole::Removed, "c", 0, 0), file(FileRole::DeletedFrom, "d", 0, 0)};
    const auto counts = countFiles(changes);
    QCOMPARE(counts.added, 2);
    QCOMPARE(counts.removed, 1);
    QCOMPARE(counts.deletedFrom, 1);
    QCOMPARE(counts.records, 40);
    QCOMPARE(counts.bytes, 400);
}

QTEST_GUILESS_MAIN(tst_Measure)
#include "tst_measure.moc"
