#include "framework/refresh/refresh.h"

#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

constexpr Micros kHour = 3'600 * kMicrosPerSecond;
constexpr Micros kDay = 24 * kHour;
const TableName kSource = tableNamed(QStringLiteral("t"));

}  // namespace

class tst_ManyRanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closesGapsThatCostLessThanARange_data();
    void closesGapsThatCostLessThanARange();
};

void tst_ManyRanges::closesGapsThatCostLessThanARange_data()
{
    QTest::addColumn<int>("days");  // each with one hour that changed
    QTest::addColumn<qint64>("rowsADay");
    QTest::addColumn<int>("ranges");
    QTest::addColumn<int>("asked");
    QTest::newRow("few ranges") << 8 << qint64(10) << 8 << 0;
    QTest::newRow("a small table") << 9 << qint64(20'000) << 1 << 1;
    QTest::newRow("a large table") << 9 << qint64(40'000) << 9 << 1;
    QTest::newRow("more than a statement takes") << 100 << qint64(1'000'000) << 64 << 1;
    QTest::newRow("nothing tells") << 9 << qint64(0) << 9 << 1;
}

void tst_ManyRanges::closesGapsThatCostLessThanARange()
{
    QFETCH(const int, days);
    QFETCH(const qint64, rowsADay);
    QFETCH(const int, ranges);
    QFETCH(const int, asked);

    FakeWorld world;
    FakeClock clock;
    FakeStore store(clock);
    FakeExecutor executor(world);
    FakeDetector detector(world);
    Refresher refresher({.executor = [&]() -> Result<Executor *> { return &executor; },
                         .detector = detector,
                         .store = store,
                         .clock = clock,
                         .owner = QStringLiteral("a test")});
    const View view = viewOf(
        QStringLiteral("v"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS h, count(*) AS n FROM t GROUP BY 1"));
    world.described = {
        {.name = QStringLiteral("h"), .type = {.kind = TypeKind::Timestamp, .precision = 6}},
        {.name = QStringLiteral("n"), .type = {.kind = TypeKind::Bigint}}};
    TableChanges &changes = world.changes[kSource];
    changes.columns = {{.name = QStringLiteral("ts"),
                        .type = {.kind = TypeKind::Timestamp, .precision = 6},
                        .fieldId = 1}};
    world.capabilities = {Capability::PinsCurrentSchema};
    world.moveOn(kSource);
    QVERIFY(refresher.refresh({view}, RefreshMode::IfChanged, {}));

    for (int day = 0; day < days; ++day)
        changes.files.append({.role = FileRole::Added,
                              .path = QString::number(day),
                              .records = 1,
                              .bytes = 1,
                              .bounds = {.lower = day * kDay,
                                         .upper = day * kDay + 1,
                                         .nullState = NullState::Never}});
    if (rowsADay > 0)
        world.live[kSource] = {
            .files = days,
            .records = rowsADay * days,
            .bytes = 1,
            .bounds = {.lower = 0, .upper = days * kDay, .nullState = NullState::Never}};
    world.moveOn(kSource);
    world.log.clear();
    const auto outcomes = refresher.refresh({view}, RefreshMode::IfChanged, {});
    QVERIFY(outcomes);
    QCOMPARE(actionName(outcomes->front().action), QStringLiteral("incremental"));
    QCOMPARE(outcomes->front().ranges.size(), ranges);
    QCOMPARE(world.log.count(QStringLiteral("files t")), asked);
}

QTEST_APPLESS_MAIN(tst_ManyRanges)
#include "tst_many_ranges.moc"
