"""The lines of framework/ that the unit and e2e suites reach, by folder."""

import collections
import json
import os
import subprocess

import tool as tools

BUILD = tools.ROOT / "build" / "coverage"
LEAST = 10  # how many files to name, of those with the most lines that nothing reaches


def measured_lines(folder):
    """{file: {line: whether anything reached it}} of all that was compiled below `folder`."""
    notes = sorted(folder.rglob("*.gcno"))
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", *notes],
        cwd=BUILD,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    lines = collections.defaultdict(dict)
    for text in done.stdout.splitlines():
        unit = json.loads(text)
        for source in unit["files"]:
            path = os.path.normpath(os.path.join(unit["current_working_directory"], source["file"]))
            reached = lines[os.path.relpath(path, tools.ROOT)]
            for line in source["lines"]:
                number = line["line_number"]
                reached[number] = reached.get(number, False) or line["count"] > 0
    return lines


def share(reached):
    """"Of so many lines, such a share"."""
    return f"{sum(reached):6} of {len(reached):6} lines {sum(reached) / len(reached):7.1%}"


def run():
    subprocess.run(["cmake", "--preset", "coverage"], cwd=tools.ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "coverage"], cwd=tools.ROOT, check=True)
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    tests = ["ctest", "--test-dir", BUILD, "--label-regex", "^(unit|e2e)$", "--parallel", "2"]
    failed = subprocess.run([*tests, "--output-on-failure"], check=False).returncode != 0
    lines = measured_lines(BUILD / "framework")
    folders = collections.defaultdict(list)
    for path, reached in lines.items():
        if path.startswith("framework/"):
            folders[os.path.dirname(path)] += reached.values()
    for folder, reached in sorted(folders.items()):
        print(f"{folder:24} {share(reached)}")
    print(f"{'framework':24} {share(sum(folders.values(), []))}")
    missed = {
        path: [number for number, hit in sorted(reached.items()) if not hit]
        for path, reached in lines.items()
        if path.startswith("framework/")
    }
    print("lines that nothing reaches, of the files with the most:")
    for path in sorted(missed, key=lambda path: -len(missed[path]))[:LEAST]:
        print(f"  {path}: {', '.join(map(str, missed[path]))}")
    if failed:
        raise SystemExit("some tests failed: see above")
