#include "framework/refresh/chunks.h"

#include "framework/refresh/refresh.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

const Micros kDay = kMicrosPerDay;
const Type kTimestamp{.kind = TypeKind::Timestamp, .precision = 6};
const TableName kSource = tableNamed(QStringLiteral("t"));
const TableName kTarget = tableNamed(QStringLiteral("v"));

View dailyView(const QString &chunk)
{
    View view = viewOf(QStringLiteral("v"),
                       QStringLiteral("SELECT date_trunc('day', ts) AS d, count(*) AS n FROM t "
                                      "GROUP BY 1"));
    view.spec.fullRefreshChunk = chunk;
    return view;
}

MeasuredColumn measured(BucketUnit unit)
{
    return {
        kSource, {.name = QStringLiteral("ts"), .type = kTimestamp}, {.steps = {Truncate{unit}}}};
}

// "start..2001-02-01 | 2001-02-01.. NULL"
QString shown(const QList<Chunk> &chunks)
{
    QStringList out;
    for (const auto &chunk : chunks) {
        QString text = chunk.from;
        for (const auto &range : chunk.ranges.ranges())
            text +=
                QStringLiteral(" [%1,%2)")
                    .arg(range.from ? *bucketText({.kind = TypeKind::Date}, *range.from)
                                    : QString(),
                         range.to ? *bucketText({.kind = TypeKind::Date}, *range.to) : QString());
        out.append(text + (chunk.ranges.hasNullBucket() ? QStringLiteral(" NULL") : QString()));
    }
    return out.join(QStringLiteral(" | "));
}

}  // namespace

class tst_Chunks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cutsAtBorders_data();
    void cutsAtBorders();
    void takesCoarserUnitsBeforeThousandsOfChunks();
    void buildsChunkByChunk();
    void goesOnWhereItBrokeOff();
    void goesOnFromTheStateItBeganWith();
    void diffsWhatChangedMeanwhile_data();
    void diffsWhatChangedMeanwhile();
    void diffsWhatCannotBeReadAnyMore();

private:
    RefreshOutcome refresh();
    // The next commit but `after` others fails.
    void breakOff(int after);
    QStringList filters() const;

    FakeWorld m_world;
    FakeClock m_clock;
    std::unique_ptr<FakeStore> m_store;
    std::unique_ptr<FakeExecutor> m_executor;
    std::unique_ptr<FakeDetector> m_detector;
};

void tst_Chunks::init()
{
    m_world = {};
    m_store = std::make_unique<FakeStore>(m_clock);
    m_executor = std::make_unique<FakeExecutor>(m_world);
    m_detector = std::make_unique<FakeDetector>(m_world);
    m_world.described = {{.name = QStringLiteral("d"), .type = kTimestamp},
                         {.name = QStringLiteral("n"), .type = {.kind = TypeKind::Bigint}}};
    TableChanges none;
    none.columns = {{.name = QStringLiteral("ts"), .type = kTimestamp, .fieldId = 1}};
    none.pinnable = true;
    m_world.changes[kSource] = none;
    m_world.moveOn(kSource);
    Rows some;
    some.rows.push_back({Value{qint64(1)}});
    m_world.answers.insert(QStringLiteral("SELECT 1 FROM"), some);
    // 2001-01-15 to 2001-03-02.
    m_world.live[kSource] = {
        .files = 3,
        .records = 100,
        .bytes = 1000,
        .bounds = {.lower = 11'337 * kDay, .upper = 11'383 * kDay, .nullState = NullState::Never}};
}

RefreshOutcome tst_Chunks::refresh()
{
    m_world.log.clear();
    m_world.committed.clear();
    Refresher refresher({.executor = [this]() -> Result<Executor *> { return m_executor.get(); },
                         .detector = *m_detector,
                         .store = *m_store,
                         .clock = m_clock,
                         .owner = QStringLiteral("a test")});
    const auto outcomes =
        refresher.refresh({dailyView(QStringLiteral("month"))}, RefreshMode::IfChanged, {});
    if (!outcomes)
        qFatal("%s", qPrintable(outcomes.error().text()));
    return outcomes->front();
}

void tst_Chunks::breakOff(int after)
{
    for (int i = 0; i < after; ++i)
        m_world.commits.push_back(
            [this](const Change &change, const Intent &intent, const IntentRecorder &) {
                const TableHead moved = m_world.moveOn(replacementOf(change).target);
                m_world.tables[kTarget].headSummary = intent.summary;
                return Result<CommitResult>(
                    CommitResult{.target = moved, .committed = true, .rowsWritten = 1});
            });
    m_world.commits.push_back([](const Change &, const Intent &, const IntentRecorder &) {
        return Result<CommitResult>(fail(unavailableError(QStringLiteral("the power is out"))));
    });
}

QStringList tst_Chunks::filters() const
{
    QStringList out;
    for (const auto &change : m_world.committed) {
        const auto *part = std::get_if<ReplaceRanges>(&change);
        if (!part) {
            out.append(QStringLiteral("all"));
            continue;
        }
        QString text;
        for (const auto &range : part->filter.ranges)
            text += range.from.value_or(QString()).section(u'\'', 1, 1) + QStringLiteral("..") +
                    range.to.value_or(QString()).section(u'\'', 1, 1);
        out.append(text + (part->filter.nullBucket ? QStringLiteral(" NULL") : QString()));
    }
    return out;
}

void tst_Chunks::cutsAtBorders_data()
{
    QTest::addColumn<BucketUnit>("unit");
    QTest::addColumn<qint64>("lower");  // days; -1: none
    QTest::addColumn<qint64>("upper");
    QTest::addColumn<QString>("chunks");
    const auto row = [](const char *name, BucketUnit unit, qint64 lower, qint64 upper,
                        const char *chunks) {
        QTest::newRow(name) << unit << lower << upper << QString::fromUtf8(chunks);
    };
    row("within one", BucketUnit::Month, 11'337, 11'340, "start [,) NULL");
    row("over one border", BucketUnit::Month, 11'337, 11'360,
        "start [,2001-02-01) | 2001-02-01 00:00:00 [2001-02-01,) NULL");
    row("over two", BucketUnit::Month, 11'337, 11'383,
        "start [,2001-02-01) | 2001-02-01 00:00:00 [2001-02-01,2001-03-01) | "
        "2001-03-01 00:00:00 [2001-03-01,) NULL");
    row("years", BucketUnit::Year, 11'337, 11'383, "start [,) NULL");
    row("no bounds", BucketUnit::Month, -1, -1, "start [,) NULL");
}

void tst_Chunks::cutsAtBorders()
{
    QFETCH(BucketUnit, unit);
    QFETCH(qint64, lower);
    QFETCH(qint64, upper);
    QFETCH(QString, chunks);
    FileBounds bounds;
    if (lower >= 0)
        bounds = {lower * kDay, upper * kDay, NullState::Never};
    QCOMPARE(shown(chunksOf(measured(BucketUnit::Day), kTimestamp, unit, bounds)), chunks);
}

// One row of 1970 and one of 9999 are no reason for 70 million hours.
void tst_Chunks::takesCoarserUnitsBeforeThousandsOfChunks()
{
    const FileBounds wide{0, 2'932'896 * kDay, NullState::Never};
    const auto chunks = chunksOf(measured(BucketUnit::Hour), kTimestamp, BucketUnit::Hour, wide);
    QCOMPARE(chunks.size(), 1);
    const FileBounds century{0, 36'524 * kDay, NullState::Never};
    QCOMPARE(chunksOf(measured(BucketUnit::Hour), kTimestamp, BucketUnit::Day, century).size(),
             100);
}

void tst_Chunks::buildsChunkByChunk()
{
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Rebuild);
    QCOMPARE(filters(), QStringList({QStringLiteral("..2001-02-01 00:00:00"),
                                     QStringLiteral("2001-02-01 00:00:00..2001-03-01 00:00:00"),
                                     QStringLiteral("2001-03-01 00:00:00.. NULL")}));
    QCOMPARE(outcome.rowsWritten, 3);
    const auto bookmark = *m_store->bookmark(QStringLiteral("v"));
    QCOMPARE(bookmark->resumeFrom, QString());
    QCOMPARE(bookmark->targetHead, m_world.heads[kTarget]);
    QCOMPARE(refresh().action, Action::None);
}

void tst_Chunks::goesOnWhereItBrokeOff()
{
    breakOff(1);
    QCOMPARE(refresh().action, Action::Error);
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->resumeFrom,
             QStringLiteral("2001-02-01 00:00:00"));
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Rebuild);
    QCOMPARE(outcome.reason, QStringLiteral("the build goes on at 2001-02-01 00:00:00"));
    QCOMPARE(filters(), QStringList({QStringLiteral("2001-02-01 00:00:00..2001-03-01 00:00:00"),
                                     QStringLiteral("2001-03-01 00:00:00.. NULL")}));
    QVERIFY(!m_world.log.contains(QStringLiteral("create v")));

    // Before the first of them, too.
    init();
    breakOff(0);
    QCOMPARE(refresh().action, Action::Error);
    QCOMPARE(refresh().reason, QStringLiteral("the build goes on at start"));
    QCOMPARE(filters().size(), 3);
}

void tst_Chunks::goesOnFromTheStateItBeganWith()
{
    const TableHead began = m_world.heads[kSource];
    breakOff(1);
    QCOMPARE(refresh().action, Action::Error);
    m_world.moveOn(kSource);
    m_world.changes[kSource].files = {{.role = FileRole::Added,
                                       .path = QStringLiteral("late"),
                                       .records = 10,
                                       .bytes = 1,
                                       .bounds = {11'340 * kDay, 11'340 * kDay, NullState::Never}}};
    QCOMPARE(refresh().action, Action::Rebuild);
    const QString pin = QStringLiteral("FOR VERSION AS OF %1").arg(*began.snapshot);
    QCOMPARE(m_world.committed.size(), 3);
    for (const auto &change : m_world.committed.first(2))
        QVERIFY2(replacementOf(change).query.contains(pin),
                 qPrintable(replacementOf(change).query));
    // What changed meanwhile, in a chunk that was done, comes at once.
    QCOMPARE(filters().last(), QStringLiteral("2001-01-18 00:00:00..2001-01-19 00:00:00"));
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->sources.front().head,
             m_world.heads[kSource]);
    QCOMPARE(refresh().action, Action::None);
}

void tst_Chunks::diffsWhatChangedMeanwhile_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("reason");
    QTest::newRow("the pin is gone")
        << QStringLiteral("source") << QStringLiteral("iceberg.main.t: expired");
    QTest::newRow("the target") << QStringLiteral("target")
                                << QStringLiteral("iceberg.main.v was changed while it was built");
}

void tst_Chunks::diffsWhatChangedMeanwhile()
{
    QFETCH(QString, what);
    QFETCH(QString, reason);
    breakOff(1);
    QCOMPARE(refresh().action, Action::Error);
    if (what == u"source") {
        m_world.moveOn(kSource);
        m_world.changes[kSource].unmeasurable = QStringLiteral("expired");
    } else {
        m_world.moveOn(kTarget);
        m_world.changes[kTarget].files = {{.role = FileRole::Added,
                                           .path = QStringLiteral("theirs"),
                                           .records = 1,
                                           .bytes = 1,
                                           .bounds = {}}};
    }
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Diff);
    QCOMPARE(outcome.reason, reason);
    QCOMPARE(filters(), QStringList(QStringLiteral("all")));
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->resumeFrom, QString());
}

// The pinned state was expired, which the way from it to the head need not tell.
void tst_Chunks::diffsWhatCannotBeReadAnyMore()
{
    breakOff(1);
    QCOMPARE(refresh().action, Action::Error);
    m_world.moveOn(kSource);
    m_world.commits.push_back([](const Change &, const Intent &, const IntentRecorder &) {
        return Result<CommitResult>(fail(notFoundError(QStringLiteral("snapshot 1 is gone"))));
    });
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Diff);
    QCOMPARE(outcome.reason,
             QStringLiteral("the build cannot go on: view 'v': snapshot 1 is gone"));
    QCOMPARE(filters().last(), QStringLiteral("all"));
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->sources.front().head,
             m_world.heads[kSource]);
    QCOMPARE(refresh().action, Action::None);
    // What is no fault of that state is waited for.
    init();
    breakOff(1);
    QCOMPARE(refresh().action, Action::Error);
    breakOff(0);
    QCOMPARE(refresh().action, Action::Error);
    QCOMPARE(refresh().action, Action::Rebuild);
}

QTEST_GUILESS_MAIN(tst_Chunks)
#include "tst_chunks.moc"
