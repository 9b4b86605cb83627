"""Migrations on Trino: the switch of a large view under a reader, the way back, and many who
upgrade at once.
"""

import tempfile

import migrate
from trino.cluster import Cluster, Cost

SOURCE = "ivm-bench-migrate"
ROUNDS = 10


def read_since(cluster, since):
    """Of the statements that put an old version back."""
    statements = [
        query_id
        for query_id, text in cluster.statements(SOURCE, since)
        if "rollback_to_snapshot" in text or text.startswith("CREATE OR REPLACE TABLE")
    ]
    cost = sum((cluster.cost(query_id) for query_id in statements), Cost())
    return f"{cost.rows} rows in {cost.statements} statements"


def ask(cluster, sql):
    try:
        return str(cluster.rows(sql))
    except SystemExit as error:
        return str(error)


def run():
    for part in (switching, racing):
        with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
            history = f"{cluster.schema}_history"
            config = cluster.config(SOURCE, f"history: {{schema: {history}}}\n")
            migrations = migrate.site(folder, config)
            part(cluster, migrations)
            cluster.run(f"DROP SCHEMA iceberg.{history} CASCADE")


def switching(cluster, migrations):
    migrate.make_large(migrations.tool.sql)

    def take_back():
        since = cluster.now()
        migrations.run("downgrade", "-1")
        return read_since(cluster, since)

    migrate.switching(migrations, lambda sql: ask(cluster, sql), take_back)


def racing(_, migrations):
    migrate.racing(migrations, ROUNDS)
