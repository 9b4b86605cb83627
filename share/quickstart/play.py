#!/usr/bin/env python3
"""Plays six changes against the flights and shows what each refresh recomputed.

Loads the flights, makes the eight views by the migrations beside the config, then changes the table
six times: after each change it refreshes, verifies every view against its query, and prints a
table. Ends with 1
when a view differs, and with 2 when a step fails.

With --trino-config the views are kept by Trino: the same flights, read through a catalog on the
same warehouse.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HELD_BACK_FROM = "2001-06-29"
APPENDED_UNTIL = "2001-06-30"

CHANGES = [
    (
        "one more day",
        "loader",
        "INSERT INTO flights SELECT * FROM TABLE(read_parquet({file}))"
        f" WHERE date >= TIMESTAMP '{HELD_BACK_FROM} 00:00:00'"
        f" AND date < TIMESTAMP '{APPENDED_UNTIL} 00:00:00' AND {{kept}}",
    ),
    (
        "a late row, months back",
        "keeper",
        "INSERT INTO flights (date, delay, distance, origin, destination)"
        " VALUES (TIMESTAMP '2001-02-14 07:35:00', 12, 2475, 'JFK', 'LAX')",
    ),
    (
        "an UPDATE that moves a morning to the next day",
        "keeper",
        "UPDATE flights SET date = date + INTERVAL '1' DAY WHERE origin = 'SFO'"
        " AND date >= TIMESTAMP '2001-03-10 00:00:00' AND date < TIMESTAMP '2001-03-10 12:00:00'",
    ),
    ("a DELETE of a whole airport", "keeper", "DELETE FROM flights WHERE origin = 'HNL'"),
    ("a compaction", "keeper", "ALTER TABLE flights EXECUTE optimize"),
    (
        "a rollback to before the DELETE",
        "keeper",
        "ALTER TABLE flights EXECUTE rollback_to_snapshot({before_delete})",
    ),
]

COLUMNS = [
    "view",
    "action",
    "ranges",
    "rows read",
    "rows written",
    "deleted",
    "ms",
    "of rebuild",
    "equal",
]


class StepFailed(Exception):
    pass


class Ivmctl:
    """One configuration of the command line tool."""

    def __init__(self, program, config):
        self.base = [str(program), "--config", str(config)]

    def json(self, *arguments, accepted=(0,)):
        command = [*self.base, "--json", *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in accepted:
            raise StepFailed(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}")
        return json.loads(done.stdout)

    def sql(self, text):
        return self.json("sql", text)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ivmctl", required=True, type=pathlib.Path)
    parser.add_argument(
        "--config", required=True, type=pathlib.Path, help="config of the embedded engine"
    )
    parser.add_argument(
        "--trino-config", type=pathlib.Path, help="config of a Trino that keeps the views instead"
    )
    parser.add_argument("--flights", required=True, type=pathlib.Path, help="flights-3m.parquet")
    parser.add_argument(
        "--schema", default="main", help="the configs' schema; made if it is missing"
    )
    parser.add_argument(
        "--one-in", type=int, default=1, metavar="N", help="load only one flight in N, about"
    )
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures to this file")
    return parser.parse_args()


def literal(text):
    return "'" + str(text).replace("'", "''") + "'"


def current_snapshot(ivmctl):
    rows = ivmctl.sql("SELECT snapshot_id FROM \"flights$refs\" WHERE name = 'main'")["rows"]
    return rows[0][0]


def ranges_text(view):
    ranges = [f"{short(r['from'])} … {short(r['to'])}" for r in view["ranges"]]
    if view.get("null_bucket"):
        ranges.append("NULL")
    if len(ranges) > 2:
        return f"{ranges[0]} and {len(ranges) - 1} more"
    return ", ".join(ranges) or ("all" if view["action"] in ("diff", "rebuild") else "-")


def short(bound):
    if bound is None:
        return "∞"
    return bound.removesuffix(" 00:00:00").removesuffix(":00")


def refresh_and_verify(keeper):
    refreshed = keeper.json("refresh", accepted=(0, 1, 3))["views"]
    verified = {view["name"]: view for view in keeper.json("verify", accepted=(0, 4))["views"]}
    return refreshed, verified


def first_builds(keeper):
    """What the migrations have built."""
    steps = keeper.json("migrate", "upgrade")["steps"]
    return [{"ranges": [], **step["result"], "name": step["result"]["view"]} for step in steps]


def print_table(rows):
    widths = [max(len(str(row[i])) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
    right = {3, 4, 5, 6, 7}
    for row in [COLUMNS, *rows]:
        cells = [
            str(cell).rjust(w) if i in right else str(cell).ljust(w)
            for i, (cell, w) in enumerate(zip(row, widths))
        ]
        print("  " + "  ".join(cells).rstrip())
    print(flush=True)


def table_rows(refreshed, verified, rebuild_seconds):
    for view in refreshed:
        check = verified[view["name"]]
        equal = (
            "yes" if check["equal"] else f"NO: {check['missing']} missing, {check['extra']} extra"
        )
        if check["equal"] and check["reported"]:
            equal += (
                " ("
                + ", ".join(f"{r['rows']} ties in {r['column']}" for r in check["reported"])
                + ")"
            )
        share = view["seconds"] / rebuild_seconds.get(view["name"], view["seconds"] or 1)
        yield [
            view["name"],
            view["action"],
            ranges_text(view),
            view["rows_read"],
            view["rows_written"],
            view["rows_deleted"],
            round(view["seconds"] * 1000),
            f"{share:.1%}",
            equal,
        ]


def report(title, refreshed, verified, rebuild_seconds):
    print(title, flush=True)
    print_table(list(table_rows(refreshed, verified, rebuild_seconds)))
    errors = [
        f"{view['name']}: {view['error']['message']}"
        for view in refreshed
        if view["action"] == "error"
    ]
    if errors:
        raise StepFailed("\n".join(errors))
    return all(view["equal"] for view in verified.values())


def kept(one_in):
    """The condition on the flights that are loaded."""
    return "TRUE" if one_in == 1 else f"(distance + delay) % {one_in} = 0"


def load(loader, flights, schema, condition):
    print("Loading the flights until the end of June …", flush=True)
    loader.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    loader.sql("DROP TABLE IF EXISTS flights")
    loader.sql(
        "CREATE TABLE flights WITH (partitioning = ARRAY['day(date)']) AS "
        f"SELECT * FROM TABLE(read_parquet({literal(flights)}))"
        f" WHERE date < TIMESTAMP '{HELD_BACK_FROM} 00:00:00' AND {condition}"
    )
    count = loader.sql("SELECT count(*) FROM flights")["rows"][0][0]
    print(f"{count} flights\n", flush=True)


def play(arguments):
    loader = Ivmctl(arguments.ivmctl, arguments.config)
    keeper = Ivmctl(arguments.ivmctl, arguments.trino_config or arguments.config)
    condition = kept(arguments.one_in)
    load(loader, arguments.flights.resolve(), arguments.schema, condition)
    refreshed = first_builds(keeper)
    _, verified = refresh_and_verify(keeper)
    rebuild_seconds = {view["name"]: view["seconds"] for view in refreshed if view["seconds"] > 0}
    all_equal = report("First build", refreshed, verified, rebuild_seconds)
    figures = [{"step": "first build", "views": refreshed}]
    before_delete = None
    for title, runner, sql in CHANGES:
        if "DELETE" in title and "rollback" not in title:
            before_delete = current_snapshot(keeper)
        text = sql.format(
            file=literal(arguments.flights.resolve()), kept=condition, before_delete=before_delete
        )
        (loader if runner == "loader" else keeper).sql(text)
        refreshed, verified = refresh_and_verify(keeper)
        all_equal = (
            report(f"{title[0].upper()}{title[1:]}", refreshed, verified, rebuild_seconds)
            and all_equal
        )
        figures.append({"step": title, "views": refreshed})
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))
    return all_equal


def main():
    arguments = parse_arguments()
    try:
        all_equal = play(arguments)
    except StepFailed as failure:
        print(failure, file=sys.stderr)
        return 2
    print(
        "Every view equals its query."
        if all_equal
        else "Some views differ from their queries: see NO above."
    )
    return 0 if all_equal else 1


if __name__ == "__main__":
    sys.exit(main())
