"""Nodes that are added, removed, failed and recovered while a cluster runs."""

import pytest

from svcsim.client.paths import NODES
from svcsim.dialect import KUBERNETES
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import condition_is
from svcsim.meta.types import Json, Object
from svcsim.nodes.machines.roster import Member, Roster, read_roster
from tests.living import Living, is_ready, living, name, pod
from tests.virtual import START_S, run_virtual

BIG: Object = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "labels": {
            "size": "big",
            "node-role.kubernetes.io/worker": "",
            "topology.kubernetes.io/zone": "far",
        },
        "annotations": {"example.com/rack": "7"},
    },
    "spec": {"taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]},
    "status": {"capacity": {"cpu": "64", "example.com/gpu": "8"}, "allocatable": {"cpu": "60"}},
}
GRACE_S = 70.0


async def wish(cluster: Living, **wanted: Json) -> list[str]:
    """What is done, and to which nodes."""
    answer = await cluster.client.request("POST", NODES, body=wanted)
    return answer["nodes"]


async def refused(cluster: Living, **wanted: Json) -> str:
    with pytest.raises(StatusError) as caught:
        await wish(cluster, **wanted)
    return f"{caught.value.code} {caught.value.message}"


async def names(cluster: Living) -> list[str]:
    return [name(node) for node in await cluster.nodes.list_all()]


@pytest.mark.virtual_time
async def test_added_nodes_live_like_all_others() -> None:
    async with living(nodes=1) as cluster:
        assert await wish(cluster, add={"count": 2}) == ["node-2", "node-3"]
        await cluster.sleep(1)
        node = await cluster.nodes.get("node-3")
        assert condition_is(node, "Ready")
        await cluster.sleep(5)
        assert await cluster.reasons("node-3") == ["Starting", "NodeReady", "RegisteredNode"]
        first = await cluster.run_pod(pod("web", nodeName="node-3"))
        assert first["status"]["hostIP"] == node["status"]["addresses"][0]["address"]
        ips = {node["status"]["addresses"][0]["address"] for node in await cluster.nodes.list_all()}
        assert len(ips) == 3
        await cluster.sleep(600)
        assert all(condition_is(node, "Ready") for node in await cluster.nodes.list_all())


@pytest.mark.virtual_time
async def test_a_node_tells_whether_it_takes_pods() -> None:
    async with living(nodes=1) as cluster:
        await cluster.nodes.patch("node-1", {"spec": {"unschedulable": True}})
        await cluster.sleep(1)
        await cluster.nodes.patch("node-1", {"spec": {"unschedulable": None}})
        await cluster.sleep(1)
        assert [reason for reason in await cluster.reasons("node-1") if "Schedulable" in reason] == [
            "NodeNotSchedulable",
            "NodeSchedulable",
        ]


@pytest.mark.virtual_time
async def test_a_template_says_how_they_differ() -> None:
    async with living(nodes=1) as cluster:
        assert await wish(cluster, add={"count": 2, "prefix": "big", "template": BIG}) == ["big-1", "big-2"]
        await cluster.sleep(400)
        node = await cluster.nodes.get("big-2")
        labels = node["metadata"]["labels"]
        assert (labels["size"], labels["node-role.kubernetes.io/worker"]) == ("big", "")
        assert (labels["topology.kubernetes.io/zone"], labels["kubernetes.io/hostname"]) == ("far", "big-2")
        assert node["metadata"]["annotations"]["example.com/rack"] == "7"
        assert [(taint["key"], taint["value"]) for taint in node["spec"]["taints"]] == [("dedicated", "db")]
        capacity, allocatable = node["status"]["capacity"], node["status"]["allocatable"]
        assert (capacity["cpu"], allocatable["cpu"], capacity["memory"]) == ("64", "60", "32Gi")
        assert (capacity["example.com/gpu"], allocatable["example.com/gpu"]) == ("8", "8")
        assert condition_is(node, "Ready")


OTHERS: Object = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "far-away",
        "uid": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "resourceVersion": "17",
        "creationTimestamp": "2020-01-01T00:00:00Z",
        "labels": {"kubernetes.io/hostname": "far-away", "kubernetes.io/arch": "arm64"},
        "annotations": {"example.com/rack": "7", "csi.volume.kubernetes.io/nodeid": '{"disks.example.com":"m-1"}'},
        "finalizers": ["example.com/hold"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "x", "uid": "y"}],
    },
    "spec": {"unschedulable": True, "providerID": "cloud://far/1", "podCIDR": "10.9.0.0/24", "podCIDRs": ["10.9.0.0/24"]},
    "status": {
        "addresses": [{"type": "InternalIP", "address": "10.9.9.9"}],
        "conditions": [{"type": "Ready", "status": "False"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10350}},
        "features": {"supplementalGroupsPolicy": False},
        "images": [
            {"names": ["docker.io/library/nginx:1.29", "nginx@sha256:" + "a" * 64], "sizeBytes": 12345},
            {"names": ["quay.io/team/app:1", None], "sizeBytes": None},
            {"names": [None]},
            None,
        ],
        "nodeInfo": {
            "architecture": "arm64",
            "kubeletVersion": "v1.33.2",
            "kernelVersion": "6.1.0",
            "osImage": "Flatcar",
            "containerRuntimeVersion": "cri-o://1.33.0",
            "machineID": "m",
            "bootID": "b",
            "systemUUID": "s",
            "swap": {"capacity": 1024},
        },
        "runtimeHandlers": [{"name": "", "features": {}}, {"name": "kata", "features": {}}],
        "volumesAttached": [{"name": "v", "devicePath": "p"}],
        "volumesInUse": [],
    },
}
"""A Node of another cluster, as it is printed."""
ITS_OWN = [
    "metadata.annotations[csi.volume.kubernetes.io/nodeid]",
    "metadata.labels[kubernetes.io/hostname]",
    "metadata.ownerReferences",
    "spec.podCIDR",
    "spec.podCIDRs",
    "spec.providerID",
    "status.addresses",
    "status.conditions",
    "status.nodeInfo.bootID",
    "status.nodeInfo.machineID",
    "status.nodeInfo.systemUUID",
    "status.volumesAttached",
]


@pytest.mark.virtual_time
async def test_a_node_of_another_cluster_will_do_as_a_template_and_what_is_not_taken_from_it_is_told() -> None:
    async with living(nodes=1) as cluster:
        answer = await cluster.client.request("POST", NODES, body={"add": {"count": 2, "prefix": "like", "template": OTHERS}})
        assert answer == {"nodes": ["like-1", "like-2"], "notTaken": ITS_OWN}
        await cluster.sleep(400)
        usual, node = await cluster.nodes.get("node-1"), await cluster.nodes.get("like-2")
        metadata, spec, status = node["metadata"], node["spec"], node["status"]
        assert (metadata["labels"]["kubernetes.io/hostname"], metadata["labels"]["kubernetes.io/arch"]) == ("like-2", "arm64")
        assert metadata["labels"]["beta.kubernetes.io/arch"] == "arm64"
        assert (metadata["finalizers"], metadata["annotations"]["example.com/rack"]) == (["example.com/hold"], "7")
        assert "ownerReferences" not in metadata
        assert "csi.volume.kubernetes.io/nodeid" not in metadata["annotations"]
        assert (spec["unschedulable"], spec["providerID"]) == (True, usual["spec"]["providerID"].replace("node-1", "like-2"))
        assert spec["podCIDR"].startswith("10.224.")
        assert [taint["key"] for taint in spec["taints"]] == ["node.kubernetes.io/unschedulable"]
        assert condition_is(node, "Ready")
        own = {"machineID", "bootID", "systemUUID"}
        assert {field: value for field, value in status["nodeInfo"].items() if field not in own} == {
            "architecture": "arm64",
            "kubeletVersion": "v1.33.2",
            "kernelVersion": "6.1.0",
            "osImage": "Flatcar",
            "containerRuntimeVersion": "cri-o://1.33.0",
            "kubeProxyVersion": "",
            "operatingSystem": "linux",
            "swap": {"capacity": 1024},
        }
        assert all(len(status["nodeInfo"][field]) > 8 for field in own)
        for field in ("daemonEndpoints", "features", "runtimeHandlers"):
            assert status[field] == OTHERS["status"][field]
        assert status["addresses"][0]["address"].startswith("10.0.")
        assert [(one["names"], one["sizeBytes"] == 12345) for one in status["images"]] == [
            (["quay.io/team/app:1"], False),
            (["docker.io/library/nginx:1.29", "docker.io/library/nginx@sha256:" + "a" * 64], True),
        ]
        assert "volumesAttached" not in status


@pytest.mark.virtual_time
async def test_images_of_a_template_are_on_the_nodes_from_the_start() -> None:
    async with living(nodes=1) as cluster:
        await wish(cluster, add={"names": ["like"], "template": {"status": {"images": OTHERS["status"]["images"]}}})
        await cluster.run_pod(pod("there", nodeName="like", image="nginx:1.29"))
        await cluster.run_pod(pod("comes", nodeName="like", image="redis:8"))
        said = {one["involvedObject"]["name"]: one["message"] for one in await cluster.events() if one["reason"] == "Pulled"}
        assert said["there"] == 'Container image "nginx:1.29" already present on machine'
        assert said["comes"].startswith('Successfully pulled image "redis:8"')
        await cluster.sleep(30)
        names = [one["names"][0] for one in (await cluster.nodes.get("like"))["status"]["images"]]
        assert sorted(names) == ["docker.io/library/nginx:1.29", "docker.io/library/redis:8", "quay.io/team/app:1"]


@pytest.mark.virtual_time
async def test_the_architecture_of_a_template_is_in_labels_and_versions_alike_wherever_it_stands() -> None:
    async with living(nodes=1) as cluster:
        template = {"status": {"nodeInfo": {"architecture": "arm64", "operatingSystem": "windows"}}}
        await wish(cluster, add={"names": ["said"], "template": template})
        await wish(cluster, add={"names": ["labelled"], "template": {"metadata": {"labels": {"kubernetes.io/arch": "arm64"}}}})
        said, labelled = await cluster.nodes.get("said"), await cluster.nodes.get("labelled")
        labels = [said["metadata"]["labels"][key] for key in ("kubernetes.io/arch", "beta.kubernetes.io/arch", "kubernetes.io/os")]
        assert labels == ["arm64", "arm64", "windows"]
        assert labelled["status"]["nodeInfo"]["architecture"] == "arm64"


@pytest.mark.virtual_time
async def test_what_can_not_be_added_is_refused_and_leaves_nothing() -> None:
    async with living(nodes=2) as cluster:
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "theirs"}})
        assert await refused(cluster, add={"names": ["node-1"]}) == '409 nodes "node-1" already exists'
        assert await refused(cluster, add={"names": ["new", "theirs"]}) == '409 nodes "theirs" already exists'
        assert (await refused(cluster, add={"names": ["UPPER"]})).startswith('400 "UPPER" is no name for a node')
        assert await refused(cluster, add={"count": 0}) == "400 the count of nodes must be a number from 1 on"
        assert await refused(cluster, add={"count": 2, "prefix": ""}) == "400 the prefix of the names must be a text, and not an empty one"
        assert (await refused(cluster, add={"count": 0})).startswith("400 ")
        assert (await refused(cluster, add={"count": 10_000})).startswith("400 there would be 10002 simulated nodes")
        assert (await refused(cluster, add={"count": 1, "template": {"kind": "Pod"}})) == "400 a template is a Node manifest, not Pod"
        assert (await refused(cluster, add=3)).startswith("400 ")
        assert (await refused(cluster)).startswith("400 ")
        wrong = {**BIG, "spec": {"taints": [{"key": "a b", "effect": "NoSchedule"}]}}
        assert (await refused(cluster, add={"count": 3, "template": wrong})).startswith('422 Node "node-3" is invalid')
        images = ({"images": [3]}, {"images": [{"names": 3}]})
        for wrong in ({"spec": {"taints": 3}}, {"spec": 3}, {"metadata": 3}, *({"status": one} for one in images)):
            assert (await refused(cluster, add={"count": 1, "template": wrong})).startswith("400 "), wrong
        await cluster.sleep(30)
        assert await names(cluster) == ["node-1", "node-2", "theirs"]
        await cluster.nodes.delete("node-2")
        await cluster.sleep(1)
        lost = '409 node "node-2" is simulated already, and its Node is gone, or yet to come: svcsim why node/node-2 tells more'
        assert await refused(cluster, add={"names": ["node-2"]}) == lost
        assert await wish(cluster, add={"count": 1}) == ["node-3"]


@pytest.mark.virtual_time
async def test_a_removed_nodes_object_goes_and_its_pods_go_as_when_a_machine_vanishes() -> None:
    async with living(nodes=2) as cluster:
        await wish(cluster, add={"names": ["spare"]})
        for where in ("node-2", "spare"):
            await cluster.run_pod(pod(f"on-{where}", nodeName=where))
        assert await wish(cluster, remove=["node-2", "spare"]) == ["node-2", "spare"]
        await cluster.sleep(1)
        assert await names(cluster) == ["node-1"]
        assert len(await cluster.pods.list_all()) == 2, "nobody on the machine can say that they have ended"
        await cluster.until(lambda pods: pods == [], within_s=GRACE_S + 60)
        leases = cluster.client.resource("coordination.k8s.io/v1", "leases", "kube-node-lease")
        assert [name(lease) for lease in await leases.list_all()] == ["node-1"]
        assert await refused(cluster, remove=["spare"]) == '404 nodes "spare" not found'


@pytest.mark.virtual_time
async def test_a_machine_that_comes_again_takes_up_the_pods_that_are_bound_to_it() -> None:
    async with living(nodes=1) as cluster:
        await wish(cluster, add={"names": ["spare"]})
        await cluster.run_pod(pod("web", nodeName="spare"))
        await wish(cluster, remove=["spare"])
        await cluster.sleep(5)
        await wish(cluster, add={"names": ["spare"]})
        await cluster.sleep(120)
        assert is_ready(await cluster.pods.get("web"))
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: pods == [], within_s=40)


@pytest.mark.virtual_time
async def test_a_failed_node_is_silent_until_it_recovers_or_its_time_is_over() -> None:
    async with living(nodes=3) as cluster:
        assert await wish(cluster, fail=["node-1", "node-2"]) == ["node-1", "node-2"]
        assert await wish(cluster, fail=["node-2"], forSeconds=600) == ["node-2"]
        assert await refused(cluster, fail=["node-1", "nowhere"]) == '404 nodes "nowhere" not found'
        assert (await refused(cluster, fail=["node-1"], forSeconds=0)).startswith("400 ")
        await cluster.sleep(GRACE_S)
        assert [condition_is(node, "Ready", "Unknown") for node in await cluster.nodes.list_all()] == [True, True, False]
        told = (await cluster.client.get_json(NODES))["nodes"]
        assert [(one["name"], one["failed"], one.get("until")) for one in told] == [
            ("node-1", True, None),
            ("node-2", True, "2026-01-01T00:10:01Z"),
            ("node-3", False, None),
        ]
        await cluster.sleep(550)
        assert [condition_is(node, "Ready") for node in await cluster.nodes.list_all()] == [False, True, True]
        assert await wish(cluster, recover=["node-1", "node-3"]) == ["node-1"]
        await cluster.sleep(20)
        assert condition_is(await cluster.nodes.get("node-1"), "Ready")


def test_what_was_done_to_nodes_outlives_the_server(tmp_path) -> None:
    async def first() -> None:
        async with living(data_dir=tmp_path, durability="process", nodes=3) as cluster:
            await wish(cluster, add={"count": 2, "prefix": "big", "template": BIG})
            await wish(cluster, add={"names": ["short"], "template": OTHERS})
            await wish(cluster, remove=["node-2", "big-1"])
            await wish(cluster, fail=["node-3"])
            await wish(cluster, fail=["node-1"], forSeconds=30)
            await wish(cluster, fail=["short"], forSeconds=3_000)
            await cluster.sleep(1)

    async def again() -> None:
        async with living(data_dir=tmp_path, durability="process", start_s=START_S + 60, nodes=3) as cluster:
            await cluster.sleep(120)
            nodes = await cluster.nodes.list_all()
            assert [(name(node), condition_is(node, "Ready")) for node in nodes] == [
                ("big-2", True),
                ("node-1", True),
                ("node-3", False),
                ("short", False),
            ]
            assert (await cluster.nodes.get("big-2"))["status"]["capacity"]["cpu"] == "64"
            await cluster.run_pod(pod("web", nodeName="big-2", tolerations=[{"operator": "Exists"}]))
            await cluster.sleep(3_000)
            short = await cluster.nodes.get("short")
            assert condition_is(short, "Ready")
            assert (short["status"]["nodeInfo"]["osImage"], len(short["status"]["images"])) == ("Flatcar", 2)

    async def grown() -> None:
        async with living(data_dir=tmp_path, durability="process", start_s=START_S + 4_000, nodes=4) as cluster:
            assert await names(cluster) == ["big-2", "node-1", "node-2", "node-3", "node-4", "short"]

    for life in (first, again, grown):
        run_virtual(life())


@pytest.mark.virtual_time
async def test_a_node_that_somebody_made_has_no_machine() -> None:
    async with living(nodes=1) as cluster:
        await cluster.nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "theirs"}})
        await cluster.sleep(GRACE_S)
        assert condition_is(await cluster.nodes.get("theirs"), "Ready", "Unknown")
        assert await refused(cluster, remove=["theirs"]) == '404 nodes "theirs" is none of the simulated nodes'


@pytest.mark.virtual_time
async def test_where_no_nodes_are_simulated_none_is_added() -> None:
    async with living(controllers=("*", "-nodes")) as cluster:
        assert (await refused(cluster, add={"count": 1})).startswith("503 no simulated nodes run")


@pytest.mark.virtual_time
async def test_a_thousand_nodes_are_added_at_once() -> None:
    async with living(nodes=1) as cluster:
        added = await wish(cluster, add={"count": 1_000})
        assert (added[0], added[-1]) == ("node-2", "node-1001")
        await cluster.sleep(60)
        nodes = await cluster.nodes.list_all()
        assert [condition_is(node, "Ready") for node in nodes] == [True] * 1_001
        assert len({node["status"]["addresses"][0]["address"] for node in nodes}) == 1_001


def test_a_node_that_was_added_and_has_the_name_of_one_of_the_first_is_gone_when_it_is_removed() -> None:
    roster = Roster(2, added={"node-2": Member("node-2", 70, added=True)})
    roster.remove("node-2")
    assert [member.name for member in read_roster(roster.to_bytes(), 2, KUBERNETES).members()] == ["node-1"]
    roster.remove("node-1")
    assert list(roster.members()) == []
