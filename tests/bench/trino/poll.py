"""Statements that a quiet refresh of 50 views over 4 sources sends, by detector."""

import os
import tempfile
import urllib.parse

import tool as tools
from trino.cluster import Cluster

VIEWS = 50
SOURCES = 4
VIEW = """  - name: view_{number}
    query: SELECT k, count(*) AS n, sum(v) + {number} AS total FROM source_{source} GROUP BY k
"""


def catalog_detector():
    """One on the PostgreSQL that tests/trino/up gives Trino, and its password's variable."""
    url = urllib.parse.urlsplit(os.environ["IVM_TEST_PG_URL"])
    place = url._replace(netloc=f"{url.hostname}:{url.port}").geturl()
    config = f"{{plugin: catalog, catalog: {{type: jdbc, url: '{place}', user: {url.username}}}}}"
    return config, {"IVM_CATALOG_PASSWORD": urllib.parse.unquote(url.password)}


def quiet(cluster, tool, source):
    """The statements of one refresh in which nothing happened."""
    before = cluster.now()
    done = tool.json("refresh")["views"]
    assert len(done) == VIEWS and all(view["action"] == "none" for view in done), done
    return len(cluster.statements(source, before))


def run():
    with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        views = "views:\n" + "".join(
            VIEW.format(number=number, source=number % SOURCES) for number in range(VIEWS)
        )
        source = cluster.schema
        tool = tools.Tool(folder, cluster.config(source), views)
        for number in range(SOURCES):
            cluster.run(f"CREATE TABLE source_{number} AS SELECT 1 AS k, BIGINT '2' AS v")
        tool.json("refresh")
        print(f"{VIEWS} views over {SOURCES} sources, statements of a quiet refresh:")
        print(f"  detector trino: {quiet(cluster, tool, source)} (goal 1)")
        config, environment = catalog_detector()
        by_catalog = tools.Tool(
            folder, cluster.config(source, f"detector: {config}\n"), views, environment
        )
        print(f"  detector catalog: {quiet(cluster, by_catalog, source)} (goal 0)")
