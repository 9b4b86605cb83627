#include "tests/e2e/history.h"

#include "framework/view/outputs.h"
#include "tests/support/oracle.h"

#include <QDateTime>
#include <QTimeZone>

namespace ivm::test {

namespace {

struct ViewText {
    const char *name;
    const char *query;  // %1 is the source, %2 the hourly view's table
    const char *partitioning;
};

// One view of each kind that is kept: buckets fine and coarse of each type of time, filters,
// HAVING, DISTINCT aggregates, NULL keys, no bucket, a chain. min_by and max_by order by v, which
// never repeats, so nothing depends on ties.
constexpr ViewText kViews[] = {
    {"hourly",
     "SELECT k, date_trunc('hour', ts) AS hour_ts, count(*) AS n, sum(v) AS total, avg(x) AS mean, "
     "min_by(k, v) AS first_k "
     "FROM %1 GROUP BY k, date_trunc('hour', ts)",
     "day(hour_ts)"},
    {"daily",
     "SELECT date(ts) AS day, g AS \"Group\", count(DISTINCT k) AS ks, sum(d) AS money FROM %1 AS "
     "t GROUP BY 1, t.g "
     "HAVING count(*) > 1",
     nullptr},
    {"picky",
     "SELECT date_trunc('minute', tz) AS minute_tz, count(*) FILTER (WHERE v % 2 = 0) AS even, "
     "max(x) AS top "
     "FROM %1 WHERE k = 'a' OR g IS NULL -- either\nGROUP BY 1",
     nullptr},
    {"weekly",
     "SELECT date_trunc('week', dd) AS week_d, g, min(v) AS low, max_by(g, v) AS last_g FROM %1 "
     "GROUP BY 1, 2",
     "g"},
    {"plain",
     "SELECT k, g, count(*) AS n, sum(x) AS total, max(ts) AS latest FROM %1 GROUP BY 1, 2",
     nullptr},
    {"chained",
     "SELECT date_trunc('month', hour_ts) AS month_ts, sum(n) AS n, max(total) AS most FROM %2 "
     "GROUP BY 1",
     nullptr},
};

}  // namespace

History::History(RefreshServices services, TableName defaults, QString prefix, quint32 seed)
    : m_services(std::move(services)), m_defaults(std::move(defaults)), m_random(seed), m_seed(seed)
{
    const auto named = [&](const char *name) {
        return TableName{m_defaults.catalog, m_defaults.schema,
                         QString(prefix + u'_' + QLatin1StringView(name))};
    };
    m_source = named("ev");
    for (const auto &text : kViews) {
        View view;
        view.spec.name = named(text.name).table;
        view.spec.target = named(text.name);
        view.spec.query = QString::fromUtf8(text.query);
        view.spec.query.replace(QStringLiteral("%1"), m_source.quoted());
        view.spec.query.replace(QStringLiteral("%2"), named("hourly").quoted());
        if (text.partitioning)
            view.spec.targetPartitioning = {
                *parsePartitionField(QString::fromUtf8(text.partitioning))};
        view.shape = *shapeOf(view.spec, m_defaults);
        m_views.append(view);
    }
}

HistoryResult History::play(int steps)
{
    const auto work = [&]() -> Status {
        IVM_TRY(Executor * executor, m_services.executor());
        IVM_TRY(m_session, executor->openSession({}));
        IVM_CHECK(createSource());
        for (int step = 0; step < steps; ++step) {
            m_log.append(QStringLiteral("-- step %1").arg(step));
            for (int changes = 1 + pick(3); changes > 0; --changes)
                IVM_CHECK(changeSource());
            if (step > 0 && pick(5) == 0)
                IVM_CHECK(changeTarget());
            if (step > 0 && pick(12) == 0)
                IVM_CHECK(loseTheStore());
            IVM_CHECK(refreshAndCompare());
        }
        return {};
    };
    if (const auto done = work(); !done)
        m_result.failure =
            QStringLiteral("seed %1: %2\nreplay with IVM_SEED=%1; what was done:\n%3")
                .arg(m_seed)
                .arg(done.error().text(), m_log.join(u'\n'));
    for (const auto &view : m_views)
        (void)run(QStringLiteral("DROP TABLE IF EXISTS %1").arg(view.spec.target.quoted()));
    (void)run(QStringLiteral("DROP TABLE IF EXISTS %1").arg(m_source.quoted()));
    m_session.reset();
    return m_result;
}

int History::pick(int most)
{
    // Not a distribution of the library: those differ from one library to the next.
    return int(m_random() % quint32(most));
}

Status History::run(const QString &sql)
{
    m_log.append(sql);
    IVM_CHECK(execute(*m_session, sql, {}));
    return {};
}

Result<std::optional<SnapshotId>> History::head(const TableName &table)
{
    IVM_TRY(const auto heads, m_services.detector.heads({{.table = table}}, {}));
    IVM_TRY(const TableHead found, heads.front());
    return found.snapshot;
}

Status History::createSource()
{
    m_snapshots.clear();
    const QString partitioning =
        pick(3) > 0 ? QStringLiteral(" WITH (partitioning = ARRAY['day(ts)'])") : QString();
    IVM_CHECK(run(QStringLiteral(
                      "CREATE TABLE %1 (ts timestamp(6), k varchar, g integer, v bigint, x double, "
                      "d decimal(12,2), tz timestamp(6) with time zone, dd date)%2")
                      .arg(m_source.quoted(), partitioning)));
    return run(QStringLiteral("INSERT INTO %1 VALUES %2")
                   .arg(m_source.quoted(), values(20 + pick(60), QString())));
}

QString History::instant(int dayRange, QStringView zone)
{
    // Some are older than the epoch: what is rounded towards zero shows there.
    const QDateTime base(QDate(pick(9) == 0 ? 1960 : 2024, 2, 27), QTime(0, 0), Qt::UTC);
    const auto at = base.addSecs(qint64(pick(dayRange)) * 86'400 + pick(86'400));
    const QString micros =
        QString::number(pick(3) == 0 ? 0 : pick(1'000'000)).rightJustified(6, u'0');
    return QStringLiteral("TIMESTAMP '%1.%2%3'")
        .arg(at.toString(QStringLiteral("yyyy-MM-dd hh:mm:ss")), micros, zone);
}

QString History::values(int rows, const QString &base)
{
    QStringList list;
    for (int i = 0; i < rows; ++i) {
        const QString ts = pick(15) == 0    ? QStringLiteral("CAST(NULL AS timestamp(6))")
                           : base.isEmpty() ? instant(12)
                                            : base;
        const QString k = pick(10) == 0 ? QStringLiteral("NULL")
                                        : QStringLiteral("'%1'").arg(QChar(u'a' + pick(4)));
        const QString g = pick(8) == 0 ? QStringLiteral("NULL") : QString::number(pick(3));
        const QString x = pick(9) == 0    ? QStringLiteral("NULL")
                          : pick(20) == 0 ? QStringLiteral("nan()")
                                          : QStringLiteral("%1e-1").arg(pick(10'000));
        const QString tz = pick(15) == 0 ? QStringLiteral("NULL") : instant(12, u" UTC");
        const QString dd = pick(15) == 0 ? QStringLiteral("NULL")
                                         : QStringLiteral("CAST(%1 AS date)").arg(instant(60));
        const QString d = QStringLiteral("DECIMAL '%1.%2'").arg(pick(500) - 250).arg(10 + pick(90));
        list.append(QStringLiteral("(%1, CAST(%2 AS varchar), %3, %4, %5, %6, %7, %8)")
                        .arg(ts, k, g, QString::number(m_nextValue++), x, d, tz, dd));
    }
    return list.join(QStringLiteral(", "));
}

Status History::changeSource()
{
    const QString table = m_source.quoted();
    IVM_TRY(const auto before, head(m_source));
    if (before)
        m_snapshots.append(*before);
    switch (pick(14)) {
    case 0:
    case 1:
        return run(
            QStringLiteral("INSERT INTO %1 VALUES %2").arg(table, values(1 + pick(8), QString())));
    case 2:
        return run(QStringLiteral("INSERT INTO %1 VALUES %2")
                       .arg(table, values(1 + pick(20), instant(1))));
    case 3:
        return run(QStringLiteral("INSERT INTO %1 VALUES %2").arg(table, values(1, instant(400))));
    case 4:
        return run(QStringLiteral("UPDATE %1 SET ts = ts + INTERVAL '%2' DAY, dd = dd - INTERVAL "
                                  "'9' DAY, tz = tz + INTERVAL '61' SECOND WHERE v % %3 = 0")
                       .arg(table)
                       .arg(1 + pick(3))
                       .arg(3 + pick(6)));
    case 5:
        return run(
            QStringLiteral("UPDATE %1 SET x = x + 1e0, g = NULL WHERE k = '%2' AND v % 3 = %3")
                .arg(table)
                .arg(QChar(u'a' + pick(4)))
                .arg(pick(3)));
    case 6:
        return run(
            QStringLiteral("UPDATE %1 SET ts = %2 WHERE ts IS NULL").arg(table, instant(12)));
    case 7:
        return run(
            QStringLiteral("DELETE FROM %1 WHERE k = '%2'").arg(table).arg(QChar(u'a' + pick(4))));
    case 8:
        return run(
            QStringLiteral(
                "DELETE FROM %1 WHERE ts >= TIMESTAMP '2024-02-%2 00:00:00' AND ts < TIMESTAMP "
                "'2024-03-%3 00:00:00'")
                .arg(table)
                .arg(27 + pick(3))
                .arg(QString::number(1 + pick(3)).rightJustified(2, u'0')));
    case 9:
        return run(
            QStringLiteral("DELETE FROM %1 WHERE v % 5 = %2 OR k IS NULL").arg(table).arg(pick(5)));
    case 10:
    case 11: return run(QStringLiteral("ALTER TABLE %1 EXECUTE optimize").arg(table));
    case 12:
        if (m_snapshots.isEmpty())
            return {};
        return run(QStringLiteral("ALTER TABLE %1 EXECUTE rollback_to_snapshot(%2)")
                       .arg(table)
                       .arg(m_snapshots[pick(int(m_snapshots.size()))]));
    default:
        if (pick(3) > 0)
            return run(QStringLiteral("DELETE FROM %1").arg(table));
        IVM_CHECK(run(QStringLiteral("DROP TABLE %1").arg(table)));
        return createSource();
    }
}

// Somebody edits a view's table by hand: the next refresh has to undo it.
Status History::changeTarget()
{
    const auto &view = m_views[pick(int(m_views.size()))];
    const QString table = view.spec.target.quoted();
    const QString key = quotedIdentifier(view.shape.keys().front());
    switch (pick(5)) {
    case 0: return run(QStringLiteral("DELETE FROM %1 WHERE %2 IS NOT NULL").arg(table, key));
    case 1: return run(QStringLiteral("INSERT INTO %1 SELECT * FROM %1").arg(table));
    case 2: {
        const QString measure = quotedIdentifier(view.shape.columns.last().name);
        return run(QStringLiteral("UPDATE %1 SET %2 = NULL WHERE %3 IS NOT NULL")
                       .arg(table, measure, key));
    }
    case 3: return run(QStringLiteral("ALTER TABLE %1 EXECUTE optimize").arg(table));
    default: return run(QStringLiteral("DROP TABLE %1").arg(table));
    }
}

Status History::loseTheStore()
{
    const auto &view = m_views[pick(int(m_views.size()))];
    m_log.append(QStringLiteral("-- the store forgets %1").arg(view.spec.name));
    return m_services.store.forgetView(view.spec.name);
}

Status History::refreshAndCompare()
{
    Refresher refresher(m_services);
    IVM_TRY(const auto outcomes, refresher.refresh(m_views, RefreshMode::IfChanged, {}));
    for (const auto &outcome : outcomes) {
        m_log.append(QStringLiteral("-- %1: %2 (%3)")
                         .arg(outcome.view, actionName(outcome.action), outcome.reason));
        ++m_result.refreshes;
        ++m_result.actions[actionName(outcome.action)];
        if (outcome.error)
            return fail(*outcome.error);
    }
    for (const auto &view : m_views)
        IVM_CHECK(compare(view));
    return {};
}

Status History::compare(const View &view)
{
    IVM_TRY(const Rows wanted, query(*m_session, view.spec.query, {}));
    IVM_TRY(
        const Rows stored,
        query(*m_session, QStringLiteral("SELECT * FROM %1").arg(view.spec.target.quoted()), {}));
    IVM_TRY(const auto outputs, outputColumns(view.spec, view.shape, wanted.columns));
    const QString difference = Oracle(outputs).difference(wanted, stored);
    if (!difference.isEmpty())
        return fail(internalError(QStringLiteral("%1: %2").arg(view.spec.name, difference)));
    // What verify says must agree, which shares no code with the comparison above.
    if (pick(6) > 0)
        return {};
    IVM_TRY(const auto verified, verifyView(m_services, view, {}, {}));
    if (!verified.equal)
        return fail(internalError(QStringLiteral("%1: verify finds %2 missing and %3 extra rows")
                                      .arg(view.spec.name)
                                      .arg(verified.missing)
                                      .arg(verified.extra)));
    return {};
}

}  // namespace ivm::test
