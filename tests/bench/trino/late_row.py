"""On Trino: one late row and one now among a million rows over 90 days."""

import tempfile
import uuid

import tool as tools


def run():
    schema = "bench_" + uuid.uuid4().hex[:8]
    query = (
        "SELECT k, date_trunc('hour', ts) AS hour_ts, count(*) AS n, sum(v) AS total "
        "FROM ev GROUP BY 1, 2"
    )
    with tempfile.TemporaryDirectory() as folder:
        config = f"executor: {{plugin: trino, catalog: iceberg, schema: {schema}}}\n"
        tool = tools.Tool(folder, config, tools.VIEW.format(name="hourly", query=query))
        tool.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        tool.sql(
            "CREATE TABLE ev (ts timestamp(6), k bigint, v bigint) "
            "WITH (partitioning = ARRAY['day(ts)'])"
        )
        tool.sql(
            "INSERT INTO ev SELECT TIMESTAMP '2026-01-01 00:00:00.000000' + "
            "(a.n * 1000 + b.n) * INTERVAL '7.776' SECOND, b.n % 20, a.n "
            "FROM UNNEST(sequence(0, 999)) AS a(n) "
            "CROSS JOIN UNNEST(sequence(0, 999)) AS b(n)"
        )
        first = tool.refresh()
        print(f"first build: {first['rows_read']} rows read, {first['seconds'] * 1000:.0f} ms")
        tool.sql(
            "INSERT INTO ev VALUES (TIMESTAMP '2026-01-30 10:20:30.000000', 3, 7), "
            "(TIMESTAMP '2026-03-31 12:00:00.000000', 4, 8)"
        )
        late = tool.refresh()
        # What the statement cannot do without: the rows of the two days' files, of both tables.
        touched = "cast({} AS date) IN (DATE '2026-01-30', DATE '2026-03-31')"
        source = tool.sql(f"SELECT count(*) FROM ev WHERE {touched.format('ts')}")["rows"][0][0]
        target = tool.sql(f"SELECT count(*) FROM hourly WHERE {touched.format('hour_ts')}")[
            "rows"
        ][0][0]
        print(
            f"late row: {late['action']}, {late['rows_read']} rows read; "
            f"the touched files hold {source} rows of the "
            f"source and {target} of the target"
        )
        print(
            "rows read / rows of the touched files: "
            f"{late['rows_read'] / (int(source) + int(target)):.2f}; "
            f"{late['rows_written']} rows written, {late['rows_deleted']} deleted, "
            f"{late['seconds'] * 1000:.0f} ms"
        )
        for table in ("hourly", "ev"):
            tool.sql(f"DROP TABLE {table}")
        tool.sql(f"DROP SCHEMA {schema}")
