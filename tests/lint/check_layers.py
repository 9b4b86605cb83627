#!/usr/bin/env python3
"""Checks which folder includes which: in what direction the parts of the program know each other.

    tests/lint/check_layers.py [ROOT]

Each folder may include itself and what its row in ALLOWED names, nothing else. tests/ may include
everything, and nothing includes tests/.
"""

import sys
from pathlib import Path

import sources

BASE = {"framework/base"}
PLAIN = BASE | {"framework/api"}
VIEW = PLAIN | {"framework/yaml", "framework/sql", "framework/view"}
CORE = VIEW | {"framework/refresh", "framework/migrate"}
# What is installed for the plugins of other people, too.
FOR_PLUGINS = PLAIN | {"framework/sql", "framework/sqlexec", "framework/iceberg"}

ALLOWED = {
    "framework/base": set(),
    "framework/yaml": BASE,
    "framework/sql": BASE,
    "framework/api": BASE,
    "framework/view": VIEW,
    "framework/sqlexec": PLAIN,
    "framework/iceberg": PLAIN,
    # These two do not see each other: where a migration builds a view it uses an interface of its
    # own (view_builder.h), which the host implements.
    "framework/refresh": VIEW | {"framework/sqlexec"},
    "framework/migrate": VIEW | {"framework/sqlexec"},
    "framework/host": CORE,
    "cli": CORE | {"framework/host"},
}

# Libraries that one part alone may know: (first letters of the include, who may, why).
LIBRARIES = [
    ("QPluginLoader", ("framework/host",), "only the host loads plugins"),
    ("QHttpServer", ("framework/host",), "only the host serves HTTP"),
    ("QAbstractHttpServer", ("framework/host",), "only the host serves HTTP"),
    ("duckdb", ("plugins/executor_duckdb",), "DuckDB is one executor's affair"),
    (
        "yaml-cpp/",
        ("framework/yaml",),
        "one folder reads YAML, and gives a tree of our own",
    ),
    (
        "QSql",
        ("framework/iceberg", "framework/host", "plugins/"),
        "databases are behind the store and the catalog",
    ),
    (
        "QtSql",
        ("framework/iceberg", "framework/host", "plugins/"),
        "databases are behind the store and the catalog",
    ),
    ("QNetwork", ("framework/host", "plugins/"), "the network is behind the plugins"),
    ("QtNetwork", ("framework/host", "plugins/"), "the network is behind the plugins"),
    ("QTcp", ("framework/host", "plugins/"), "the network is behind the plugins"),
]


def part_of(path):
    """The part a file belongs to (framework/<folder>, plugins/<folder>, cli, tests), or None."""
    pieces = Path(path).parts
    if pieces[0] in ("framework", "plugins") and len(pieces) > 2:
        return "/".join(pieces[:2])
    return pieces[0] if pieces[0] in ("cli", "tests") and len(pieces) > 1 else None


def allowed_from(part):
    if part in ("plugins/executor_trino", "plugins/executor_jdbc"):
        return FOR_PLUGINS | {"plugins/trino_sql"}
    if part.startswith("plugins/"):
        return FOR_PLUGINS
    return ALLOWED.get(part)


def check_own(report, path, line, part, name):
    other = part_of(name)
    allowed = allowed_from(part)
    if other is None or other == part or other in allowed:
        return
    known = ", ".join(sorted(allowed)) or "nothing"
    report.error(path, line, f"{part} includes {name}; beside itself it may include {known}")


def check_library(report, path, line, part, name):
    last = name.split("/")[-1]
    for prefix, who, why in LIBRARIES:
        if (name.startswith(prefix) or last.startswith(prefix)) and not part.startswith(who):
            report.error(path, line, f"{part} includes <{name}>; {why} ({', '.join(who)})")
            return


def check(root):
    report = sources.Report()
    count = 0
    for path in sources.files(root):
        if not sources.is_cpp(path) or path.parts[0] not in ("framework", "plugins", "cli"):
            continue
        count += 1
        part = part_of(path)
        if part is None or allowed_from(part) is None:
            report.error(
                path, 1, "lies in no part that check_layers.py knows: say there what it may include"
            )
            continue
        for line, form, name in sources.includes(sources.read(root / path) or ""):
            if form == '"':
                check_own(report, path, line, part, name)
            else:
                check_library(report, path, line, part, name)
    return report.finish("layers", count)


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()))
