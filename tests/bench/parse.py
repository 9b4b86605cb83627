"""The quickstart's views parsed and understood, against sqlparse's parsing of the same texts."""

import json
import statistics
import subprocess

import tool as tools

VIEWS = tools.ROOT / "share" / "quickstart" / "views.yaml"
TURNS = 7  # of both programs, one after the other
OUR_ROUNDS = 2000
SQLPARSE_ROUNDS = 20

# Reads views with their queries, and adds the seconds that sqlparse takes for each.
SQLPARSE = """
import json, sys, time
import sqlparse
views = json.load(sys.stdin)
for view in views:
    view["seconds"] = []
for _ in range(int(sys.argv[1])):
    for view in views:
        began = time.perf_counter()
        statements = sqlparse.parse(view["query"])
        view["seconds"].append(time.perf_counter() - began)
        assert len(statements) == 1
json.dump(views, sys.stdout)
"""


def python_with_sqlparse():
    done = subprocess.run(
        [tools.ROOT / "tests/setup/python", "tests/bench"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.strip()


def ours():
    done = subprocess.run(
        [tools.BUILD / "tests" / "parse_views", VIEWS, str(OUR_ROUNDS)],
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


def sqlparse(python, views):
    done = subprocess.run(
        [python, "-c", SQLPARSE, str(SQLPARSE_ROUNDS)],
        check=True,
        input=json.dumps(views),
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)


def median_seconds(views):
    return {view["name"]: statistics.median(view["seconds"]) for view in views}


def run():
    python = python_with_sqlparse()
    turns = []
    for _ in range(TURNS):
        views = ours()
        turns.append((median_seconds(views), median_seconds(sqlparse(python, views))))
    for name in turns[0][0]:
        we, they = (statistics.median(turn[side][name] for turn in turns) for side in (0, 1))
        print(f"{name:20} {we * 1e6:8.1f} us {they * 1e6:10.1f} us {they / we:8.0f} times")
    ratios = sorted(sum(they.values()) / sum(we.values()) for we, they in turns)
    print(
        f"sqlparse takes {statistics.median(ratios):.0f} times as long for all of them "
        f"(from {ratios[0]:.0f} to {ratios[-1]:.0f} in {TURNS} turns)"
    )
