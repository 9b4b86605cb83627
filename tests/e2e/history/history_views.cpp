#include "tests/e2e/history/history_views.h"

#include <span>

namespace ivm::test {

namespace {

struct ViewText {
    const char *name;
    const char *query;  // %1 is the source, %2 the hourly view's table
    const char *partitioning = nullptr;
    const char *keys = nullptr;  // declared ones
};

// Buckets fine and coarse of each type of time, filters, HAVING, DISTINCT aggregates, NULL keys, no
// bucket, a chain. min_by and max_by order by v, which never repeats, so nothing depends on ties.
constexpr ViewText kViews[] = {
    {"hourly",
     "SELECT k, date_trunc('hour', ts) AS hour_ts, count(*) AS n, sum(v) AS total, avg(x) AS mean, "
     "min_by(k, v) AS first_k "
     "FROM %1 GROUP BY k, date_trunc('hour', ts)",
     "day(hour_ts)"},
    {"daily",
     "SELECT date(ts) AS day, g AS \"Group\", count(DISTINCT k) AS ks, sum(d) AS money FROM %1 AS "
     "t GROUP BY 1, t.g "
     "HAVING count(*) > 1"},
    {"picky",
     "SELECT date_trunc('minute', tz) AS minute_tz, count(*) FILTER (WHERE v % 2 = 0) AS even, "
     "max(x) AS top "
     "FROM %1 WHERE k = 'a' OR g IS NULL -- either\nGROUP BY 1"},
    {"weekly",
     "SELECT date_trunc('week', dd) AS week_d, g, min(v) AS low, max_by(g, v) AS last_g FROM %1 "
     "GROUP BY 1, 2",
     "g"},
    {"plain",
     "SELECT k, g, count(*) AS n, sum(x) AS total, max(ts) AS latest FROM %1 GROUP BY 1, 2"},
    {"chained",
     "SELECT date_trunc('month', hour_ts) AS month_ts, sum(n) AS n, max(total) AS most FROM %2 "
     "GROUP BY 1"},
    {"sums",
     "SELECT date_trunc('quarter', ts) AS q, f, sum(i) AS total, min(r) AS least, max(b) AS most, "
     "bool_or(f) AS any_f, sum(r) AS rs FROM %1 GROUP BY 1, 2"},
    {"five_minutes",
     "SELECT date_trunc('hour', tz) + INTERVAL '5' MINUTE * (minute(tz) / 5) AS five, count(*) AS "
     "n, max(v) AS most FROM %1 GROUP BY 1"},
    {"bars",
     "SELECT time_bucket('3 days', ts) AS bar, k, count(*) AS n, avg(d) AS mean FROM %1 GROUP BY "
     "1, 2"},
    {"date_hours",
     "SELECT date_trunc('hour', CAST(dd AS timestamp(6))) AS h, count(*) AS n, min(v) AS low FROM "
     "%1 GROUP BY 1"},
    {"slots", "SELECT e / 300 * 300 AS slot, count(*) AS n, sum(x) AS total FROM %1 GROUP BY 1"},
    {"chicago",
     "SELECT date(tz AT TIME ZONE 'America/Chicago') AS day, k, count(*) AS n FROM %1 GROUP BY 1, "
     "2",
     "month(day)"},
    {"lord_howe",
     "SELECT date_trunc('hour', CAST(tz AT TIME ZONE 'Australia/Lord_Howe' AS timestamp(6))) AS h, "
     "sum(v) AS total FROM %1 GROUP BY 1"},
    {"days_of_k", "SELECT DISTINCT k, date_trunc('day', ts) AS day FROM %1"},
    {"pairs", "SELECT DISTINCT k, f, g FROM %1 WHERE k LIKE '_' OR k IS NULL"},
    {"by_number",
     "SELECT v, upper(k) AS letter, date_trunc('hour', ts) AS h, x, tags, place FROM %1", nullptr,
     "v h"},
    {"whole", "SELECT count(*) AS n, sum(v) AS total, max(ts) AS latest FROM %1"},
    {"nested", "SELECT tags, place, count(*) AS n FROM %1 GROUP BY 1, 2"},
};

View viewOf(const ViewText &text, const TableName &defaults, const QString &prefix,
            const TableName &source)
{
    const auto named = [&](const char *name) {
        return TableName{defaults.catalog, defaults.schema,
                         QString(prefix + u'_' + QLatin1StringView(name))};
    };
    View view;
    view.spec.name = named(text.name).table;
    view.spec.target = named(text.name);
    view.spec.query = QString::fromUtf8(text.query);
    view.spec.query.replace(QStringLiteral("%1"), source.quoted());
    view.spec.query.replace(QStringLiteral("%2"), named("hourly").quoted());
    if (text.partitioning)
        view.spec.targetPartitioning = {*parsePartitionField(QString::fromUtf8(text.partitioning))};
    if (text.keys)
        view.spec.keys = QString::fromUtf8(text.keys).split(u' ');
    auto shape = shapeOf(view.spec, defaults);
    if (!shape)
        qFatal("%s", qPrintable(shape.error().text()));
    view.shape = *std::move(shape);
    return view;
}

}  // namespace

QList<View> historyViews(const TableName &defaults, const QString &prefix, const TableName &source,
                         Dice &dice)
{
    // The first one is always there, since another reads it.
    QList<View> views{viewOf(kViews[0], defaults, prefix, source)};
    for (const auto &text : std::span(kViews).subspan(1)) {
        if (dice.oneIn(2))
            views.append(viewOf(text, defaults, prefix, source));
    }
    return views;
}

}  // namespace ivm::test
