"""A Kerberos KDC (MIT's) of our own on a loopback port: it knows Trino on localhost and a user."""

import os
import shutil
import signal
import socket
import subprocess

import processes
from processes import Failure

REALM = "IVM.TEST"
SERVICE = "trino"
START_SECONDS = 30

# No name is looked up: localhost has to do on a machine without a name service.
CLIENT_CONFIG = """\
[libdefaults]
 default_realm = {realm}
 dns_lookup_realm = false
 dns_lookup_kdc = false
 dns_canonicalize_hostname = false
 rdns = false
[realms]
 {realm} = {{
  kdc = 127.0.0.1:{port}
 }}
[domain_realm]
 localhost = {realm}
"""

SERVER_CONFIG = """\
[kdcdefaults]
 kdc_listen = 127.0.0.1:{port}
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 {realm} = {{
  database_name = {folder}/principals
  key_stash_file = {folder}/stash
  acl_file = {folder}/acl
 }}
"""


def program(name):
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
    if found is None:
        raise Failure(
            f"{name} is not installed. On Debian: apt-get install krb5-kdc krb5-admin-server"
        )
    return found


class Kdc:
    """Lives in `state`/kerberos: krb5.conf, kdc.conf, the principals, trino.keytab, user.keytab."""

    def __init__(self, state):
        self.record = state / "kdc.pid"
        self.log = state / "kdc.log"
        self.folder = state / "kerberos"
        self.client_config = self.folder / "krb5.conf"
        self.service_keytab = self.folder / "trino.keytab"

    def start(self, user):
        self.folder.mkdir(mode=0o700, exist_ok=True)
        [port] = processes.free_ports(1)
        server_config = self.folder / "kdc.conf"
        of = {"realm": REALM, "port": port, "folder": self.folder}
        self.client_config.write_text(CLIENT_CONFIG.format(**of), encoding="utf-8")
        server_config.write_text(SERVER_CONFIG.format(**of), encoding="utf-8")
        environment = os.environ | {
            "KRB5_CONFIG": str(self.client_config),
            "KRB5_KDC_PROFILE": str(server_config),
        }
        # Nobody types the master key: it is in the stash.
        self._run(environment, "kdb5_util", "create", "-s", "-r", REALM, "-P", os.urandom(16).hex())
        for principal, keytab in (
            (f"{SERVICE}/localhost", self.service_keytab),
            (user, self.folder / "user.keytab"),
        ):
            for query in (f"addprinc -randkey {principal}", f"ktadd -k {keytab} {principal}"):
                self._run(environment, "kadmin.local", "-r", REALM, "-q", query)
            if not keytab.exists():
                raise Failure(f"kadmin.local made no keytab for {principal}")
        command = [program("krb5kdc"), "-n", "-r", REALM]
        process = processes.start(self.record, command, self.log, environment)

        def problem():
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError as error:
                return error
            return None

        processes.wait_until_up(process, "the KDC", problem, START_SECONDS, self.log)

    def _run(self, environment, name, *arguments):
        done = subprocess.run(
            [program(name), *arguments],
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        if done.returncode != 0:
            raise Failure(f"{name} ended with {done.returncode}:\n{done.stdout}")

    def healthy(self):
        return processes.running(self.record) is not None

    def stop(self):
        processes.stop(self.record, polite=signal.SIGTERM)
