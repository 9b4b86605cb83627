#!/usr/bin/env python3
"""A gate in front of Trino, as companies have them: TLS of its own, under a path of its own.

    proxy.py UPSTREAM CERTIFICATE AUTHORITY PREFIX

Requests for PREFIX/… go to UPSTREAM/…; nobody tells Trino, so that what it answers names itself.
Prints the port when it listens, and then one line for each request: what was asked for, and whether
it carried credentials. Ends when its input does.
"""

import http.client
import http.server
import ssl
import sys
import threading
import urllib.parse

UPSTREAM, CERTIFICATE, AUTHORITY, PREFIX = sys.argv[1:]


class Gate(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self):
        credentials = "with" if self.headers.get("Authorization") else "without"
        print(f"{self.command} {self.path.split('?')[0]} {credentials} credentials", flush=True)
        if not self.path.startswith(PREFIX + "/"):
            self.send_error(404)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        upstream = urllib.parse.urlsplit(UPSTREAM)
        connection = http.client.HTTPSConnection(
            upstream.hostname,
            upstream.port,
            context=ssl.create_default_context(cafile=AUTHORITY),
            timeout=60,
        )
        headers = {name: value for name, value in self.headers.items() if name != "Host"}
        connection.request(self.command, self.path[len(PREFIX) :], body, headers)
        answer = connection.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = pass_on

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
