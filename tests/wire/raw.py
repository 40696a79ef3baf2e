"""HTTP as it is, over TLS: what a client that knows nothing of us sends and gets."""

import http.client
import itertools
import json
import re
import select
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import urlencode

from svcsim.client.paths import CLOCK
from svcsim.meta.types import Json, Object
from svcsim.wall import stopwatch, wall_sleep
from tests.process import ServerProcess
from tests.waiting import LOOK_S, WAIT_S

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        return json.loads(self.body)

    @property
    def reason(self) -> str:
        """Of a Status."""
        return self.json.get("reason", "")

    @property
    def message(self) -> str:
        return self.json["message"]


class Stream:
    """A watch: its events as they come."""

    def __init__(self, connection: http.client.HTTPSConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._response = response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._response.close()
        self._connection.close()

    def __iter__(self) -> Iterator[Object]:
        """Every event to the stream's end."""
        while line := self._response.readline():
            yield json.loads(line)

    def bytes_until(self, mark: bytes) -> bytes:
        """What comes, in whatever form, up to and with a mark."""
        seen = b""
        while mark not in seen:
            more = self._response.read1()
            assert more, f"the watch ended before: {seen!r}"
            seen += more
        return seen

    def read(self) -> Json:
        """An answer that is no stream."""
        return json.loads(self._response.read())

    def take(self, count: int) -> list[Object]:
        """The next so many events."""
        return list(itertools.islice(self, count))

    def until(self, holds: Callable[[Object], bool]) -> list[Object]:
        """The events up to and with the first that is so."""
        seen = []
        for event in self:
            seen.append(event)
            if holds(event):
                return seen
        raise AssertionError(f"the watch ended before: {seen}")


class Wire:
    """A server, and short ways to ask it."""

    _numbers = itertools.count(1)

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.dialect = server.dialect
        self.tls = ssl.create_default_context(cadata=server.ca_pem)
        self.token = server.token
        self._here = threading.local()
        self._connections: list[http.client.HTTPSConnection] = []

    def connect(self, tls: ssl.SSLContext | None = None) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=WAIT_S, context=tls or self.tls)

    def close(self) -> None:
        """Hang up, on every thread."""
        for connection in self._connections:
            connection.close()

    def fresh(self, prefix: str = "x") -> str:
        """A name nothing has yet."""
        return f"{prefix}-{next(self._numbers)}"

    def ask(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
        token: str | None = None,
        **query: Json,
    ) -> Answer:
        """One request on this thread's connection. A body that is no bytes goes as JSON."""
        connection = getattr(self._here, "connection", None)
        if connection is None or _is_over(connection):
            connection = self._here.connection = self.connect()
            self._connections.append(connection)
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            connection.request(method, with_query(path, query), sent, self._headers(content_type if sent else "", headers, token))
            response = connection.getresponse()
            return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        except OSError:  # nothing more can be asked on it, and the next test has its own
            self._here.connection = None
            raise

    def _headers(self, content_type: str, headers: dict[str, str] | None, token: str | None) -> dict[str, str]:
        found = {"Authorization": f"Bearer {self.token if token is None else token}"}
        if token == "":
            del found["Authorization"]
        if content_type:
            found["Content-Type"] = content_type
        return {**found, **(headers or {})}

    def watch(self, path: str, *, headers: dict[str, str] | None = None, **query: Json) -> Stream:
        """A watch on a connection of its own. With ``resourceVersion`` it is established once this returns."""
        connection = self.connect()
        connection.request("GET", with_query(path, {"watch": "true", **query}), headers=self._headers("", headers, None))
        return Stream(connection, connection.getresponse())

    def settled(self, path: str) -> Object:
        """An object whose status a controller writes, once that has said all it has to say about it as it is."""
        return self.until(path, lambda obj: obj["status"].get("observedGeneration") == obj["metadata"]["generation"])

    def until(self, path: str, holds: Callable[[Object], bool]) -> Object:
        """What a GET shows, once that is so."""
        end = stopwatch() + WAIT_S
        while not holds(obj := self.get(path)):
            assert stopwatch() < end, f"in vain: {obj}"
            wall_sleep(LOOK_S)  # whoever is waited for needs the processor
        return obj

    @contextmanager
    def hurried(self, speed: int = 50) -> Iterator[None]:
        """The cluster's time passes so many times as fast, for as long as the context lasts: for what pods take to start, and the like."""
        assert self.ask("PUT", CLOCK, {"speed": speed}).status == 200
        try:
            yield
        finally:
            assert self.ask("PUT", CLOCK, {"speed": 1}).status == 200

    def get(self, path: str, **query: Json) -> Object:
        """What a GET that succeeds shows."""
        answer = self.ask("GET", path, **query)
        assert answer.status == 200, answer.body
        return answer.json

    def create(self, path: str, obj: Object, **query: Json) -> Object:
        answer = self.ask("POST", path, obj, **query)
        assert answer.status == 201, answer.body
        return answer.json

    def patch(self, path: str, patch: Json, content_type: str = MERGE, **query: Json) -> Object:
        answer = self.ask("PATCH", path, patch, content_type=content_type, **query)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def delete(self, path: str, options: Json = None, **query: Json) -> Object:
        answer = self.ask("DELETE", path, options, **query)
        assert answer.status in (200, 202), answer.body
        return answer.json

    def namespace(self) -> str:
        """A new one."""
        name = self.fresh("ns")
        self.create("/api/v1/namespaces", {"metadata": {"name": name}})
        return name

    def revision(self) -> int:
        """The cluster's, as a list tells it."""
        return int(self.get("/api/v1/nodes", limit=1)["metadata"]["resourceVersion"])

    def gone(self, path: str, obj: Object) -> None:
        """Wait until an object is no more."""
        collection, _, name = path.rpartition("/")
        with self.watch(collection, resourceVersion=obj["metadata"]["resourceVersion"], fieldSelector=f"metadata.name={name}") as events:
            if self.ask("GET", path).status != 404:
                events.until(lambda event: event["type"] == "DELETED")
        assert self.ask("GET", path).status == 404

    def complaints(self) -> list[str]:
        """Lines of the server's log that tell of something unforeseen."""
        return [line for line in self.server.log.splitlines() if re.search(r" (ERROR|CRITICAL) |Traceback", line)]


def with_query(path: str, query: dict[str, Json]) -> str:
    """A path with query parameters, lists as repetitions."""
    if not query:
        return path
    return path + ("&" if "?" in path else "?") + urlencode({k: v for k, v in query.items() if v is not None}, doseq=True)


def write_pem(directory: Path, name: str, content: str) -> Path:
    path = directory / name
    path.write_text(content)
    return path


def _is_over(connection: http.client.HTTPSConnection) -> bool:
    """Whether the server has hung up, as it does on who asks nothing for a while: there is something to read, though nothing was asked."""
    return connection.sock is not None and bool(select.select([connection.sock], [], [], 0)[0])
