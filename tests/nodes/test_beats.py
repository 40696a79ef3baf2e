"""When nodes say that they are there, and what of it is written: nobody from outside can tell that it isn't all of it."""

import asyncio
from itertools import pairwise

import pytest

from svcsim import limits
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.machines.beats import Beats
from svcsim.nodes.machines.machine import LEASE_S, STATUS_S
from svcsim.storage.contract import Key, Record
from tests.living import Living, condition, is_ready, living, name, pod

DOWN = {"type": "node-down", "target": {"kind": "Node", "name": "node-2"}}
HOUR_S = 3600.0


def leases(cluster: Living):
    return cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease")


async def renewed_at(cluster: Living, node: str) -> float:
    return parse_time((await leases(cluster).get(node))["spec"]["renewTime"])


async def told_at(cluster: Living, node: str) -> float:
    return parse_time(condition(await cluster.nodes.get(node), "Ready")["lastHeartbeatTime"])


def test_beats_are_one_period_apart_and_end():
    beats = Beats(10.0)
    assert (beats.last(5.0), beats.next(5.0), beats.unwritten(5.0)) == (None, None, None)
    beats.begin(100.0)
    assert (beats.last(99.0), beats.last(100.0), beats.last(119.0), beats.next(119.0)) == (None, 100.0, 110.0, 120.0)
    assert (beats.unwritten(109.0), beats.unwritten(125.0)) == (None, 120.0)
    beats.wrote(120.0)
    assert beats.unwritten(129.0) is None
    beats.end(133.0)
    assert (beats.last(500.0), beats.next(131.0), beats.unwritten(500.0)) == (130.0, None, 130.0)
    beats.begin(200.0)
    assert beats.last(215.0) == 210.0


@pytest.mark.virtual_time
async def test_a_quiet_hour_is_not_written_down():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.sleep(2 * HOUR_S)  # events of the beginning are over
        before = cluster.cluster.store.revision
        await cluster.sleep(HOUR_S)
        assert cluster.cluster.store.revision == before


@pytest.mark.virtual_time
async def test_who_looks_finds_what_would_have_been_written():
    async with living() as cluster:
        for _ in range(5):
            await cluster.sleep(777.7)
            now = cluster.cluster.clock.now()
            for node in ("node-1", "node-3"):
                assert now - LEASE_S <= await renewed_at(cluster, node) <= now
                assert now - STATUS_S - 1 <= await told_at(cluster, node) <= now
        listed = await leases(cluster).list_all()
        assert all(now - LEASE_S <= parse_time(lease["spec"]["renewTime"]) <= now for lease in listed)


@pytest.mark.virtual_time
async def test_what_a_node_said_before_it_fell_silent_does_not_make_it_ready_again_for_who_looks_later():
    async with living() as cluster:
        await cluster.sleep(HOUR_S + 100)  # it has said much since anybody looked
        cluster.cluster.nodes.faults.add(DOWN)
        await cluster.sleep(120)
        silent = condition(await cluster.nodes.get("node-2"), "Ready")
        assert (silent["status"], silent["reason"]) == ("Unknown", "NodeStatusUnknown")
        assert [name(node) for node in await cluster.nodes.list_all() if is_ready(node)] == ["node-1", "node-3"]


@pytest.mark.virtual_time
async def test_many_who_look_at_once_cause_the_writes_of_one():
    async with living() as cluster:
        await cluster.sleep(HOUR_S)
        before = cluster.cluster.store.revision
        await asyncio.gather(*[leases(cluster).get("node-1") for _ in range(20)])
        assert cluster.cluster.store.revision == before + limits.HISTORY_S / LEASE_S, "as many as the history could tell of"


@pytest.mark.virtual_time
async def test_who_watches_is_told_each_time_and_nothing_is_written_afterwards():
    async with living() as cluster:
        await cluster.sleep(HOUR_S)
        seen: list[float] = []
        async with leases(cluster).watch("") as events:
            async for event in events:
                if event.type == "MODIFIED" and event.object["metadata"]["name"] == "node-1":
                    seen.append(parse_time(event.object["spec"]["renewTime"]))
                    if len(seen) == 4:
                        break
        assert [round(later - earlier) for earlier, later in pairwise(seen)] == [LEASE_S] * 3
        await cluster.sleep(2 * LEASE_S)
        before = cluster.cluster.store.revision
        await cluster.sleep(HOUR_S)
        assert cluster.cluster.store.revision == before


@pytest.mark.virtual_time
async def test_a_node_that_fell_silent_is_missed_whether_somebody_looks_or_not():
    async with living() as cluster:
        await cluster.sleep(HOUR_S + 7)
        fell_at = cluster.cluster.clock.now()
        cluster.cluster.nodes.faults.add(DOWN)
        await cluster.sleep(30)
        last = await renewed_at(cluster, "node-2")
        assert fell_at - LEASE_S <= last <= fell_at, "the last time before it fell silent"
        assert is_ready(await cluster.nodes.get("node-2"))
        await cluster.sleep(26)
        node = await cluster.nodes.get("node-2")
        assert condition(node, "Ready")["status"] == "Unknown"
        assert is_ready(await cluster.nodes.get("node-1"))
        assert await renewed_at(cluster, "node-2") == last


def written_at(obj: Object) -> list[str]:
    """When the agent of a node last wrote an object, as its managed fields tell it."""
    return [one["time"] for one in obj["metadata"]["managedFields"] if one["manager"] == "kubelet" and one["operation"] == "Update"]


@pytest.mark.virtual_time
async def test_what_is_written_late_counts_as_written_at_its_moment():
    async with living() as cluster:
        await cluster.sleep(HOUR_S + 7)
        lease, node = await leases(cluster).get("node-1"), await cluster.nodes.get("node-1")
        assert [parse_time(at) for at in written_at(lease)] == [int(parse_time(lease["spec"]["renewTime"]))]
        assert max(written_at(node)) == condition(node, "Ready")["lastHeartbeatTime"]
        assert cluster.cluster.clock.now() - parse_time(lease["spec"]["renewTime"]) > 1, "that is not now"


@pytest.mark.parametrize(("nodes", "told"), [(3, 6), (100, 3)])
@pytest.mark.virtual_time
async def test_who_watches_from_before_sees_each_time_unless_there_are_too_many(nodes: int, told: int):
    async with living(nodes=nodes) as cluster:
        await cluster.sleep(HOUR_S)
        before = (await leases(cluster).list()).revision
        await cluster.sleep(6 * LEASE_S)
        seen: dict[str, list[Object]] = {}
        async with leases(cluster).watch(before) as events:
            async for event in events:
                seen.setdefault(name(event.object), []).append(event.object)
                if sum(map(len, seen.values())) == nodes * told:
                    break
        assert {len(of_node) for of_node in seen.values()} == {told}
        for of_node in seen.values():
            renewed = [parse_time(one["spec"]["renewTime"]) for one in of_node]
            assert [round(later - earlier) for earlier, later in pairwise(renewed)] == [LEASE_S] * (told - 1)
            assert [[parse_time(at) for at in written_at(one)] for one in of_node] == [[int(at)] for at in renewed]


def lease_in_store(cluster: Living, node: str) -> Record | None:
    """What is written, for nobody to see."""
    return cluster.cluster.store.get(Key("leases.coordination.k8s.io", "kube-node-lease", node))


@pytest.mark.virtual_time
async def test_a_lease_that_somebody_deleted_is_made_again_though_nobody_looks():
    async with living() as cluster:
        await cluster.sleep(HOUR_S)
        await leases(cluster).delete("node-1")
        assert lease_in_store(cluster, "node-1") is None
        await cluster.sleep(LEASE_S)
        assert lease_in_store(cluster, "node-1") is not None


POLICY_OF_LEASES = {
    "matchConstraints": {
        "resourceRules": [{"apiGroups": ["coordination.k8s.io"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["leases"]}]
    },
    "validations": [{"expression": "false", "message": "no"}],
}


@pytest.mark.virtual_time
async def test_nodes_that_are_refused_are_missed_though_nobody_looks():
    async with living() as cluster:
        policies = cluster.client.resource("admissionregistration.k8s.io/v1", "validatingadmissionpolicies")
        bindings = cluster.client.resource("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings")
        await cluster.sleep(HOUR_S)
        await policies.create({"metadata": {"name": "silence"}, "spec": POLICY_OF_LEASES})
        await bindings.create({"metadata": {"name": "silence"}, "spec": {"policyName": "silence", "validationActions": ["Deny"]}})
        await cluster.sleep(LEASE_S + 60)
        assert "NodeNotReady" in await cluster.reasons("node-1")


@pytest.mark.virtual_time
async def test_who_is_asked_about_each_write_is_asked_each_time():
    async with living() as cluster:
        hooks = cluster.client.resource("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations")
        webhook = {
            "name": "leases.example.com",
            "clientConfig": {"url": "https://127.0.0.1:1/"},
            "failurePolicy": "Ignore",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "rules": POLICY_OF_LEASES["matchConstraints"]["resourceRules"],
        }
        await hooks.create({"metadata": {"name": "asked"}, "webhooks": [webhook]})
        await cluster.sleep(LEASE_S)
        before = cluster.cluster.store.revision
        await cluster.sleep(10 * LEASE_S)
        assert cluster.cluster.store.revision == before + 3 * 10
        await hooks.delete("asked")
        await cluster.sleep(LEASE_S)
        before = cluster.cluster.store.revision
        await cluster.sleep(10 * LEASE_S)
        assert cluster.cluster.store.revision == before


@pytest.mark.virtual_time
async def test_a_lease_that_somebody_deleted_is_there_again():
    async with living() as cluster:
        await cluster.sleep(HOUR_S)
        await leases(cluster).delete("node-1")
        await cluster.sleep(2 * LEASE_S)
        assert cluster.cluster.clock.now() - await renewed_at(cluster, "node-1") <= LEASE_S


@pytest.mark.virtual_time
async def test_nodes_and_leases_can_be_read_when_somebody_has_deleted_a_node_whose_machine_is_there():
    async with living() as cluster:
        await cluster.nodes.delete("node-2")
        await cluster.sleep(HOUR_S)
        assert [name(node) for node in await cluster.nodes.list_all()] == ["node-1", "node-3"]
        assert [name(lease) for lease in await leases(cluster).list_all()] == ["node-1", "node-3"]


@pytest.mark.virtual_time
async def test_who_looks_is_answered_where_nodes_are_refused_and_those_are_missed_then():
    async with living() as cluster:
        rules = {
            "resourceRules": [{"apiGroups": ["coordination.k8s.io"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["leases"]}]
        }
        spec = {"matchConstraints": rules, "validations": [{"expression": "false", "message": "no"}]}
        policies = cluster.client.resource("admissionregistration.k8s.io/v1", "validatingadmissionpolicies")
        bindings = cluster.client.resource("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings")
        await policies.create({"metadata": {"name": "silence"}, "spec": spec})
        await bindings.create({"metadata": {"name": "silence"}, "spec": {"policyName": "silence", "validationActions": ["Deny"]}})
        await cluster.sleep(60)
        assert len(await leases(cluster).list_all()) == 3
        await cluster.sleep(60)
        assert not any(is_ready(node) for node in await cluster.nodes.list_all())
        await bindings.delete("silence")
        await cluster.sleep(HOUR_S)
        assert all(is_ready(node) for node in await cluster.nodes.list_all())


OVERWRITTEN = (
    {"conditions": [{"type": "Ready", "status": "False", "reason": "Odd", "message": "by hand"}]},
    {"conditions": [{"type": "example.com/other", "status": "True"}]},
    {"conditions": None},
    {"addresses": None},
    {"addresses": [{"type": "InternalIP", "address": "10.9.9.9"}]},
    {"capacity": None},
    {"allocatable": None},
    {"capacity": {"cpu": "1"}, "allocatable": {"pods": "0"}},
    {"nodeInfo": {"kubeletVersion": "v0.0.1"}},
    {"images": None},
    {"images": [{"names": ["example.com/other:1"], "sizeBytes": 7}]},
    {"features": None},
    {"features": {"supplementalGroupsPolicy": False}},
    {"runtimeHandlers": [{"name": "gvisor"}]},
)
OWN = ("addresses", "capacity", "allocatable", "features", "images", "nodeInfo", "runtimeHandlers")


@pytest.mark.virtual_time
async def test_what_others_write_over_a_nodes_status_is_put_back_at_its_next_beat():
    async with living() as cluster:
        pod = {"metadata": {"name": "web"}, "spec": {"nodeName": "node-1", "containers": [{"name": "web", "image": "nginx"}]}}
        await cluster.pods.create(pod)
        await cluster.sleep(HOUR_S)

        async def told() -> dict:
            status = (await cluster.nodes.get("node-1"))["status"]
            own = [one for one in status["conditions"] if "/" not in one["type"]]
            said = [{name: one[name] for name in ("type", "status", "reason", "message")} for one in own]
            return {**{name: status[name] for name in OWN}, "conditions": said}

        before = await told()
        for change in OVERWRITTEN:
            written = await cluster.nodes.patch("node-1", {"status": change}, subresource="status")
            await cluster.sleep(LEASE_S + 1)
            assert await told() == before, change
            assert int((await cluster.nodes.get("node-1"))["metadata"]["resourceVersion"]) > int(written["metadata"]["resourceVersion"])
        others = [one["type"] for one in (await cluster.nodes.get("node-1"))["status"]["conditions"] if "/" in one["type"]]
        assert others == [], "the list was replaced, as those who replace it have it"
        settled = cluster.cluster.store.revision
        await cluster.sleep(250)
        assert cluster.cluster.store.revision == settled


@pytest.mark.virtual_time
async def test_what_others_add_to_a_nodes_status_stays():
    async with living() as cluster:
        await cluster.sleep(60)
        node = await cluster.nodes.get("node-1")
        problem = {"type": "KernelDeadlock", "status": "False"}
        dongles = {"example.com/dongle": "4"}
        change = {"conditions": [*node["status"]["conditions"], problem], "capacity": dongles, "allocatable": dongles}
        written = await cluster.nodes.patch("node-1", {"status": change}, subresource="status")
        await cluster.sleep(4 * LEASE_S)
        node = await cluster.nodes.get("node-1")
        assert condition(node, "KernelDeadlock")["status"] == "False"
        assert node["status"]["capacity"]["example.com/dongle"] == "4"
        assert node["metadata"]["resourceVersion"] == written["metadata"]["resourceVersion"], "there was nothing to put back"


@pytest.mark.virtual_time
async def test_a_node_that_is_down_puts_nothing_back_until_it_is_up_again():
    async with living() as cluster:
        await cluster.sleep(60)
        fault = cluster.cluster.nodes.faults.add(DOWN)
        await cluster.sleep(100)
        await cluster.nodes.patch("node-2", {"status": {"addresses": None}}, subresource="status")
        await cluster.sleep(100)
        assert "addresses" not in (await cluster.nodes.get("node-2"))["status"]
        cluster.cluster.nodes.faults.remove(fault)
        await cluster.sleep(LEASE_S + 1)
        node = await cluster.nodes.get("node-2")
        assert is_ready(node)
        assert node["status"]["addresses"]
