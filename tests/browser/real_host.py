"""A real ivmd over an embedded warehouse of its own, with a small table and one view."""

import os
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from fake_host import WEB

CONFIG = """
server: {{port: {port}, config_reload_interval_seconds: 1}}
executor: {{plugin: duckdb, warehouse: ./ivm-data, schema: main}}
"""
VIEWS = """views:
  - name: trips_hourly
    query: |
      SELECT origin, date_trunc('hour', ts) AS hour_ts, count(*) AS n
      FROM trips
      GROUP BY 1, 2
"""
STATEMENTS = (
    "CREATE TABLE trips (origin varchar, ts timestamp(6))",
    "INSERT INTO trips VALUES ('A', TIMESTAMP '2024-03-01 10:00:00')",
)
START_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RealHost:
    """programs: the folder of ivmd and ivmctl. `stop` ends it and removes what it wrote."""

    def __init__(self, programs):
        self.programs = Path(programs)
        self.folder = Path(tempfile.mkdtemp(prefix="ivm-browser-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        (self.folder / "ivm.yaml").write_text(CONFIG.format(port=self.port))
        (self.folder / "views.yaml").write_text(VIEWS)
        for statement in STATEMENTS:
            self.ivmctl("sql", statement)
        self.log = open(self.folder / "ivmd.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [self.programs / "ivmd"],
            cwd=self.folder,
            env=os.environ | {"IVM_WEB_FOLDER": str(WEB)},
            stdout=self.log,
            stderr=self.log,
        )
        self.wait()

    def ivmctl(self, *words):
        program = self.programs / "ivmctl"
        subprocess.run([program, *words], cwd=self.folder, check=True, capture_output=True)

    def migrate(self, *words, **files):
        """Runs ivmctl migrate; files: texts of migrations by name, written before."""
        folder = self.folder / "migrations"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / f"{name.lstrip('_')}.yaml").write_text(text)
        self.ivmctl("migrate", *words)

    def wait(self):
        """Until it answers, or has ended."""
        for _ in range(START_SECONDS * 10):
            try:
                urllib.request.urlopen(self.url + "live", timeout=START_SECONDS).close()
                return
            except urllib.error.URLError:
                try:
                    self.process.wait(0.1)
                    break
                except subprocess.TimeoutExpired:
                    continue
        log = (self.folder / "ivmd.log").read_text(encoding="utf-8")
        self.stop()
        raise RuntimeError(f"ivmd does not answer at {self.url}; it said:\n{log}")

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()
        shutil.rmtree(self.folder)
