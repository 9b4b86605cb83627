// Two who refresh one view at the same time, on the engine that ctest names (IVM_TEST_ENGINE):
// never two rows of one key, and right in the end.
#include "tests/e2e/each_engine.h"

#include <QLoggingCategory>

#include <barrier>
#include <thread>

using namespace ivm;
using namespace ivm::test;

namespace {

const int kRounds = kEngine == Engine::Embedded ? 12 : 2;

}  // namespace

class tst_Rivals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init() { m_scenario = std::make_unique<Scenario>(kEngine); }
    void cleanup() { m_scenario.reset(); }

    void neverMakeTwoRowsOfOneKey_data();
    void neverMakeTwoRowsOfOneKey();

private:
    // Both refresh as soon as both have looked at the tables.
    QList<RefreshOutcome> race(const View &view, TestHost &other);

    std::unique_ptr<Scenario> m_scenario;
};

QList<RefreshOutcome> tst_Rivals::race(const View &view, TestHost &other)
{
    std::barrier haveLooked(2);
    QList<RefreshOutcome> outcomes(2);
    const auto refresh = [&](TestHost &host, RefreshOutcome &outcome) {
        const auto onStart = [&](const View &) { haveLooked.arrive_and_wait(); };
        const auto all =
            Refresher(host.services()).refresh({view}, RefreshMode::IfChanged, {}, onStart);
        if (!all)
            qFatal("%s", qPrintable(all.error().text()));
        outcome = all->front();
    };
    RefreshOutcome &ours = outcomes[0];
    RefreshOutcome &theirs = outcomes[1];
    {
        std::jthread rival([&] { refresh(other, theirs); });
        refresh(m_scenario->host(), ours);
    }
    return outcomes;
}

void tst_Rivals::neverMakeTwoRowsOfOneKey_data()
{
    QTest::addColumn<QString>("state");
    QTest::newRow("with one state") << QStringLiteral("state.db");
    QTest::newRow("with two states") << QStringLiteral("their_state.db");
}

// The first round makes the table.
void tst_Rivals::neverMakeTwoRowsOfOneKey()
{
    QFETCH(QString, state);
    m_scenario->run(
        QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), k varchar, f double, x bigint)"));
    const View view = m_scenario->view(
        QStringLiteral("hourly"),
        QStringLiteral("SELECT k, f, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) AS total "
                       "FROM @.ev GROUP BY 1, 2, 3"));
    const auto rival = m_scenario->anotherHost(state);
    const auto twice = QStringLiteral(
        "SELECT k, f, h, count(*) FROM @.hourly GROUP BY 1, 2, 3 HAVING count(*) > 1");
    int refreshed = 0;
    for (int round = 0; round < kRounds; ++round) {
        m_scenario->run(QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2024-01-%1 10:00:00', "
                                       "'a', nan(), 1), (TIMESTAMP '2024-01-01 10:00:00', 'b', "
                                       "1e0, 2), (NULL, NULL, NULL, 3)")
                            .arg(10 + round));
        for (const auto &outcome : race(view, *rival)) {
            // Who comes second may find the target taken, and comes again.
            const bool isTaken = outcome.error && outcome.error->kind == ErrorKind::Conflict;
            QVERIFY2(!outcome.error || isTaken, qPrintable(outcome.reason));
            refreshed += outcome.error ? 0 : 1;
        }
        QCOMPARE(m_scenario->rows(twice), QStringList());
    }
    QVERIFY(refreshed >= kRounds);
    // Whatever became of the last race, each of them ends right.
    const QString last = m_scenario->refreshed(view);
    QVERIFY2(!last.contains(u' '), qPrintable(last));
    const auto theirs = Refresher(rival->services()).refresh({view}, RefreshMode::IfChanged, {});
    QVERIFY(theirs && !theirs->front().error);
    QCOMPARE(m_scenario->refreshed(view), kNone);
}

QTEST_GUILESS_MAIN(tst_Rivals)
#include "tst_rivals.moc"
