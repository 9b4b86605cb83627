"""What the measurements share: the programs, a folder of one's own to run them in, the flights."""

import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("IVM_BUILD", ROOT / "build" / "bench")).resolve()
IVMCTL = BUILD / "bin" / "ivmctl"

VIEW = """views:
  - name: {name}
    query: |
      {query}
    target_partitioning: [day(hour_ts)]
"""
HOURLY = (
    "SELECT origin, date_trunc('hour', date) AS hour_ts, count(*) AS flights,"
    " avg(delay) AS avg_delay"
    " FROM flights GROUP BY 1, 2"
)


class Tool:
    """ivmctl in a folder of its own."""

    def __init__(self, folder, config, views, environment=None):
        self.folder = pathlib.Path(folder)
        (self.folder / "ivm.yaml").write_text(config)
        (self.folder / "views.yaml").write_text(views)
        self.environment = {**os.environ, **(environment or {})}

    def command(self, *arguments):
        return [str(IVMCTL), "--json", *arguments]

    def json(self, *arguments):
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            check=False,
            stdout=subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0:
            raise SystemExit(
                f"ivmctl {' '.join(arguments)[:200]} ended with {done.returncode}\n{done.stdout}"
            )
        return json.loads(done.stdout)

    def sql(self, text):
        return self.json("sql", text)

    def refresh(self, *arguments):
        """What is told of the last view that was refreshed."""
        return self.json("refresh", *arguments)["views"][-1]

    def wall(self, *arguments):
        began = time.perf_counter()
        subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return time.perf_counter() - began


def cache_folder():
    done = subprocess.run(
        [ROOT / "share/setup/fetch", "--folder"], check=True, stdout=subprocess.PIPE, text=True
    )
    return pathlib.Path(done.stdout.strip())


def flights_file():
    subprocess.run([ROOT / "share/setup/fetch", "flights"], check=True, stdout=subprocess.DEVNULL)
    return cache_folder() / "flights-3.2.1" / "flights-3m.parquet"


def embedded(folder, views=VIEW.format(name="hourly", query=HOURLY)):
    return Tool(folder, "executor: {plugin: duckdb, warehouse: ./warehouse}\n", views)


def load_flights(tool, condition):
    tool.sql(
        "CREATE TABLE flights WITH (partitioning = ARRAY['day(date)']) AS SELECT * FROM "
        f"TABLE(read_parquet('{flights_file()}')) WHERE {condition}"
    )
