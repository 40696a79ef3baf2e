"""What is on the clone of a volume: what was on that volume when the clone was made, and from then on each has its own."""

from collections.abc import Mapping

import pytest

from svcsim import limits
from svcsim.meta.types import Json, Object
from svcsim.nodes.processes.processes import NOBODY_ASKED
from tests.living import Living, living, name
from tests.nodes.test_lasting_files import claim, claimed, mounting, says
from tests.nodes.test_processes import ended, of_containers, script
from tests.nodes.test_streams import of, sh


async def clone(cluster: Living, of_claim: str, clone_name: str = "clone", **spec: Json) -> None:
    """It is made, and whoever is to fill it has had the time to."""
    source = {"kind": "PersistentVolumeClaim", "name": of_claim}
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "now", **spec}
    claims = cluster.client.resource("v1", "persistentvolumeclaims", "default")
    await claims.create(of("PersistentVolumeClaim", clone_name, spec={**spec, "dataSource": source}))
    await cluster.sleep(5)
    assert (await claims.get(clone_name))["status"]["phase"] == "Bound"


async def class_that_binds_at_once(cluster: Living) -> None:
    made = {"apiVersion": f"{cluster.client.dialect.group('storage')}/v1", "kind": "StorageClass", "metadata": {"name": "now"}}
    classes = cluster.client.resource(made["apiVersion"], "storageclasses")
    await classes.create({**made, "provisioner": "disk.csi.svcsim.dev"})


def running_at(text: str, pod_name: str, claim_name: str) -> Object:
    one = script(text, volumeMounts=[{"name": "v", "mountPath": "/v"}])
    return of_containers(one, pod_name=pod_name, volumes=[{"name": "v", **claimed(claim_name)}])


@pytest.mark.virtual_time
async def test_a_clone_begins_with_the_files_of_its_source_and_goes_its_own_way():
    async with living(nodes=2) as cluster:
        await class_that_binds_at_once(cluster)
        await claim(cluster, "data")
        await ended(cluster, mounting("mkdir -p /v/d/e; echo old > /v/d/e/f; echo old > /v/g; chmod 755 /v/g", claimed("data"), "first"))
        await clone(cluster, "data")
        await ended(cluster, mounting("echo new > /v/d/e/f; echo new > /v/h", claimed("data"), "second"))
        assert (
            await says(cluster, mounting("cd /v; cat d/e/f; ls; [ -x g ] && echo runs", claimed("clone"), "third")) == "old\nd\ng\nruns\n"
        )
        await ended(cluster, mounting("echo other > /v/d/e/f", claimed("clone"), "fourth"))
        assert await says(cluster, mounting("cat /v/d/e/f", claimed("data"), "fifth")) == "new\n"


@pytest.mark.virtual_time
async def test_a_clone_has_what_pods_have_written_that_nobody_has_looked_at_and_nothing_later():
    async with living(nodes=2) as cluster:
        await class_that_binds_at_once(cluster)
        await claim(cluster, "data")
        await cluster.run_pod(running_at("while true; do echo x >> /v/f; sleep 10; done", "writer", "data"))
        await cluster.sleep(95)
        await clone(cluster, "data")
        await cluster.sleep(300)
        assert await says(cluster, mounting("wc -l < /v/f", claimed("clone"), "reader")) in ("10\n", "11\n")
        assert int(await sh(cluster, "writer", "wc -l < /v/f")) > 30


@pytest.mark.virtual_time
async def test_a_clone_stays_when_its_source_goes_and_gives_its_room_back_when_it_goes_itself():
    async with living(nodes=2) as cluster:
        await class_that_binds_at_once(cluster)
        await claim(cluster, "data")
        await ended(cluster, mounting("echo kept > /v/f", claimed("data"), "first"))
        await cluster.pods.delete("first")
        await cluster.until(lambda pods: not pods)
        files = cluster.cluster.nodes.reach.processes.files
        before = files.used_bytes
        await clone(cluster, "data")
        assert files.used_bytes == 2 * before
        claims = cluster.client.resource("v1", "persistentvolumeclaims", "default")
        await claims.delete("data")
        await cluster.sleep(60)
        assert await says(cluster, mounting("cat /v/f", claimed("clone"), "second")) == "kept\n"
        await clone(cluster, "clone", "of-the-clone")
        assert await says(cluster, mounting("cat /v/f", claimed("of-the-clone"), "third")) == "kept\n"
        for pod_name in ("second", "third"):
            await cluster.pods.delete(pod_name)
        for claim_name in ("clone", "of-the-clone"):
            await claims.delete(claim_name)
        await cluster.sleep(60)
        assert await claims.list_all() == []
        assert files.used_bytes == 0


@pytest.mark.virtual_time
async def test_a_clone_for_whose_files_there_is_no_room_is_empty_and_says_so(monkeypatch):
    monkeypatch.setattr(limits, "SIMULATED_DISKS_BYTES", 3 * 1024**2)
    async with living(nodes=2) as cluster:
        await class_that_binds_at_once(cluster)
        await claim(cluster, "data")
        await ended(cluster, mounting("dd if=/dev/zero of=/v/f bs=1024 count=2000", claimed("data"), "first"))
        await clone(cluster, "data")
        events = await cluster.client.resource("v1", "events", "default").list_all(field_selector="involvedObject.name=clone")
        (told,) = [event for event in events if event["reason"] == "CloneLeftEmpty"]
        assert told["message"].endswith("all files together have 3 MiB")
        assert await says(cluster, mounting("ls /v", claimed("clone"), "second")) == ""


@pytest.mark.virtual_time
async def test_the_clone_of_a_volume_on_which_nothing_is_is_empty():
    async with living(nodes=2) as cluster:
        await class_that_binds_at_once(cluster)
        spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "now"}
        await cluster.client.resource("v1", "persistentvolumeclaims", "default").create(of("PersistentVolumeClaim", "data", spec=spec))
        await cluster.sleep(5)
        await clone(cluster, "data")
        done = await ended(cluster, mounting("ls /v; echo mine > /v/f", claimed("clone"), "first"))
        assert name(done) == "first"
        assert await says(cluster, mounting("cat /v/f", claimed("clone"), "second")) == "mine\n"
        assert await says(cluster, mounting("ls /v", claimed("data"), "third")) == ""


@pytest.mark.virtual_time
async def test_whoever_looks_at_a_clone_waits_until_it_is_filled(monkeypatch):
    async with living(nodes=2) as cluster:
        await class_that_binds_at_once(cluster)
        await claim(cluster, "data")
        await cluster.run_pod(running_at("echo one > /v/f; sleep 100000", "writer", "data"))
        processes = cluster.cluster.nodes.reach.processes
        run = processes.catch_up

        async def slow(wanted: Object, asked: Mapping[str, float] = NOBODY_ASKED) -> None:
            if name(wanted) == "writer":
                await cluster.sleep(30)
            await run(wanted, asked)

        monkeypatch.setattr(processes, "catch_up", slow)
        both = running_at("sleep 100000", "both", "data")
        both["spec"]["volumes"].append({"name": "w", **claimed("clone")})
        await cluster.pods.create(both)
        await clone(cluster, "data")
        assert await says(cluster, mounting("cat /v/f", claimed("clone"), "reader")) == "one\n"
