// Views of every kind of key and bucket: their queries, with '@' for the schema.
//
// Plain data, for test programs.
#pragma once

namespace ivm::test {

struct ViewKind {
    const char *name;
    const char *query;
    const char *keys;    // declared, with commas
    bool isIncremental;  // a late row touches a part of it
    // On a cluster too, where every statement takes its time. Of the other buckets it is asked by
    // tst_trino_buckets, and the other keys make the same statements.
    bool isOnCluster;
};

inline constexpr ViewKind kViewKinds[] = {
    {"pairs_by_day", "SELECT DISTINCT k, date_trunc('day', ts) AS d FROM @.ev", "", true, true},
    {"total",
     "SELECT count(*) AS n, sum(x) AS x, max(k) AS top, array_agg(k ORDER BY id) AS ks, "
     "array_agg(k ORDER BY k) AS sorted FROM @.ev",
     "", false, true},
    {"mean", "SELECT avg(x) AS mean FROM @.ev", "", false, false},
    {"last_of_all", "SELECT max_by(k, id) AS last FROM @.ev", "", false, true},
    {"total_if_many", "SELECT count(*) AS n FROM @.ev GROUP BY () HAVING count(*) > 9", "", false,
     true},
    {"rows_by_id", "SELECT id, upper(k) AS k, ts, x FROM @.ev", "id", false, true},
    {"rows_by_hour", "SELECT id, date_trunc('hour', ts) AS h, x FROM @.ev WHERE k LIKE '_'", "id,h",
     true, true},
    {"steps", "SELECT e / 300 * 300 AS b, count(*) AS n FROM @.ev GROUP BY 1", "", true, true},
    {"floats", "SELECT x AS f, count(*) AS n FROM @.ev GROUP BY 1", "", false, true},
    {"pairs", "SELECT DISTINCT k, tag FROM @.ev", "", false, false},
    {"largest", "SELECT k AS name, max(x) AS x FROM @.ev WHERE k IS NOT NULL GROUP BY k, upper(k)",
     "name", false, false},
    {"words",
     "SELECT upper(substr(tag, 1, 2)) AS t, k LIKE 'a%' AS is_a, count(*) AS n FROM @.ev "
     "GROUP BY 1, 2",
     "", false, false},
    {"second", "SELECT date_trunc('second', ts) AS s, count(*) AS n FROM @.ev GROUP BY 1", "", true,
     false},
    {"shifted",
     "SELECT date_trunc('day', ts - INTERVAL '6' HOUR) AS d, sum(x) AS x FROM @.ev "
     "GROUP BY 1",
     "", true, false},
    {"rests", "SELECT k, e - e % 300 AS b, count(*) AS n FROM @.ev GROUP BY 1, 2", "", true, false},
    {"two_buckets",
     "SELECT date_trunc('day', ts) AS d, date_trunc('hour', ts) AS h, count(*) AS n "
     "FROM @.ev GROUP BY 1, 2",
     "", true, false},
    {"fallback",
     "SELECT coalesce(date_trunc('hour', ts), TIMESTAMP '1970-01-01 00:00:00') AS h, "
     "count(*) AS n FROM @.ev GROUP BY 1",
     "", false, false},
    // Trino does not tell the ids of the fields of a row, and recomputes.
    {"fields", "SELECT r.b AS b, date_trunc('day', ts) AS d, count(r) AS n FROM @.ev GROUP BY 1, 2",
     "", true, false},

    // Arrays and rows as keys.
    {"nested", "SELECT l, r, count(*) AS n FROM @.ev GROUP BY 1, 2", "", false, true},
    {"arrays", "SELECT DISTINCT l FROM @.ev", "", false, false},

    // Buckets of many units, of seconds since 1970, and in zones.
    {"bars", "SELECT time_bucket('5 minutes', ts) AS b, count(*) AS n FROM @.ev GROUP BY 1", "",
     true, true},
    {"long_bars", "SELECT time_bucket('3 days', ts) AS b, count(*) AS n FROM @.ev GROUP BY 1", "",
     true, false},
    {"minutes",
     "SELECT date_trunc('hour', ts) + INTERVAL '5' MINUTE * (minute(ts) / 5) AS b, count(*) AS n "
     "FROM @.ev GROUP BY 1",
     "", true, false},
    {"unix",
     "SELECT from_unixtime(floor(to_unixtime(ts) / 300) * 300) AS b, count(*) AS n FROM @.ev "
     "GROUP BY 1",
     "", true, true},
    {"epoch_hours",
     "SELECT date_trunc('hour', from_unixtime(e)) AS h, count(*) AS n FROM @.ev "
     "GROUP BY 1",
     "", true, true},
    {"chicago",
     "SELECT date_trunc('hour', CAST(ts AT TIME ZONE 'America/Chicago' AS timestamp(6))) AS h, "
     "count(*) AS n FROM @.ev GROUP BY 1",
     "", true, true},
    {"chicago_days",
     "SELECT date(ts AT TIME ZONE 'America/Chicago') AS d, count(*) AS n FROM "
     "@.ev GROUP BY 1",
     "", true, false},
    {"lord_howe",
     "SELECT date_trunc('hour', ts AT TIME ZONE 'Australia/Lord_Howe') AT TIME ZONE 'UTC' AS h, "
     "count(*) AS n FROM "
     "@.ev GROUP BY 1",
     "", true, false},
};

}  // namespace ivm::test
