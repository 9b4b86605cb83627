"""An hourly view over 90 days of readings, changes of them, and what others would run for each."""

import datetime
import random

FIRST = datetime.datetime(2026, 1, 1)
DAYS = 90
END = FIRST + datetime.timedelta(days=DAYS)
HOUR = datetime.timedelta(hours=1)
ROWS = 2_000_000
KEYS = 100
# Nine times as many days before, in which each group has a single row.
EARLIER_DAYS = 9 * DAYS
# Trino does not compile a disjunction of a thousand.
MOST_RANGES = 64

COLUMNS = "ts timestamp(6), id bigint, k bigint, v bigint"
QUERY = (
    "SELECT k, date_trunc('hour', ts) AS hour_ts, count(*) AS n, sum(v) AS total"
    " FROM ev{where} GROUP BY 1, 2"
)


def literal(moment):
    return f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S}.000000'"


def between(column, first, end):
    return f"{column} >= {literal(first)} AND {column} < {literal(end)}"


def readings(first, count, every):
    """An INSERT of `count` rows, `every` seconds from one to the next."""
    return (
        f"INSERT INTO ev SELECT {literal(first)} + id * INTERVAL '{every}' SECOND, id,"
        f" id % {KEYS}, id % 1009 FROM (SELECT a.n * 1000 + b.n AS id"
        f" FROM UNNEST(sequence(0, {(count - 1) // 1000})) AS a (n)"
        f" CROSS JOIN UNNEST(sequence(0, 999)) AS b (n)) WHERE id < {count}"
    )


def load(cluster, is_long):
    cluster.run(f"CREATE TABLE ev ({COLUMNS}) WITH (partitioning = ARRAY['day(ts)'])")
    cluster.run(readings(FIRST, ROWS, DAYS * 86400 / ROWS))
    if is_long:
        count = EARLIER_DAYS * 24 * KEYS
        first = FIRST - datetime.timedelta(days=EARLIER_DAYS)
        cluster.run(readings(first, count, EARLIER_DAYS * 86400 / count))


class Change:
    """`sql` touches just the buckets that start at `hours`."""

    def __init__(self, name, sql, hours):
        self.name = name
        self.sql = sql
        self.hours = sorted(hours)

    def hull(self):
        """From the first touched bucket to the end of the last."""
        return between("ts", self.hours[0], self.hours[-1] + HOUR)

    def touched(self, column):
        """A condition on the bare time or on the bucket: few ranges, or else the buckets."""
        ranges = []
        for hour in self.hours:
            if ranges and ranges[-1][1] == hour:
                ranges[-1] = (ranges[-1][0], hour + HOUR)
            else:
                ranges.append((hour, hour + HOUR))
        if len(ranges) <= MOST_RANGES:
            return f"({' OR '.join(between(column, *each) for each in ranges)})"
        bucket = f"date_trunc('hour', {column})" if column == "ts" else column
        return f"{bucket} IN ({', '.join(literal(hour) for hour in self.hours)})"


def appended(name, moments):
    values = ", ".join(f"({literal(at)}, {n}, {n % KEYS}, {n})" for n, at in enumerate(moments))
    hours = {at.replace(minute=0, second=0, microsecond=0) for at in moments}
    return Change(name, f"INSERT INTO ev VALUES {values}", hours)


def within(hour, count, length=HOUR):
    return [hour + n * length / count for n in range(count)]


def changes():
    day = END - 24 * HOUR
    now = END - HOUR
    earlier = now - 60 * 24 * HOUR
    everything = [FIRST + n * HOUR for n in range(DAYS * 24)]
    recent = f"ts >= {literal(FIRST)}"
    chance = random.Random(7)
    scattered = [FIRST + chance.random() * datetime.timedelta(days=DAYS) for _ in range(1000)]
    return [
        appended("one hour", within(now, 900)),
        appended("two hours", within(earlier, 100) + within(now, 100)),
        appended("one day", within(day, 4_800, 24 * HOUR)),
        appended("1,000 rows", scattered),
        Change("a key deleted", f"DELETE FROM ev WHERE k = 7 AND {recent}", everything),
        Change(
            "1 % updated",
            f"UPDATE ev SET v = v + 1 WHERE id * 7919 % 10007 < 100 AND {recent}",
            everything,
        ),
    ]


def fresh(condition=""):
    return QUERY.format(where=condition and f" WHERE {condition}")


def exact_merge(target, change):
    """What somebody would write by hand who knows the touched buckets."""
    return (
        f"MERGE INTO {target} AS t USING ("
        " SELECT coalesce(f.k, o.k) AS k, coalesce(f.hour_ts, o.hour_ts) AS hour_ts, f.n, f.total"
        f" FROM ({fresh(change.touched('ts'))}) AS f FULL JOIN"
        f" (SELECT * FROM {target} WHERE {change.touched('hour_ts')}) AS o"
        " ON f.k = o.k AND f.hour_ts = o.hour_ts"
        " WHERE f.n IS DISTINCT FROM o.n OR f.total IS DISTINCT FROM o.total) AS s"
        f" ON t.k = s.k AND t.hour_ts = s.hour_ts AND {change.touched('t.hour_ts')}"
        " WHEN MATCHED AND s.n IS NULL THEN DELETE"
        " WHEN MATCHED THEN UPDATE SET n = s.n, total = s.total"
        " WHEN NOT MATCHED THEN INSERT (k, hour_ts, n, total)"
        " VALUES (s.k, s.hour_ts, s.n, s.total)"
    )


def hull_merge(target, change):
    """One range from the first touched bucket to the last, and no bound on the target."""
    return (
        f"MERGE INTO {target} AS t USING ({fresh(change.hull())}) AS s"
        " ON t.k = s.k AND t.hour_ts = s.hour_ts"
        " WHEN MATCHED THEN UPDATE SET n = s.n, total = s.total"
        " WHEN NOT MATCHED THEN INSERT (k, hour_ts, n, total)"
        " VALUES (s.k, s.hour_ts, s.n, s.total)"
    )


def differing_rows(target):
    """A query that counts them."""
    return (
        f"SELECT count(*) FROM ((SELECT * FROM {target} EXCEPT {fresh()})"
        f" UNION ALL ({fresh()} EXCEPT SELECT * FROM {target}))"
    )
