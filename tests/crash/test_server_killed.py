"""SIGKILL of the whole server at every named point, under load, over and over on one store.

Nothing that was answered is lost, no revision is used twice, and a watch resumes from its last revision as if nothing had happened.
"""

import http.client
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from svcsim.meta.types import Json, Object
from svcsim.storage.commit import AFTER_COMMIT, BEFORE_COMMIT, COMPACTING
from svcsim.wall import stopwatch
from tests.crash import serving_child
from tests.crash.serving_child import BEFORE_ANSWER, NEVER

WRITERS = 6
ROUNDS = (
    *((point, nth) for nth in (1, 7, 60) for point in (BEFORE_COMMIT, AFTER_COMMIT, BEFORE_ANSWER)),
    (COMPACTING, 1),
    (COMPACTING, 3),
    (BEFORE_COMMIT, 150),
    (COMPACTING, 8),
)
PATH = "/api/v1/namespaces/default/configmaps"
QUERY = "labelSelector=crash"


class Told(NamedTuple):
    """A write as its answer or its event tells of it."""

    kind: str
    name: str
    text: str


class Address(NamedTuple):
    """Where a server is."""

    port: int
    token: str
    tls: ssl.SSLContext
    time_s: float
    """The cluster's time as it became ready."""

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=self.tls)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}


@contextmanager
def child(directory: Path, point: str, nth: int, *start_s: float) -> Iterator[tuple[subprocess.Popen[bytes], Address]]:
    """A server that will end itself."""
    command = [sys.executable, serving_child.__file__, str(directory), point, str(nth), *map(str, start_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
    try:
        url, token, ca, time_s = process.stdout.readline().decode().split()
        yield process, Address(int(url.rpartition(":")[2]), token, ssl.create_default_context(cafile=ca), float(time_s))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Record:
    """What all the servers together have told."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.answered: dict[int, Told] = {}
        self.unanswered = 0
        self.seen: dict[int, Told] = {}
        self.deletions_answered: list[str] = []
        """Uids, for that is what the answer tells."""
        self.deletions_seen: list[str] = []
        self.since = 0
        self.number = 0

    def next(self) -> str:
        with self.lock:
            self.number += 1
            return str(self.number)

    def highest(self) -> int:
        return max((*self.answered, *self.seen), default=0)

    def answer(self, kind: str, obj: Object, highest_before: int) -> None:
        revision = int(obj["metadata"]["resourceVersion"])
        told = Told(kind, obj["metadata"]["name"], obj["data"]["text"])
        with self.lock:
            assert revision > highest_before, "no revision is used twice"
            assert self.answered.setdefault(revision, told) == told

    def see(self, event: Object) -> None:
        metadata = event["object"]["metadata"]
        revision = int(metadata["resourceVersion"])
        assert revision > self.since, "a watch repeats nothing"
        self.since = revision
        if event["type"] != "BOOKMARK":
            self.seen[revision] = Told(event["type"], metadata["name"], event["object"]["data"]["text"])
        if event["type"] == "DELETED":
            self.deletions_seen.append(metadata["uid"])


def write(address: Address, record: Record, writer: int, highest_before: int) -> None:
    """Create, change and delete config maps by turns, until the server has gone."""
    connection = address.connect()

    def ask(method: str, path: str, body: Json = None, kind: str = "application/json") -> tuple[int, Object]:
        connection.request(method, path, json.dumps(body) if body is not None else None, {**address.headers, "Content-Type": kind})
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    try:
        while True:
            name = f"w{writer}"
            for i in range(5):
                text = record.next()
                status, obj = ask("PATCH", f"{PATH}/{name}", {"data": {"text": text}}, "application/merge-patch+json")
                kind = "MODIFIED"
                if status == 404:
                    status, obj = ask("POST", PATH, {"metadata": {"name": name, "labels": {"crash": ""}}, "data": {"text": text}})
                    kind = "ADDED"
                assert status in (200, 201), obj
                record.answer(kind, obj, highest_before)
                status, obj = ask("PATCH", f"{PATH}/shared", {"data": {"text": f"{text}.{i}"}}, "application/merge-patch+json")
                assert status == 200, obj
                record.answer("MODIFIED", obj, highest_before)
            status, obj = ask("DELETE", f"{PATH}/{name}")
            assert status == 200, obj
            record.deletions_answered.append(obj["details"]["uid"])
    except (OSError, http.client.HTTPException):
        with record.lock:
            record.unanswered += 1
    finally:
        connection.close()


def watch(address: Address, record: Record, until: int | None = None) -> None:
    """Follow the config maps on from where the watch before ended, until the server has gone or the revision is there."""
    connection = address.connect()
    query = f"{PATH}?watch=true&allowWatchBookmarks=true&{QUERY}&resourceVersion={record.since}"
    try:
        connection.request("GET", query if until is None else f"{query}&timeoutSeconds=1", headers=address.headers)
        response = connection.getresponse()
        while line := response.readline():
            if line.endswith(b"\n"):
                event = json.loads(line)
                assert event["type"] != "ERROR", event
                if event["type"] != "BOOKMARK" or int(event["object"]["metadata"]["resourceVersion"]) > record.since:
                    record.see(event)
        response.close()
    except (OSError, http.client.HTTPException):
        assert until is None
    finally:
        connection.close()


def one_life(directory: Path, record: Record, point: str, nth: int, start_s: float) -> float:
    """Start a server at its time, load it until it is killed; its time then."""
    failures: list[BaseException] = []

    def guarded(work: object, *args: object) -> None:
        try:
            work(*args)
        except BaseException as failure:
            failures.append(failure)
            raise

    highest = record.highest()
    with child(directory, point, nth, start_s) as (process, address):
        ready_at_s = stopwatch()
        threads = [threading.Thread(target=guarded, args=(write, address, record, writer, highest)) for writer in range(WRITERS)]
        threads.append(threading.Thread(target=guarded, args=(watch, address, record)))
        for thread in threads:
            thread.start()
        assert process.wait(60) == -signal.SIGKILL, f"never came to passage {nth} of {point!r}"
        killed_at_s = stopwatch()
        for thread in threads:
            thread.join()
    assert failures == []
    return address.time_s + killed_at_s - ready_at_s


def get(address: Address, path: str) -> Object:
    connection = address.connect()
    connection.request("GET", path, headers=address.headers)
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found


def test_no_answered_write_is_lost_and_no_watch_notices_when_the_server_is_killed(tmp_path: Path):
    record = Record()
    with child(tmp_path, NEVER, 1) as (_, address):
        connection = address.connect()
        shared = {"metadata": {"name": "shared", "labels": {"crash": ""}}, "data": {"text": "0"}}
        connection.request("POST", PATH, json.dumps(shared), address.headers)
        created = json.loads(connection.getresponse().read())
        connection.close()
        record.since = int(created["metadata"]["resourceVersion"])
        record.seen[record.since] = Told("ADDED", "shared", "0")

    time_s = address.time_s
    for point, nth in ROUNDS:
        time_s = one_life(tmp_path, record, point, nth, time_s)

    with child(tmp_path, NEVER, 1, time_s) as (_, address):
        listed = get(address, f"{PATH}?{QUERY}")
        watch(address, record, int(listed["metadata"]["resourceVersion"]))

    lost: list[Json] = [revision for revision, told in record.answered.items() if record.seen.get(revision) != told]
    lost += [uid for uid in record.deletions_answered if uid not in record.deletions_seen]
    print(
        f"\nkills {len(ROUNDS)}, writes answered {len(record.answered) + len(record.deletions_answered)}, cut off {record.unanswered}, "
        f"events seen {len(record.seen)}, answered and lost {len(lost)}"
    )
    assert lost == []
    state: dict[str, int] = {}
    for revision, told in record.seen.items():
        assert (told.kind == "ADDED") == (told.name not in state), "no event is lost and none comes twice"
        state[told.name] = revision
        if told.kind == "DELETED":
            del state[told.name]
    assert {item["metadata"]["name"]: int(item["metadata"]["resourceVersion"]) for item in listed["items"]} == state
