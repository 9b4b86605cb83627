"""The long-running host: 2,000 views at rest, how soon a change is exact, and its API under load.

Needs strace, and wrk for the load.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

import tool as tools

IVMD = tools.BUILD / "bin" / "ivmd"
SOURCES = 100
VIEWS_A_SOURCE = 20
AT_REST = 30  # seconds
POLL = 1.0
CHANGES = 40
LOAD = 20  # seconds
ROUNDS = 4

CONFIG = """executor: {{plugin: duckdb, warehouse: ./warehouse}}
server: {{port: 0}}
detector: {{poll_interval_seconds: {poll}}}
"""


class Host:
    """ivmd in a folder."""

    def __init__(self, folder, command=()):
        self.log = open(pathlib.Path(folder) / "ivmd.log", "wb")
        self.process = subprocess.Popen(
            [*command, IVMD],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env={**os.environ, "IVM_WEB_FOLDER": str(tools.ROOT / "share" / "web")},
        )
        self.address = self.process.stdout.readline().decode().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()

    def get(self, path):
        with urllib.request.urlopen(self.address + path) as answer:
            return json.load(answer)

    def wait_until_idle(self, count):
        while True:
            views = self.get("api/views")
            done = sum(1 for v in views if v["status"] == "idle" and v["waiting"] is None)
            if done == count:
                return
            time.sleep(1)


def view(name, query):
    return f"  - name: {name}\n    query: {query}\n"


def status(pid, key):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"^{key}:\s+(\d+)", text, re.MULTILINE).group(1))


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def at_rest():
    count = SOURCES * VIEWS_A_SOURCE
    views = "views:\n" + "".join(
        view(
            f"v{s}_{n}",
            f"SELECT k, date_trunc('hour', ts) AS h, count(*) + {n} AS n FROM t{s} GROUP BY 1, 2",
        )
        for s in range(SOURCES)
        for n in range(VIEWS_A_SOURCE)
    )
    with tempfile.TemporaryDirectory() as folder:
        tool = tools.Tool(folder, CONFIG.format(poll=POLL), views)
        for s in range(SOURCES):
            tool.sql(
                f"CREATE TABLE t{s} AS SELECT 'a' AS k, TIMESTAMP '2024-01-01 01:00:00' AS ts"
            )
        with Host(folder) as host:
            host.wait_until_idle(count)
        # A host that has built nothing, as it is after a restart.
        with Host(folder) as host:
            time.sleep(5)
            pid = host.process.pid
            before = cpu_seconds(pid)
            time.sleep(AT_REST)
            share = (cpu_seconds(pid) - before) / AT_REST
            memory = status(pid, "VmRSS") / 1024
            trace = pathlib.Path(folder) / "trace"
            follow = subprocess.Popen(
                ["strace", "-f", "-e", "trace=openat", "-o", trace, "-p", str(pid)],
                stderr=subprocess.DEVNULL,
            )
            time.sleep(5 * POLL + 0.5)
            follow.terminate()
            follow.wait()
            opened = trace.read_text().count("/catalog.db\"")
        print(
            f"{count} views on {SOURCES} sources at rest: {memory:.0f} MB resident, "
            f"{share * 100:.1f} % of one core, the catalog opened {opened} times in "
            f"{5 * POLL:.0f} polls"
        )


def freshness():
    views = "views:\n" + "".join(
        (
            view("a", "SELECT k, date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1, 2"),
            view("b", "SELECT k, date_trunc('day', h) AS d, sum(n) AS n FROM a GROUP BY 1, 2"),
            view("c", "SELECT k, sum(n) AS n FROM b GROUP BY 1"),
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        tool = tools.Tool(folder, CONFIG.format(poll=POLL), views)
        tool.sql("CREATE TABLE ev AS SELECT 'a' AS k, TIMESTAMP '2024-01-01 01:00:00' AS ts")
        with Host(folder) as host:
            host.wait_until_idle(3)
            took = {"a": [], "c": []}
            for change in range(CHANGES):
                seen = {v["name"]: v["refreshes"] for v in host.get("api/views")}
                tool.sql(
                    "INSERT INTO ev VALUES ('a', TIMESTAMP '2024-01-01 00:00:00' + "
                    f"INTERVAL '{change}' HOUR)"
                )
                began = time.monotonic()
                left = {"a", "c"}
                while left:
                    for v in host.get("api/views"):
                        name = v["name"]
                        if name in left and v["refreshes"] > seen[name] and v["waiting"] is None:
                            took[name].append((time.monotonic() - began) / POLL)
                            left.discard(name)
                    time.sleep(0.01)
        for name, what in (("a", "a view"), ("c", "the last of three in a chain")):
            times = sorted(took[name])
            print(
                f"{what}: exact after {statistics.median(times):.2f} poll intervals (median), "
                f"{times[int(len(times) * 0.99)]:.2f} (99th of 100)"
            )


def under_load():
    if not shutil.which("wrk"):
        print("the API under load: skipped, wrk is not installed (Debian package wrk)")
        return
    query = "SELECT k, date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1, 2"
    with tempfile.TemporaryDirectory() as folder:
        tool = tools.Tool(folder, CONFIG.format(poll=0.2), "views:\n" + view("a", query))
        tool.sql("CREATE TABLE ev AS SELECT 'a' AS k, TIMESTAMP '2024-01-01 01:00:00' AS ts")
        with Host(folder) as host:
            host.wait_until_idle(1)
            over = threading.Event()

            def change():
                while not over.is_set():
                    tool.sql("INSERT INTO ev VALUES ('a', TIMESTAMP '2024-01-01 01:00:00')")
                    time.sleep(0.3)

            writer = threading.Thread(target=change)
            writer.start()
            quiet, loaded, said = [], [], ""
            turn = LOAD // ROUNDS
            wrk = ["wrk", "-t2", "-c64", f"-d{turn}s", host.address + "api/views"]
            # By turns, so that what else the machine does is the same for both.
            for _ in range(ROUNDS):
                for under, command in ((quiet, ["sleep", str(turn)]), (loaded, wrk)):
                    before = host.get("api/views")[0]["history"]
                    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                    said += ran.stdout
                    after = host.get("api/views")[0]["history"]
                    under += [refresh["seconds"] for refresh in after if refresh not in before]
            over.set()
            writer.join()
        errors = re.findall(r"(Non-2xx.*|Socket errors.*)", said)
        rate = statistics.mean(map(float, re.findall(r"Requests/sec:\s+([\d.]+)", said)))
        print(
            f"the API under wrk, 64 connections: {rate:.0f} requests a second, "
            f"errors: {'; '.join(errors) or 'none'}; refreshes "
            f"{statistics.median(loaded) / statistics.median(quiet):.2f} times as long "
            f"(medians of {len(loaded)} and {len(quiet)})"
        )


def run():
    at_rest()
    freshness()
    under_load()
