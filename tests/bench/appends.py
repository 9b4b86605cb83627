"""Many small appends to one hour, then one refresh, against a refresh after a single append."""

import statistics
import tempfile

import tool as tools

APPENDS = 1000
RUNS = 5
MOMENT = "TIMESTAMP '2001-01-02 13:20:00'"


def append(tool, count=1):
    for delay in range(count):
        tool.sql(f"INSERT INTO flights VALUES ({MOMENT}, {delay}, 2475, 'JFK', 'LAX')")


def commits(tool, table):
    return int(tool.sql(f'SELECT count(*) FROM "{table}$snapshots"')["rows"][0][0])


def refreshed(tool):
    before = commits(tool, "hourly")
    view = tool.refresh()
    ranges = ", ".join(f"{r['from']} to {r['to']}" for r in view["ranges"])
    return view, commits(tool, "hourly") - before, ranges


def run():
    with tempfile.TemporaryDirectory() as folder:
        tool = tools.embedded(folder)
        tools.load_flights(tool, "date < TIMESTAMP '2001-01-03 00:00:00'")
        tool.refresh()
        single = []
        for _ in range(RUNS):
            append(tool)
            view, _, _ = refreshed(tool)
            assert view["action"] == "incremental"
            single.append(view["seconds"])
        print(f"after one append: {statistics.median(single) * 1000:.0f} ms")
        already = commits(tool, "flights")
        append(tool, APPENDS)
        view, written, ranges = refreshed(tool)
        print(
            f"after {commits(tool, 'flights') - already} appends: {view['action']}, "
            f"{len(view['ranges'])} range ({ranges}) recomputed in {written} commit, "
            f"{view['rows_read']} rows of {view['files_read']} files read, "
            f"{view['rows_written']} rows written, {view['seconds'] * 1000:.0f} ms"
        )
        after = []
        for _ in range(RUNS):
            append(tool)
            after.append(tool.refresh()["seconds"])
        print(
            f"after one more append: {statistics.median(after) * 1000:.0f} ms; "
            "the one refresh of all of them takes "
            f"{view['seconds'] / statistics.median(single):.1f} times as long as one of the first "
            f"append, {view['seconds'] / statistics.median(after):.1f} times as one of the last"
        )
