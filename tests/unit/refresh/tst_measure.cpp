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

Value dateValue(const char *text) { return {QString::fromLatin1(text)}; }

}  // namespace

class tst_Measure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void takesTheBucketsOfBounds_data();
    void takesTheBucketsOfBounds();
    void countsFilesThatCameAndWent();
    void readsOnlyFilesWithoutBounds();
    void readsNumbersAsTheyAre();
    void touchesEverythingWhenReadingCannotTell_data();
    void touchesEverythingWhenReadingCannotTell();
    void countsFiles();

private:
    Result<RangeSet> measure(const QList<FileChange> &files);

    FakeWorld m_world;
    FakeSession m_session{m_world};
    MeasuredColumn m_column;
    ChangesRequest m_request;
    int m_sessionsAsked = 0;
};

void tst_Measure::init()
{
    m_world.log.clear();
    m_world.answers.clear();
    m_sessionsAsked = 0;
    m_column = {tableNamed(QStringLiteral("t")),
                QStringLiteral("ts"),
                {.kind = TypeKind::Timestamp, .precision = 6},
                {.steps = {Truncate{BucketUnit::Hour}}}};
    m_request = {
        .table = m_column.table, .from = {}, .to = {}, .column = m_column.column, .columns = {}};
    m_request.from.snapshot = 1;
    m_request.to.snapshot = 2;
}

Result<RangeSet> tst_Measure::measure(const QList<FileChange> &files)
{
    TableChanges changes;
    changes.files = files;
    const auto session = [this]() -> Result<Session *> {
        ++m_sessionsAsked;
        return &m_session;
    };
    return measureRanges(m_column, m_request, changes, session, {});
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
    m_world.answers.insert(
        QStringLiteral(
            "SELECT CAST(min(\"ts\") AS date), CAST(max(\"ts\") AS date), count(\"ts\"), count(*) "
            "FROM "
            "\"iceberg\".\"main\".\"t\" FOR VERSION AS OF 2 WHERE \"$path\" IN ('it''s')"),
        {{}, {{dateValue("1970-01-02"), dateValue("1970-01-03"), {qint64(9)}, {qint64(10)}}}});
    const auto ranges = measure({file(FileRole::Added, "it's", std::nullopt, std::nullopt),
                                 file(FileRole::Added, "b", 0, 0)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{0, kHour}, {24 * kHour, 3 * 24 * kHour}}));
    QVERIFY(ranges->hasNullBucket());
}

void tst_Measure::readsNumbersAsTheyAre()
{
    m_column.column = QStringLiteral("epoch");
    m_column.type = {.kind = TypeKind::Bigint};
    m_column.function = {BucketFunction::Domain::Number,
                         BucketFunction::Domain::Number,
                         {Divide{300}, Multiply{300}}};
    m_world.answers.insert(
        QStringLiteral(
            "SELECT CAST(min(\"epoch\") AS bigint), CAST(max(\"epoch\") AS bigint), "
            "count(\"epoch\"), count(*) FROM \"iceberg\".\"main\".\"t\" FOR VERSION AS OF "
            "2 WHERE \"$path\" IN ('a')"),
        {{}, {{{qint64(-299)}, {qint64(650)}, {qint64(10)}, {qint64(10)}}}});
    const auto ranges = measure({file(FileRole::Added, "a", std::nullopt, std::nullopt)});
    QVERIFY2(ranges, qPrintable(ranges ? QString() : ranges.error().text()));
    QCOMPARE(ranges->ranges(), (QList<BucketRange>{{0, 601}}));
    QVERIFY(!ranges->hasNullBucket());
}

void tst_Measure::touchesEverythingWhenReadingCannotTell_data()
{
    QTest::addColumn<Row>("row");
    QTest::newRow("rows are missing")
        << Row{dateValue("1970-01-02"), dateValue("1970-01-02"), {qint64(9)}, {qint64(9)}};
    QTest::newRow("a date past all calendars")
        << Row{dateValue("1970-01-02"), dateValue("+12970-01-02"), {qint64(10)}, {qint64(10)}};
}

void tst_Measure::touchesEverythingWhenReadingCannotTell()
{
    QFETCH(Row, row);
    m_world.answers.insert(QStringLiteral("SELECT"), {{}, {row}});
    const auto ranges = measure({file(FileRole::Removed, "a", std::nullopt, std::nullopt)});
    QVERIFY(ranges && ranges->coversEverything());
    m_request.from.snapshot.reset();
    m_sessionsAsked = 0;
    const auto noSnapshot = measure({file(FileRole::Removed, "a", std::nullopt, std::nullopt)});
    QVERIFY(noSnapshot && noSnapshot->coversEverything());
    QCOMPARE(m_sessionsAsked, 0);
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
