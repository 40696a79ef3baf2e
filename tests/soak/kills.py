"""SIGKILL at any moment, under mixed load: what was answered is there, and watches go on as if nothing had happened.

Writers create, replace, patch, apply and delete objects of several kinds, each its own, and fight over one counter. What an answer has
confirmed is written down; what was under way at the kill is in doubt, and may be there or not, but nothing else may.
"""

import http.client
import json
import signal
import ssl
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from svcsim.chance import Chance
from svcsim.meta.types import Json, Object
from svcsim.wall import wall_sleep
from tests.process import ServerProcess, served
from tests.soak.progress import strikes

WRITERS = 8
LIFE_S = (0.05, 1.0)
"""How long a server lives under load."""
KEYS = 6
"""Objects of each writer and kind."""
MARK = "soak"
COUNTER = "/api/v1/namespaces/default/configmaps/counter"
KINDS: dict[str, Object] = {
    "/api/v1/namespaces/default/configmaps": {"apiVersion": "v1", "kind": "ConfigMap"},
    "/api/v1/namespaces/default/secrets": {"apiVersion": "v1", "kind": "Secret"},
    "/api/v1/namespaces/default/serviceaccounts": {"apiVersion": "v1", "kind": "ServiceAccount"},
    "/apis/coordination.k8s.io/v1/namespaces/default/leases": {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"},
}
TYPES = {"merge": "application/merge-patch+json", "json": "application/json-patch+json", "apply": "application/apply-patch+yaml"}
Text = str | None
"""What marks an object; None where it isn't there."""


@dataclass
class Ledger:
    """What the answers of all servers so far have confirmed."""

    known: dict[tuple[str, str], Text] = field(default_factory=dict)
    doubtful: dict[tuple[str, str], Text] = field(default_factory=dict)
    counted: int = 0
    doubtful_counts: int = 0
    answered: int = 0
    events: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Connection:
    """One connection of a client, for as long as the context lasts."""

    def __init__(self, server: ServerProcess) -> None:
        tls = ssl.create_default_context(cadata=server.ca_pem)
        self._http = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=30, context=tls)
        self._token = server.token

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, method: str, path: str, body: Json = None, content_type: str = "application/json") -> tuple[int, Object]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
        self._http.request(method, path, None if body is None else json.dumps(body), headers)
        response = self._http.getresponse()
        return response.status, json.loads(response.read())

    def lines(self, path: str) -> Iterator[Object]:
        """The events of a watch. Who leaves it before its end leaves the connection too."""
        self._http.request("GET", path, headers={"Authorization": f"Bearer {self._token}"})
        response = self._http.getresponse()
        while line := response.readline():
            yield json.loads(line)


def mark(text: str) -> Object:
    return {"metadata": {"annotations": {MARK: text}}}


def marked(obj: Object) -> Text:
    return (obj["metadata"].get("annotations") or {}).get(MARK)


class Writer:
    """Writes its own objects until the server is gone."""

    def __init__(self, number: int, ledger: Ledger, seed: str) -> None:
        self._number = number
        self._ledger = ledger
        self._chance = Chance(seed)
        self.failure: Exception | None = None

    def run(self, server: ServerProcess) -> None:
        try:
            with Connection(server) as connection:
                while True:
                    if self._chance.uniform(0, 1) < 0.1:
                        self._count(connection)
                    else:
                        self._write(connection)
        except (OSError, http.client.HTTPException):
            return
        except (AssertionError, KeyError, ValueError) as error:
            self.failure = error

    def _write(self, connection: Connection) -> None:
        path = self._chance.choice(list(KINDS))
        name = f"w{self._number}-{self._chance.integer(1, KEYS)}"
        key, one, text = (path, name), f"{path}/{name}", f"{self._chance.integer(0, 2**40)}"
        before = self._ledger.known.get(key)
        if before is None:
            wish, ways = (
                text,
                [("POST", path, {**KINDS[path], "metadata": {"name": name, "annotations": {MARK: text}}}, "application/json")],
            )
            ways.append(("PATCH", f"{one}?fieldManager=soak", {**KINDS[path], **mark(text)}, TYPES["apply"]))
        elif self._chance.uniform(0, 1) < 0.15:
            wish, ways = None, [("DELETE", one, None, "application/json")]
        else:
            operation = [{"op": "replace", "path": f"/metadata/annotations/{MARK}", "value": text}]
            wish, ways = text, [("PATCH", one, mark(text), TYPES["merge"]), ("PATCH", one, operation, TYPES["json"])]
            ways.append(("PATCH", f"{one}?fieldManager=soak&force=true", {**KINDS[path], **mark(text)}, TYPES["apply"]))
            ways.append(("PUT", one, {}, "application/json"))
        method, where, body, content_type = self._chance.choice(ways)
        if method == "PUT":
            status, body = connection.ask("GET", one)
            assert status == 200, body
            body["metadata"]["annotations"][MARK] = text
        self._ledger.doubtful[key] = wish
        status, answer = connection.ask(method, where, body, content_type)
        assert status in (200, 201), answer
        with self._ledger.lock:
            self._ledger.known[key] = wish
            del self._ledger.doubtful[key]
            self._ledger.answered += 1

    def _count(self, connection: Connection) -> None:
        """Raise the counter that all share, by compare and swap."""
        while True:
            status, counter = connection.ask("GET", COUNTER)
            assert status == 200, counter
            counter["data"]["n"] = str(int(counter["data"]["n"]) + 1)
            with self._ledger.lock:
                self._ledger.doubtful_counts += 1
            status, answer = connection.ask("PUT", COUNTER, counter)
            with self._ledger.lock:
                self._ledger.doubtful_counts -= 1
                self._ledger.counted += status == 200
                self._ledger.answered += status == 200
            if status == 200:
                return
            assert status == 409, answer


class Follower:
    """A watch of one kind that lives on over all servers, and what it has come to know."""

    def __init__(self, path: str, since: str) -> None:
        self._path = path
        self._since = int(since)
        self._state: dict[str, Text] = {}

    def catch_up(self, server: ServerProcess, ledger: Ledger) -> None:
        """All events up to now; what they come to is what a list shows."""
        with Connection(server) as connection:
            status, last = connection.ask(
                "PATCH", f"{self._path}/last?fieldManager=soak", {**KINDS[self._path], **mark(f"{self._since}")}, TYPES["apply"]
            )
            assert status in (200, 201), last
            status, listed = connection.ask("GET", self._path)
            assert status == 200, listed
            until = int(last["metadata"]["resourceVersion"])
            query = f"watch=true&resourceVersion={self._since}&allowWatchBookmarks=true"
            for event in connection.lines(f"{self._path}?{query}"):
                self._see(event)
                ledger.events += 1
                if self._since >= until:
                    break
        assert self._since == until, f"{self._path}: a watch ended before it had told everything"
        shown = {item["metadata"]["name"]: marked(item) for item in listed["items"]}
        assert self._state == shown, f"{self._path}: a watch and a list differ"

    def _see(self, event: Object) -> None:
        assert event["type"] != "ERROR", event
        metadata = event["object"]["metadata"]
        revision = int(metadata["resourceVersion"])
        if event["type"] == "BOOKMARK":
            assert revision >= self._since, "a bookmark goes back"
            self._since = revision
            return
        assert revision > self._since, "a watch repeats or goes back"
        self._since = revision
        assert (event["type"] == "ADDED") == (metadata["name"] not in self._state), event
        if event["type"] == "DELETED":
            del self._state[metadata["name"]]
        else:
            self._state[metadata["name"]] = marked(event["object"])


def settle(connection: Connection, ledger: Ledger) -> None:
    """Compare what is there with what was confirmed, and clear up what was in doubt."""
    for path in KINDS:
        status, listed = connection.ask("GET", path)
        assert status == 200, listed
        there = {item["metadata"]["name"]: marked(item) for item in listed["items"]}
        for key in [key for key in {**ledger.known, **ledger.doubtful} if key[0] == path]:
            possible = [ledger.known.get(key), *([ledger.doubtful[key]] if key in ledger.doubtful else [])]
            found = there.get(key[1])
            assert found in possible, f"{key}: {found!r} is there, {possible} was answered or under way"
            ledger.known[key] = found
    ledger.doubtful.clear()
    status, counter = connection.ask("GET", COUNTER)
    found, least = int(counter["data"]["n"]), ledger.counted
    assert least <= found <= least + ledger.doubtful_counts, f"the counter is {found}, confirmed were {least}"
    ledger.counted, ledger.doubtful_counts = found, 0


def one_life(home: Path, ledger: Ledger, followers: list[Follower], seed: str) -> None:
    """A server that is checked, loaded and killed."""
    with served(home, "kubernetes", "--nodes", "1") as server:
        with Connection(server) as connection:
            if not followers:
                counter = {"metadata": {"name": "counter"}, "data": {"n": "0"}}
                assert connection.ask("POST", COUNTER.rpartition("/")[0], counter)[0] == 201
                followers += [start(connection, path) for path in KINDS]
            settle(connection, ledger)
        for follower in followers:
            follower.catch_up(server, ledger)
        writers = [Writer(number, ledger, f"{seed}/{number}") for number in range(WRITERS)]
        threads = [threading.Thread(target=writer.run, args=(server,)) for writer in writers]
        for thread in threads:
            thread.start()
        wall_sleep(Chance(seed).uniform(*LIFE_S))
        server.process.send_signal(signal.SIGKILL)
        for thread in threads:
            thread.join()
        failures = [writer.failure for writer in writers if writer.failure is not None]
        assert not failures, failures


def start(connection: Connection, path: str) -> Follower:
    _, listed = connection.ask("GET", path)
    follower = Follower(path, listed["metadata"]["resourceVersion"])
    follower._state = {item["metadata"]["name"]: marked(item) for item in listed["items"]}
    return follower


def main(count: int, seed: int) -> str:
    """Kill the server so many times."""
    ledger, followers = Ledger(), []
    with tempfile.TemporaryDirectory() as home:
        for life in strikes(count):
            one_life(Path(home), ledger, followers, f"{seed}/{life}")
        with served(Path(home), "kubernetes", "--nodes", "1") as server:
            with Connection(server) as connection:
                settle(connection, ledger)
            for follower in followers:
                follower.catch_up(server, ledger)
    return f"kills {count}, writes answered {ledger.answered}, events seen {ledger.events}, answered and lost 0"
