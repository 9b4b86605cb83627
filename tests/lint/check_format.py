#!/usr/bin/env python3
"""Checks that the C++ files are as clang-format-19 writes them (.clang-format).

    tests/lint/check_format.py [ROOT]

To mend what it finds: clang-format-19 -i FILE…
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import sources

# The name with its version: another version formats differently.
PROGRAM = "clang-format-19"
FOLDERS = ("framework", "plugins", "cli", "tests")


def check(root):
    report = sources.Report()
    if shutil.which(PROGRAM) is None:
        print(f"error: {PROGRAM} is not installed (share/setup/packages test)")
        return 1
    paths = [
        path for path in sources.files(root) if sources.is_cpp(path) and path.parts[0] in FOLDERS
    ]
    if paths:
        done = subprocess.run(
            [PROGRAM, "--dry-run", "--style=file", *map(str, paths)],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        found = re.findall(
            r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", done.stdout, re.MULTILINE
        )
        for path, line in sorted(set(found)):
            report.error(path, int(line), f"not as {PROGRAM} writes it")
        if done.returncode != 0 and not found:
            print(f"error: {PROGRAM} ended with {done.returncode}:\n{done.stdout}")
            return 1
    return report.finish("format", len(paths))


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()))
