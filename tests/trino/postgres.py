"""A PostgreSQL of our own on a loopback port, holding an Iceberg JDBC catalog.

PostgreSQL refuses to run as root. Started by root it runs as the user `postgres`, with its data
outside the state folder, since that user may not be allowed to enter the folders above it.
"""

import json
import os
import pwd
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import processes
from processes import Failure

USER = "ivm"
DATABASE = "iceberg"
START_SECONDS = 30

# Trino's JDBC catalog opens a connection for each table that it looks at, and SCRAM's 4096 rounds
# of SHA-256 for each were a fifth of what the tests' Trino computed.
AUTHENTICATION = "md5"

# A test's data need not survive a power cut.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
}


def programs():
    """The folder of initdb and postgres: Debian keeps them out of PATH, one folder a version."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3])
    )
    if found:
        return found[-1].parent
    in_path = shutil.which("postgres")
    if in_path is None:
        raise Failure("PostgreSQL's server is not installed. On Debian: apt-get install postgresql")
    return Path(in_path).resolve().parent


def server_user():
    """Whom the server runs as: None for ourselves."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError as error:
        raise Failure(
            "PostgreSQL refuses to run as root, and there is no user 'postgres' to run it as"
        ) from error


class Postgres:
    """Lives in `state`: postgres.json (where, which port, password), postgres.pid and its log."""

    def __init__(self, state):
        self.settings_file = state / "postgres.json"
        self.record = state / "postgres.pid"
        self.log = state / "postgres.log"
        self.state = state

    def settings(self):
        return json.loads(self.settings_file.read_text(encoding="utf-8"))

    def url(self):
        of = self.settings()
        return f"postgresql://{USER}:{of['password']}@127.0.0.1:{of['port']}/{DATABASE}"

    def start(self):
        user = server_user()
        home = Path(tempfile.mkdtemp(prefix="ivm-postgres-")) if user else self.state / "postgres"
        [port] = processes.free_ports(1)
        of = {"home": str(home), "port": port, "password": secrets.token_hex(16)}
        self.settings_file.write_text(json.dumps(of), encoding="utf-8")
        self.settings_file.chmod(0o600)

        home.mkdir(exist_ok=True)
        password_file = home / "password"
        password_file.write_text(of["password"], encoding="ascii")
        if user:
            os.chown(home, user.pw_uid, user.pw_gid)
            os.chown(password_file, user.pw_uid, user.pw_gid)
        self._initdb(home, password_file, user)
        command = [str(programs() / "postgres"), "-D", str(home / "data"), "-p", str(of["port"])]
        for name, value in SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        process = processes.start(self.record, command, self.log, user=user)

        def problem():
            try:
                self.run_sql("postgres", "SELECT 1")
            except Failure as error:
                return error
            return None

        processes.wait_until_up(process, "PostgreSQL", problem, START_SECONDS, self.log)
        self.run_sql("postgres", f"CREATE DATABASE {DATABASE}")

    def _initdb(self, home, password_file, user):
        identity = (
            {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        )
        done = subprocess.run(
            [
                str(programs() / "initdb"),
                "-D",
                str(home / "data"),
                "-U",
                USER,
                f"--pwfile={password_file}",
                f"--auth={AUTHENTICATION}",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "--no-instructions",
            ],
            cwd="/",
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            **identity,
        )
        if done.returncode != 0:
            raise Failure(f"initdb ended with {done.returncode}:\n{done.stdout}")

    def run_sql(self, database, sql):
        of = self.settings()
        done = subprocess.run(
            [
                str(programs() / "psql"),
                "-X",
                "-q",
                "-w",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                "127.0.0.1",
                "-p",
                str(of["port"]),
                "-U",
                USER,
                "-d",
                database,
                "-f",
                "-",
            ],
            input=sql,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            env=os.environ | {"PGPASSWORD": of["password"], "LC_ALL": "C.UTF-8"},
        )
        if done.returncode != 0:
            raise Failure(re.sub(r"\s+", " ", done.stdout).strip())

    def healthy(self):
        if processes.running(self.record) is None:
            return False
        try:
            self.run_sql(DATABASE, "SELECT 1")
        except Failure:
            return False
        return True

    def stop(self):
        processes.stop(self.record, polite=signal.SIGINT)  # SIGINT is PostgreSQL's fast shutdown
        if self.settings_file.exists():
            shutil.rmtree(self.settings()["home"], ignore_errors=True)
