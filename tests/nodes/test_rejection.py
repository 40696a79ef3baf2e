"""Pods that name their node themselves: it takes them if they fit, and says why if they don't."""

from ipaddress import ip_network

import pytest

from svcsim.cluster.node_ranges_spec import NodeRangesSpec
from svcsim.meta.types import Json, Object
from svcsim.nodes.machines.occupancy import Occupancy, asks_of
from svcsim.nodes.pods.rejection import rejection
from tests.living import Living, living, pod
from tests.virtual import run_virtual

RANGES = NodeRangesSpec(cluster_cidr=(ip_network("10.8.0.0/24"),), mask_size=29)
"""Five addresses for pods on each node: of the eight one is the network's, one the gateway's, and one means all."""


def direct(name: str, **spec: Json) -> Object:
    return pod(name, nodeName="node-1", **spec)


def serving(name: str, port: int, ip: str = "") -> Object:
    found = direct(name)
    taken = {"containerPort": 80, "hostPort": port} | ({"hostIP": ip} if ip else {})
    found["spec"]["containers"][0]["ports"] = [taken]
    return found


async def became(cluster: Living, obj: Object) -> tuple[str, str, str]:
    """The phase, reason and message of a pod, once it has one or the other."""
    await cluster.pods.create(obj)
    name = obj["metadata"]["name"]
    await cluster.until(lambda pods: any(p["metadata"]["name"] == name and p["status"]["phase"] != "Pending" for p in pods), within_s=60)
    status = (await cluster.pods.get(name))["status"]
    return status["phase"], status.get("reason", ""), status.get("message", "")


RUNNING = ("Running", "", "")


@pytest.mark.virtual_time
async def test_what_asks_for_more_than_there_is_is_rejected():
    async with living(nodes=1) as cluster:
        assert await became(cluster, direct("fits", cpu="7")) == RUNNING
        message = "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 7000, capacity: 7800"
        assert await became(cluster, direct("more", cpu="1")) == ("Failed", "OutOfcpu", message)
        assert await became(cluster, direct("less", cpu="800m")) == RUNNING
        status = (await cluster.pods.get("more"))["status"]
        assert {"containerStatuses", "podIP", "hostIP"}.isdisjoint(status)
        await cluster.pods.delete("fits")
        await cluster.until(lambda pods: len(pods) == 2, within_s=60)
        assert await became(cluster, direct("again", cpu="1")) == RUNNING


@pytest.mark.virtual_time
async def test_a_node_takes_no_more_pods_than_it_has_room_for():
    async with living(nodes=1) as cluster:
        for number in range(110):
            await cluster.pods.create(direct(f"one-{number}", cpu="10m"))
        await cluster.until(lambda pods: all(p["status"]["phase"] == "Running" for p in pods), within_s=600)
        message = "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110"
        assert await became(cluster, direct("more", cpu="10m")) == ("Failed", "OutOfpods", message)
        assert await became(cluster, direct("again", cpu="10m")) == ("Failed", "OutOfpods", message), "the one that failed takes no room"
        await cluster.pods.delete("one-0")
        await cluster.until(lambda pods: len(pods) == 111, within_s=60)
        assert await became(cluster, direct("instead", cpu="10m")) == RUNNING


@pytest.mark.virtual_time
async def test_pods_that_a_scheduler_has_brought_are_taken_only_if_they_fit():
    """It may not know of all, or there may be two of them."""
    async with living(nodes=1, controllers=("*", "-scheduler")) as cluster:
        for number in range(3):
            await cluster.pods.create(pod(f"bound-{number}", cpu="3"))
            binding = {"metadata": {"name": f"bound-{number}"}, "target": {"kind": "Node", "name": "node-1"}}
            await cluster.pods.create_subresource(f"bound-{number}", "binding", binding)
        await cluster.until(lambda pods: all(p["status"]["phase"] != "Pending" for p in pods), within_s=60)
        told = [(p["status"]["phase"], p["status"].get("reason", "")) for p in await cluster.pods.list_all()]
        assert told == [("Running", ""), ("Running", ""), ("Failed", "OutOfcpu")]


@pytest.mark.virtual_time
async def test_what_a_resized_pod_gives_up_is_there_for_others():
    async with living(nodes=1) as cluster:
        assert await became(cluster, direct("large", cpu="6")) == RUNNING
        container = (await cluster.pods.get("large"))["spec"]["containers"][0]["name"]
        less = {"spec": {"containers": [{"name": container, "resources": {"requests": {"cpu": "2"}}}]}}
        await cluster.pods.patch("large", less, "strategic", subresource="resize")
        await cluster.sleep(30)
        assert await became(cluster, direct("other", cpu="5")) == RUNNING
        assert (await became(cluster, direct("more", cpu="1")))[1] == "OutOfcpu"


@pytest.mark.virtual_time
async def test_what_isnt_granted_takes_no_room_and_is_granted_when_another_goes():
    def to(cpu: str) -> Object:
        return {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]}}

    async with living(nodes=1) as cluster:
        for name in ("one", "two"):
            assert await became(cluster, direct(name, cpu="3")) == RUNNING
        await cluster.pods.patch("one", to("7"), "strategic", subresource="resize")
        await cluster.sleep(5)
        await cluster.pods.patch("two", to("4"), "strategic", subresource="resize")
        await cluster.sleep(5)
        assert [has_cpu(await cluster.pods.get(name)) for name in ("one", "two")] == ["3", "4"]
        assert await became(cluster, direct("third", cpu="500m")) == RUNNING
        await cluster.pods.remove("two", grace_period_s=0)
        await cluster.pods.remove("third", grace_period_s=0)
        await cluster.sleep(3)
        assert has_cpu(await cluster.pods.get("one")) == "7"


def has_cpu(obj: Object) -> str:
    found: str = obj["status"]["containerStatuses"][0]["resources"]["requests"]["cpu"]
    return found


@pytest.mark.virtual_time
async def test_a_pod_of_another_operating_system_is_rejected_and_can_go():
    async with living(nodes=1) as cluster:
        message = "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS"
        assert await became(cluster, direct("win", os={"name": "windows"})) == ("Failed", "PodOSNotSupported", message)
        assert await became(cluster, direct("lin", os={"name": "linux"})) == RUNNING
        await cluster.pods.delete("win")
        await cluster.until(lambda pods: len(pods) == 1, within_s=60)


@pytest.mark.virtual_time
async def test_a_pod_that_is_labelled_with_another_operating_system_is_rejected():
    async with living(nodes=1) as cluster:
        label = cluster.cluster.dialect.key("os")
        message = f"Pod was rejected: Failed to admit pod as the `{label}` label doesn't match node label"
        win, lin = direct("win"), direct("lin")
        win["metadata"]["labels"], lin["metadata"]["labels"] = {label: "windows"}, {label: "linux"}
        assert await became(cluster, win) == ("Failed", "PodOSSelectorNodeLabelDoesNotMatch", message)
        assert "PodOSSelectorNodeLabelDoesNotMatch" in await cluster.reasons("win")
        assert await became(cluster, lin) == RUNNING


@pytest.mark.virtual_time
async def test_devices_that_a_node_does_not_know_are_somebody_elses_to_count():
    async with living(nodes=1) as cluster:
        asking = direct("asking")
        amounts = {"example.com/gpu": "1"}
        asking["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
        assert await became(cluster, asking) == RUNNING


@pytest.mark.virtual_time
async def test_a_pod_for_which_there_is_no_address_is_not_made_until_there_is_one():
    async with living(nodes=1, node_ranges=RANGES) as cluster:
        for number in range(6):
            await cluster.pods.create(direct(f"one-{number}"))
        await cluster.sleep(30)
        pods = await cluster.pods.list_all()
        assert len([p for p in pods if p["status"]["phase"] == "Running" and p["status"].get("podIP")]) == 5
        (waiting,) = [p for p in pods if p["status"]["phase"] == "Pending"]
        assert waiting["status"]["containerStatuses"][0]["state"] == {"waiting": {"reason": "ContainerCreating"}}
        assert "FailedCreatePodSandBox" in await cluster.reasons(waiting["metadata"]["name"])
        other = next(p for p in pods if p is not waiting)
        await cluster.pods.remove(other["metadata"]["name"], grace_period_s=0)
        await cluster.until(lambda pods: all(p["status"]["phase"] == "Running" for p in pods), within_s=30)


@pytest.mark.virtual_time
async def test_ports_are_given_away_once():
    async with living(nodes=1) as cluster:
        assert await became(cluster, serving("first", 8080, "10.0.0.9")) == RUNNING
        why = "node(s) didn't have free ports for the requested pod ports"
        taken = ("Failed", "NodePorts", f"Pod was rejected: Predicate NodePorts failed: {why}")
        assert await became(cluster, serving("second", 8080)) == taken
        assert await became(cluster, serving("third", 8080, "10.0.0.8")) == RUNNING
        assert await became(cluster, serving("other", 8081)) == RUNNING


@pytest.mark.virtual_time
async def test_of_two_at_once_one_is_taken():
    async with living(nodes=1) as cluster:
        for name in ("one", "two"):
            await cluster.pods.create(serving(name, 8080))
        await cluster.until(lambda pods: {p["status"]["phase"] for p in pods} == {"Running", "Failed"}, within_s=60)


@pytest.mark.virtual_time
async def test_labels_count():
    async with living(nodes=1) as cluster:
        why = "node(s) didn't match Pod's node affinity/selector"
        elsewhere = ("Failed", "NodeAffinity", f"Pod was rejected: Predicate NodeAffinity failed: {why}")
        assert await became(cluster, direct("picky", nodeSelector={"disk": "fast"})) == elsewhere
        term = {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        assert await became(cluster, direct("pickier", affinity={"nodeAffinity": required})) == elsewhere
        await cluster.nodes.patch("node-1", {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}})
        assert await became(cluster, direct("bold")) == RUNNING


def test_taints_that_chase_pods_away_keep_them_away_too():
    taints, room = [{"key": "a", "effect": "NoExecute"}], {"cpu": "8", "memory": "8Gi", "pods": "110"}
    node: Object = {"metadata": {"name": "node-1"}, "spec": {"taints": taints}, "status": {"allocatable": room}}
    chased = ("TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate")
    for key, told in (("b", chased), ("a", None)):
        obj = direct("one", tolerations=[{"key": key, "operator": "Exists"}])
        assert rejection(obj, asks_of(obj), Occupancy(), node, "svcapi.io/os") == told


def test_a_rejected_pod_stays_so_when_the_cluster_starts_again(tmp_path):
    async def first() -> None:
        async with living(nodes=1, data_dir=tmp_path, durability="process") as cluster:
            assert (await became(cluster, direct("more", cpu="9")))[1] == "OutOfcpu"

    async def again() -> None:
        async with living(nodes=1, data_dir=tmp_path, durability="process", start_s=None) as cluster:
            before = await cluster.pods.get("more")
            await cluster.sleep(60)
            assert (await cluster.pods.get("more"))["status"] == before["status"]

    run_virtual(first())
    run_virtual(again())


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("sysctls", "found"),
    [
        (["net.ipv4.tcp_syncookies", "kernel.shm_rmid_forced", "net.ipv4.tcp_rmem"], RUNNING),
        (["net/ipv4/tcp_syncookies"], RUNNING),
        (
            ["net.ipv4.tcp_syncookies", "kernel.msgmax"],
            ("Failed", "SysctlForbidden", 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted'),
        ),
    ],
)
async def test_a_pod_that_tells_the_kernel_what_is_unsafe_is_rejected(sysctls: list[str], found: tuple[str, str, str]):
    async with living(nodes=1) as cluster:
        context = {"sysctls": [{"name": name, "value": "1"} for name in sysctls]}
        assert await became(cluster, pod("told", securityContext=context)) == found
        warned = [event["reason"] for event in await cluster.events("told") if event["type"] == "Warning"]
        assert warned == ([] if found == RUNNING else ["SysctlForbidden"])


# --- critical pods ---


def asking(name: str, cpu: str = "", *, limit: bool = False, **spec: Json) -> Object:
    made = direct(name, terminationGracePeriodSeconds=5, **spec)
    amounts = {"cpu": cpu, "memory": "100Mi"} if cpu else {}
    made["spec"]["containers"][0]["resources"] = {"requests": amounts, **({"limits": amounts} if limit else {})} if cpu else {}
    return made


def critical(name: str, cpu: str) -> Object:
    return asking(name, cpu, priorityClassName="system-node-critical")


async def phases(cluster: Living) -> dict[str, tuple[str, str]]:
    return {one["metadata"]["name"]: (one["status"]["phase"], one["status"].get("reason", "")) for one in await cluster.pods.list_all()}


RUNS, GOES = ("Running", ""), ("Failed", "Preempting")


@pytest.mark.virtual_time
async def test_others_are_ended_for_a_critical_pod():
    async with living(nodes=1) as cluster:
        for other in (asking("nothing"), asking("some", "100m"), asking("guaranteed", "100m", limit=True)):
            assert await became(cluster, other) == RUNNING
        assert await became(cluster, critical("vital", "7800m")) == RUNNING
        assert await phases(cluster) == {"nothing": RUNS, "some": GOES, "guaranteed": GOES, "vital": RUNS}
        status = (await cluster.pods.get("some"))["status"]
        (target,) = [one for one in status["conditions"] if one["type"] == "DisruptionTarget"]
        assert (target["reason"], status["message"]) == ("TerminationByKubelet", "Preempted in order to admit critical pod")
        assert "Preempting" in await cluster.reasons("some")


@pytest.mark.virtual_time
async def test_as_few_and_as_unimportant_ones_go_as_will_do():
    async with living(nodes=1) as cluster:
        for other in (asking("small", "500m"), asking("large", "3"), asking("guaranteed", "3", limit=True)):
            assert await became(cluster, other) == RUNNING
        assert await became(cluster, critical("vital", "2")) == RUNNING
        assert await phases(cluster) == {"small": RUNS, "large": GOES, "guaranteed": RUNS, "vital": RUNS}
        assert await became(cluster, critical("larger", "4")) == RUNNING
        assert await phases(cluster) == {"small": RUNS, "large": GOES, "guaranteed": GOES, "vital": RUNS, "larger": RUNS}


@pytest.mark.virtual_time
async def test_a_critical_pod_has_no_other_critical_one_ended():
    async with living(nodes=1) as cluster:
        assert await became(cluster, critical("vital", "7")) == RUNNING
        assert await became(cluster, asking("some", "500m")) == RUNNING
        phase, reason, message = await became(cluster, critical("late", "2"))
        assert (phase, reason) == ("Failed", "UnexpectedAdmissionError")
        assert message.endswith("no set of running pods found to reclaim resources: [(res: cpu, q: 1700), ]")
        assert (await phases(cluster))["some"] == RUNS
        phase, reason, _ = await became(cluster, critical("never", "9"))
        assert (phase, reason) == ("Failed", "OutOfcpu")
