// What a run would do, and when it is refused before it begins.
#include "framework/migrate/plan.h"
#include "tests/support/migration_files.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;

namespace {

const QString kLine = kDefaultLine.toString();

MigrationRecord recordOf(const Migration &migration,
                         MigrationStatus status = MigrationStatus::Applied)
{
    return {.version = migration.version,
            .line = kLine,
            .description = migration.description,
            .appliedAt = QDateTime(QDate(2026, 1, 1), QTime(), Qt::UTC),
            .status = status,
            .error = {},
            .checksum = migration.checksum,
            .durationMs = 1,
            .appliedBy = QStringLiteral("ann")};
}

MigrationEvent eventOf(QStringView name, qint64 version, qint64 step = 0,
                       const QString &checksum = {}, const QString &detail = {})
{
    static int seconds = 0;
    return {.id = QString::number(++seconds),
            .at = QDateTime(QDate(2026, 1, 1), QTime(), Qt::UTC).addSecs(seconds),
            .version = version,
            .line = kLine,
            .event = name.toString(),
            .step = step,
            .actor = QStringLiteral("ann"),
            .host = {},
            .toolVersion = {},
            .checksum = checksum,
            .detail = detail};
}

QString planText(const MigrationPlan &plan)
{
    QStringList out;
    for (const auto &planned : plan.migrations) {
        QString line = directionName(planned.direction) + u' ' + planned.migration->label();
        if (planned.goesOn)
            line += u" goes on";
        for (const auto &step : planned.steps) {
            line += QStringLiteral(" %1").arg(step.number);
            if (step.state == StepState::Done)
                line += u" done";
            if (step.state == StepState::Unclear)
                line += u" unclear";
        }
        out.append(line);
    }
    return out.join(u'\n');
}

}  // namespace

class tst_MigrationPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void goesWhereItIsTold_data();
    void goesWhereItIsTold();
    void driftIsNamed();
    void theLineEndAtTheEndIsNoDrift();
    void aCatalogAheadOfTheFiles();
    void aRunThatFailedGoesOn();
    void aRunWhoseRecordIsWrittenHasEnded();
    void stepsThatRanMayNotBeEdited();
    void noWayDownIsKnownBeforeAnythingIsTakenBack();
    void oneDirectionAtATime();
    void viewsThatReadEachOtherAreRefused();
    void aThousandMigrations();

private:
    QString planned(Direction direction, const QString &goal) const
    {
        const auto folder = m_files->read();
        const LineState state(m_history, kLine);
        const auto where = parseGoal(direction, goal, folder, state);
        if (!where)
            return where.error().text();
        auto views = ViewSet::make(m_history.views, {}, test::kMigrationDefaults);
        if (!views)
            return views.error().text();
        const auto plan = makePlan(folder, state, *where, *std::move(views));
        return plan ? planText(*plan)
                    : plan.error().text().replace(QString(folder.path + u'/'), QString());
    }

    std::unique_ptr<test::MigrationFiles> m_files;
    MigrationHistory m_history;
};

void tst_MigrationPlan::init()
{
    m_files = std::make_unique<test::MigrationFiles>();
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n- create_schema: {name: a}\n");
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- create_schema: {name: b}\n- create_schema: {name: c}\n");
    m_files->write(QStringLiteral("0003_c.yaml"), "upgrade: []\n");
    m_history = {};
    m_history.records.append(recordOf(*m_files->read().find(1)));
}

void tst_MigrationPlan::goesWhereItIsTold_data()
{
    QTest::addColumn<Direction>("direction");
    QTest::addColumn<QString>("goal");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *what, Direction direction, const char *goal,
                        const char *expected) {
        QTest::newRow(what) << direction << QString::fromLatin1(goal)
                            << QString::fromLatin1(expected);
    };
    using enum Direction;
    const char *all = "upgrade 0002_b 1 2\nupgrade 0003_c";
    row("head", Upgrade, "head", all);
    row("a number", Upgrade, "3", all);
    row("a number that is there", Upgrade, "1", "");
    row("so many more", Upgrade, "+1", "upgrade 0002_b 1 2");
    row("more than there are", Upgrade, "+9", all);
    row("a number past the end", Upgrade, "4", "there is no migration 4. FOLDER has 1 to 3");
    row("a word", Upgrade, "top",
        "'top' is no version. Say a number, +n for so many more, or head");
    row("so many back", Upgrade, "-1",
        "'-1' is no version. Say a number, +n for so many more, or head");
    row("down to a number", Downgrade, "0", "downgrade 0001_a 1");
    row("down to where it is", Downgrade, "1", "");
    row("down by some", Downgrade, "-1", "downgrade 0001_a 1");
    row("down by more than there are", Downgrade, "-7", "downgrade 0001_a 1");
    row("down to head", Downgrade, "head",
        "'head' is no version. Say a number (0: all of it), or -n for so many back");
}

void tst_MigrationPlan::goesWhereItIsTold()
{
    QFETCH(Direction, direction);
    QFETCH(QString, goal);
    QString text = planned(direction, goal);
    QTEST(text.replace(m_files->path(), QStringLiteral("FOLDER")), "expected");
}

void tst_MigrationPlan::driftIsNamed()
{
    const QString was = m_history.records.first().checksum;
    m_files->write(QStringLiteral("0001_a.yaml"), "upgrade:\n- create_schema: {name: z}\n");
    const QString now = m_files->read().find(1)->checksum;
    QCOMPARE(
        planned(Direction::Upgrade, QStringLiteral("head")),
        QStringLiteral("0001_a.yaml: the file was edited after it was applied: its checksum is "
                       "%1, applied was %2. Take the file as it was, and write the change "
                       "into a new migration; or 'ivmctl migrate stamp 1' to say that the file "
                       "as it is was applied")
            .arg(now.first(12), was.first(12)));
    const LineState state(m_history, kLine);
    QCOMPARE(driftOf(m_files->read(), state).first().code, QStringLiteral("migration_edited"));
}

void tst_MigrationPlan::theLineEndAtTheEndIsNoDrift()
{
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "\xef\xbb\xbfupgrade:\r\n- create_schema: {name: a}");
    QCOMPARE(planned(Direction::Upgrade, QStringLiteral("+1")),
             QStringLiteral("upgrade 0002_b 1 2"));
}

void tst_MigrationPlan::aCatalogAheadOfTheFiles()
{
    auto files = m_files->read();
    m_history.records.append(recordOf(*files.find(2)));
    m_history.records.append(recordOf(*files.find(3)));
    m_files->remove(QStringLiteral("0003_c.yaml"));
    const QString expected = QStringLiteral(
        "%1: the catalog is at 0003, and these files know up to 0002. Use the newer files; or "
        "downgrade with them first");
    for (const auto direction : {Direction::Upgrade, Direction::Downgrade})
        QCOMPARE(planned(direction, QStringLiteral("1")), expected.arg(m_files->path()));

    // One in the middle that is gone is a gap of the files; one that was applied is told by name.
    m_files->write(QStringLiteral("0003_c.yaml"), "upgrade: []\n");
    m_files->remove(QStringLiteral("0001_a.yaml"));
    const LineState state(m_history, kLine);
    const auto drift = driftOf(m_files->read(), state);
    QCOMPARE(drift.size(), 1);
    QCOMPARE(drift.first().code, QStringLiteral("migration_missing"));
    QCOMPARE(drift.first().message,
             QStringLiteral("the file of 0001 (a), which is applied, is gone"));
}

void tst_MigrationPlan::aRunThatFailedGoesOn()
{
    const auto folder = m_files->read();
    const auto &steps = folder.find(2)->upgrade;
    m_history.records.append(recordOf(*folder.find(2), MigrationStatus::Failed));
    m_history.open = {eventOf(event::kUpgradeStarted, 2),
                      eventOf(event::kStepStarted, 2, 1, steps[0].checksum),
                      eventOf(event::kStepDone, 2, 1, steps[0].checksum),
                      eventOf(event::kStepStarted, 2, 2, steps[1].checksum)};
    QCOMPARE(planned(Direction::Upgrade, QStringLiteral("2")),
             QStringLiteral("upgrade 0002_b goes on 1 done 2 unclear"));

    m_history.open.append(
        eventOf(event::kStepFailed, 2, 2, steps[1].checksum, QStringLiteral("{\"error\":\"no\"}")));
    m_history.open.append(eventOf(event::kUpgradeFailed, 2));
    QCOMPARE(planned(Direction::Upgrade, QStringLiteral("2")),
             QStringLiteral("upgrade 0002_b goes on 1 done 2"));
    const LineState state(m_history, kLine);
    QCOMPARE(state.current(), 1);
    QCOMPARE(state.open()->done(), 1);
}

void tst_MigrationPlan::aRunWhoseRecordIsWrittenHasEnded()
{
    const auto folder = m_files->read();
    m_history.records.append(recordOf(*folder.find(2)));
    m_history.open = {eventOf(event::kUpgradeStarted, 2)};
    QVERIFY(!LineState(m_history, kLine).open());
    QCOMPARE(planned(Direction::Downgrade, QStringLiteral("1")),
             QStringLiteral("downgrade 0002_b 1 2"));
}

void tst_MigrationPlan::stepsThatRanMayNotBeEdited()
{
    const auto steps = QList<Step>(m_files->read().find(2)->upgrade);
    m_history.open = {eventOf(event::kUpgradeStarted, 2),
                      eventOf(event::kStepStarted, 2, 1, steps[0].checksum),
                      eventOf(event::kStepDone, 2, 1, steps[0].checksum)};
    // The one that did not run yet may be.
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- create_schema: {name: b}\n- create_schema: {name: d}\n");
    QCOMPARE(planned(Direction::Upgrade, QStringLiteral("2")),
             QStringLiteral("upgrade 0002_b goes on 1 done 2"));
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- create_schema: {name: x}\n- create_schema: {name: d}\n");
    QVERIFY(planned(Direction::Upgrade, QStringLiteral("2"))
                .startsWith(QStringLiteral("0002_b.yaml: step 1 of the upgrade was edited after it "
                                           "was run: its checksum is ")));
}

void tst_MigrationPlan::noWayDownIsKnownBeforeAnythingIsTakenBack()
{
    m_files->write(QStringLiteral("0002_b.yaml"), "upgrade:\n- drop_column: {table: t, name: a}\n");
    m_files->write(QStringLiteral("0003_c.yaml"), "upgrade:\n- create_schema: {name: c}\n");
    const auto folder = m_files->read();
    m_history.records.append(recordOf(*folder.find(2)));
    m_history.records.append(recordOf(*folder.find(3)));
    QCOMPARE(planned(Direction::Downgrade, QStringLiteral("1")),
             QStringLiteral("0002_b.yaml: 0002_b cannot be taken back: it has no downgrade, and "
                            "drop_column iceberg.main.t a cannot be taken back by itself. Nothing "
                            "was done. 'ivmctl migrate downgrade 2' is possible"));
    QCOMPARE(planned(Direction::Downgrade, QStringLiteral("2")),
             QStringLiteral("downgrade 0003_c 1"));
}

void tst_MigrationPlan::oneDirectionAtATime()
{
    m_history.open = {eventOf(event::kUpgradeStarted, 2)};
    QCOMPARE(planned(Direction::Downgrade, QStringLiteral("0")),
             QStringLiteral("downgrade 0001_a 1"));
    const QString checksum = m_files->read().find(2)->upgrade.first().checksum;
    m_history.open.append(eventOf(event::kStepStarted, 2, 1, checksum));
    m_history.open.append(eventOf(event::kStepDone, 2, 1, checksum));
    QCOMPARE(planned(Direction::Downgrade, QStringLiteral("0")),
             QStringLiteral("the upgrade of 0002 did not end: 1 of its steps is done. End it with "
                            "'ivmctl migrate upgrade', or see 'ivmctl migrate repair'"));
}

void tst_MigrationPlan::viewsThatReadEachOtherAreRefused()
{
    m_files->write(
        QStringLiteral("0002_b.yaml"),
        "upgrade:\n"
        "- create_view: {name: p, query: \"SELECT k, count(*) AS n FROM q GROUP BY k\"}\n"
        "- create_view: {name: q, query: \"SELECT k, count(*) AS n FROM p GROUP BY k\"}\n");
    QCOMPARE(planned(Direction::Upgrade, QStringLiteral("2")),
             QStringLiteral("0002_b.yaml:2:34: view 'p' reads itself through q. Let one of them "
                            "read another table"));
}

void tst_MigrationPlan::aThousandMigrations()
{
    for (int i = 4; i <= 1000; ++i)
        m_files->write(QStringLiteral("%1_x.yaml").arg(i, 4, 10, QLatin1Char('0')),
                       "upgrade: []\n");
    QCOMPARE(planned(Direction::Upgrade, QStringLiteral("head")).count(u'\n'), 998);
}

QTEST_GUILESS_MAIN(tst_MigrationPlan)
#include "tst_migration_plan.moc"
