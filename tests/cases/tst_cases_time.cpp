// What time zones did elsewhere, on the engine that ctest names (IVM_TEST_ENGINE).
#include "tests/cases/ivmctl.h"
#include "tests/e2e/each_engine.h"

#include <QRegularExpression>

using namespace ivm;
using namespace ivm::test;

namespace {

// The words after TIMESTAMP in a statement.
QStringList timestamps(const QString &statement)
{
    static const QRegularExpression kLiteral(QStringLiteral("TIMESTAMP '([^']*)'"));
    QStringList found;
    for (auto match = kLiteral.globalMatch(statement); match.hasNext();)
        found.append(match.next().captured(1));
    return found;
}

}  // namespace

class tst_CasesTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_scenario = std::make_unique<Scenario>(kEngine); }
    void cleanup() { m_scenario.reset(); }

    void case_C019();
    void case_C021();
    void case_C022();

private:
    void insert(const QStringList &instants) const
    {
        QStringList rows;
        for (const auto &instant : instants)
            rows.append(QStringLiteral("(TIMESTAMP '%1 UTC', TIMESTAMP '%1', 1)").arg(instant));
        m_scenario->run(QStringLiteral("INSERT INTO @.ev VALUES ") +
                        rows.join(QStringLiteral(", ")));
    }
    void makeEvents(const QStringList &instants) const
    {
        m_scenario->run(QStringLiteral(
            "CREATE TABLE @.ev (ts timestamp(6) with time zone, wall timestamp(6), v bigint)"));
        insert(instants);
    }
    QStringList stored(const QString &view) const
    {
        return m_scenario->rows(QStringLiteral("SELECT * FROM @.%1 ORDER BY 1").arg(view));
    }

    std::unique_ptr<Scenario> m_scenario;
};

// timescale/timescaledb#8851, #4884: in the hour that comes twice, two instants fell into one
// bucket and a bucket came out empty.
void tst_CasesTime::case_C019()
{
    makeEvents({QStringLiteral("2026-11-01 06:30:00"), QStringLiteral("2026-11-01 07:30:00")});
    const auto local = m_scenario->view(
        QStringLiteral("local"),
        QStringLiteral("SELECT date_trunc('hour', CAST(ts AT TIME ZONE 'America/Chicago' AS "
                       "timestamp(6))) AS hr, count(*) AS n FROM @.ev GROUP BY 1"));
    const auto instants = m_scenario->view(
        QStringLiteral("instants"),
        QStringLiteral("SELECT date_trunc('hour', ts) AS hr, count(*) AS n FROM @.ev GROUP BY 1"));
    QCOMPARE(m_scenario->refreshed(local), kRebuild);
    QCOMPARE(stored(QStringLiteral("local")),
             QStringList(QStringLiteral("2026-11-01 01:00:00.000000|2")));

    // Only the second of the two hours changes, and then only the first.
    insert({QStringLiteral("2026-11-01 07:45:00")});
    QCOMPARE(m_scenario->refreshed(local), kIncremental);
    QCOMPARE(stored(QStringLiteral("local")),
             QStringList(QStringLiteral("2026-11-01 01:00:00.000000|3")));

    m_scenario->run(
        QStringLiteral("DELETE FROM @.ev WHERE ts = TIMESTAMP '2026-11-01 06:30:00 UTC'"));
    insert({QStringLiteral("2026-03-08 07:30:00"), QStringLiteral("2026-03-08 08:30:00"),
            QStringLiteral("2026-11-01 06:59:00")});
    QCOMPARE(m_scenario->refreshed(local), kIncremental);
    QCOMPARE(stored(QStringLiteral("local")),
             QStringList({QStringLiteral("2026-03-08 01:00:00.000000|1"),
                          QStringLiteral("2026-03-08 03:00:00.000000|1"),
                          QStringLiteral("2026-11-01 01:00:00.000000|3")}));
    QCOMPARE(m_scenario->refreshed(instants), kRebuild);
    QCOMPARE(stored(QStringLiteral("instants")),
             QStringList({QStringLiteral("2026-03-08 07:00:00.000000 UTC|1"),
                          QStringLiteral("2026-03-08 08:00:00.000000 UTC|1"),
                          QStringLiteral("2026-11-01 06:00:00.000000 UTC|1"),
                          QStringLiteral("2026-11-01 07:00:00.000000 UTC|2")}));
}

// duckdb/duckdb#9223: days followed the time zone of the machine. Sessions are pinned to UTC.
// Here each process is an ivmctl; ivmd comes later.
void tst_CasesTime::case_C021()
{
    Ivmctl ivmctl(*m_scenario, QStringLiteral(R"(views:
- name: daily
  query: SELECT date_trunc('day', ts) AS d, count(*) AS n FROM @.ev GROUP BY 1
  target_table: @.daily
)"));
    makeEvents({QStringLiteral("2026-05-10 02:30:00"), QStringLiteral("2026-05-10 23:00:00")});
    ivmctl.setZone(QStringLiteral("America/New_York"));
    QCOMPARE(ivmctl.refresh(), QStringList(kRebuild));
    insert({QStringLiteral("2026-05-10 12:00:00")});
    ivmctl.setZone(QStringLiteral("UTC"));
    QCOMPARE(ivmctl.refresh(), QStringList(kIncremental));
    ivmctl.setZone(QStringLiteral("Asia/Tokyo"));
    QCOMPARE(ivmctl.refresh({QStringLiteral("--full")}), QStringList(kDiff));
    QCOMPARE(stored(QStringLiteral("daily")),
             QStringList(QStringLiteral("2026-05-10 00:00:00.000000 UTC|3")));
    // Nothing differed, so nothing was written.
    QCOMPARE(ivmctl.refresh(), QStringList(kNone));
}

// trinodb/trino#9704, dbt-labs/dbt-core#11417: literals without a zone were read in the session's,
// so that other rows were deleted than inserted. Sessions are pinned to UTC.
void tst_CasesTime::case_C022()
{
    const QStringList hours{QStringLiteral("2026-10-25 00:30:00"),
                            QStringLiteral("2026-10-25 01:30:00"),
                            QStringLiteral("2026-10-25 23:30:00")};
    Ivmctl ivmctl(*m_scenario, QStringLiteral(R"(views:
- name: zoned
  query: SELECT date_trunc('hour', ts) AS hr, count(*) AS n, sum(v) AS total FROM @.ev GROUP BY 1
  target_table: @.zoned
- name: plain
  query: SELECT date_trunc('hour', wall) AS hr, count(*) AS n, sum(v) AS total FROM @.ev GROUP BY 1
  target_table: @.plain
- name: cast_to_zoned
  query: SELECT CAST(date_trunc('hour', wall) AS timestamp(6) with time zone) AS hr, count(*) AS n,
      sum(v) AS total FROM @.ev GROUP BY 1
  target_table: @.cast_to_zoned
)"));
    ivmctl.setZone(QStringLiteral("America/Chicago"));
    makeEvents(hours);
    QCOMPARE(ivmctl.refresh(), QStringList({kRebuild, kRebuild, kRebuild}));
    insert(hours);

    const auto statement = [&](const QString &view) {
        return ivmctl.run({QStringLiteral("explain"), view, QStringLiteral("--json")})
            .json()
            .value(u"statement")
            .toString();
    };
    const auto hasZone = [](const QString &literal) { return literal.endsWith(u" UTC"); };
    const auto zoned = timestamps(statement(QStringLiteral("zoned")));
    QVERIFY(!zoned.isEmpty() && std::ranges::all_of(zoned, hasZone));
    const auto plain = timestamps(statement(QStringLiteral("plain")));
    QVERIFY(!plain.isEmpty() && std::ranges::none_of(plain, hasZone));

    ivmctl.setZone(QStringLiteral("Asia/Kolkata"));
    QCOMPARE(ivmctl.refresh(), QStringList({kIncremental, kIncremental, kIncremental}));
    QCOMPARE(stored(QStringLiteral("plain")),
             QStringList({QStringLiteral("2026-10-25 00:00:00.000000|2|2"),
                          QStringLiteral("2026-10-25 01:00:00.000000|2|2"),
                          QStringLiteral("2026-10-25 23:00:00.000000|2|2")}));
    const QStringList withZone{QStringLiteral("2026-10-25 00:00:00.000000 UTC|2|2"),
                               QStringLiteral("2026-10-25 01:00:00.000000 UTC|2|2"),
                               QStringLiteral("2026-10-25 23:00:00.000000 UTC|2|2")};
    QCOMPARE(stored(QStringLiteral("zoned")), withZone);
    QCOMPARE(stored(QStringLiteral("cast_to_zoned")), withZone);

    if (kEngine != Engine::Trino)
        return;
    ivmctl.configure(QStringLiteral("executor: {plugin: trino, catalog: iceberg, schema: %1, "
                                    "session_properties: {time_zone_id: Europe/Warsaw}}\n")
                         .arg(m_scenario->schema()));
    const auto refused = ivmctl.run({QStringLiteral("refresh")});
    QVERIFY2(refused.code != 0 && refused.err.contains(u"time_zone_id cannot be set"),
             qPrintable(refused.err));
}

QTEST_GUILESS_MAIN(tst_CasesTime)
#include "tst_cases_time.moc"
