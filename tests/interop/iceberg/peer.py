#!/usr/bin/env python3
"""PyIceberg, and Trino by its REST protocol, doing what the interop tests ask for.

    peer.py WAREHOUSE

Reads one JSON object a line and answers each with one: {"do": NAME, …} with what the function of
that name returns, or {"error": …}. Rows are [id, ts in microseconds or null, part].
"""

import datetime
import json
import os
import sys
import urllib.request
import uuid
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import _dataframe_to_data_files
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import FixedType, LongType, NestedField, StringType, TimestampType

# A merge-on-read table is rewritten by PyIceberg, which says so each time.
warnings.simplefilter("ignore")

COLUMNS = (("id", pa.int64()), ("ts", pa.timestamp("us")), ("part", pa.string()))
SCHEMA = Schema(
    NestedField(1, "id", LongType()),
    NestedField(2, "ts", TimestampType()),
    NestedField(3, "part", StringType()),
)


def arrow(rows):
    """An Arrow table whose columns carry Iceberg's field ids, as its Parquet files must."""
    fields = [
        pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})
        for number, (name, kind) in enumerate(COLUMNS, 1)
    ]
    columns = [
        pa.array([row[number] for row in rows], kind) for number, (_, kind) in enumerate(COLUMNS)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def plain(value):
    """Values as JSON has them: times as microseconds, bytes as hex."""
    if hasattr(value, "timestamp"):
        return int((value - type(value)(1970, 1, 1)).total_seconds() * 1_000_000)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


class Peer:
    def __init__(self, warehouse):
        self.catalog = SqlCatalog(
            "iceberg",
            uri=f"sqlite:///{warehouse}/catalog.db",
            warehouse=f"file://{warehouse}",
        )

    def parquet(self, path, rows):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        pq.write_table(arrow(rows), path)
        return {"size": os.path.getsize(path)}

    def create(self, table, days, version=2):
        fields = [PartitionField(2, 1000, DayTransform(), "ts_day")] if days else []
        made = self.catalog.create_table(
            table,
            SCHEMA,
            partition_spec=PartitionSpec(*fields),
            properties={"format-version": str(version), "write.delete.mode": "merge-on-read"},
        )
        return {"location": made.location()}

    def create_fixed(self, table):
        """Four bytes a row, which Trino's SQL has no type for."""
        made = self.catalog.create_table(table, Schema(NestedField(1, "f", FixedType(4))))
        values = pa.array([b"abcd", None, b"\x00\xff\x00\xff"], pa.binary(4))
        made.append(pa.table({"f": values}))
        return {}

    def append(self, table, rows):
        self.catalog.load_table(table).append(arrow(rows))
        return {}

    def delete(self, table, where):
        self.catalog.load_table(table).delete(where)
        return {}

    def write(self, table, rows, branch="main", cut=None):
        """Appends rows of the table's own columns, times in microseconds. `cut` is a text column
        whose bounds end after 16 bytes, be it inside a character."""
        loaded = self.catalog.load_table(table)
        fields = loaded.schema().as_arrow()
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows), fields)]
        batch = pa.Table.from_arrays(columns, schema=fields)
        if not cut:
            loaded.append(batch, branch=branch)
            return {}
        with loaded.transaction() as change, change.update_snapshot().fast_append() as append:
            for file in _dataframe_to_data_files(loaded.metadata, batch, loaded.io):
                field = loaded.schema().find_field(cut)
                text = rows[0][loaded.schema().fields.index(field)]
                file.lower_bounds[field.field_id] = text.encode()[:16]
                append.append_data_file(file)
        return {}

    def set_clock(self, table, time):
        """Lets the newest snapshot have been committed at another time, in milliseconds."""
        loaded = self.catalog.load_table(table)
        path = loaded.metadata_location.removeprefix("file://")
        with open(path, encoding="utf-8") as file:
            metadata = json.load(file)
        newest = metadata["current-snapshot-id"]
        for part in metadata["snapshots"] + metadata["snapshot-log"]:
            if part["snapshot-id"] == newest:
                part["timestamp-ms"] = time
        metadata["last-updated-ms"] = time
        folder, name = os.path.split(path)
        number = int(name.split("-")[0]) + 1
        changed = f"{folder}/{number:05}-{uuid.uuid4()}.metadata.json"
        with open(changed, "w", encoding="utf-8") as file:
            json.dump(metadata, file)
        self.catalog.drop_table(table)
        self.catalog.register_table(table, f"file://{changed}")
        return {}

    def create_branch(self, table, branch):
        loaded = self.catalog.load_table(table)
        changes = loaded.manage_snapshots()
        changes.create_branch(loaded.current_snapshot().snapshot_id, branch).commit()
        return {}

    def set_main(self, table, branch):
        """Puts `main` where the branch is."""
        self.catalog.load_table(table).manage_snapshots().set_current_snapshot(
            ref_name=branch
        ).commit()
        return {}

    def cherry_pick(self, table, branch):
        """Commits the files of the branch's last append to `main` too."""
        loaded = self.catalog.load_table(table)
        picked = loaded.snapshot_by_name(branch)
        properties = {"source-snapshot-id": str(picked.snapshot_id)}
        with loaded.transaction() as change:
            with change.update_snapshot(properties).fast_append() as append:
                for manifest in picked.manifests(loaded.io):
                    for entry in manifest.fetch_manifest_entry(loaded.io):
                        if entry.snapshot_id == picked.snapshot_id:
                            append.append_data_file(entry.data_file)
        return {}

    def set_properties(self, table, properties):
        with self.catalog.load_table(table).transaction() as change:
            change.set_properties(properties)
        return {}

    def append_copies(self, table, first):
        """Appends a few of the table's own rows, with `v` counted from `first`, a day later."""
        loaded = self.catalog.load_table(table)
        loaded.append(self._changed(loaded.scan(limit=5).to_arrow(), first))
        return {}

    def overwrite_letter(self, table, first):
        """Puts changed rows in the place of those with one letter."""
        loaded = self.catalog.load_table(table)
        rows = loaded.scan(row_filter="k = 'b'").to_arrow()
        loaded.overwrite(self._changed(rows, first), overwrite_filter="k = 'b'")
        return {}

    @staticmethod
    def _changed(rows, first):
        def put(name, column):
            index = rows.schema.get_field_index(name)
            return rows.set_column(index, rows.schema.field(index), column)

        rows = put("v", pa.array(range(first, first + len(rows)), pa.int64()))
        later = [value and value + datetime.timedelta(days=1) for value in rows["ts"].to_pylist()]
        return put("ts", pa.array(later, rows.schema.field("ts").type))

    def count(self, table, filters):
        loaded = self.catalog.load_table(table)
        return {"counts": [loaded.scan(row_filter=text).to_arrow().num_rows for text in filters]}

    def rename_column(self, table, column, to):
        with self.catalog.load_table(table).update_schema() as update:
            update.rename_column(column, to)
        return {}

    def texts(self, table):
        """All rows, the texts of their values joined."""
        rows = self.catalog.load_table(table).scan().to_arrow().to_pylist()
        return {"rows": sorted("|".join(str(cell) for cell in row.values()) for row in rows)}

    def look(self, table):
        loaded = self.catalog.load_table(table)
        scanned = loaded.scan().to_arrow()
        rows = zip(*(scanned.column(number).to_pylist() for number in range(3)))
        entries = loaded.inspect.entries().to_pylist()
        snapshots = loaded.inspect.snapshots().to_pylist()
        return {
            "rows": sorted((plain(list(row)) for row in rows), key=str),
            "columns": [field.name for field in loaded.schema().fields],
            "spec": [f"{field.name}={field.transform}" for field in loaded.spec().fields],
            "history": [str(part["snapshot_id"]) for part in loaded.inspect.history().to_pylist()],
            "snapshots": [
                {
                    "id": str(part["snapshot_id"]),
                    "operation": part["operation"],
                    "summary": dict(part["summary"]),
                }
                for part in snapshots
            ],
            "entries": [
                {
                    "status": entry["status"],
                    "sequence_number": entry["sequence_number"],
                    "path": entry["data_file"]["file_path"],
                    "records": entry["data_file"]["record_count"],
                    "metrics": plain(entry["readable_metrics"]),
                }
                for entry in entries
            ],
        }

    def sql(self, text):
        """One statement on Trino; its rows."""
        request = urllib.request.Request(
            os.environ["TRINO_URL"] + "/v1/statement",
            data=text.encode(),
            headers={
                "X-Trino-User": os.environ["TRINO_USER"],
                "X-Trino-Catalog": "embedded",
                "X-Trino-Time-Zone": "UTC",
            },
        )
        rows = []
        while request:
            with urllib.request.urlopen(request, timeout=60) as answer:
                page = json.load(answer)
            if "error" in page:
                raise RuntimeError(page["error"]["message"])
            rows += page.get("data", [])
            request = page.get("nextUri")
        return {"rows": rows}


def main():
    peer = Peer(sys.argv[1])
    for line in sys.stdin:
        arguments = json.loads(line)
        name = arguments.pop("do")
        try:
            answer = getattr(peer, name)(**arguments)
        except Exception as error:  # Whatever it is, the test that asked shows it.
            answer = {"error": f"{name}: {type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
