#!/usr/bin/env python3
"""Checks that share/doc/errors.md lists the codes of errors: those of the source, and no others.

    tests/lint/check_errors.py [ROOT]
"""

import re
import sys
from pathlib import Path

import sources

DOCUMENT = "share/doc/errors.md"
PRODUCT = ("framework", "plugins", "cli")
CODE = re.compile(r'withCode\(\s*(?:QStringLiteral\()?(?:u?"(?P<literal>\w+)"|(?P<constant>k\w+))')
CONSTANT = re.compile(r'\b(k[A-Z]\w*) = u"([a-z_]+)"')
# What is between "## Codes" and the end, as far as it is code and in a list that has a name.
LIST = re.compile(r"^\*\*[^*]+\*\*:.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def texts_of(root):
    return {
        path: sources.read(root / path) or ""
        for path in sources.files(root)
        if sources.is_cpp(path) and path.parts[0] in PRODUCT
    }


def codes_given(texts):
    """{code: the first place that gives it}."""
    constants = {name: code for text in texts.values() for name, code in CONSTANT.findall(text)}
    codes = {}
    for path, text in texts.items():
        for match in CODE.finditer(text):
            code = match["literal"] or constants.get(match["constant"])
            if code:
                line = text.count("\n", 0, match.start()) + 1
                codes.setdefault(code, f"{path}:{line}")
    return codes


def codes_of_document(text):
    _, _, codes = text.partition("\n## Codes\n")
    return {code for block in LIST.findall(codes) for code in re.findall(r"`(\w+)`", block)}


def check(root):
    texts = texts_of(root)
    given = codes_given(texts)
    listed = codes_of_document((root / DOCUMENT).read_text(encoding="utf-8"))
    problems = [
        f"{given[code]}: the code '{code}' is not in {DOCUMENT}"
        for code in sorted(given.keys() - listed)
    ]
    # One may be given in a way that only a compiler sees through; but it is spelled somewhere.
    problems += [
        f"{DOCUMENT}: no source has the code '{code}'"
        for code in sorted(listed - given.keys())
        if not any(f'"{code}"' in text for text in texts.values())
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2]))
