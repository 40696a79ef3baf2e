"""A server over TLS that a cluster asks for reviews: a real one, in a thread of the test's."""

import base64
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from svcsim.meta.types import Object
from tests.outbound.tls import Authority

Decide = Callable[[Object], Object]
"""What it makes of a ``spec``: a ``status``."""


class Reviewing:
    """The server, what it has been asked, and how it is to answer."""

    def __init__(self, port: int, authority: Authority) -> None:
        self.port = port
        self.authority = authority
        self.asked: list[Object] = []
        self.heads: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.decide: Decide = lambda _: {}
        self.answer: Callable[[BaseHTTPRequestHandler, Object], None] = self.reply

    def reply(self, handler: BaseHTTPRequestHandler, review: Object) -> None:
        """As a good server does."""
        send(handler, 200, json.dumps({**review, "status": self.decide(review["spec"])}).encode())

    def webhook(self, name: str, **fields: object) -> Object:
        """As a webhook of an admission configuration that is asked about each config map that is created."""
        return {
            "name": name,
            "clientConfig": {"url": f"https://127.0.0.1:{self.port}/", "caBundle": base64.b64encode(self.authority.pem).decode()},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **fields,
        }

    def config(self, directory: Path, *, server: str = "", cluster: Object | None = None, **user: object) -> Path:
        """A file that names it, as its owner writes one."""
        where = {
            "server": server or f"https://127.0.0.1:{self.port}/review",
            "certificate-authority-data": base64.b64encode(self.authority.pem).decode(),
            **(cluster or {}),
        }
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "remote", "cluster": where}],
            "users": [{"name": "api-server", "user": user}],
            "contexts": [{"name": "here", "context": {"cluster": "remote", "user": "api-server"}}],
            "current-context": "here",
        }
        path = directory / "webhook.json"
        path.write_text(json.dumps(content))
        path.chmod(0o600)
        return path


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def hang_up(handler: BaseHTTPRequestHandler, _review: object) -> None:
    """No answer at all: a socket that is only closed goes on for as long as a file of it is open."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def reviewing(directory: Path, *names: str, clients: bytes | None = None) -> Iterator[Reviewing]:
    """The server; ``clients`` are the authorities of those it lets in."""
    directory.mkdir(parents=True, exist_ok=True)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a body waits until its head has been confirmed

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            here.asked.append(review)
            here.heads.append({name.lower(): value for name, value in self.headers.items()})
            here.paths.append(self.path)
            here.answer(self, review)

        def log_message(self, *_: object) -> None:
            """Nothing: a test has no use for it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = False  # those who ask have ended by then: closing waits until their connections are closed too

        def handle_error(self, *_: object) -> None:
            """Those who hang up are no news."""

    authority = Authority()
    server = Server(("127.0.0.1", 0), Handler)
    here = Reviewing(server.server_address[1], authority)
    context = authority.server_context(directory, *(names or ("127.0.0.1",)), clients=clients)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
