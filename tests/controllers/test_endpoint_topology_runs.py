"""Endpoints tell in which zone they are, and whom they should serve where a service wants its traffic to stay near."""

import pytest

from svcsim.meta.objects import name_of
from svcsim.meta.types import Json, Object
from tests.calls import work_in
from tests.controllers.running import Running, running

ZONE = "topology.kubernetes.io/zone"
CONTAINERS = [{"name": "main", "image": "nginx:1"}]
PODS = 3


def service(name: str = "web", **spec: Json) -> Object:
    return {"metadata": {"name": name}, "spec": {"selector": {"app": name}, "ports": [{"port": 80}], **spec}}


def pod(name: str, app: str = "web", **spec: Json) -> Object:
    return {"metadata": {"name": name, "labels": {"app": app}}, "spec": {"containers": CONTAINERS, **spec}}


class Topology:
    """What the endpoints of a service tell of where they are."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.nodes = run.client.resource("v1", "nodes")
        self.services = run.client.resource("v1", "services", "default")
        self.slices = run.client.resource("discovery.k8s.io/v1", "endpointslices", "default")

    async def until(self, *expected: Object, name: str = "web") -> None:
        """Wait until the endpoints of a service tell this beside the node that they are at, in the order of their nodes."""

        def holds(items: list[Object]) -> bool:
            slices = [one for one in items if name_of(one).startswith(f"{name}-")]
            found = [each for one in slices for each in one.get("endpoints") or () if each["conditions"]["ready"]]
            found.sort(key=lambda each: each["nodeName"])
            return [{field: each[field] for field in ("zone", "hints") if field in each} for each in found] == list(expected)

        await self.run.until(holds, self.slices)

    async def move(self, node: str, zone: str | None) -> None:
        await self.run.until(lambda items: any(name_of(one) == node for one in items), self.nodes)
        await self.nodes.patch(node, {"metadata": {"labels": {ZONE: zone}}})


@pytest.mark.virtual_time
async def test_the_zone_of_an_endpoint_is_its_node_s_whenever_that_changes():
    async with running(nodes=2) as run:
        seen = Topology(run)
        await seen.services.create(service())
        await run.pods.create(pod("a", nodeName="node-1"))
        (node, _) = await run.until(lambda items: len(items) == 2, seen.nodes)
        await seen.until({"zone": node["metadata"]["labels"][ZONE]})
        await seen.move("node-1", "elsewhere")
        await seen.until({"zone": "elsewhere"})
        await seen.move("node-1", None)
        await seen.until({})
        await seen.move("node-1", "back")
        await seen.until({"zone": "back"})


@pytest.mark.virtual_time
async def test_a_node_that_comes_after_its_pods_tells_their_zone_and_takes_it_along():
    async with running(nodes=0, controllers=("*", "-node-lifecycle-controller", "-pod-garbage-collector-controller")) as run:
        seen = Topology(run)
        await seen.services.create(service())
        await run.pods.create(pod("a", nodeName="late"))
        ready = {"phase": "Running", "podIP": "10.0.0.1", "conditions": [{"type": "Ready", "status": "True"}]}
        await run.pods.patch("a", {"status": ready}, subresource="status")
        await seen.until({})
        late = {"metadata": {"name": "late", "labels": {ZONE: "far"}}}
        await seen.nodes.create(late)
        await seen.until({"zone": "far"})
        await seen.nodes.delete("late")
        await seen.until({})


@pytest.mark.virtual_time
async def test_endpoints_have_the_hints_that_their_service_asks_for():
    async with running(nodes=2) as run:
        seen = Topology(run)
        for number in (1, 2):
            await seen.move(f"node-{number}", f"zone-{number}")
            await run.pods.create(pod(f"pod-{number}", nodeName=f"node-{number}"))
        await seen.services.create(service())
        zones = [{"zone": f"zone-{number}"} for number in (1, 2)]
        for_zones = [{**one, "hints": {"forZones": [{"name": one["zone"]}]}} for one in zones]
        for_nodes = [{**one, "hints": {**one["hints"], "forNodes": [{"name": f"node-{at}"}]}} for at, one in enumerate(for_zones, 1)]
        for distribution, expected in (
            (None, zones),
            ("PreferClose", for_zones),
            ("PreferSameNode", for_nodes),
            ("PreferSameZone", for_zones),
        ):
            await seen.services.patch("web", {"spec": {"trafficDistribution": distribution}})
            await seen.until(*expected)
        await seen.services.patch("web", {"metadata": {"annotations": {"service.kubernetes.io/topology-mode": "Auto"}}})
        await seen.until(*for_zones)
        await seen.services.patch("web", {"metadata": {"annotations": {"service.kubernetes.io/topology-mode": "Disabled"}}})
        await seen.until(*for_zones)
        await seen.move("node-2", None)
        await seen.until(for_zones[0], {})
        await seen.services.patch("web", {"spec": {"trafficDistribution": "PreferSameNode"}})
        await seen.until(for_nodes[0], {"hints": {"forNodes": [{"name": "node-2"}]}})


@pytest.mark.virtual_time
async def test_an_endpoint_that_is_not_ready_has_no_hints():
    async with running(nodes=1) as run:
        seen = Topology(run)
        await seen.services.create(service(trafficDistribution="PreferSameNode"))
        gate = [{"conditionType": "example.com/never"}]
        await run.pods.create(pod("a", readinessGates=gate))

        def told(items: list[Object]) -> list[Object]:
            return [each for one in items if name_of(one).startswith("web-") for each in one.get("endpoints") or ()]

        (only,) = told(await run.until(lambda items: bool(told(items)), seen.slices))
        assert (only["conditions"]["ready"], "hints" in only, bool(only["zone"])) == (False, False, True)


async def looked_at(run: Running, seen: Topology, labels: Object) -> int:
    """How many services are looked at when a node's labels change."""
    with work_in("/controllers/endpoints/") as found:
        await seen.nodes.patch("node-1", {"metadata": {"labels": labels}})
        await run.clock.sleep(30)
    assert "_services_of_node" in found
    return found.count("families_of")


@pytest.mark.virtual_time
async def test_no_change_of_a_node_but_its_zone_s_has_services_looked_at_and_that_only_those_of_its_pods():
    async with running(nodes=2) as run:
        seen = Topology(run)
        for number in range(PODS):
            await seen.services.create(service(f"app-{number}"))
            await run.pods.create(pod(f"pod-{number}", f"app-{number}", nodeName="node-1" if number == 0 else "node-2"))
        await run.clock.sleep(60)
        assert await looked_at(run, seen, {"other": "label"}) == 0
        assert await looked_at(run, seen, {ZONE: "elsewhere"}) in (1, 2), "and once more when the slice has come"
