"""Processes that outlive the script that starts them, and are stopped only if they are still ours.

A pid alone says little, since the system gives it out again. A record therefore holds the process's
start time and the boot it belongs to; a process that differs in either is somebody else's and is
never touched.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path


class Failure(Exception):
    """What went wrong, in words for the person who started this."""


def free_ports(count):
    """Loopback ports that nobody listens on now. Somebody may take one before the caller does."""
    with contextlib.ExitStack() as probes:
        ports = []
        for _ in range(count):
            probe = probes.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            ports.append(probe.getsockname()[1])
        return ports


def boot_id():
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def start_ticks(pid):
    """When the process began, in clock ticks after boot; None when it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold blanks and parentheses itself: count from the last one
    # (proc(5)).
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[0] in ("Z", "X") else int(fields[19])


def start(record, command, log, environment=None, user=None):
    """Starts `command` in a session of its own, writing to `log`, and notes it in `record`."""
    identity = (
        {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    )
    with open(log, "ab") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=environment,
            start_new_session=True,
            **identity,
        )
    noted = {
        "pid": process.pid,
        "start": start_ticks(process.pid),
        "boot": boot_id(),
        "command": command[0],
    }
    record.write_text(json.dumps(noted), encoding="utf-8")
    return process


def wait_until_up(process, name, problem, seconds, log):
    """Waits until `problem()` gives None instead of what is missing; Failure with the log's end."""
    deadline = time.monotonic() + seconds
    while (missing := problem()) is not None:
        if process.poll() is not None or time.monotonic() > deadline:
            raise Failure(f"{name} did not start: {missing}\n{tail(log)}")
        time.sleep(0.1)


def running(record):
    """The pid noted in `record` if that very process still runs, else None."""
    try:
        noted = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = (
        noted["boot"] == boot_id()
        and noted["start"] is not None
        and start_ticks(noted["pid"]) == noted["start"]
    )
    return noted["pid"] if same else None


def stop(record, polite=signal.SIGTERM, patience=20):
    """Ends the process noted in `record`: with `polite`, after `patience` seconds by force."""
    sent = None
    deadline = time.monotonic() + patience
    while (pid := running(record)) is not None:
        wanted = polite if time.monotonic() < deadline else signal.SIGKILL
        if sent != wanted:
            os.kill(pid, wanted)
            sent = wanted
        time.sleep(0.1)
    record.unlink(missing_ok=True)


def tail(log, lines=25):
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return str(error)
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])
