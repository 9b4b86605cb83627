#include "framework/refresh/macro_error.h"

#include "framework/refresh/refresh.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

const auto kQuery = QStringLiteral("SELECT time_bucket('%1', d) AS b,\n"
                                   "  count(*) AS n\n"
                                   "FROM t AS a GROUP BY 1");

Rows columnsOf(const QString &type)
{
    return {.columns = {{.name = QStringLiteral("t"), .type = *parseType(type)}}, .rows = {}};
}

}  // namespace

class tst_MacroError : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsTheTypeOfTheArgument_data();
    void tellsTheTypeOfTheArgument();
    void isSilentWhereTheEngineIsNotThere();
    void isWhatARefreshTells_data();
    void isWhatARefreshTells();
};

void tst_MacroError::tellsTheTypeOfTheArgument_data()
{
    QTest::addColumn<QString>("width");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("told");
    const auto row = [](const char *width, const char *type, const char *advice) {
        const QString told =
            QStringLiteral("views.yaml:4:%1: view 'v': time_bucket() takes a timestamp, and d is "
                           "%2. %3")
                .arg(30 + qstrlen(width))
                .arg(QString::fromUtf8(type), QString::fromUtf8(advice));
        QTest::addRow("%s of %s", width, type)
            << QString::fromUtf8(width) << QString::fromUtf8(type) << (*advice ? told : QString());
    };
    row("5 minutes", "date", "Give it a width of days or longer, or write CAST(… AS timestamp)");
    row("3 days", "date", "");
    row("5 minutes", "bigint", "Write from_unixtime(…) around seconds since 1970");
    row("3 days", "decimal(10,2)", "Write from_unixtime(…) around seconds since 1970");
    row("3 days", "varchar", "Write CAST(… AS timestamp)");
    row("3 days", "time(6)", "A time of day has no days");
    row("5 minutes", "time(6)", "");
    row("5 minutes", "timestamp(6)", "");
    row("5 minutes", "timestamp(6) with time zone", "");
}

void tst_MacroError::tellsTheTypeOfTheArgument()
{
    QFETCH(QString, width);
    QFETCH(QString, type);
    QFETCH(QString, told);
    FakeWorld world;
    world.answers[QStringLiteral("SELECT d AS t FROM t AS a")] = columnsOf(type);
    FakeSession session(world);
    const auto error = macroError(invalidError(QStringLiteral("no function minute(date)")), session,
                                  viewOf(QStringLiteral("v"), kQuery.arg(width)), {});
    QCOMPARE(error ? error->text() : QString(), told);
}

void tst_MacroError::isSilentWhereTheEngineIsNotThere()
{
    FakeWorld world;
    world.answers[QStringLiteral("SELECT d AS t FROM t")] = columnsOf(QStringLiteral("date"));
    FakeSession session(world);
    const auto error =
        macroError(unavailableError(QStringLiteral("away")), session,
                   viewOf(QStringLiteral("v"), kQuery.arg(QStringLiteral("5 minutes"))), {});
    QVERIFY(!error);
    QCOMPARE(world.log, QStringList());
}

void tst_MacroError::isWhatARefreshTells_data()
{
    QTest::addColumn<bool>("isToldBeforehand");
    QTest::newRow("where the query is described") << true;
    QTest::newRow("where it comes to rows") << false;
}

void tst_MacroError::isWhatARefreshTells()
{
    QFETCH(bool, isToldBeforehand);
    const auto refusal = invalidError(QStringLiteral("'minute' is not a valid DATE field"));
    FakeWorld world;
    world.moveOn(tableNamed(QStringLiteral("t")));
    world.described = {{.name = QStringLiteral("b"), .type = *parseType(u"date")},
                       {.name = QStringLiteral("n"), .type = *parseType(u"bigint")}};
    if (isToldBeforehand)
        world.refusals.insert(QStringLiteral("SELECT date_add"), refusal);
    else
        world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
            return Result<CommitResult>(fail(refusal));
        });
    world.answers[QStringLiteral("SELECT d AS t FROM t")] = columnsOf(QStringLiteral("date"));
    FakeClock clock;
    FakeStore store(clock);
    FakeExecutor executor(world);
    FakeDetector detector(world);
    Refresher refresher({.executor = [&]() -> Result<Executor *> { return &executor; },
                         .detector = detector,
                         .store = store,
                         .clock = clock,
                         .owner = QStringLiteral("a test")});
    const auto outcomes =
        refresher.refresh({viewOf(QStringLiteral("v"), kQuery.arg(QStringLiteral("5 minutes")))},
                          RefreshMode::IfChanged, {});
    QVERIFY(outcomes);
    const auto &error = outcomes->front().error;
    QVERIFY(error);
    QVERIFY2(error->code == u"time_bucket", qPrintable(error->text()));
    QVERIFY(!*store.intent(QStringLiteral("v")));
}

QTEST_GUILESS_MAIN(tst_MacroError)
#include "tst_macro_error.moc"
