"""A cluster whose clock was years ahead, and is set back: what is stored of that time holds nothing up."""

from pathlib import Path

import pytest

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.keepers import start_time
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.codec import decode_json
from svcsim.meta.http import Request
from svcsim.meta.objects import condition
from svcsim.meta.types import Object
from tests.living import is_ready
from tests.virtual import START_S

YEARS_S = 14 * 365 * 86_400.0
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def deployment(name: str, node_selector: Object, **spec: object) -> Object:
    pod = {"nodeSelector": node_selector, "containers": [{"name": "c", "image": "nginx"}]}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    meta = {"name": name, "namespace": "default"}
    return {"metadata": meta, "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **spec}}


async def make_all(cluster: Cluster) -> None:
    client = cluster.client("test")
    deployments = client.resource("apps/v1", "deployments", "default")
    await deployments.create(deployment("stuck", {"disk": "none"}, progressDeadlineSeconds=600))
    await deployments.create(deployment("slow", {}, minReadySeconds=500))
    pod = {"metadata": {"name": "short-lived"}, "spec": {"activeDeadlineSeconds": 600, "containers": [{"name": "c", "image": "nginx"}]}}
    await client.resource("v1", "pods", "default").create(pod)
    await cluster.clock.sleep(120)


@pytest.mark.virtual_time
async def test_nothing_waits_for_a_time_that_was_and_will_be_again_in_years(tmp_path: Path) -> None:
    def starting(at_s: float) -> ClusterSpec:
        return ClusterSpec(dialect="kubernetes", nodes=2, seed=1, start_s=at_s, data_dir=tmp_path / "c", durability="process")

    async with open_cluster(starting(START_S + YEARS_S)) as cluster:
        await make_all(cluster)
    async with open_cluster(starting(START_S)) as cluster:
        client = cluster.client("test")
        deployments = client.resource("apps/v1", "deployments", "default")
        await cluster.clock.sleep(60)
        assert (await client.resource("v1", "pods", "default").get("short-lived"))["status"]["phase"] == "Running"
        assert (condition(await deployments.get("stuck"), "Progressing") or {})["status"] == "True", "the deadline is counted anew"
        printed = await client.transport.send(Request("GET", "/api/v1/namespaces/default/pods", "", {"accept": TABLE}))
        ages = [row["cells"][4] for row in decode_json(printed.body)["rows"]]
        assert ages == ["<invalid>"] * 3
        await cluster.clock.sleep(900)
        assert (condition(await deployments.get("stuck"), "Progressing") or {}).get("reason") == "ProgressDeadlineExceeded"
        assert (await deployments.get("slow"))["status"]["availableReplicas"] == 1
        assert (await client.resource("v1", "pods", "default").get("short-lived"))["status"]["reason"] == "DeadlineExceeded"
        assert [is_ready(node) for node in await client.resource("v1", "nodes").list_all()] == [True, True]
        await cluster.clock.sleep(3000)
        events = await client.resource("v1", "events").list_all()
        assert [event["metadata"]["name"] for event in events if event["metadata"]["creationTimestamp"] > "2030"] == []
        assert cluster.failures == []


@pytest.mark.virtual_time
async def test_jobs_that_began_before_the_clock_was_set_back_are_tried_again_and_end(tmp_path: Path) -> None:
    def starting(at_s: float) -> ClusterSpec:
        return ClusterSpec(dialect="kubernetes", nodes=2, seed=1, start_s=at_s, data_dir=tmp_path / "c", durability="process")

    def job(name: str, script: str) -> Object:
        containers = [{"name": "c", "image": "busybox", "command": ["sh", "-c", script]}]
        template = {"spec": {"restartPolicy": "Never", "containers": containers}}
        return {"metadata": {"name": name, "namespace": "default"}, "spec": {"backoffLimit": 2, "template": template}}

    async with open_cluster(starting(START_S + YEARS_S)) as cluster:
        jobs = cluster.client("test").resource("batch/v1", "jobs", "default")
        await jobs.create(job("works", "sleep 30"))
        await jobs.create(job("fails", "exit 3"))
        await cluster.clock.sleep(15)
    async with open_cluster(starting(START_S)) as cluster:
        jobs = cluster.client("test").resource("batch/v1", "jobs", "default")
        await cluster.clock.sleep(300)
        works = (await jobs.get("works"))["status"]
        assert condition({"status": works}, "Complete") is not None, works
        assert works["completionTime"] == works["startTime"]
        assert condition(await jobs.get("fails"), "Failed") is not None
        assert cluster.failures == []


@pytest.mark.virtual_time
async def test_a_clock_that_was_set_back_stays_so_however_soon_the_process_ends(tmp_path: Path) -> None:
    ahead_s = START_S + YEARS_S
    async with open_cluster(ClusterSpec(seed=1, start_s=ahead_s, data_dir=tmp_path / "c")) as cluster:
        assert start_time(cluster.store, None, 1.0) == ahead_s
    async with open_cluster(ClusterSpec(seed=1, start_s=START_S, data_dir=tmp_path / "c")) as cluster:
        await cluster.clock.sleep(0.001)
        assert start_time(cluster.store, None, 1.0) < ahead_s
