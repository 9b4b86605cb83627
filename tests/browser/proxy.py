"""A reverse proxy that serves a host below a prefix, as nginx does with `location /ivm/`."""

import http.client
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from fake_host import Server

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "server", "date", "content-length"}


class ProxyHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self):
        server = self.server
        server.paths.append(self.path)
        if self.path == server.prefix.rstrip("/"):
            self.answer(301, b"", {"Location": server.prefix})
            return
        if not self.path.startswith(server.prefix):
            self.answer(404, b"nothing of the host is here", {})
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(urlsplit(server.behind).netloc, timeout=30)
        try:
            headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
            path = "/" + self.path[len(server.prefix) :]
            connection.request(self.command, path, body or None, headers)
            response = connection.getresponse()
            data = response.read()
        except OSError:
            self.answer(502, b"<html><h1>502 Bad Gateway</h1></html>", {})
            return
        finally:
            connection.close()
        kept = {k: v for k, v in response.getheaders() if k.lower() not in HOP_BY_HOP}
        self.answer(response.status, data, kept)

    do_GET = do_POST = do_PUT = do_DELETE = forward

    def answer(self, status, data, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve_below(prefix, behind):
    """prefix begins and ends with a slash; behind is the host's URL."""
    return Server(ProxyHandler, prefix=prefix, behind=behind, paths=[])
