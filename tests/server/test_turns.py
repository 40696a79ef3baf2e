"""However a request is made, it leaves the event loop free for others.

What is measured is the processor time that the loop's own thread spends between two looks at what else is to be done, beside a piece of
work of known size done on the same thread: neither a busy machine nor a slow one changes the proportion much. ``python -m
tests.server.test_turns`` prints the figures.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from svcsim.cluster.process import tune_process
from svcsim.meta.http import Response
from svcsim.storage.store import LmdbStore
from tests.server.conftest import Server

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
YAML = "application/yaml"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
MOST_UNITS = 25.0
"""A unit takes some five milliseconds; the attacks below once took hundreds to tens of thousands of them."""

Attack = Callable[[Server], Awaitable[object]]


def spent_s() -> float:
    """Processor time of this thread."""
    return time.thread_time()


def unit_s() -> float:
    """Processor time that a fixed piece of work takes here."""
    times = []
    for _ in range(5):
        started = spent_s()
        sum([len({number: str(number)}) for number in range(20_000)])
        times.append(spent_s() - started)
    return min(times)


class MeasuredLoop(asyncio.SelectorEventLoop):
    """A loop that knows its longest turn."""

    longest_s = 0.0

    def _run_once(self) -> None:
        started = spent_s()
        super()._run_once()
        self.longest_s = max(self.longest_s, spent_s() - started)


def encoded(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def posted(body: bytes, media: str = "application/json", path: str = MAPS) -> Attack:
    return lambda server: server.ask("POST", path, body, content_type=media)


def patched(patch: object, media: str, data: object = None, query: str = "") -> Attack:
    async def attack(server: Server) -> None:
        if data is not None:
            created = await server.ask("POST", MAPS, encoded({"metadata": {"name": "a"}, "data": data}))
            assert created.status == 201
        await server.ask("PATCH", f"{MAPS}/a{query}", encoded(patch), content_type=media)

    return attack


def replaced(data: dict[str, str]) -> Attack:
    async def attack(server: Server) -> None:
        for verb, path in (("POST", MAPS), ("PUT", f"{MAPS}/a")):
            answer = await server.ask(verb, path, encoded({"metadata": {"name": "a"}, "data": {**data, verb: verb}}))
            assert answer.status in (200, 201)

    return attack


def listed(query: str) -> Attack:
    async def attack(server: Server) -> None:
        for number in range(200):
            await server.create(MAPS, f"m{number}", labels={"app": "a"})
        answer = await server.ask("GET", f"{MAPS}?{query}")
        assert answer.status == 200

    return attack


def watched(query: str, watchers: int) -> Attack:
    """Many watches with a selector, and changes for them to look at."""

    async def attack(server: Server) -> None:
        await server.create(MAPS, "a", labels={"app": "a"})
        answers = [await server.ask("GET", f"{MAPS}?watch=1&{query}") for _ in range(watchers)]
        reading = [asyncio.create_task(read(answer, 4)) for answer in answers]
        for number in range(3):
            await server.create(MAPS, f"m{number}", labels={"app": "a"})
        await asyncio.gather(*reading)

    return attack


async def read(answer: Response, events: int) -> None:
    """So many events of a watch, and its end."""
    lines = 0
    async for piece in answer.stream:
        lines += piece.count(b"\n")
        if lines >= events:
            break
    await answer.stream.aclose()


MANY_KEYS = {f"k{number}": "" for number in range(60_000)}
LABELS = ",".join(f"l{number}!=a" for number in range(60_000))
FIELDS = ",".join(["metadata.name!=q"] * 40_000)
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

ATTACKS: dict[str, Attack] = {
    "nested anchors": posted(f"{HEAD}x: {''.join(f'&a{n} [' for n in range(190))}{'1,' * 1_400_000}{']' * 190}\n".encode(), YAML),
    "long YAML list": posted(f"{HEAD}x: [{'1,' * 1_500_000}]\n".encode(), YAML),
    "YAML of many keys": posted((HEAD + "data:\n" + "".join(f" k{number}: a\n" for number in range(40_000))).encode(), YAML),
    "wide JSON": posted(encoded({"metadata": {"name": "a"}, "x": [{}] * 900_000})),
    "deep JSON": posted(b'{"metadata":{"name":"a"},"x":[' + b",".join([b"[" * 190 + b"]" * 190] * 7_500) + b"]}"),
    "as deep as may be": posted(b'{"metadata":{"name":"a"},"x":[' + b",".join([b"[" * 190 + b"]" * 190] * 500) + b"]}"),
    "keys that stand twice": posted(b'{"metadata":{"name":"a"},"x":[' + b",".join([b'{"a":1,"a":2}'] * 30_000) + b"]}"),
    "many bad owners": posted(encoded({"metadata": {"name": "a", "ownerReferences": [{}] * 40_000}})),
    "many containers": posted(encoded({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}] * 40_000}}), path=PODS),
    "many keys": replaced(MANY_KEYS),
    "merge into many keys": patched({"data": {"x": "y"}}, "application/merge-patch+json", MANY_KEYS),
    "apply many keys": patched(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": MANY_KEYS}, APPLY, {}, "?fieldManager=a"
    ),
    "insert in front": patched(
        [{"op": "add", "path": "/x", "value": [1] * 60_000}, *[{"op": "add", "path": "/x/0", "value": 1}] * 9_000], JSON_PATCH, {}
    ),
    "move around": patched(
        [
            {"op": "add", "path": "/x", "value": [[n] for n in range(20_000)]},
            *[{"op": "move", "from": "/x", "path": "/y"}, {"op": "move", "from": "/y", "path": "/x"}] * 4_000,
        ],
        JSON_PATCH,
        {},
    ),
    "labels that don't match": listed(f"labelSelector={LABELS}"),
    "fields that don't match": listed(f"fieldSelector={FIELDS}"),
    "watches of labels": watched(f"labelSelector={LABELS[:40_000].rpartition(',')[0]}", 20),
}


def longest_turn(attack: Attack) -> tuple[float, float]:
    """The longest turn of the loop under an attack, in seconds of processor time, and what a unit takes."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MeasuredLoop)
        with tempfile.TemporaryDirectory() as directory:
            store = LmdbStore.open(Path(directory) / "store", dialect="kubernetes", durability="none")
            server = Server(store, "kubernetes")
            await server.create("/api/v1/namespaces", "default")
            loop.longest_s = 0.0
            await attack(server)
            longest_s = loop.longest_s
            await store.close()
        return longest_s

    with asyncio.Runner(loop_factory=MeasuredLoop) as runner:
        return runner.run(main()), unit_s()


@pytest.fixture
def _short_thread_turns() -> object:
    """Threads take turns as in a server's process."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    yield
    sys.setswitchinterval(before)


@pytest.mark.skipif(sys.platform != "linux", reason="no processor time of one thread elsewhere")
@pytest.mark.parametrize("name", list(ATTACKS))
@pytest.mark.usefixtures("_short_thread_turns")
def test_no_request_keeps_the_loop_for_long(name: str) -> None:
    longest_s, unit = longest_turn(ATTACKS[name])
    assert longest_s / unit < MOST_UNITS, f"{longest_s * 1000:.0f} ms, where a unit takes {unit * 1000:.2f} ms"


if __name__ == "__main__":
    tune_process()
    for title, each in ATTACKS.items():
        longest, measured_unit = longest_turn(each)
        print(f"{title:25} {longest * 1000:7.1f} ms {longest / measured_unit:8.1f} units")
