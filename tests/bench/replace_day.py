"""Replacing one day in tables of 1 and 30 million rows, whose days are of one size."""

import os
import statistics
import tempfile

import tool as tools

KEYS = 200  # a day has the square of it in rows: 40,000
DAYS = {"1 million": 25, "30 million": 750}
TURNS = 14  # of both tables, one after the other

# One row of the view for each row of the source, so that the target is as large.
VIEW = """views:
  - name: daily
    query: |
      SELECT k, date_trunc('day', ts) AS day_ts, count(*) AS n, sum(v) AS total
      FROM ev GROUP BY 1, 2
    target_partitioning: [day(day_ts)]
"""


def numbers(name, count):
    return f"(VALUES {', '.join(map(str, range(count)))}) AS {name}(n)"


def make(folder, days):
    tool = tools.embedded(folder, VIEW)
    tool.sql(
        "CREATE TABLE ev WITH (partitioning = ARRAY['day(ts)']) AS "
        "SELECT TIMESTAMP '2020-01-01 00:00:00' + d.n * INTERVAL '1' DAY"
        f" + (a.n * {KEYS} + b.n) * INTERVAL '2' SECOND AS ts,"
        f" CAST(a.n * {KEYS} + b.n AS bigint) AS k, (a.n * 7919 + b.n * 17 + d.n) % 1000 AS v"
        f" FROM {numbers('d', days)} CROSS JOIN {numbers('a', KEYS)}"
        f" CROSS JOIN {numbers('b', KEYS)}"
    )
    first = tool.refresh()
    print(f"{days} days: {first['rows_written']} rows in the target", flush=True)
    return tool


def replace(tool, day):
    """Changes every row of a day; the seconds of the statement and of the refresh after it."""
    begin = f"TIMESTAMP '2020-01-01 00:00:00' + {day} * INTERVAL '1' DAY"
    statement = tool.wall(
        "sql",
        f"UPDATE ev SET v = v + 1 WHERE ts >= {begin} AND ts < {begin} + INTERVAL '1' DAY",
    )
    view = tool.refresh()
    assert view["action"] == "incremental" and view["rows_written"] == KEYS * KEYS, view
    return statement, view["seconds"]


def replace_in_both(pair, turn):
    """Each goes first in every other turn: what the one leaves to be written delays the other."""
    order = (0, 1) if turn % 2 else (1, 0)
    seconds = {place: replace(pair[place], 3 + turn) for place in order}
    return [seconds[0], seconds[1]]


def run():
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as large:
        pair = [make(folder, days) for folder, days in zip((small, large), DAYS.values())]
        os.sync()
        turns = [replace_in_both(pair, turn) for turn in range(TURNS)]
    for index, what in enumerate(("an UPDATE of a day", "the refresh after it")):
        for place, name in enumerate(DAYS):
            seconds = sorted(turn[place][index] for turn in turns)
            print(
                f"{what}, {name} rows: {statistics.median(seconds) * 1000:.0f} ms "
                f"(from {seconds[0] * 1000:.0f} to {seconds[-1] * 1000:.0f})"
            )
        ratios = sorted(turn[1][index] / turn[0][index] for turn in turns)
        print(
            f"{what} takes {statistics.median(ratios):.2f} times as long in the larger table "
            f"(from {ratios[0]:.2f} to {ratios[-1]:.2f})"
        )
