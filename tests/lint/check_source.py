#!/usr/bin/env python3
"""Checks the source rules that a machine can check.

    tests/lint/check_source.py [ROOT]
    tests/lint/check_source.py --rules          lists them with their reasons

A line that has to break a rule says so itself:  // lint: allow RULE: reason
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import sources

MAX_LINES = 600
MAX_WIDTH = 100

CODE_SUFFIXES = {".h", ".cpp", ".java", ".py", ".cmake"}
PROSE_SUFFIXES = {".md", ".yaml", ".yml", ".json", ".html", ".css", ".js", ".sql", ".txt"}
PRODUCT = ("framework", "plugins")


@dataclass
class Rule:
    """A pattern that must not occur.

    code: not looked for in comments and literals. headers: in headers only. folders: only below
    these. cpp: in C++ files only. unless: not in files where this pattern occurs.
    """

    name: str
    pattern: str
    reason: str
    code: bool = True
    headers: bool = False
    folders: tuple = ()
    unless: str = ""
    cpp: bool = True


RULES = [
    Rule(
        "todo",
        r"\b(TODO|FIXME|XXX|HACK)\b",
        "unfinished work is an issue, not a comment",
        code=False,
        cpp=False,
    ),
    Rule(
        "machine-path",
        r"(?<![\w.])/(home|root|work|Users)/\w",
        "a path of one machine is wrong on every other",
        code=False,
        cpp=False,
    ),
    Rule(
        "keyword",
        r"\b(Q_FOREACH|Q_FOREVER)\b|\bforeach *\(|^ *emit +\w|^ *(signals|\w+ +slots) *:",
        "QT_NO_KEYWORDS: such words are Q_SIGNALS, Q_SLOTS, Q_EMIT, or a range-for",
    ),
    Rule("string-connect", r"\b(SIGNAL|SLOT) *\(", "connections by name fail only when they run"),
    Rule(
        "sleep",
        r"\b(qSleep|qWait|msleep|usleep|nanosleep|sleep_for|sleep_until|sleep) *\(",
        "sleeping is slow and still races: wait for the event, with a deadline",
    ),
    Rule(
        "print",
        r"\bstd::(cout|cerr|clog)\b|\b(std::)?(printf|puts|putchar) *\(",
        "only the command line writes to the terminal; everything else logs or returns",
        folders=PRODUCT,
    ),
    Rule(
        "throw",
        r"(?<![\w_])throw\b(?! *\()",
        "errors are values: return a Result (a callback of yaml-cpp has no other way to stop it)",
        folders=PRODUCT,
        unless=r"#include <yaml-cpp/",
    ),
    Rule(
        "exit",
        r"(?<![\w.>])(std::|::)?(_?[eE]xit|abort|terminate|quick_exit) *\(",
        "only main ends the process",
        folders=PRODUCT,
    ),
    Rule("assert", r"(?<![\w_])assert *\(|<cassert>", "Q_ASSERT, which follows the build type"),
    Rule(
        "using-namespace",
        r"\busing +namespace\b(?!.*literals)",
        "a header must not open a namespace to its readers",
        headers=True,
    ),
    Rule("literal-suffix", r'"_(qs|s)\b', 'write QStringLiteral or u"…" views', code=False),
    Rule(
        "name",
        r"\b(class|struct) +(\w+_MACRO +)?(\w*(Manager|Helper|Utils?)|I[A-Z][a-z]\w*)\b(?! *;)",
        "a name says what the thing is: no Manager, Helper, Util, and no I before an interface",
    ),
    Rule("null", r"(?<![\w_])NULL\b", "nullptr"),
    Rule(
        "empty-check",
        r"\b(QVERIFY|QVERIFY2|Q_ASSERT) *\( *(true|1) *[,)]|QCOMPARE *\( *true *, *true *\)",
        "a check that cannot fail checks nothing",
    ),
    Rule("disabled-code", r"^ *# *if +0\b", "code that is not built is not kept"),
]

FILE_RULES = {
    "tab": "tabs are as wide as each reader's editor says",
    "line-end": "no blanks or carriage returns at the end of a line, a newline at the file's end",
    "width": f"at most {MAX_WIDTH} characters a line",
    "length": f"at most {MAX_LINES} lines: a file holds one idea",
    "file-name": "files are snake_case",
    "pragma-once": "each header has #pragma once before its first include",
    "header-comment": "a header opens with what it is, its thread rule and its lifetime rule",
    "include-path": "includes of our own are written from the root",
    "arg-chain": "text that is filled in before the rest may hold %1 itself: arg(text, number…)",
    "strict-shell": "a shell script stops at its first failure: set -euo pipefail",
}

# The ends of expressions that are text, as the names in this code go.
TEXT = re.compile(
    r"(^|\.|->|::)(\w*[nN]ame|table|column|view|action|updateType|\w*[tT]ext(\(.*\))?|message|"
    r"reason|path|words|toString\(\))$"
)

ALLOWANCE = re.compile(r"lint: allow ([a-z-]+): \S")


def arguments(text, begin):
    """The arguments of the call whose parenthesis opens at `begin`, and where it ends."""
    depth, parts, start = 0, [], begin + 1
    for at in range(begin, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and text[at] == ","):
            parts.append(" ".join(text[start:at].split()))
            start = at + 1
        if depth == 0:
            return parts, at + 1
    return parts, len(text)


def is_text(parts):
    """Whether a call of arg() fills in text: several values, or one that is called so."""
    if len(parts) > 1:
        return not re.fullmatch(r"\d+|", parts[1])
    return bool(TEXT.search(parts[0]))


class Checker:
    def __init__(self, root):
        self.root = root
        self.report = sources.Report()

    def error(self, path, number, line, rule, reason):
        allowed = ALLOWANCE.search(line)
        if not (allowed and allowed.group(1) == rule):
            self.report.error(path, number, f"[{rule}] {reason}")

    def check_patterns(self, path, lines, code_lines):
        is_cpp = sources.is_cpp(path)
        for rule in RULES:
            if (rule.cpp and not is_cpp) or (rule.headers and path.suffix != ".h"):
                continue
            if rule.folders and path.parts[0] not in rule.folders:
                continue
            if rule.unless and any(re.search(rule.unless, line) for line in lines):
                continue
            pattern = re.compile(rule.pattern)
            for number, line in enumerate(code_lines if rule.code and is_cpp else lines, 1):
                if pattern.search(line):
                    self.error(path, number, lines[number - 1], rule.name, rule.reason)

    def check_shape(self, path, text, lines):
        for number, line in enumerate(lines, 1):
            if "\t" in line:
                self.error(path, number, line, "tab", FILE_RULES["tab"])
            if line != line.rstrip():
                self.error(path, number, line, "line-end", FILE_RULES["line-end"])
            if len(line) > MAX_WIDTH:
                self.error(path, number, line, "width", f"{len(line)} wide, {FILE_RULES['width']}")
        if text and not text.endswith("\n"):
            self.error(path, len(lines), "", "line-end", FILE_RULES["line-end"])
        if len(lines) > MAX_LINES:
            self.error(
                path, len(lines), "", "length", f"{len(lines)} lines, {FILE_RULES['length']}"
            )

    def check_cpp(self, path, text, lines):
        if not re.fullmatch(r"[a-z][a-z0-9_]*\.(h|cpp)", path.name):
            self.error(path, 1, "", "file-name", FILE_RULES["file-name"])
        # What `ivmctl plugins new` writes is a project of its own.
        is_template = path.parts[:2] == ("share", "plugin")
        for number, form, name in sources.includes(text):
            if name.endswith(".moc") or is_template:
                continue
            if form == '"' and not (self.root / name).is_file():
                self.error(
                    path,
                    number,
                    lines[number - 1],
                    "include-path",
                    f"{FILE_RULES['include-path']}; there is no {name}",
                )
        if path.suffix == ".h":
            if not lines or not lines[0].startswith(("//", "/*")):
                self.error(path, 1, "", "header-comment", FILE_RULES["header-comment"])
            first = next((line for line in lines if re.match(r"\s*#", line)), "")
            if first != "#pragma once":
                self.error(path, 1, "", "pragma-once", FILE_RULES["pragma-once"])

    def check_arg_chains(self, path, code, lines):
        for call in re.finditer(r"\.arg(?=\()", code):
            parts, end = arguments(code, call.end())
            if is_text(parts) and re.match(r"\s*\.arg\(", code[end:]):
                number = code.count("\n", 0, call.start()) + 1
                self.error(
                    path, number, lines[number - 1], "arg-chain", FILE_RULES["arg-chain"]
                )

    def check_file(self, path):
        text = sources.read(self.root / path)
        if text is None:
            return
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        script = bool(lines) and lines[0].startswith("#!")
        code = path.suffix in CODE_SUFFIXES or path.name == "CMakeLists.txt" or script
        if not code and path.suffix not in PROSE_SUFFIXES:
            return
        code_lines = sources.code_only(text).split("\n") if sources.is_cpp(path) else lines
        self.check_patterns(path, lines, code_lines)
        if code:
            self.check_shape(path, text, lines)
        if sources.is_cpp(path):
            self.check_cpp(path, text, lines)
            if path.parts[0] in (*PRODUCT, "cli"):
                self.check_arg_chains(path, "\n".join(code_lines), lines)
        if script and lines[0].endswith(("bash", "/sh")) and "set -euo pipefail" not in lines:
            self.error(path, 1, "", "strict-shell", FILE_RULES["strict-shell"])

    def run(self):
        count = 0
        for path in sources.files(self.root):
            # This file and its neighbours spell out what they forbid.
            if path.parts[:2] != ("tests", "lint"):
                self.check_file(path)
                count += 1
        return self.report.finish("source rules", count)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", action="store_true", help="list the rules")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[2])
    options = parser.parse_args()
    reasons = {rule.name: rule.reason for rule in RULES} | FILE_RULES
    if options.rules:
        for name, reason in reasons.items():
            print(f"{name:16} {reason}")
        return 0
    return Checker(options.root.resolve()).run()


if __name__ == "__main__":
    sys.exit(main())
