"""One more day among three million flights against a rebuild (embedded).

Twice: by a program that has to open the engine first, as ivmctl does, and by one that has it open,
as a program does that runs on, or one that has refreshed another view before.
"""

import statistics
import tempfile

import tool as tools

FIRST_DAY = 23  # of June
DAYS = 8
REBUILDS = 6

# The first one is there to open the engine.
VIEWS = """views:
  - name: opener
    query: SELECT n, count(*) AS rows FROM numbers GROUP BY n
  - name: hourly
    query: |
      {query}
    target_partitioning: [day(hour_ts)]
"""


def refreshed(tool, is_open):
    """Refreshes the view of the flights."""
    if is_open:
        tool.sql("INSERT INTO numbers VALUES 1")
    return tool.refresh(*(["opener"] if is_open else []), "hourly")


def spread(seconds):
    return (
        f"{statistics.median(seconds) * 1000:.0f} ms "
        f"(from {min(seconds) * 1000:.0f} to {max(seconds) * 1000:.0f})"
    )


def add_day(tool, day):
    tool.sql(
        f"INSERT INTO flights SELECT * FROM TABLE(read_parquet('{tools.flights_file()}'))"
        f" WHERE date >= TIMESTAMP '2001-06-{day} 00:00:00'"
        f" AND date < TIMESTAMP '2001-06-{day} 23:59:59'"
    )


def run():
    incremental, rebuild = {False: [], True: []}, {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        tool = tools.embedded(folder, VIEWS.format(query=tools.HOURLY))
        tool.sql("CREATE TABLE numbers (n integer)")
        tools.load_flights(tool, f"date < TIMESTAMP '2001-06-{FIRST_DAY} 00:00:00'")
        tool.refresh("hourly")
        for turn in range(DAYS):
            add_day(tool, FIRST_DAY + turn)
            view = refreshed(tool, bool(turn % 2))
            assert view["action"] == "incremental", view
            incremental[bool(turn % 2)].append(view["seconds"])
        print(
            f"a day: {view['rows_read']} rows and {view['files_read']} files read, "
            f"{view['rows_written']} rows written"
        )
        for turn in range(REBUILDS):
            tool.sql("DROP TABLE hourly")
            view = refreshed(tool, bool(turn % 2))
            rebuild[bool(turn % 2)].append(view["seconds"])
        print(f"a rebuild: {view['rows_read']} rows and {view['files_read']} files read")
    for is_open, what in ((False, "with the engine to open"), (True, "with the engine open")):
        ratio = statistics.median(rebuild[is_open]) / statistics.median(incremental[is_open])
        print(
            f"{what}: a day {spread(incremental[is_open])}, a rebuild {spread(rebuild[is_open])}, "
            f"which is {ratio:.1f} times as long"
        )
