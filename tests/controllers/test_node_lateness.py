"""Who watches over nodes may be held up as well: that is no silence of theirs."""

from functools import partial

import pytest

from svcsim.controllers.node_lifecycle.controller import NodeLifecycle
from svcsim.meta.errors import internal_error
from svcsim.meta.http import Request
from svcsim.meta.objects import condition_is
from tests.controllers.beside import beside
from tests.controllers.running import Running, running
from tests.living import pod

WITHOUT_ITS_CONTROLLER = ("*", "-node-controller")
HELD_UP_S = 3600.0


def nobody_is_heard(_name: str) -> float | None:
    """Nodes of others say that they are there by what they write, and by nothing else."""


class Theirs:
    """Nodes that aren't simulated: somebody else says of them that they are there."""

    def __init__(self, r: Running) -> None:
        self._clock = r.clock
        self.nodes = r.client.resource("v1", "nodes")
        self._leases = r.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease")

    async def begin(self, name: str, is_ready: str = "True") -> None:
        await self.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        ready = {"type": "Ready", "status": is_ready, "lastHeartbeatTime": self._clock.timestamp()}
        await self.nodes.patch(name, {"status": {"conditions": [ready]}}, subresource="status")
        await self._leases.create({"metadata": {"name": name}, "spec": {"renewTime": self._clock.micro_timestamp()}})

    async def renew(self, name: str) -> None:
        await self._leases.patch(name, {"spec": {"renewTime": self._clock.micro_timestamp()}})

    async def is_ready(self, name: str) -> bool:
        return condition_is(await self.nodes.get(name), "Ready")


@pytest.mark.virtual_time
async def test_nodes_that_could_not_be_heard_while_the_controller_was_held_up_are_not_late():
    """As after a laptop's sleep: all of the machine stood still, and nobody said anything."""
    held_up = 0

    async def before(request: Request) -> None:
        nonlocal held_up
        if request.method == "PATCH" and request.path.endswith("/nodes/silent/status") and not held_up:
            held_up += 1
            await r.clock.sleep(HELD_UP_S)

    watching = partial(NodeLifecycle, heard=nobody_is_heard)
    async with running(nodes=0, controllers=WITHOUT_ITS_CONTROLLER) as r, beside(r, maker=watching, before=before):
        theirs = Theirs(r)
        for name in ("alive", "silent"):
            await theirs.begin(name)
        while not held_up:
            await theirs.renew("alive")
            await r.clock.sleep(10)
        await r.clock.sleep(HELD_UP_S + 10)
        assert not await theirs.is_ready("silent")
        for _ in range(10):
            await theirs.renew("alive")
            await r.clock.sleep(10)
            assert await theirs.is_ready("alive")
        assert [event for event in await r.client.resource("v1", "events").list_all() if event["reason"] == "NodeNotReady"] != []
        assert "NodeNotReady" not in [reason for reason, _ in await r.events_of("alive")]
        await r.clock.sleep(70)
        assert not await theirs.is_ready("alive"), "one that has really fallen silent is late"


@pytest.mark.virtual_time
async def test_pods_that_were_to_be_told_of_by_whoever_watched_before_are_not_ready_and_new_nodes_pods_are_not_asked_for():
    asked: list[str] = []

    async def before(request: Request) -> None:
        if request.method == "GET" and "spec.nodeName" in request.query:
            asked.append(request.query)

    async with running(nodes=0, controllers=WITHOUT_ITS_CONTROLLER) as r:
        theirs = Theirs(r)
        await theirs.begin("old", "Unknown")
        await r.pods.create(pod("web", nodeName="old"))
        await r.pods.patch(
            "web", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}, subresource="status"
        )
        async with beside(r, maker=partial(NodeLifecycle, heard=nobody_is_heard), before=before):
            await r.clock.sleep(1)
            assert not condition_is(await r.pods.get("web"), "Ready")
            await theirs.begin("new", "False")
            await r.clock.sleep(6)
            (taint,) = (await theirs.nodes.get("new"))["spec"]["taints"]
            assert (taint["key"], len(asked)) == ("node.kubernetes.io/not-ready", 1)


@pytest.mark.virtual_time
async def test_taints_are_changed_once_however_late_that_is_seen():
    changed: list[str] = []

    async def before(request: Request) -> None:
        if request.method == "PATCH" and request.path.endswith("/nodes/theirs"):
            changed.append(request.path)

    watching = partial(NodeLifecycle, heard=nobody_is_heard)
    async with running(nodes=0, controllers=WITHOUT_ITS_CONTROLLER) as r:
        theirs = Theirs(r)
        await theirs.begin("theirs")
        assert (await theirs.nodes.get("theirs"))["spec"]["taints"]
        async with beside(r, maker=watching, behind_s={"nodes": 2.0}, before=before):
            await r.clock.sleep(20)
        assert "taints" not in (await theirs.nodes.get("theirs"))["spec"]
        assert len(changed) == 1


@pytest.mark.virtual_time
async def test_a_node_that_goes_before_it_was_looked_at_is_no_trouble(caplog: pytest.LogCaptureFixture):
    async def before(request: Request) -> None:
        if request.method == "PATCH" and request.path.endswith("/nodes/first") and await theirs.nodes.find("second"):
            await theirs.nodes.delete("second")
            await r.clock.sleep(0.1)

    watching = partial(NodeLifecycle, heard=nobody_is_heard)
    async with running(nodes=0, controllers=WITHOUT_ITS_CONTROLLER) as r:
        theirs = Theirs(r)
        await theirs.begin("first")
        await theirs.begin("second")
        async with beside(r, maker=watching, before=before):
            await r.clock.sleep(10)
        assert await theirs.nodes.find("second") is None
        assert "taints" not in (await theirs.nodes.get("first"))["spec"]
    assert [record.message for record in caplog.records if record.exc_info] == []


@pytest.mark.virtual_time
async def test_an_eviction_that_fails_is_tried_again_though_nobody_says_anything_meanwhile():
    refused: list[str] = []

    async def before(request: Request) -> None:
        if request.method == "PATCH" and b"NoExecute" in request.body and len(refused) < 2:
            refused.append(request.path)
            raise internal_error("the store has a bad day")

    watching = partial(NodeLifecycle, heard=lambda _name: r.clock.now())
    async with running(nodes=0, controllers=WITHOUT_ITS_CONTROLLER) as r, beside(r, maker=watching, before=before):
        theirs = Theirs(r)
        await theirs.begin("well")
        await theirs.begin("unwell", "False")
        await r.clock.sleep(40)
        assert [taint["effect"] for taint in (await theirs.nodes.get("unwell"))["spec"]["taints"]] == ["NoSchedule", "NoExecute"]
        assert len(refused) == 2
