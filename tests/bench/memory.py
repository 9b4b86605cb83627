"""The most resident memory that a process of the quickstart takes."""

import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import tool as tools

QUICKSTART = tools.ROOT / "share" / "quickstart"
CONFIG = "executor: {plugin: duckdb, warehouse: ./warehouse, schema: main}\n"

# Runs the real program, and notes what it was asked and the most memory that it took, in KiB.
WRAPPER = """#!{python}
import json, os, sys
child = os.posix_spawn({program!r}, [{program!r}, *sys.argv[1:]], os.environ)
_, status, usage = os.wait4(child, 0)
with open({log!r}, "a") as log:
    print(json.dumps([sys.argv[1:], usage.ru_maxrss]), file=log)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def kind_of(arguments):
    words = [word for word in arguments if not word.startswith("-") and "/" not in word[:1]]
    return words[0] + (" " + words[1].split()[0] if words[0] == "sql" else "")


def play(folder):
    log = folder / "log"
    wrapper = folder / "ivmctl"
    wrapper.write_text(
        WRAPPER.format(python=sys.executable, program=str(tools.IVMCTL), log=str(log))
    )
    wrapper.chmod(0o755)
    (folder / "ivm.yaml").write_text(CONFIG)
    shutil.copy(QUICKSTART / "views.yaml", folder)
    subprocess.run(
        [
            *[sys.executable, QUICKSTART / "play.py", "--ivmctl", wrapper],
            *["--config", folder / "ivm.yaml", "--views", folder / "views.yaml"],
            *["--flights", tools.flights_file()],
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return [json.loads(line) for line in log.read_text().splitlines()]


def run():
    with tempfile.TemporaryDirectory() as folder:
        most = collections.defaultdict(list)
        for arguments, kilobytes in play(pathlib.Path(folder)):
            most[kind_of(arguments)].append(kilobytes / 1024)
    for kind, sizes in most.items():
        print(f"{kind:20} {len(sizes):3} times, at most {max(sizes):6.0f} MiB")
    print(f"the most of all: {max(max(sizes) for sizes in most.values()):.0f} MiB")
