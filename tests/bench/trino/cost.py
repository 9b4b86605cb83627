"""What a refresh costs Trino, against the statements that others would run for the same change.

All start from the same tables: one source, and a target whose metadata file is registered again
before each run, under the view's name or another. Of a refresh every statement counts, from the
poll to the look at what was committed. CPU is Trino's `totalCpuTime`; the time to plan is apart.
"""

import pathlib
import shutil
import statistics
import tempfile
import time

import tool as tools
from trino import hourly
from trino.cluster import CATALOG, Cluster, Cost

RUNS = 3
GOAL, GOAL_TEN_TIMES, GOAL_REBUILD = 1.1, 1.2, 1.1
HEAD = (
    f"{'':24}{'statements':>11}{'read':>11}{'rewritten':>11}{'wall s':>8}{'planning s':>12}"
    f"{'CPU s':>8}"
)


class Run:
    """One refresh, or one statement of another's: what each statement cost, and the whole."""

    def __init__(self, statements, rewritten, wall):
        self.statements = statements
        self.total = sum((cost for _, cost in statements), Cost())
        self.rewritten = rewritten
        self.wall = wall

    def merge_cpu(self):
        """Of the statement that changes the target."""
        return sum(cost.cpu for sql, cost in self.statements if sql.startswith("MERGE"))


def median(runs, figure):
    return statistics.median(figure(run) for run in runs)


def cpu(runs):
    return median(runs, lambda run: run.total.cpu)


def wall(runs):
    return median(runs, lambda run: run.wall)


def line(name, runs, remark=""):
    total = runs[-1].total
    print(
        f"{name:24}{total.statements:11}{total.rows:11,}{runs[-1].rewritten:11,}"
        f"{wall(runs):8.2f}{median(runs, lambda run: run.total.planning):12.2f}{cpu(runs):8.2f}"
        f"  {remark}"
    )


def goal(name, ratio, most):
    print(f"{name}: {ratio:.2f} (goal {most}){'' if ratio <= most else ', MISSED'}")


class Bench:
    """The tool on a cluster, and the tables as they were after the first build."""

    def __init__(self, cluster, folder, is_long):
        self.cluster = cluster
        self.tool = tools.Tool(
            folder,
            cluster.config(cluster.schema),
            tools.VIEW.format(name="hourly", query=hourly.fresh()),
        )
        self.others = set()
        hourly.load(cluster, is_long)
        self.first_build = self.refresh()
        self.source = self.metadata_file("ev")
        self.target = self.metadata_file("hourly")
        self.kept = pathlib.Path(folder, "kept")
        self.kept.mkdir()
        for file in self.state_files():
            shutil.copy(file, self.kept)

    def close(self):
        """Tables that share a folder must not be dropped."""
        for table in self.others:
            self.unregister(table)
        for table in ("hourly", "ev"):
            self.cluster.run(f"DROP TABLE {table}")

    def state_files(self):
        return self.tool.folder.glob("state.db*")

    def metadata_file(self, table):
        return self.cluster.value(
            f'SELECT max_by(file, timestamp) FROM "{table}$metadata_log_entries"'
        )

    def unregister(self, table):
        self.cluster.run(
            f"CALL {CATALOG}.system.unregister_table('{self.cluster.schema}', '{table}')"
        )

    def put_back(self, table, file):
        """Makes a table what it was when this was its metadata file."""
        if self.cluster.rows(f"SHOW TABLES LIKE '{table}'"):
            self.unregister(table)
        location, name = file.split("/metadata/")
        self.cluster.run(
            f"CALL {CATALOG}.system.register_table("
            f"'{self.cluster.schema}', '{table}', '{location}', '{name}')"
        )

    def change(self, change):
        self.put_back("ev", self.source)
        self.cluster.run(change.sql)

    def refresh(self, *arguments):
        before = self.cluster.now()
        began = time.perf_counter()
        view = self.tool.refresh(*arguments)
        seconds = time.perf_counter() - began
        statements = [
            (sql, self.cluster.cost(query))
            for query, sql in self.cluster.statements(self.cluster.schema, before)
        ]
        return Run(statements, view["rows_written"] + view["rows_deleted"], seconds)

    def product(self, *arguments):
        for file in self.state_files():
            file.unlink()
        for file in self.kept.iterdir():
            shutil.copy(file, self.tool.folder)
        self.put_back("hourly", self.target)
        return self.refresh(*arguments)

    def rebuilt(self):
        """By the tool, as if there had been no target."""
        for file in self.state_files():
            file.unlink()
        self.unregister("hourly")
        run = self.refresh()
        self.cluster.run("DROP TABLE hourly")
        self.put_back("hourly", self.target)
        return run

    def statement(self, sql):
        began = time.perf_counter()
        done = self.cluster.run(sql)
        seconds = time.perf_counter() - began
        return Run([(sql, self.cluster.cost(done["id"]))], done["updateCount"], seconds)

    def other(self, table, merge):
        self.put_back(table, self.target)
        self.others.add(table)
        return self.statement(merge)

    def inserted(self):
        """A rebuild by hand."""
        self.cluster.run(
            "CREATE TABLE rebuilt WITH (partitioning = ARRAY['day(hour_ts)']) AS "
            f"{hourly.fresh()} WITH NO DATA"
        )
        run = self.statement(f"INSERT INTO rebuilt {hourly.fresh()}")
        self.cluster.run("DROP TABLE rebuilt")
        return run

    def difference(self, table):
        differing = self.cluster.value(hourly.differing_rows(table))
        return f"{differing:,} rows differ from the query" if differing else ""


def check(bench, table):
    """The product's own target has to be right."""
    difference = bench.difference(table)
    if difference:
        raise SystemExit(f"{table}: {difference}")


def in_turns(bench, change):
    """Runs of the tool, of the statement by hand and of the one range."""
    ours, exact, hull = [], [], []
    for _ in range(RUNS):
        ours.append(bench.product())
        exact.append(bench.other("exact", hourly.exact_merge("exact", change)))
        hull.append(bench.other("hull", hourly.hull_merge("hull", change)))
    return ours, exact, hull


def compare(bench, change):
    bench.change(change)
    ours, exact, hull = in_turns(bench, change)
    check(bench, "hourly")
    check(bench, "exact")
    line(f"{change.name}: ivm", ours)
    line("  by hand, exact", exact)
    line("  one range", hull, bench.difference("hull"))
    goal("  CPU, ivm / by hand", cpu(ours) / cpu(exact), GOAL)
    merges = median(ours, Run.merge_cpu)
    print(f"  of it the MERGE: {merges / cpu(exact):.2f}, all else: {cpu(ours) - merges:.2f} s")
    return ours


def rebuilds(bench, changes, turns):
    by_hand = [bench.inserted() for _ in range(turns)]
    ours = [bench.rebuilt() for _ in range(turns)]
    full = [bench.product("--full") for _ in range(turns)]
    line("rebuild: by hand", by_hand)
    line("  ivm, first build", ours)
    line("  ivm, refresh --full", full)
    for name, runs in changes.items():
        goal(f"  wall, {name} / by hand", wall(runs) / wall(by_hand), GOAL_REBUILD)
        goal(f"  wall, {name} / first build", wall(runs) / wall(ours), GOAL_REBUILD)


def compare_large(bench, change, small):
    bench.change(change)
    large = [bench.product() for _ in range(RUNS)]
    check(bench, "hourly")
    line(f"{change.name}: ivm", large)
    goal("  CPU / that of the smaller", cpu(large) / cpu(small), GOAL_TEN_TIMES)
    return large


def run():
    small, large = {}, {}
    with tempfile.TemporaryDirectory() as folder, Cluster() as cluster:
        bench = Bench(cluster, folder, is_long=False)
        # The first ones are slower: a Trino that has just started compiles as it goes.
        first, *_, last = hourly.changes()
        for change in (first, last):
            bench.change(change)
            in_turns(bench, change)
        print(HEAD)
        for change in hourly.changes():
            small[change.name] = compare(bench, change)
        rebuilds(bench, small, RUNS)
        bench.close()
    with tempfile.TemporaryDirectory() as folder, Cluster() as cluster:
        bench = Bench(cluster, folder, is_long=True)
        print("the same changes of a target of ten times as many rows")
        for change in hourly.changes():
            large[change.name] = compare_large(bench, change, small[change.name])
        rebuilds(bench, large, 1)
        bench.close()
