"""What the checks share: which files there are, their code without comments, how to report."""

import os
import re
import sys
from pathlib import Path

# Made by builds and runs, or bad on purpose.
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__", "ivm-data", "golden"}


def files(root):
    """Every file below `root`, as paths relative to it, in a stable order."""
    for folder, names, file_names in os.walk(root):
        names[:] = sorted(name for name in names if name not in SKIPPED_FOLDERS)
        for name in sorted(file_names):
            yield (Path(folder) / name).relative_to(root)


def is_cpp(path):
    return path.suffix in (".h", ".cpp")


def read(path):
    """The file's text, or None for a binary file."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    return data.decode("utf-8", errors="replace")


TOKEN = re.compile(
    r"//(?:[^\n\\]|\\.|\\\n)*"
    r"|/\*.*?\*/"
    r'|(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)


def code_only(text):
    """C++ text with comments and literals turned into blanks; lines and columns stay."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return TOKEN.sub(blank, text)


def includes(text):
    """(line number, form, name) of each include; form is '"' or '<'."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(1), match.group(2)


class Report:
    """Collects what is wrong and prints it the way compilers do."""

    def __init__(self):
        self.problems = []

    def error(self, path, line, text):
        self.problems.append((str(path), line, text))

    def finish(self, what, count):
        for path, line, text in sorted(self.problems):
            print(f"error: {path}:{line}: {text}")
        verdict = f"{len(self.problems)} errors" if self.problems else "good"
        print(f"{what}: {count} files, {verdict}", file=sys.stderr)
        return 1 if self.problems or count == 0 else 0
