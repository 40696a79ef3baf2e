"""However a request is made, it leaves the event loop free for others.

``python -m tests.server.test_turns`` prints the figures; what they are stands in `tests.turns`.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.cluster.process import tune_process
from svcsim.meta.http import Response
from svcsim.meta.types import Object
from svcsim.storage.store import LmdbStore
from tests.kinds.helpers import KINDS
from tests.server.conftest import Server
from tests.turns import MOST_UNITS, MeasuredLoop, unit_s, units

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
YAML = "application/yaml"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
SCALERS = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PROTOBUF = "application/vnd.kubernetes.protobuf"
FORMS = ("", "pretty", YAML, TABLE, PROTOBUF)
Attack = Callable[[Server], Awaitable[object]]


def encoded(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


class Step(NamedTuple):
    """One request, and how it has to end: what is refused too early attacks nothing."""

    verb: str
    path: str
    body: object = None
    media: str = "application/json"
    status: int = 200


def in_turn(*steps: Step) -> Attack:
    async def attack(server: Server) -> None:
        for step in steps:
            await answered(server, step)

    return attack


async def answered(server: Server, step: Step) -> Response:
    """The answer to a request that is put together elsewhere: what is measured is the server."""
    body = step.body if isinstance(step.body, bytes) else b"" if step.body is None else await asyncio.to_thread(encoded, step.body)
    answer = await server.ask(step.verb, step.path, body, content_type=step.media)
    assert answer.status == step.status, answer.body[:300]
    return answer


def posted(body: object, media: str = "application/json", path: str = MAPS, status: int = 413) -> Attack:
    return in_turn(Step("POST", path, body, media, status))


def patched(patch: object, media: str, data: object, query: str = "", status: int = 200) -> Attack:
    return in_turn(Step("POST", MAPS, config_map(data), status=201), Step("PATCH", f"{MAPS}/a{query}", patch, media, status))


def config_map(data: object) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def pod(containers: object, **spec: object) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": containers, **spec}}


def read_in_forms(path: str, body: object) -> Attack:
    """One large object, read alone, in a list and in a watch, in every form there is."""

    async def attack(server: Server) -> None:
        await answered(server, Step("POST", path, body, status=201))
        for form in FORMS:
            pretty, accept = ("pretty=1", "") if form == "pretty" else ("", form)
            for asked in (f"{path}/a?{pretty}", f"{path}?{pretty}"):
                assert (await server.ask("GET", asked, accept=accept)).status == 200
            await read(await server.ask("GET", f"{path}?watch=1&{pretty}", accept=accept), 1)

    return attack


async def sent_as_protobuf(server: Server) -> None:
    await answered(server, Step("POST", MAPS, config_map(MANY_KEYS), status=201))
    answer = await server.ask("GET", f"{MAPS}/a", accept=PROTOBUF)
    for _ in range(2):
        await answered(server, Step("PUT", f"{MAPS}/a", answer.body, PROTOBUF, 200))
        answer = await server.ask("GET", f"{MAPS}/a", accept=PROTOBUF)


async def collection_deleted(server: Server) -> None:
    for number in range(2_000):
        await server.create(MAPS, f"m{number}")
    assert (await server.ask("DELETE", f"{MAPS}?dryRun=All")).status == 200
    assert (await server.ask("DELETE", MAPS)).status == 200


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
    """So many events of a watch, or something of one in binary, and its end."""
    lines = 0
    async for piece in answer.stream:
        lines += piece.count(b"\n")
        if lines >= events or answer.content_type.startswith(PROTOBUF):
            break
    await answer.stream.aclose()


MANY_KEYS = {f"k{number}": "" for number in range(40_000)}
MANY_VARIABLES = [{"name": f"k{number}"} for number in range(20_000)]
MANY_CONTAINERS = [{"name": f"c{number}", "image": "a"} for number in range(6_000)]
MANY_TOLERATIONS = [{"key": f"k{number}", "operator": "Exists"} for number in range(12_000)]
MANY_MANAGERS = [
    {"manager": f"m{n}", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {f"f:k{n}": {}}}}
    for n in range(9_000)
]
SCALER = {
    "apiVersion": "autoscaling/v1",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "a", "annotations": {f"k{number}": "" for number in range(20_000)}},
    "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "a"}},
}
LABELS = ",".join(f"l{number}!=a" for number in range(5_000))
FIELDS = ",".join(["metadata.name!=q"] * 5_000)
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

ATTACKS: dict[str, Attack] = {
    "nested anchors": posted(f"{HEAD}x: {''.join(f'&a{n} [' for n in range(190))}{'1,' * 1_400_000}{']' * 190}\n".encode(), YAML),
    "long YAML list": posted(f"{HEAD}x: [{'1,' * 1_500_000}]\n".encode(), YAML),
    "YAML of many keys": posted((HEAD + "data:\n" + "".join(f" k{number}: a\n" for number in range(40_000))).encode(), YAML, status=201),
    "wide JSON": posted({"metadata": {"name": "a"}, "x": [{}] * 900_000}),
    "JSON of many strings": posted(config_map({f"k{number}": "" for number in range(230_000)})),
    "deep JSON": posted(b'{"metadata":{"name":"a"},"x":[' + b",".join([b"[" * 190 + b"]" * 190] * 7_500) + b"]}"),
    "as deep as may be": posted(b'{"metadata":{"name":"a"},"x":[' + b",".join([b"[" * 190 + b"]" * 190] * 500) + b"]}", status=201),
    "keys that stand twice": posted(b'{"metadata":{"name":"a"},"x":[' + b",".join([b'{"a":1,"a":2}'] * 30_000) + b"]}", status=201),
    "many bad owners": posted({"metadata": {"name": "a", "ownerReferences": [{}] * 40_000}}, status=422),
    "many bad containers": posted({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}] * 40_000}}, path=PODS, status=422),
    "too many containers": posted(pod([{"name": f"c{number}", "image": "a"} for number in range(15_000)]), path=PODS),
    "many containers": in_turn(
        Step("POST", PODS, pod(MANY_CONTAINERS), status=201),
        Step("PATCH", f"{PODS}/a", {"spec": {"containers": [{**each, "image": "b"} for each in MANY_CONTAINERS]}}, STRATEGIC_PATCH),
        Step("PATCH", f"{PODS}/a", {"metadata": {"labels": {"a": "b"}}}, MERGE_PATCH),
        Step("DELETE", f"{PODS}/a?gracePeriodSeconds=0"),
    ),
    "many variables": in_turn(
        Step("POST", PODS, pod([{"name": "a", "image": "a", "env": MANY_VARIABLES}]), status=201),
        Step("PATCH", f"{PODS}/a", pod([{"name": "a", "env": MANY_VARIABLES}]), STRATEGIC_PATCH),
        Step("PATCH", f"{PODS}/a?fieldManager=a&force=true", pod([{"name": "a", "image": "a", "env": MANY_VARIABLES}]), APPLY),
        Step("DELETE", f"{PODS}/a?gracePeriodSeconds=0"),
    ),
    "many managers": posted({"metadata": {"name": "a", "managedFields": MANY_MANAGERS}, "data": {"a": "b"}}, status=201),
    "many tolerations": in_turn(
        Step("POST", PODS, pod([{"name": "a", "image": "a"}], tolerations=MANY_TOLERATIONS), status=201),
        Step("PATCH", f"{PODS}/a", [{"op": "add", "path": "/spec/tolerations/0", "value": {"operator": "Exists"}}] * 9_000, JSON_PATCH),
    ),
    "many keys": in_turn(
        Step("POST", MAPS, config_map(MANY_KEYS), status=201),
        Step("PUT", f"{MAPS}/a", config_map({**MANY_KEYS, "x": "y"})),
        Step("PUT", f"{MAPS}/a?dryRun=All", config_map({})),
        Step("DELETE", f"{MAPS}/a", {"preconditions": dict(MANY_KEYS)}),
    ),
    "merge into many keys": patched({"data": {"x": "y"}}, MERGE_PATCH, MANY_KEYS),
    "take many keys away": patched({"data": dict.fromkeys(MANY_KEYS)}, STRATEGIC_PATCH, MANY_KEYS),
    "apply many keys": patched(config_map(MANY_KEYS), APPLY, {}, "?fieldManager=a"),
    "apply many keys in turn": in_turn(
        Step("PATCH", f"{MAPS}/a?fieldManager=a", config_map(MANY_KEYS), APPLY, 201),
        Step("PATCH", f"{MAPS}/a?fieldManager=b", config_map(MANY_KEYS), APPLY),
        Step("PATCH", f"{MAPS}/a?fieldManager=c", config_map(dict.fromkeys(MANY_KEYS, "x")), APPLY, 409),
        Step("PATCH", f"{MAPS}/a?fieldManager=c&force=true", config_map(dict.fromkeys(MANY_KEYS, "x")), APPLY),
        Step("PATCH", f"{MAPS}/a?fieldManager=c", config_map({}), APPLY),
    ),
    "read many keys": read_in_forms(MAPS, config_map(MANY_KEYS)),
    "read many variables": read_in_forms(PODS, pod([{"name": "a", "image": "a", "env": MANY_VARIABLES}])),
    "protobuf of many keys": sent_as_protobuf,
    "another version": in_turn(
        Step("POST", SCALERS, SCALER, status=201),
        Step("PUT", f"{SCALERS}/a", SCALER),
        Step("PATCH", f"{SCALERS}/a?fieldManager=a&force=true", SCALER, APPLY),
        Step("DELETE", f"{SCALERS}/a"),
    ),
    "read another version": read_in_forms(SCALERS, SCALER),
    "delete many": collection_deleted,
    "insert in front": patched(
        [{"op": "add", "path": "/x", "value": [1] * 60_000}, *[{"op": "add", "path": "/x/0", "value": 1}] * 9_000],
        JSON_PATCH,
        {},
    ),
    "move around": patched(
        [
            {"op": "add", "path": "/x", "value": [[n] for n in range(20_000)]},
            *[{"op": "move", "from": "/x", "path": "/y"}, {"op": "move", "from": "/y", "path": "/x"}] * 4_000,
        ],
        JSON_PATCH,
        {},
        status=413,
    ),
    "labels that don't match": listed(f"labelSelector={LABELS}"),
    "fields that don't match": listed(f"fieldSelector={FIELDS}"),
    "watches of labels": watched(f"labelSelector={LABELS}", 20),
}


def longest_turn(attack: Attack) -> float:
    """The longest turn of the loop under an attack, in seconds of processor time."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MeasuredLoop)
        with tempfile.TemporaryDirectory() as directory:
            store = LmdbStore.open(Path(directory) / "store", dialect="kubernetes", durability="none")
            server = Server(store, "kubernetes", KINDS)
            await server.create("/api/v1/namespaces", "default")
            loop.longest_s = 0.0
            await attack(server)
            longest_s = loop.longest_s
            await store.close()
        return longest_s

    with asyncio.Runner(loop_factory=MeasuredLoop) as runner:
        return runner.run(main())


@pytest.mark.skipif(sys.platform != "linux", reason="no processor time of one thread elsewhere")
@pytest.mark.parametrize("name", list(ATTACKS))
@pytest.mark.usefixtures("tuned_process")
def test_no_request_keeps_the_loop_for_long(name: str) -> None:
    assert units(lambda: longest_turn(ATTACKS[name]), MOST_UNITS) < MOST_UNITS


if __name__ == "__main__":
    tune_process()
    for title, each in ATTACKS.items():
        longest, measured_unit = longest_turn(each), unit_s()
        print(f"{title:25} {longest * 1000:7.1f} ms {longest / measured_unit:8.1f} units")
