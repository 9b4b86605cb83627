"""What up and down share: the state folder, and Trino with PostgreSQL and the KDC as one thing."""

import argparse
import fcntl
import os
import shlex
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

from kdc import Kdc
from postgres import DATABASE, Postgres
from processes import Failure
from trino import USER, Trino

HERE = Path(__file__).resolve().parent
# Only a folder with this file in it is ever emptied.
MARKER = "made-by-tests-trino-up"


def say(text):
    print(f"trino: {text}", file=sys.stderr, flush=True)


def parse_arguments(text, embedded=False):
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("IVM_TRINO_DIR") or HERE.parents[1] / "build" / "trino"
    parser.add_argument("--state", type=Path, default=Path(default), metavar="FOLDER")
    if embedded:
        parser.add_argument(
            "--embedded",
            type=Path,
            metavar="FOLDER",
            help="the embedded warehouse (default: embedded/ in the state folder)",
        )
    options = parser.parse_args()
    options.state = options.state.absolute()
    if embedded:
        options.embedded = (options.embedded or options.state / "embedded").absolute()
    return options


class Cluster:
    """Holds the state folder's lock while inside `with`: one up or down at a time."""

    def __init__(self, state):
        self.state = state
        self.postgres = Postgres(state)
        self.kdc = Kdc(state)
        self.trino = Trino(state)
        self.lock = None

    def __enter__(self):
        # A polite end runs through the same clean-up as Ctrl-C.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.state.mkdir(parents=True, exist_ok=True)
        if not (self.state / MARKER).exists():
            if any(self.state.iterdir()):
                raise Failure(
                    f"{self.state} holds something else. "
                    "Name a folder that is empty or not there yet"
                )
            (self.state / MARKER).touch()
        self.lock = open(self.state / MARKER, "a", encoding="ascii")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_):
        self.lock.close()

    def healthy(self, embedded):
        try:
            noted = (self.state / "env").read_text(encoding="utf-8")
        except OSError:
            return False
        parts = (self.postgres, self.kdc, self.trino)
        return self._env(embedded) == noted and all(part.healthy() for part in parts)

    def start(self, embedded):
        began = time.monotonic()
        warehouse = self.state / "warehouse"
        warehouse.mkdir(exist_ok=True)
        embedded.mkdir(parents=True, exist_ok=True)
        tables = (HERE / "catalog_tables.sql").read_text(encoding="utf-8")
        try:
            catalog = sqlite3.connect(embedded / "catalog.db")
            catalog.executescript(tables)
            catalog.close()
            say("starting PostgreSQL")
            self.postgres.start()
            self.postgres.run_sql(DATABASE, tables)
            say("starting a Kerberos KDC")
            self.kdc.start(USER)
            say("starting Trino 476")
            self.trino.start(self.postgres, self.kdc, warehouse, embedded)
        except BaseException:
            self._stop_processes()
            raise
        env = self.state / "env"
        env.touch(mode=0o600)
        env.write_text(self._env(embedded), encoding="utf-8")
        say(f"running after {time.monotonic() - began:.0f} s, in {self.state}")

    def _env(self, embedded):
        try:
            values = {
                "TRINO_URL": self.trino.url(),
                "TRINO_USER": USER,
                "IVM_TRINO_DIR": self.state,
                "IVM_TEST_TRINO_HTTPS": self.trino.https_url(),
                "IVM_TEST_TRINO_TLS": self.trino.tls,
                "IVM_TEST_KERBEROS": self.kdc.folder,
                "IVM_TEST_PG_URL": self.postgres.url(),
                "IVM_TEST_WAREHOUSE": self.state / "warehouse",
                "IVM_TEST_EMBEDDED": embedded,
            }
        except (OSError, ValueError):
            return None
        return "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items())

    def _stop_processes(self):
        self.trino.stop()
        self.kdc.stop()
        self.postgres.stop()

    def stop(self):
        """Ends the processes and empties the folder, logs of the last run excepted."""
        self._stop_processes()
        for entry in self.state.iterdir():
            if entry.name == MARKER or entry.suffix == ".log":
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def remove(self):
        shutil.rmtree(self.state)
