"""On Trino: the same refreshes through the JDBC driver and over Trino's own protocol, in turn.

Wall time is that of the whole command, in which Java is started; a running host starts it once, so
that the views' own seconds count there. Memory is the most that the Java process held.
"""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.parse

import tool as tools
from trino.cluster import CATALOG, Cluster

ROUNDS, VIEWS = 7, 6
GOAL, GOAL_MEGABYTES = 1.3, 200


def views(end):
    return "views:\n" + "".join(
        f"  - name: view{number}_{end}\n    query: |\n"
        f"      SELECT k % {number + 2} AS k, date_trunc('hour', ts) AS hour_ts,"
        " count(*) AS n, sum(v) AS total FROM ev GROUP BY 1, 2\n"
        for number in range(VIEWS)
    )


class Peak(threading.Thread):
    """The most resident memory, in kB, that a process of a folder's bridge has held."""

    def __init__(self, parent):
        super().__init__(daemon=True)
        self.parent = parent
        self.peak = 0

    def run(self):
        while self.parent.poll() is None:
            children = pathlib.Path(f"/proc/{self.parent.pid}/task").glob("*/children")
            try:
                for child in " ".join(file.read_text() for file in children).split():
                    status = pathlib.Path(f"/proc/{child}/status").read_text()
                    peak = [line for line in status.splitlines() if line.startswith("VmHWM")]
                    self.peak = max(self.peak, int(peak[0].split()[1]))
            except (OSError, IndexError):
                pass  # it has just ended
            time.sleep(0.02)


class Side:
    def __init__(self, folder, config, end):
        self.tool = tools.Tool(folder, config, views(end))
        self.walls, self.seconds, self.peak = [], [], 0

    # The first round makes the tables.
    def wall(self):
        return statistics.median(self.walls[1:])

    def view_seconds(self):
        return statistics.median(self.seconds[1:])

    def refresh(self):
        began = time.perf_counter()
        with subprocess.Popen(
            self.tool.command("refresh"),
            cwd=self.tool.folder,
            env=self.tool.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            peak = Peak(process)
            peak.start()
            out = process.communicate()[0]
        self.walls.append(time.perf_counter() - began)
        if process.returncode != 0:
            raise SystemExit(out)
        told = json.loads(out)["views"]
        self.seconds.append(sum(view["seconds"] for view in told))
        self.peak = max(self.peak, peak.peak)


def run():
    with Cluster() as cluster, tempfile.TemporaryDirectory() as one, (
        tempfile.TemporaryDirectory()
    ) as other:
        place = urllib.parse.urlsplit(os.environ["TRINO_URL"]).netloc
        rest = Side(one, cluster.config("bench-rest"), "rest")
        jdbc = Side(
            other,
            f"executor: {{plugin: jdbc, url: 'jdbc:trino://{place}', catalog: {CATALOG},"
            f" schema: {cluster.schema}}}\n",
            "jdbc",
        )
        cluster.run(
            "CREATE TABLE ev WITH (partitioning = ARRAY['day(ts)']) AS "
            "SELECT TIMESTAMP '2026-01-01 00:00:00.000000' + "
            "(a.n * 1000 + b.n) * INTERVAL '7.776' SECOND AS ts, b.n % 20 AS k, a.n AS v "
            "FROM UNNEST(sequence(0, 999)) AS a(n) CROSS JOIN UNNEST(sequence(0, 999)) AS b(n)"
        )
        for turn in range(ROUNDS + 1):
            cluster.run(
                f"INSERT INTO ev VALUES (TIMESTAMP '2026-01-30 10:20:30.000000', {turn}, 7)"
            )
            for side in (rest, jdbc) if turn % 2 else (jdbc, rest):
                side.refresh()
    print(f"{VIEWS} views after one late row, median of {ROUNDS} rounds, in turn")
    for name, side in (("rest", rest), ("jdbc", jdbc)):
        print(
            f"  {name}: {side.wall():6.2f} s of the command, "
            f"{side.view_seconds():6.2f} s of its views together"
        )
    print(
        f"jdbc / rest: {jdbc.wall() / rest.wall():.2f} of the command with the start "
        f"of Java, {jdbc.view_seconds() / rest.view_seconds():.2f} of the views (goal {GOAL})"
    )
    print(f"the Java process held {jdbc.peak / 1024:.0f} MB at most (goal {GOAL_MEGABYTES})")
