"""Statements on Trino by themselves, and what Trino tells of each: rows, CPU, time."""

import json
import os
import re
import time
import urllib.error
import urllib.request
import uuid

CATALOG = "iceberg"
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text):
    """Of a duration as Trino writes it: 1.25s, 340.00ms."""
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", text).groups()
    return float(number) * SECONDS[unit]


class Cost:
    """What statements took together, as Trino tells it."""

    def __init__(self, statements=0, rows=0, cpu=0.0, planning=0.0, wall=0.0):
        self.statements = statements
        self.rows = rows
        self.cpu = cpu
        self.planning = planning
        self.wall = wall

    def __add__(self, other):
        return Cost(
            self.statements + other.statements,
            self.rows + other.rows,
            self.cpu + other.cpu,
            self.planning + other.planning,
            self.wall + other.wall,
        )


class Cluster:
    """A schema of one's own, that goes away with `with`."""

    def __init__(self):
        if "TRINO_URL" not in os.environ:
            raise SystemExit("TRINO_URL is not set: load the env file that tests/trino/up names")
        self.url = os.environ["TRINO_URL"].rstrip("/")
        self.user = os.environ["TRINO_USER"]
        self.schema = "bench_" + uuid.uuid4().hex[:8]

    def __enter__(self):
        self.run(f"CREATE SCHEMA {CATALOG}.{self.schema}")
        return self

    def __exit__(self, *_):
        self.run(f"DROP SCHEMA {CATALOG}.{self.schema} CASCADE")

    def config(self, source, more=""):
        """An ivm.yaml whose statements are told apart by their source."""
        return (
            f"executor: {{plugin: trino, catalog: {CATALOG}, schema: {self.schema},"
            f" source: {source}}}\n{more}"
        )

    def _answer(self, path, body=None):
        address = path if path.startswith("http") else self.url + path
        headers = {
            "X-Trino-User": self.user,
            "X-Trino-Source": "tests-bench",
            "X-Trino-Time-Zone": "UTC",
            "X-Trino-Catalog": CATALOG,
            "X-Trino-Schema": self.schema,
        }
        with urllib.request.urlopen(urllib.request.Request(address, body, headers)) as answer:
            return json.load(answer)

    def run(self, sql):
        """The last answer, with all rows in `data`."""
        answer, rows = self._answer("/v1/statement", sql.encode()), []
        while True:
            if "error" in answer:
                raise SystemExit(f"{sql[:300]}\n{answer['error']['message']}")
            rows += answer.get("data", [])
            if "nextUri" not in answer:
                return {**answer, "data": rows}
            answer = self._answer(answer["nextUri"])

    def rows(self, sql):
        return self.run(sql)["data"]

    def value(self, sql):
        return self.rows(sql)[0][0]

    def now(self):
        return f"TIMESTAMP '{self.value('SELECT CAST(now() AS varchar)')}'"

    def statements(self, source, since):
        """Ids and texts of the statements from a source, in their order."""
        return self.rows(
            "SELECT query_id, query FROM system.runtime.queries"
            f" WHERE source = '{source}' AND created >= {since} ORDER BY created, query_id"
        )

    def cost(self, query_id):
        """Its CPU time is complete a moment after the last answer."""
        while True:
            info = self._answer(f"/v1/query/{query_id}?pruned=true")
            if info["finalQueryInfo"]:
                break
            time.sleep(0.01)
        stats = info["queryStats"]
        return Cost(
            statements=1,
            rows=stats["physicalInputPositions"],
            cpu=seconds(stats["totalCpuTime"]),
            planning=seconds(stats["planningCpuTime"]),
            wall=seconds(stats["elapsedTime"]),
        )
