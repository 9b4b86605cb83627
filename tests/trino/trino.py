"""A Trino of our own, with a catalog on PostgreSQL and one on an embedded warehouse's SQLite."""

import json
import secrets
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import identities
import kdc as kerberos
import processes
from processes import Failure

SETUP = Path(__file__).resolve().parents[2] / "share" / "setup"
USER = "ivm"
START_SECONDS = 240
BUSY_SECONDS = 90
STATEMENT_SECONDS = 60

JVM = """\
-server
-Xmx3G
-XX:+ExplicitGCInvokesConcurrent
-XX:+ExitOnOutOfMemoryError
-XX:-OmitStackTraceInFastThrow
-XX:ReservedCodeCacheSize=256M
-XX:PerMethodRecompilationCutoff=10000
-XX:PerBytecodeRecompilationCutoff=10000
-XX:+EnableDynamicAgentLoading
-Djdk.attach.allowAttachSelf=true
-Djdk.nio.maxCachedBufferSize=2000000
-Dfile.encoding=UTF-8
-Duser.timezone=UTC
"""

# Over http anybody is believed, over https nobody: passwords, tokens, certificates and Kerberos are
# tested on the very server that all other tests use. What has ended is remembered for three minutes
# instead of fifteen: the tests ask in a minute what people ask in an hour, and Trino goes through
# all that it remembers each second.
CONFIG = """\
coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
http-server.https.enabled=true
http-server.https.port={https_port}
http-server.https.keystore.path={tls}/server.pem
http-server.https.truststore.path={tls}/ca.pem
http-server.authentication.type=PASSWORD,JWT,CERTIFICATE,KERBEROS
http-server.authentication.allow-insecure-over-http=true
http-server.authentication.jwt.key-file={tls}/token.pub
http-server.authentication.certificate.user-mapping.pattern=CN=([^,]+).*
http-server.authentication.krb5.service-name={service}
http-server.authentication.krb5.principal-hostname=localhost
http-server.authentication.krb5.keytab={keytab}
http-server.authentication.krb5.user-mapping.pattern=([^@]+)@.*
http.authentication.krb5.config={krb5}
internal-communication.shared-secret={secret}
query.min-expire-age=3m
task.info.max-age=1m
"""

PASSWORDS = """\
password-authenticator.name=file
file.password-file={tls}/passwords
"""

# Users who lack something; everybody else may do everything but touch the table of_nobody. The
# first rule that fits counts.
EVERYTHING = ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP", "GRANT_SELECT"]
RULES = {
    "schemas": [{"user": "ivm-reader", "owner": False}, {"owner": True}],
    "tables": [
        {"user": "ivm-reader", "privileges": ["SELECT"]},
        {"user": "ivm-inserter", "table": "hourly", "privileges": ["SELECT", "INSERT"]},
        {"user": "ivm-blind", "table": ".*[$].*", "privileges": []},
        {"user": "ivm-blind", "catalog": "system", "privileges": []},
        {"user": "ivm-partial", "table": "denied.*", "privileges": []},
        {"user": "ivm-partial", "catalog": "system", "privileges": []},
        {"table": "of_nobody", "privileges": []},
        {"privileges": EVERYTHING},
    ],
    # Without a rule nobody may run a procedure: kill_query, register_table.
    "procedures": [{"privileges": ["EXECUTE", "GRANT_EXECUTE"]}],
}

# Statements from the source `ivm-one-at-a-time` queue up behind each other.
GROUPS = {
    "rootGroups": [
        {"name": "one", "softMemoryLimit": "80%", "hardConcurrencyLimit": 1, "maxQueued": 10},
        {"name": "all", "softMemoryLimit": "100%", "hardConcurrencyLimit": 100, "maxQueued": 1000},
    ],
    "selectors": [{"source": "ivm-one-at-a-time", "group": "one"}, {"group": "all"}],
}

NODE = """\
node.environment=ivm_test
node.id=ivm-test
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
node.data-dir={data}
"""

# Tests commit from outside and damage files on purpose: nothing may be answered from a cache. They
# also expire snapshots and remove orphans that are seconds old. A first build opens a writer for
# each partition of its table, more than the 100 days that are allowed by default.
ICEBERG = """\
connector.name=iceberg
iceberg.catalog.type=jdbc
iceberg.jdbc-catalog.catalog-name=iceberg
iceberg.jdbc-catalog.driver-class={driver}
iceberg.jdbc-catalog.connection-url={url}
iceberg.jdbc-catalog.default-warehouse-dir={warehouse}
iceberg.register-table-procedure.enabled=true
iceberg.metadata-cache.enabled=false
iceberg.expire-snapshots.min-retention=0s
iceberg.remove-orphan-files.min-retention=0s
iceberg.max-partitions-per-writer=1000
fs.hadoop.enabled=true
"""


def first_line(command, what):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{what}; the reason is above")
    return done.stdout.splitlines()[0]


class Trino:
    """Lives in `state`: etc/, data/, tls/, trino.port, trino.https-port, trino.pid and its log."""

    def __init__(self, state):
        self.state = state
        self.record = state / "trino.pid"
        self.port_file = state / "trino.port"
        self.https_port_file = state / "trino.https-port"
        self.tls = state / "tls"
        self.log = state / "trino.log"

    def url(self):
        return f"http://127.0.0.1:{self.port_file.read_text(encoding='ascii')}"

    def https_url(self):
        """By the name in the server's certificate."""
        return f"https://localhost:{self.https_port_file.read_text(encoding='ascii')}"

    def start(self, postgres, kdc, warehouse, embedded):
        server = first_line([SETUP / "fetch", "trino"], "Trino could not be brought into the cache")
        java = first_line([SETUP / "java_home"], "no Java for Trino")
        port, https_port = processes.free_ports(2)
        self.port_file.write_text(str(port), encoding="ascii")
        self.https_port_file.write_text(str(https_port), encoding="ascii")
        identities.make(self.tls, USER)
        self._write_configuration(port, java, postgres, kdc, warehouse, embedded)
        self._run(server, java)

    def _run(self, server, java):
        process = processes.start(
            self.record,
            [
                f"{server}/bin/launcher",
                "run",
                "--etc-dir",
                str(self.state / "etc"),
                "--jvm-dir",
                java,
                "--data-dir",
                str(self.state / "data"),
            ],
            self.log,
        )
        processes.wait_until_up(process, "Trino", self.problem, START_SECONDS, self.log)

    def restart(self):
        """A crash, and a start with what it was configured with."""
        server = first_line([SETUP / "fetch", "trino"], "Trino could not be brought into the cache")
        java = first_line([SETUP / "java_home"], "no Java for Trino")
        processes.stop(self.record, patience=0)
        # The launcher believes its note of the pid for as long as nobody has reaped the process.
        (self.state / "data" / "var" / "run" / "launcher.pid").unlink(missing_ok=True)
        self._run(server, java)

    def _write_configuration(self, port, java, postgres, kdc, warehouse, embedded):
        catalogs = self.state / "etc" / "catalog"
        catalogs.mkdir(parents=True, exist_ok=True)
        (self.state / "data").mkdir(exist_ok=True)
        modules = subprocess.run(
            [f"{java}/bin/java", "--list-modules"], stdout=subprocess.PIPE, text=True, check=True
        )
        vector = (
            "--add-modules=jdk.incubator.vector\n"
            if "jdk.incubator.vector@" in modules.stdout
            else ""
        )
        of = postgres.settings()
        on_postgres = ICEBERG.format(
            driver="org.postgresql.Driver",
            url=f"jdbc:postgresql://127.0.0.1:{of['port']}/iceberg",
            warehouse=warehouse.as_uri(),
        )
        on_postgres += (
            "iceberg.jdbc-catalog.connection-user=ivm\n"
            f"iceberg.jdbc-catalog.connection-password={of['password']}\n"
        )
        on_sqlite = ICEBERG.format(
            driver="org.sqlite.JDBC",
            url=f"jdbc:sqlite:{embedded / 'catalog.db'}?busy_timeout=20000",
            warehouse=embedded.as_uri(),
        )
        for name, text in {
            "etc/jvm.config": JVM + vector,
            "etc/config.properties": CONFIG.format(
                port=port,
                https_port=self.https_port_file.read_text(encoding="ascii"),
                tls=self.tls,
                secret=secrets.token_hex(32),
                service=kerberos.SERVICE,
                keytab=kdc.service_keytab,
                krb5=kdc.client_config,
            ),
            "etc/password-authenticator.properties": PASSWORDS.format(tls=self.tls),
            "etc/resource-groups.properties": (
                "resource-groups.configuration-manager=file\n"
                f"resource-groups.config-file={self.state / 'etc' / 'resource-groups.json'}\n"
            ),
            "etc/access-control.properties": (
                "access-control.name=file\n"
                f"security.config-file={self.state / 'etc' / 'rules.json'}\n"
            ),
            "etc/rules.json": json.dumps(RULES, indent=1),
            "etc/resource-groups.json": json.dumps(GROUPS, indent=1),
            "etc/node.properties": NODE.format(data=self.state / "data"),
            "etc/log.properties": "io.trino=WARN\nBootstrap=WARN\n",
            "etc/catalog/iceberg.properties": on_postgres,
            "etc/catalog/embedded.properties": on_sqlite,
            "etc/catalog/tpch.properties": "connector.name=tpch\n",
            "etc/catalog/memory.properties": "connector.name=memory\n",
        }.items():
            (self.state / name).write_text(text, encoding="utf-8")

    def healthy(self):
        """Whether it runs and answers. A busy one gets time: calling it dead costs its tables."""
        deadline = time.monotonic() + BUSY_SECONDS
        while processes.running(self.record) is not None:
            if self.problem() is None:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.5)
        return False

    def problem(self):
        """Why the server cannot be used; None when it answers from both catalogs."""
        try:
            with urllib.request.urlopen(f"{self.url()}/v1/info", timeout=5) as answer:
                if json.load(answer)["starting"]:
                    return "it is still starting"
            self.run_sql("SELECT 1")
            for catalog in ("iceberg", "embedded"):
                self.run_sql(f"SHOW SCHEMAS FROM {catalog}")
        except (OSError, ValueError, KeyError, Failure) as error:
            return str(error)
        return None

    def run_sql(self, sql):
        """The rows of one statement; raises Failure with Trino's own message."""
        headers = {
            "X-Trino-User": USER,
            "X-Trino-Time-Zone": "UTC",
            "X-Trino-Source": "tests/trino/up",
        }
        deadline = time.monotonic() + STATEMENT_SECONDS
        request = urllib.request.Request(
            f"{self.url()}/v1/statement", data=sql.encode(), headers=headers
        )
        rows = []
        while request is not None:
            with urllib.request.urlopen(request, timeout=30) as response:
                answer = json.load(response)
            if "error" in answer:
                raise Failure(f"{sql}: {answer['error']['message']}")
            if time.monotonic() > deadline:
                raise Failure(f"{sql}: no answer within {STATEMENT_SECONDS} s")
            rows += answer.get("data", [])
            request = answer.get("nextUri")
            if request is not None:
                request = urllib.request.Request(request, headers=headers)
        return rows

    def stop(self):
        # A test's server has nothing to hand over, and its own shutdown waits for clients.
        processes.stop(self.record, patience=5)
