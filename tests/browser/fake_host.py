#!/usr/bin/env python3
"""A host as the page sees one: serves share/web and plays the API over views in memory.

    tests/browser/fake_host.py [PORT] [VIEWS]     to look at the page by hand

It knows no SQL. A query with LIMIT is refused at that word, one without FROM is no query, and a
refresh invents its figures; all of it the same each time.
"""

import copy
import json
import mimetypes
import re
import socket
import sys
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

WEB = Path(__file__).resolve().parents[2] / "share" / "web"
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
FORM = "SELECT key, date_trunc('hour', ts) AS hour_ts, count(*) AS n FROM {} GROUP BY 1, 2"


def ago(seconds):
    return (datetime.now(timezone.utc) - timedelta(seconds=seconds)).isoformat(timespec="seconds")


def refresh_record(index, action="incremental", **fields):
    """The `index`-th refresh before now, as in `history`."""
    return {
        "started": ago(7200 + 600 * index),
        "action": action,
        "reason": "3 files were added" if action == "incremental" else "",
        "ranges": [{"from": f"2024-03-{index % 27 + 1:02} 00:00:00", "to": None}],
        "null_bucket": False,
        "rows_read": 1000 * (index % 7 + 1),
        "rows_written": 24 * (index % 5 + 1),
        "rows_deleted": 0,
        "seconds": round(0.2 + 0.13 * (index % 6), 2),
        "query_id": f"20240301_1200{index:02}_0000{index}_abcde",
        "url": f"http://trino.example:8080/ui/query.html?20240301_1200{index:02}",
        "error": None,
    } | fields


def make_view(name, source="iceberg.main.flights", **fields):
    """A view as GET api/views shows it."""
    query = FORM.format(source.rsplit(".", 1)[-1] if source else "nothing")
    definition = {"name": name, "query": query, "refresh_interval_seconds": 60}
    return {
        "name": name,
        "source": source,
        "sources": [source],
        "target": f"iceberg.main.{name}",
        "status": "idle",
        "strategy": "ranges",
        "lag_seconds": 0,
        "last_refresh": ago(7200),
        "last_action": "incremental",
        "errors": 0,
        "error": None,
        "owner": "file",
        "query": query,
        "refresh_interval_seconds": 60,
        "refreshes": 41,
        "last_duration_seconds": 0.42,
        "recent_queries": [
            {
                "kind": "merge",
                "query_id": "20240301_120000_00001_abcde",
                "url": "http://trino.example:8080/ui/query.html?20240301_120000_00001_abcde",
                "started": ago(7200),
                "seconds": 0.4,
                "state": "FINISHED",
            }
        ],
        "problem": None,
        "target_lag_seconds": None,
        "lag_met": None,
        "waiting": None,
        "next_attempt": None,
        "history": [refresh_record(index) for index in range(6)],
        "definition": definition,
    } | fields


def many_views(count):
    """`count` views over a tenth as many tables, some of them over other views, some in trouble."""
    views = []
    for index in range(count):
        source = f"iceberg.main.table_{index % max(1, count // 10):03}"
        if index % 5 == 4:
            source = views[index - 1]["target"]
        trouble = {}
        if index % 50 == 7:
            message = "Trino: Query exceeded per-node memory limit of 1GB"
            trouble = {"status": "error", "errors": 3, "error": message, "waiting": "failing"}
        view = make_view(f"view_{index:03}", source, refreshes=index, **trouble)
        view["last_duration_seconds"] = (index * 37 % count) / 10
        view["history"] = [refresh_record(number) for number in range(20)]
        views.append(view)
    return views


def make_migration(version, description, **fields):
    return {
        "version": version,
        "description": description,
        "status": "applied",
        "applied_at": ago(90000 - 60 * version),
        "checksum": f"{version:064x}",
    } | fields


def make_event(version, event, **fields):
    return {
        "event_id": f"{version}-{event}-{fields.get('step', 0)}",
        "at": ago(90000 - 60 * version),
        "version": version,
        "namespace": "default",
        "event": event,
        "step": 0,
        "actor": "ann",
        "host": "build-7",
        "tool_version": "0.1.0",
        "checksum": f"{version:064x}",
        "detail": "",
    } | fields


def make_namespace(name="default", **fields):
    """A namespace as GET api/migrations shows it, with two migrations."""
    return {
        "namespace": name,
        "current": 2,
        "applied": [make_migration(1, "the events"), make_migration(2, "Departures an hour")],
        "open": None,
        "lock": None,
        "views": ["departures"],
    } | fields


def make_run(version=3, **fields):
    """A run that is open."""
    return {
        "version": version,
        "direction": "upgrade",
        "steps_done": 1,
        "since": ago(300),
        "actor": "ann",
        "error": "",
        "text": f"the upgrade of {version:04} by ann did not end: 1 of its steps is done",
    } | fields


def make_lock(**fields):
    return {
        "owner": "ivmctl at build-7, process 4711",
        "doing": "upgrade to 3: step 2 of 0003_more",
        "since": ago(300),
        "age_seconds": 4,
        "stale": False,
    } | fields


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status, code, message, **place):
        super().__init__(message)
        fields = {"line": None, "column": None, "hint": None} | place
        self.status, self.fields = status, {"code": code, "message": message} | fields


def place_of(text, offset):
    before = text[:offset]
    return {"line": before.count("\n") + 1, "column": offset - (before.rfind("\n") + 1) + 1}


def problems_of(entry):
    name, query = entry.get("name", ""), entry.get("query", "")
    problems = []

    def problem(code, message, place=None, hint=None):
        place = place or {"line": None, "column": None}
        problems.append(
            {"severity": "error", "code": code, "message": message, "hint": hint} | place
        )

    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        problem("name", f"'{name}' is not a name of a view: [A-Za-z_][A-Za-z0-9_]*")
    if not re.search(r"\bfrom\b", query, re.IGNORECASE):
        problem("syntax", "found the end of the query, expected FROM", place_of(query, len(query)))
    limit = re.search(r"\blimit\b", query, re.IGNORECASE)
    if limit:
        problem(
            "limit",
            "LIMIT makes the rows of a view depend on chance",
            place_of(query, limit.start()),
            "Leave it out, and limit where the view is read",
        )
    return problems


class FakeHost:
    """The state, and the rules of the API. Its fields may be changed at any time by a test."""

    def __init__(self, views=()):
        self.views = {view["name"]: view for view in views}
        self.migrations = {"namespaces": [], "events": []}
        self.token = None  # wanted for everything, once it is set
        self.read_only = False
        self.problems = []  # of the host: degraded where there are any
        self.held = {}  # method and path → an Event that the answer waits for
        self.failing = {}  # method and path → Refused
        self.next_refresh = {}  # name → fields of its next refresh's record
        self.requests = []  # (method, path) of each request, with the API's bodies beside
        self.bodies = []
        self.lock = threading.RLock()

    # --- Each gives (status, JSON) or raises Refused ---

    def answer(self, method, path, body, token):
        self.check_token(token)
        if (method, path) in self.failing:
            raise self.failing[method, path]
        with self.lock:
            if (method, path) == ("GET", "/api/views"):
                return 200, list(self.views.values())
            if (method, path) == ("POST", "/api/views"):
                return self.create(body)
            if (method, path) == ("POST", "/api/parse"):
                return self.parse(body)
            if (method, path) == ("GET", "/api/migrations"):
                return 200, self.migrations
            if (method, path) == ("GET", "/health"):
                return 200, self.health()
            if (method, path) == ("GET", "/api/status"):
                return 200, self.status()
            found = re.fullmatch(r"/api/views/([^/]+)(/refresh)?", path)
            if found:
                return self.answer_view(method, unquote(found[1]), bool(found[2]), body)
        raise Refused(404, "not_found", f"there is no {method} {path}")

    def check_token(self, token):
        if self.token and token is None:
            raise Refused(401, "token_missing", "this needs a token")
        if self.token and token != self.token:
            raise Refused(401, "token_wrong", "the token is not known")

    def answer_view(self, method, name, is_refresh, body):
        if name not in self.views:
            raise Refused(404, "unknown_view", f"there is no view '{name}'")
        if is_refresh and method == "POST":
            return self.refresh(name)
        if method == "PUT":
            return self.replace(name, body)
        if method == "DELETE":
            del self.views[name]
            return 200, {}
        raise Refused(405, "method", f"{method} is not known here")

    def create(self, entry):
        if entry.get("name") in self.views:
            raise Refused(409, "exists", f"there is a view '{entry['name']}' already")
        return 201, self.accept(entry, owner="api", status="pending", refreshes=0, history=[])

    def replace(self, name, entry):
        old = self.views[name]
        kept = {key: old[key] for key in ("owner", "refreshes", "history", "status")}
        return 200, self.accept(entry, **kept)

    def accept(self, entry, **fields):
        problems = problems_of(entry)
        if problems:
            first = problems[0]
            place = {key: first[key] for key in ("line", "column", "hint")}
            raise Refused(422, first["code"], first["message"], **place)
        source = re.search(r"\bfrom\s+([\w.]+)", entry["query"], re.IGNORECASE)[1]
        if "." not in source:
            source = f"iceberg.main.{source}"
        view = make_view(entry["name"], source, query=entry["query"], definition=entry, **fields)
        view["refresh_interval_seconds"] = entry.get("refresh_interval_seconds", 60)
        self.views[entry["name"]] = view
        return view

    def refresh(self, name):
        view = self.views[name]
        fields = {"action": "incremental", "ranges": [{"from": "2024-03-01", "to": "2024-03-02"}]}
        fields |= self.next_refresh.pop(name, {})
        done = refresh_record(0) | {"started": ago(0)} | fields
        view["history"] = [done] + view["history"][:19]
        view |= {
            "refreshes": view["refreshes"] + 1,
            "last_refresh": ago(0),
            "last_action": done["action"],
            "last_duration_seconds": done["seconds"],
            "status": "error" if done["error"] else "idle",
            "error": done["error"]["message"] if done["error"] else None,
            "errors": view["errors"] + bool(done["error"]),
        }
        return 200, {"views": [{"name": name, "strategy": "ranges"} | done]}

    def parse(self, entry):
        problems = problems_of(entry)
        view = None
        if not problems:
            source = re.search(r"\bfrom\s+([\w.]+)", entry["query"], re.IGNORECASE)[1]
            view = {
                "source": source,
                "sources": [source],
                "target": entry.get("target_table") or f"iceberg.main.{entry['name']}",
                "strategy": "ranges",
                "why": "hour_ts is a bucket of ts and a key",
                "keys": ["key", "hour_ts"],
                "bucket": "date_trunc('hour', ts)",
                "columns": [
                    {"name": "key", "type": "varchar", "class": "exact"},
                    {"name": "hour_ts", "type": "timestamp(6)", "class": "exact"},
                    {"name": "n", "type": "bigint", "class": "exact"},
                ],
            }
        return 200, {"ok": not problems, "problems": problems, "view": view}

    def health(self):
        status = "degraded" if self.problems else "ok"
        return {"status": status, "views": len(self.views), "problems": self.problems}

    def status(self):
        return {
            "version": "0.1.0",
            "engine": "embedded",
            "poll_interval_seconds": 1,
            "read_only": self.read_only,
            "token_required": self.token is not None,
        }


class Handler(BaseHTTPRequestHandler):
    """HTTP over a FakeHost, which is `server.host`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.serve("GET")

    def do_POST(self):
        self.serve("POST")

    def do_PUT(self):
        self.serve("PUT")

    def do_DELETE(self):
        self.serve("DELETE")

    def log_message(self, *_):
        pass

    def serve(self, method):
        host, path = self.server.host, self.path.split("?", 1)[0]
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(data) if data else None
        host.requests.append((method, path))
        host.bodies.append((method, path, copy.deepcopy(body)))
        if (method, path) in host.held:
            host.held[method, path].wait(30)
        if method == "GET" and not path.startswith("/api/") and path != "/health":
            self.send_file(path)
            return
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ") or None
        try:
            status, answer = host.answer(method, path, body, bearer)
            text = json.dumps(answer)
        except Refused as refused:
            status, text = refused.status, json.dumps({"error": refused.fields})
        self.send(status, text.encode(), "application/json")

    def send_file(self, path):
        file = (WEB / (path.lstrip("/") or "index.html")).resolve()
        if not file.is_relative_to(WEB) or not file.is_file():
            self.send(404, b"not here", "text/plain")
            return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        self.send(200, file.read_bytes(), kind)

    def send(self, status, data, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        try:
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the page went on meanwhile


class Listener(ThreadingHTTPServer):
    """Knows its connections, so that they can be cut: a thread keeps an idle one open for long."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address, handler):
        super().__init__(address, handler)
        self.connections = set()

    def process_request(self, request, client_address):
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        pass  # a connection that was cut

    def cut(self):
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # closed meanwhile


class Server:
    """A listener in a thread; `stop` cuts all connections, `start` takes the same port again."""

    def __init__(self, handler, **attributes):
        self.handler, self.attributes, self.port, self.http = handler, attributes, 0, None
        self.start()

    def start(self):
        self.http = Listener(("127.0.0.1", self.port), self.handler)
        for name, value in self.attributes.items():
            setattr(self.http, name, value)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
        self.http.cut()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"


def serve(host):
    return Server(Handler, host=host)


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    http = Listener(("127.0.0.1", port), Handler)
    http.host = FakeHost(many_views(count))
    print(f"http://127.0.0.1:{port}/", flush=True)
    http.serve_forever()


if __name__ == "__main__":
    main()
