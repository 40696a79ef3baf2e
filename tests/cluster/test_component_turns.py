"""Whatever an object holds, the components of the cluster that work on it leave the event loop free for others.

The cluster is whole and in the time of the machine; the figures are those of `tests.turns`.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import NamedTuple

import pytest

from svcsim.client.api import Collection
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition, name_of
from svcsim.meta.types import Object
from tests.turns import MeasuredLoop, tuned, unit_s, units

NODES = 120
MOST_UNITS = 15.0
"""What one object brings is taken in in one go; taken in, it was once worked on for hundreds of units and more."""

NAME = "marked"
"""In whatever is to be different in each measurement: the second time nobody may know anything of it."""

Holds = Callable[[list[Object]], bool]


def owned(count: int) -> Object:
    owners = [{"apiVersion": "v1", "kind": "ConfigMap", "name": f"{NAME}-{n}", "uid": f"{NAME}-{n}"} for n in range(count)]
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "ownerReferences": owners}}


def pod(**spec: object) -> Object:
    containers = [{"name": "a", "image": "a"}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": NAME}, "spec": {"containers": containers, **spec}}


def affinity(kind: str, **terms: object) -> Object:
    return pod(affinity={kind: terms})


def expressions(number: int) -> Object:
    return {"matchExpressions": [{"key": "a", "operator": "In", "values": [f"{NAME}-{number}"]}]}


def pod_term(number: int) -> Object:
    return {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": f"{NAME}-{number}"}}}


def spread(number: int, wanted: str) -> Object:
    return {"maxSkew": 1, "topologyKey": f"{NAME}-{number}", "whenUnsatisfiable": wanted, "labelSelector": {"matchLabels": {"a": "b"}}}


def gone(items: list[Object]) -> bool:
    return not any(name_of(item).startswith(NAME) for item in items)


def begun(items: list[Object]) -> bool:
    """Whether a node has written the state of a pod's containers."""
    return any((item.get("status") or {}).get("containerStatuses") for item in items)


def scheduled(status: str) -> Holds:
    return lambda items: any((condition(item, "PodScheduled") or {}).get("status") == status for item in items)


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

TAINTS = 4_000
TAINTED = f"{NAME}-node"


def tainted() -> Object:
    taints = [{"key": f"{NAME}-{n}", "effect": "NoExecute"} for n in range(TAINTS)]
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": TAINTED}, "spec": {"taints": taints}}


def tolerant() -> Object:
    """It tolerates all of them but the last."""
    return pod(nodeName=TAINTED, tolerations=[{"key": f"{NAME}-{n}", "operator": "Exists"} for n in range(TAINTS - 1)])


def driven_out(items: list[Object]) -> bool:
    return gone(items) or any(condition(item, "DisruptionTarget") for item in items)


class Work(NamedTuple):
    """An object to create, when its work is done, and the node that it needs."""

    plural: str
    obj: Object
    holds: Holds
    node: Object | None = None


WORK: dict[str, Work] = {
    "owners": Work("configmaps", owned(6_000), gone),
    "containers": Work("pods", pod(containers=[{"name": f"{NAME}-{n}", "image": "a"} for n in range(2_000)]), begun),
    "commands": Work("pods", pod(containers=[{"name": "a", "image": "a", "command": ["sh", "-c", f": {NAME};" + ":;" * 4_000]}]), begun),
    "substitutions": Work(
        "pods", pod(containers=[{"name": "a", "image": "a", "command": ["sh", "-c", f": {NAME} " + "$(a)" * 2_000]}]), begun
    ),
    "words": Work("pods", pod(containers=[{"name": "a", "image": "a", "command": ["sh", "-c", f": {NAME} " + "a " * 4_000]}]), begun),
    "node affinity": Work(
        "pods",
        affinity("nodeAffinity", **{REQUIRED: {"nodeSelectorTerms": [expressions(n) for n in range(5_000)]}}),
        scheduled("False"),
    ),
    "preferred node affinity": Work(
        "pods",
        affinity("nodeAffinity", **{PREFERRED: [{"weight": 1, "preference": expressions(n)} for n in range(5_000)]}),
        scheduled("True"),
    ),
    "pod affinity": Work("pods", affinity("podAffinity", **{REQUIRED: [pod_term(n) for n in range(4_000)]}), scheduled("False")),
    "pod anti-affinity": Work("pods", affinity("podAntiAffinity", **{REQUIRED: [pod_term(n) for n in range(4_000)]}), scheduled("True")),
    "preferred pod affinity": Work(
        "pods",
        affinity("podAffinity", **{PREFERRED: [{"weight": 1, "podAffinityTerm": pod_term(n)} for n in range(4_000)]}),
        scheduled("True"),
    ),
    "spread": Work("pods", pod(topologySpreadConstraints=[spread(n, "DoNotSchedule") for n in range(4_000)]), scheduled("False")),
    "preferred spread": Work("pods", pod(topologySpreadConstraints=[spread(n, "ScheduleAnyway") for n in range(4_000)]), scheduled("True")),
    "taints and tolerations": Work("pods", tolerant(), driven_out, tainted()),
}


async def until(collection: Collection, holds: Holds) -> None:
    """Wait for something to hold of the objects of a collection."""
    while True:
        page = await collection.list()
        if holds(page.items):
            return
        async with collection.watch(page.revision, bookmarks=False) as events:
            async for _ in events:
                break


class Measured:
    """A cluster whose loop knows its longest turn: it stands still between two measurements."""

    def __init__(self, runner: asyncio.Runner, cluster: Cluster) -> None:
        self._runner = runner
        self._client = cluster.client("user")
        self._measured = 0

    def longest_turn(self, work: Work) -> float:
        """The longest turn, in seconds of processor time, until what is to come of an object has come of it."""
        return self._runner.run(self._work_on(work))

    async def _work_on(self, work: Work) -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MeasuredLoop)
        self._measured += 1
        obj, node = (one and self._marked(one) for one in (work.obj, work.node))
        nodes, collection = self._client.resource("v1", "nodes"), self._client.resource("v1", work.plural, "default")
        if node is not None:
            await nodes.create(node)
        loop.longest_s = 0.0
        await collection.create(obj)
        await loop.uncounted(until(collection, work.holds))
        longest_s = loop.longest_s
        with suppress(StatusError):  # it may be gone by itself
            await collection.delete(name_of(obj), grace_period_s=0)
        await until(collection, gone)
        if node is not None:
            await nodes.delete(name_of(node))
        return longest_s

    def _marked(self, obj: Object) -> Object:
        found: Object = json.loads(json.dumps(obj).replace(NAME, f"{NAME}{self._measured}"))
        return found


@contextmanager
def measured() -> Iterator[Measured]:
    """One that is whole: its nodes are there, and what pods need."""
    with tuned(), asyncio.Runner(loop_factory=MeasuredLoop) as runner:
        opened = AsyncExitStack()

        async def open_it() -> Cluster:
            cluster = await opened.enter_async_context(open_cluster(ClusterSpec(dialect="kubernetes", nodes=NODES)))
            client = cluster.client("user")
            await until(client.resource("v1", "nodes"), lambda items: len(items) == NODES)
            await until(client.resource("v1", "serviceaccounts", "default"), bool)
            return cluster

        cluster = runner.run(open_it())
        try:
            yield Measured(runner, cluster)
        finally:
            runner.run(opened.aclose())


@pytest.fixture(scope="module")
def cluster() -> Iterator[Measured]:
    with measured() as found:
        yield found


@pytest.mark.skipif(sys.platform != "linux", reason="no processor time of one thread elsewhere")
@pytest.mark.parametrize("name", list(WORK))
def test_no_object_keeps_the_loop_for_long(name: str, cluster: Measured) -> None:
    assert units(lambda: cluster.longest_turn(WORK[name]), MOST_UNITS) < MOST_UNITS


if __name__ == "__main__":
    with measured() as shown:
        for title, each in WORK.items():
            longest, measured_unit = shown.longest_turn(each), unit_s()
            print(f"{title:25} {longest * 1000:7.1f} ms {longest / measured_unit:8.1f} units")
