"""A program on this machine that a service of a cluster may be bound to: an API server of one group, in a thread of its own."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.outbound.tls import Authority

GROUP_VERSION = "flavours.example.com/v1"
PATH = f"/apis/{GROUP_VERSION}"
RESOURCES = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": GROUP_VERSION,
    "resources": [{"name": "flavours", "singularName": "flavour", "namespaced": False, "kind": "Flavour", "verbs": ["get"]}],
}
SWEET = {"kind": "Flavour", "apiVersion": GROUP_VERSION, "metadata": {"name": "sweet"}}
ANSWERS = {PATH: RESOURCES, f"{PATH}/flavours/sweet": SWEET}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits until its head has been confirmed

    def do_GET(self) -> None:
        answer = ANSWERS.get(self.path.partition("?")[0])
        body = json.dumps(answer or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}).encode()
        self.send_response(404 if answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: a test has no use for it."""


@contextmanager
def program(directory: Path, name: str, handler: type[BaseHTTPRequestHandler] = _Handler) -> Iterator[int]:
    """The program, or one that answers otherwise, which is called by this name; gives its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    context = Authority().server_context(directory, name)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
