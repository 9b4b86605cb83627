// What the cases are told in: a table `ev` of events, the view `ev_hourly` of their hours, and
// words for what a refresh did.
//
// A case is a failure that somebody reported of another system, as a scenario with the right
// result; its test function has its number. One thread.
#pragma once

#include "tests/e2e/each_engine.h"

namespace ivm::test {

inline const auto kHourly =
    QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n, sum(v) AS total FROM "
                   "@.ev GROUP BY 1, 2");

class CaseTest {
protected:
    // Another engine, with an empty `ev`.
    void begin(Catalog catalog = Catalog::OfTrino)
    {
        m_scenario.reset();
        m_scenario = std::make_unique<Scenario>(kEngine, catalog);
        run({QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar, v "
                            "bigint)")});
    }
    void end() { m_scenario.reset(); }

    Scenario &scenario() { return *m_scenario; }
    void run(const QStringList &statements) { m_scenario->run(statements); }
    View hourly() const { return m_scenario->view(QStringLiteral("ev_hourly"), kHourly); }
    QString refreshed() { return m_scenario->refreshed(hourly()); }

    // Adds equal rows to an hour of one day, in one commit.
    void insert(int hour, const QString &dev, int count = 1)
    {
        QStringList rows;
        for (int i = 0; i < count; ++i)
            rows.append(QStringLiteral("(%1, '%2', 1)").arg(at(hour), dev));
        run({QStringLiteral("INSERT INTO @.ev VALUES ") + rows.join(QStringLiteral(", "))});
    }
    // An instant in an hour of that day, as a literal.
    static QString at(int hour, int minute = 15)
    {
        return QStringLiteral("TIMESTAMP '2026-03-01 %1:%2:00 UTC'")
            .arg(hour, 2, 10, QLatin1Char('0'))
            .arg(minute, 2, 10, QLatin1Char('0'));
    }
    static qint64 microsAt(int hour)
    {
        return QDateTime({2026, 3, 1}, {hour, 15}, Qt::UTC).toMSecsSinceEpoch() * 1000;
    }
    // What the view's table holds: "hour dev count" a row.
    QStringList counts()
    {
        return rows(QStringLiteral("SELECT CAST(hour(hr) AS varchar) || ' ' || coalesce(dev, '-') "
                                   "|| ' ' || CAST(n AS varchar) FROM @.ev_hourly ORDER BY hr, "
                                   "dev"));
    }
    QStringList rows(const QString &sql) { return m_scenario->rows(sql); }
    // The snapshot that a refresh has written down for `ev`.
    static SnapshotId recorded(const RefreshOutcome &outcome)
    {
        return outcome.sourceSnapshots.first().toLongLong();
    }
    SnapshotId head() { return m_scenario->head(QStringLiteral("ev")).snapshot.value_or(0); }

private:
    std::unique_ptr<Scenario> m_scenario;
};

}  // namespace ivm::test
