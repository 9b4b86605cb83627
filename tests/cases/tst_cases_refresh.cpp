// What others' refreshes got wrong: rows that stay, rows that come twice, views that are left out.
#include "tests/e2e/scenario.h"

using namespace ivm;
using namespace ivm::test;

namespace {

constexpr Engine kEngine = Engine::IVM_TEST_ENGINE;

const auto kNone = QStringLiteral("none");
const auto kRebuild = QStringLiteral("rebuild");
const auto kIncremental = QStringLiteral("incremental");

}  // namespace

class tst_CasesRefresh : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_scenario = std::make_unique<Scenario>(kEngine); }
    void cleanup() { m_scenario.reset(); }

    void case_C024();

private:
    void run(const QStringList &statements) { m_scenario->run(statements); }

    std::unique_ptr<Scenario> m_scenario;
};

// dbt-labs/dbt-adapters#159: a MERGE by '=' inserted groups with a NULL key again at each refresh.
void tst_CasesRefresh::case_C024()
{
    const auto addToEach = [this] {
        run({QStringLiteral(
            "INSERT INTO @.ev SELECT TIMESTAMP '2026-03-01 10:15:00 UTC', dev, region, 1 FROM "
            "(VALUES (NULL, 'r'), ('a', NULL), (NULL, NULL), ('', 'r')) AS s(dev, region)")});
    };
    const auto counts = [this] {
        return m_scenario->rows(
            QStringLiteral("SELECT dev, region, n FROM @.by_region ORDER BY 1, 2"));
    };
    run({QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar, region "
                        "varchar, v bigint)")});
    const auto view = m_scenario->view(
        QStringLiteral("by_region"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, region, count(*) AS n, sum(v) AS "
                       "total FROM @.ev GROUP BY 1, 2, 3"));
    addToEach();
    QCOMPARE(m_scenario->refreshed(view), kRebuild);
    QCOMPARE(counts(), QStringLiteral("|r|1 a|NULL|1 NULL|r|1 NULL|NULL|1").split(u' '));
    addToEach();
    QCOMPARE(m_scenario->refreshed(view), kIncremental);
    QCOMPARE(m_scenario->refreshed(view), kNone);
    QCOMPARE(m_scenario->refreshed(view), kNone);
    QCOMPARE(counts(), QStringLiteral("|r|2 a|NULL|2 NULL|r|2 NULL|NULL|2").split(u' '));
    run({QStringLiteral("DELETE FROM @.ev WHERE dev IS NULL AND region IS NULL")});
    QCOMPARE(m_scenario->refreshed(view), kIncremental);
    QCOMPARE(counts(), QStringLiteral("|r|2 a|NULL|2 NULL|r|2").split(u' '));
}

QTEST_GUILESS_MAIN(tst_CasesRefresh)
#include "tst_cases_refresh.moc"
