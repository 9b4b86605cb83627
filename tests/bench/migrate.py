"""Migrations: planning many, a status, the switch of a large view under a reader, the way back, and
many who upgrade at once. Needs strace.
"""

import collections
import json
import re
import statistics
import subprocess
import tempfile
import threading

import tool as tools

CONFIG = "executor: {plugin: duckdb, warehouse: ./warehouse}\n"
PLANS = 5
STATUSES = 20
SIDE = 1000  # a view of so many rows, squared
RACERS = 8
ROUNDS = 50

# Four migrations of a kind each, of the table and the view of one number.
STEPS = (
    "- create_table: {{name: t{0}, columns: [{{name: k, type: bigint}},"
    " {{name: v, type: bigint}}]}}",
    "- create_view: {{name: v{0}, query: 'SELECT k, count(*) AS n FROM t{0} GROUP BY k'}}",
    "- add_column: {{table: t{0}, name: w, type: double}}",
    "- replace_view: {{name: v{0}, query: 'SELECT k, sum(v) AS n FROM t{0} GROUP BY k'}}",
)


class Migrations:
    """A folder of migrations beside a tool's configuration."""

    def __init__(self, tool):
        self.tool = tool
        self.folder = tool.folder / "migrations"
        self.folder.mkdir()
        self.count = 0

    def add(self, *steps):
        self.count += 1
        text = "\n".join(("upgrade:", *steps, ""))
        (self.folder / f"{self.count:04}_step.yaml").write_text(text)

    def run(self, *arguments):
        return self.tool.json("migrate", *arguments)


def site(folder, config=CONFIG, environment=None):
    return Migrations(tools.Tool(folder, config, "views: []\n", environment))


def planning():
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        sites = {100: site(few), 1000: site(many)}
        for count, migrations in sites.items():
            for number in range(count):
                migrations.add(STEPS[number % len(STEPS)].format(number // len(STEPS)))
        took = [
            {count: migrations.tool.wall("migrate", "plan") for count, migrations in sites.items()}
            for _ in range(PLANS)
        ]
    ratio = statistics.median(turn[1000] / turn[100] for turn in took)
    print(
        f"the plan of 1,000 migrations takes {ratio:.1f} times as long as that of 100 "
        f"(median of {PLANS})"
    )


def status():
    with tempfile.TemporaryDirectory() as folder:
        migrations = site(folder)
        for number in range(20):
            migrations.add(STEPS[number % len(STEPS)].format(number // len(STEPS)))
        migrations.run("upgrade")
        pairs = [
            (migrations.tool.wall("migrate", "status"), migrations.tool.wall("--version"))
            for _ in range(STATUSES)
        ]
    ratio = statistics.median(status / version for status, version in pairs)
    print(
        f"a status takes {ratio:.2f} times as long as --version (medians "
        f"{statistics.median(p[0] for p in pairs) * 1000:.1f} ms and "
        f"{statistics.median(p[1] for p in pairs) * 1000:.1f} ms)"
    )


class Reader:
    """Asks one query again and again while something else happens; counts the answers."""

    def __init__(self, ask):
        self.ask = ask
        self.seen = collections.Counter()

    def __enter__(self):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def _read(self):
        while not self.over.is_set():
            self.seen[self.ask()] += 1


def ask_embedded(tool, sql):
    done = subprocess.run(
        tool.command("sql", sql),
        cwd=tool.folder,
        env=tool.environment,
        check=False,
        capture_output=True,
        text=True,
    )
    return str(json.loads(done.stdout)["rows"]) if done.returncode == 0 else done.stderr


def make_large(run):
    """The table `ev` of SIDE * SIDE keys."""
    values = ", ".join(f"({number})" for number in range(SIDE))
    run("CREATE TABLE few (n bigint)")
    run(f"INSERT INTO few VALUES {values}")
    run(
        f"CREATE TABLE ev AS SELECT a.n * {SIDE} + b.n AS k, a.n + 2 AS v "
        "FROM few AS a CROSS JOIN few AS b"
    )


def large_view(migrations, operation, columns):
    query = f"SELECT k, {columns} FROM ev GROUP BY k"
    migrations.add(f"- {operation}: {{name: large, query: '{query}'}}")


def switching(migrations, ask, take_back):
    """`ask` gives the answer to a query as a text; `take_back` takes the last migration back, and
    tells what was read for that."""
    look = "SELECT count(*) AS c, sum(n) AS s FROM large"
    large_view(migrations, "create_view", "count(*) AS n")
    migrations.run("upgrade")
    versions = {ask(look)}
    for name, columns in (
        ("the same columns", "sum(v) AS n"),
        ("a column more", "sum(v) AS n, max(v) AS most"),
    ):
        large_view(migrations, "replace_view", columns)
        reader = Reader(lambda: ask(look))
        with reader:
            migrations.run("upgrade")
            versions.add(ask(look))
            back = take_back()
        wrong = {text: n for text, n in reader.seen.items() if text not in versions}
        print(
            f"{name}: out and back under a reader: {sum(reader.seen.values())} reads of "
            f"{len(reader.seen)} versions, {sum(wrong.values())} errors; the way back read {back}"
        )
        for text, times in wrong.items():
            print(f"  {times} times: {text[:300]}")
        (migrations.folder / f"{migrations.count:04}_step.yaml").unlink()
        migrations.count -= 1


def take_back_embedded(migrations):
    trace = migrations.tool.folder / "trace"
    subprocess.run(
        [
            *["strace", "-f", "-e", "trace=openat,open", "-o", trace],
            *migrations.tool.command("migrate", "downgrade", "-1"),
        ],
        cwd=migrations.tool.folder,
        env=migrations.tool.environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    opened = re.findall(r'"([^"]+/large[^"]+\.parquet)", O_RDONLY', trace.read_text())
    return f"{len(set(opened))} data files"


def racing(migrations, rounds):
    appliers = collections.Counter()
    partial, others = [], collections.Counter()
    for number in range(1, rounds + 1):
        migrations.add(
            f"- create_table: {{name: r{number}, columns: [{{name: v, type: bigint}}]}}",
            f"- sql: {{statement: INSERT INTO r{number} VALUES (1)}}",
            f"- add_column: {{table: r{number}, name: w, type: bigint}}",
        )
        racers = [
            subprocess.Popen(
                migrations.tool.command("migrate", "upgrade"),
                cwd=migrations.tool.folder,
                env=migrations.tool.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(RACERS)
        ]
        worked = 0
        for racer in racers:
            out, err = racer.communicate()
            if racer.returncode == 0 and json.loads(out)["done"]:
                worked += 1
            elif racer.returncode == 0:
                others["came when it was done"] += 1
            else:
                others["was told who is at work" if "are being run by" in err else err] += 1
        appliers[worked] += 1
        now = migrations.run("status")
        rows = migrations.tool.sql(f"SELECT count(*), count(w) FROM r{number}")["rows"]
        ends = now["current"] == number and not (now["open"] or now["pending"] or now["lock"])
        if not ends or [int(value) for value in rows[0]] != [1, 0]:
            partial.append(number)
    print(
        f"{rounds} rounds of {RACERS} upgrades at once: appliers a round "
        f"{', '.join(f'{n} ({times} rounds)' for n, times in sorted(appliers.items()))}; "
        f"partial states {len(partial)}; the others: "
        f"{', '.join(f'{n} times {what.strip()[:200]}' for what, n in others.most_common())}"
    )


def run():
    planning()
    status()
    with tempfile.TemporaryDirectory() as folder:
        migrations = site(folder)
        make_large(migrations.tool.sql)
        switching(
            migrations,
            lambda sql: ask_embedded(migrations.tool, sql),
            lambda: take_back_embedded(migrations),
        )
    with tempfile.TemporaryDirectory() as folder:
        racing(site(folder), ROUNDS)
