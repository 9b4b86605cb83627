"""A refresh with nothing to do: files opened, and its time against that of --version."""

import re
import statistics
import subprocess
import tempfile

import tool as tools

RUNS = 15


def opened_files(tool):
    trace = tool.folder / "trace"
    subprocess.run(
        ["strace", "-f", "-e", "trace=openat,open", "-o", trace, *tool.command("refresh")],
        cwd=tool.folder,
        env=tool.environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    paths = re.findall(r'open(?:at)?\([^"]*"([^"]+)"[^)]*\) = \d', trace.read_text())
    return [path for path in paths if not path.startswith(("/proc", "/sys"))]


def run():
    with tempfile.TemporaryDirectory() as folder:
        tool = tools.embedded(folder)
        tools.load_flights(tool, "date < TIMESTAMP '2001-01-03 00:00:00'")
        tool.refresh()
        assert tool.refresh()["action"] == "none"
        paths = opened_files(tool)
        for what, pattern in [
            ("manifests", r"\.avro$"),
            ("data files", r"\.parquet$"),
            ("metadata files", r"\.metadata\.json$"),
            ("engine libraries", r"libduckdb"),
        ]:
            print(f"{what} opened: {sum(bool(re.search(pattern, path)) for path in paths)}")
        pairs = [(tool.wall("refresh"), tool.wall("--version")) for _ in range(RUNS)]
        ratio = statistics.median(quiet / version for quiet, version in pairs)
        print(
            f"a quiet refresh takes {ratio:.2f} times as long as --version "
            f"(medians {statistics.median(p[0] for p in pairs) * 1000:.1f} ms and "
            f"{statistics.median(p[1] for p in pairs) * 1000:.1f} ms)"
        )
