// What the text of a view's query did elsewhere, on the engine that ctest names (IVM_TEST_ENGINE).
#include "tests/e2e/each_engine.h"

using namespace ivm;
using namespace ivm::test;

class tst_CasesSql : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_scenario.reset(); }

    void case_C031();
    void case_C032();
    void case_C033();

private:
    Definitions load(const QString &views) const { return m_scenario->definitions(views); }
    QString refreshed(const Definitions &definitions, const QString &view) const;
    // The whole of the one query that the text is.
    QString refusal(const QString &query) const;

    std::unique_ptr<Scenario> m_scenario;
};

void tst_CasesSql::init()
{
    m_scenario = std::make_unique<Scenario>(kEngine);
    m_scenario->run(
        {QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar)"),
         QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-03-01 10:05:00 UTC', 'A'), "
                        "(TIMESTAMP '2026-03-01 10:20:00 UTC', 'A'), "
                        "(TIMESTAMP '2026-03-01 10:40:00 UTC', 'A'), "
                        "(TIMESTAMP '2026-03-01 10:50:00 UTC', 'a')")});
}

QString tst_CasesSql::refreshed(const Definitions &definitions, const QString &name) const
{
    const auto view = definitions.view(name);
    return view ? m_scenario->refreshed(*view) : view.error().text();
}

QString tst_CasesSql::refusal(const QString &query) const
{
    const auto definitions =
        load(QStringLiteral("views:\n- name: v\n  query: |\n    %1\n").arg(query));
    const auto &problems = definitions.all().front().problems;
    return problems.isEmpty() ? QString() : problems.front().text();
}

// timescale/timescaledb#2546, timescale/promscale#613: GROUP BY took an alias for the column of the
// same name, and gave many rows for one hour.
void tst_CasesSql::case_C031()
{
    const auto definitions = load(QStringLiteral(R"(views:
- name: hourly
  query: SELECT date_trunc('hour', ts) AS ts, dev, count(*) AS n FROM @.ev GROUP BY 1, 2
- name: aliased
  query: SELECT date_trunc('hour', ts) AS ts, dev, count(*) AS n FROM @.ev GROUP BY ts, dev
- name: aliased_with_keys
  query: SELECT date_trunc('hour', ts) AS ts, dev, count(*) AS n FROM @.ev GROUP BY ts, dev
  keys: [ts, dev]
- name: other_alias
  query: SELECT date_trunc('hour', ts) AS h, lower(dev) AS dev, count(*) AS n FROM @.ev
      GROUP BY 1, dev
)"));
    // Trino's rule holds on every engine: GROUP BY means the column.
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT count(*) FROM (SELECT date_trunc('hour', ts) "
                                             "AS ts, dev FROM @.ev GROUP BY ts, dev) t")),
             QStringList(QStringLiteral("4")));
    const QString aliased = refreshed(definitions, QStringLiteral("aliased"));
    QVERIFY2(aliased.startsWith(u"views.yaml:5:") && aliased.contains(u"view 'aliased'") &&
                 aliased.contains(u"GROUP BY ts means the source's column") &&
                 aliased.endsWith(u"Write GROUP BY 1 for the selected one"),
             qPrintable(aliased));
    const QString other = refreshed(definitions, QStringLiteral("other_alias"));
    QVERIFY2(other.contains(u"GROUP BY dev means the source's column") &&
                 other.endsWith(u"Write GROUP BY 2 for the selected one"),
             qPrintable(other));
    // Keys that are declared, and do not hold: told by the view's name, and nothing is written.
    const QString twice = refreshed(definitions, QStringLiteral("aliased_with_keys"));
    QVERIFY2(twice.contains(u"view 'aliased_with_keys'") && twice.contains(u"key"),
             qPrintable(twice));
    QVERIFY(!m_scenario->rows(QStringLiteral("SELECT dev FROM @.aliased_with_keys"))
                 .contains(QStringLiteral("A")));

    QCOMPARE(refreshed(definitions, QStringLiteral("hourly")), kRebuild);
    const auto stored = QStringLiteral("SELECT dev, n FROM @.hourly ORDER BY ts, dev");
    QCOMPARE(m_scenario->rows(stored), QStringList({QStringLiteral("A|3"), QStringLiteral("a|1")}));
    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-03-01 10:59:00 UTC', 'A')"));
    QCOMPARE(refreshed(definitions, QStringLiteral("hourly")), kIncremental);
    QCOMPARE(m_scenario->rows(stored), QStringList({QStringLiteral("A|4"), QStringLiteral("a|1")}));
}

// dbt-labs/dbt-core#6485: a comment at the end of the query took in what the tool put behind it.
void tst_CasesSql::case_C032()
{
    const auto definitions = load(QStringLiteral(R"(views:
- name: comments
  query: |-
    -- what is kept
    SELECT date_trunc('hour', ts) AS h, -- don't stop
      count(*) AS n FROM @.ev -- the events
    /* GROUP BY 9 */ GROUP BY 1 -- hourly
- name: semicolon
  query: |
    SELECT date_trunc('hour', ts) AS h, count(*) AS n FROM @.ev GROUP BY 1;
    -- the end
- name: folded
  query: >
    SELECT date_trunc('hour', ts) AS h, count(*) AS n FROM @.ev -- all of them
    WHERE dev = 'A'
    GROUP BY 1
- name: with
  query: WITH cte AS (SELECT ts FROM @.ev) SELECT ts, count(*) AS n FROM cte GROUP BY 1
)"));
    QCOMPARE(
        refreshed(definitions, QStringLiteral("folded")),
        QStringLiteral("views.yaml:14:5: view 'folded': the lines of 'query' are one line, and "
                       "a comment (--) in it takes in all that follows. Write query: |, which "
                       "keeps the lines"));
    // WITH in views comes later; until then it is refused by name.
    QVERIFY(refreshed(definitions, QStringLiteral("with")).contains(u"WITH is not supported"));
    QCOMPARE(refreshed(definitions, QStringLiteral("semicolon")), kRebuild);
    QCOMPARE(refreshed(definitions, QStringLiteral("comments")), kRebuild);
    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-03-01 11:00:00 UTC', 'A')"));
    QCOMPARE(refreshed(definitions, QStringLiteral("comments")), kIncremental);
}

// ClickHouse/ClickHouse#120081: a view with LIMIT was kept row by row, and lost rows.
void tst_CasesSql::case_C033()
{
    const auto hourly = QStringLiteral(
        "SELECT date_trunc('hour', ts) AS h, dev, count(*) AS n FROM @.ev GROUP BY 1, 2");
    const auto limit = QStringLiteral("LIMIT makes the rows of a view depend on chance");
    const QList<std::pair<QString, QString>> refused{
        {hourly + QStringLiteral(" LIMIT 10"), limit},
        {hourly + QStringLiteral(" ORDER BY n DESC LIMIT 10"), limit},
        {hourly + QStringLiteral(" OFFSET 5"),
         QStringLiteral("OFFSET makes the rows of a view depend on chance")},
        {QString(hourly).replace(QStringLiteral("GROUP BY"),
                                 QStringLiteral("TABLESAMPLE BERNOULLI (10) GROUP BY")),
         QStringLiteral("TABLESAMPLE makes the rows of a view depend on chance")},
        // These come later; until then they are refused by name.
        {QString(hourly).replace(QStringLiteral("count(*)"),
                                 QStringLiteral("sum(count(*)) OVER (ORDER BY dev)")),
         QStringLiteral("a window function (OVER) is not supported")},
        {QString(hourly).replace(QStringLiteral("1, 2"), QStringLiteral("ROLLUP(1, 2)")),
         QStringLiteral("ROLLUP, CUBE or GROUPING SETS is not supported")},
        {QString(hourly).replace(QStringLiteral("1, 2"),
                                 QStringLiteral("GROUPING SETS ((1), (2))")),
         QStringLiteral("ROLLUP, CUBE or GROUPING SETS is not supported")},
    };
    for (const auto &[query, reason] : refused) {
        const QString said = refusal(query);
        QVERIFY2(said.contains(u"view 'v'") && said.contains(reason),
                 qPrintable(query + QStringLiteral(": ") + said));
    }

    const auto definitions = load(QStringLiteral(R"(views:
- name: inside_a_bucket
  query: SELECT date_trunc('hour', ts) + INTERVAL '30' MINUTE AS h, count(DISTINCT dev) AS devs,
      array_agg(dev ORDER BY ts) AS all_devs FROM @.ev GROUP BY 1
- name: pairs
  query: SELECT DISTINCT date_trunc('hour', ts) AS h, dev FROM @.ev
- name: without_a_bucket
  query: SELECT dev, count(*) AS n FROM @.ev GROUP BY 1
)"));
    const auto *whole = definitions.find(u"without_a_bucket");
    QVERIFY(whole->shape && whole->shape->strategy == Strategy::Diff);
    QStringList views{QStringLiteral("inside_a_bucket")};
    if (kEngine == Engine::Embedded)  // a cluster takes seconds; tst_kinds has DISTINCT on it
        views.append(QStringLiteral("pairs"));
    for (const auto &view : views)
        QCOMPARE(refreshed(definitions, view), kRebuild);
    // A late row between two others, and the last row of another group goes.
    m_scenario->run({QStringLiteral("INSERT INTO @.ev VALUES "
                                    "(TIMESTAMP '2026-03-01 10:30:00 UTC', 'b'), "
                                    "(TIMESTAMP '2026-03-01 11:30:00 UTC', 'b')"),
                     QStringLiteral("DELETE FROM @.ev WHERE dev = 'a'")});
    for (const auto &view : views)
        QCOMPARE(refreshed(definitions, view), kIncremental);
    QCOMPARE(
        m_scenario->rows(QStringLiteral("SELECT devs, all_devs FROM @.inside_a_bucket ORDER BY h")),
        QStringList({QStringLiteral("2|[A, A, b, A]"), QStringLiteral("1|[b]")}));
}

QTEST_GUILESS_MAIN(tst_CasesSql)
#include "tst_cases_sql.moc"
