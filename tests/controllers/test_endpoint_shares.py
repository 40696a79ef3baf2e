"""Zones have shares of a service's endpoints by the CPU that their nodes have, unless one zone's endpoints would have too much to do."""

from fractions import Fraction

import pytest

from svcsim.controllers.endpoints.shares import NoSharesError, cpu_of_zones, share_out
from svcsim.controllers.endpoints.words import endpoint_words
from svcsim.dialect import DIALECTS
from svcsim.meta.types import Json, Object
from tests.controllers.running import running
from tests.controllers.test_endpoint_topology_runs import ZONE, Topology, pod, service

WORDS = endpoint_words(DIALECTS["kubernetes"])
MODE, HINTS = "service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"
UNKNOWN = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"


EQUAL = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
CONTROL_PLANE = {"node-role.kubernetes.io/control-plane": ""}


def node(zone: str = "", cpu: str = "", *, ready: str = "True", **labels: str) -> Object:
    allocatable = {"cpu": cpu} if cpu else {}
    labels |= {ZONE: zone} if zone else {}
    return {"metadata": {"labels": labels}, "status": {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": ready}]}}


@pytest.mark.parametrize(
    ("nodes", "ratios"),
    [
        ([node("a", "2"), node("b", "500m"), node("a", "1500m")], {"a": Fraction(7, 8), "b": Fraction(1, 8)}),
        ([node("a", "2"), node("b", "2"), node("b", "9", ready="Unknown")], EQUAL),
        (
            [node("a", "2"), node("b", "2"), node("c", "9", **CONTROL_PLANE)],
            {"a": Fraction(1, 2), "b": Fraction(1, 2)},
        ),
        ([node("a", "2"), node("a", "2")], {}),
        ([node("a", "2"), node("b", "2"), node("", "2")], {}),
        ([node("a", "2"), node("b", "2"), node("b")], {}),
        ([], {}),
    ],
)
def test_zones_are_worth_what_cpu_their_ready_nodes_have(nodes: list[Object], ratios: dict[str, Fraction]):
    assert cpu_of_zones(nodes, WORDS) == ratios


@pytest.mark.parametrize(
    ("cpu", "at", "hints"),
    [
        ({"a": 1, "b": 1}, "ab", "ab"),
        ({"a": 1, "b": 1}, "aabb", "aabb"),
        ({"a": 1, "b": 1}, "aaaa", "bbaa"),
        ({"a": 3, "b": 1}, "abbb", "aaab"),
        ({"a": 1, "b": 1, "c": 1}, "aaaaab", "cbcaab"),
        ({"a": 1, "b": 1}, "aaxx", "aaxx"),
    ],
)
def test_zones_give_what_they_have_too_many_of(cpu: dict[str, int], at: str, hints: str):
    endpoints: list[Object] = [{"zone": zone} for zone in at]
    share_out(endpoints, {zone: Fraction(one, sum(cpu.values())) for zone, one in cpu.items()})
    found = [endpoint["hints"]["forZones"] for endpoint in endpoints]
    assert sorted(one["name"] for (one,) in found) == sorted(hints)


@pytest.mark.parametrize(
    ("cpu", "at", "why"),
    [
        ({}, "ab", UNKNOWN),
        ({"a": 1, "b": 1}, "a", "Insufficient number of endpoints (1 endpoints, 2 zones)"),
        (
            {"a": 1, "b": 1},
            "aab",
            "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)",
        ),
        ({"a": 1, "b": 1}, "ab-b", "One or more endpoints do not have a zone specified"),
    ],
)
def test_there_are_no_shares_where_one_zone_would_have_too_much_to_do(cpu: dict[str, int], at: str, why: str):
    endpoints: list[Object] = [{"zone": zone} if zone != "-" else {} for zone in at]
    with pytest.raises(NoSharesError) as refused:
        share_out(endpoints, {zone: Fraction(one, sum(cpu.values())) for zone, one in cpu.items()})
    assert str(refused.value) == why
    assert not any("hints" in endpoint for endpoint in endpoints)


@pytest.mark.virtual_time
@pytest.mark.parametrize("annotation", [{MODE: "Auto"}, {HINTS: "auto"}, {HINTS: "Auto", MODE: "Disabled"}])
async def test_a_service_that_asks_has_shares_and_says_when_and_why_not(annotation: dict[str, Json]):
    async with running(nodes=2) as run:
        seen = Topology(run)
        for number in (1, 2):
            await seen.move(f"node-{number}", f"zone-{number}")
        for name, at in (("a", "node-1"), ("b", "node-1")):
            await run.pods.create(pod(name, nodeName=at))
        asking = service()
        asking["metadata"]["annotations"] = annotation
        await seen.services.create(asking)
        await run.until(lambda items: any("hints" in each for one in items for each in one.get("endpoints") or ()), seen.slices)
        (found,) = [one for one in (await seen.slices.list()).items if one["metadata"]["name"].startswith("web-")]
        assert sorted(each["hints"]["forZones"][0]["name"] for each in found["endpoints"]) == ["zone-1", "zone-2"]
        await seen.move("node-2", None)
        await seen.until({"zone": "zone-1"}, {"zone": "zone-1"})
        await seen.move("node-2", "zone-2")
        await run.until(lambda items: any("hints" in each for one in items for each in one.get("endpoints") or ()), seen.slices)
        await seen.services.patch("web", {"metadata": {"annotations": dict.fromkeys(annotation)}})
        await seen.until({"zone": "zone-1"}, {"zone": "zone-1"})
        await run.clock.sleep(5)
        events = (await run.client.resource("v1", "events", "default").list()).items
        about = [one for one in events if one["reason"].startswith("TopologyAware") and "Insufficient number" not in one["message"]]
        told = {(one["type"], one["reason"], one["message"]) for one in about}
        assert told == {
            ("Normal", "TopologyAwareHintsEnabled", "Topology Aware Hints has been enabled, addressType: IPv4"),
            ("Warning", "TopologyAwareHintsDisabled", f"{UNKNOWN}, addressType: IPv4"),
            ("Warning", "TopologyAwareHintsDisabled", "Topology Aware Hints has been disabled, addressType: IPv4"),
        }
