"""ReplicationControllers in a running cluster: as ReplicaSets are, but for their kind, their selector and who tells of them."""

import pytest

from svcsim.client.api import Collection
from svcsim.meta.types import Object
from tests.controllers.running import Running, replica_set, running, template

KINDS = ("kubernetes", "svcapi")


def controllers(r: Running) -> Collection:
    return r.client.resource("v1", "replicationcontrollers", "default")


def replication_controller(name: str, replicas: int = 3, **spec: object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"app": name}, "template": template(name), **spec},
    }


def ready(count: int):
    return lambda items: bool(items) and items[0].get("status", {}).get("readyReplicas", 0) == count


@pytest.mark.virtual_time
@pytest.mark.parametrize("dialect", KINDS)
async def test_it_makes_its_pods_and_reports_them(dialect: str):
    async with running(dialect=dialect) as r:
        await controllers(r).create(replication_controller("web", 3))
        (item,) = await r.until(ready(3), controllers(r))
        assert item["status"] == {
            "replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 1,
        }  # fmt: skip
        pods = await r.pods.list_all()
        assert len(pods) == 3
        for pod in pods:
            assert pod["metadata"]["generateName"] == "web-"
            assert pod["metadata"]["ownerReferences"] == [
                {
                    "apiVersion": "v1", "kind": "ReplicationController", "name": "web", "uid": item["metadata"]["uid"],
                    "controller": True, "blockOwnerDeletion": True,
                }
            ]  # fmt: skip
        created = [message for reason, message in await r.events_of("web") if reason == "SuccessfulCreate"]
        assert sorted(created) == sorted(f"Created pod: {pod['metadata']['name']}" for pod in pods)
        events = await r.client.resource("v1", "events", "default").list_all(field_selector="involvedObject.name=web")
        assert {event["source"]["component"] for event in events} == {"replication-controller"}
        assert {event["involvedObject"]["kind"] for event in events} == {"ReplicationController"}


@pytest.mark.virtual_time
async def test_it_selects_by_the_labels_of_its_template_where_it_does_not_say():
    async with running() as r:
        wish = replication_controller("web", 2)
        del wish["spec"]["selector"]
        await controllers(r).create(wish)
        (item,) = await r.until(ready(2), controllers(r))
        assert item["spec"]["selector"] == {"app": "web"}


@pytest.mark.virtual_time
async def test_it_replaces_a_pod_that_is_deleted_and_follows_its_scale():
    async with running() as r:
        await controllers(r).create(replication_controller("web", 2))
        await r.until(ready(2), controllers(r))
        victim = (await r.pods.list_all())[0]["metadata"]["name"]
        await r.pods.delete(victim)
        await r.until_gone(r.pods, victim)
        await r.until(ready(2), controllers(r))
        await controllers(r).patch("web", {"spec": {"replicas": 5}}, subresource="scale")
        await r.until(ready(5), controllers(r))
        await controllers(r).patch("web", {"spec": {"replicas": 1}}, subresource="scale")
        await r.until(lambda pods: len(pods) == 1, r.pods)
        deleted = [message for reason, message in await r.events_of("web") if reason == "SuccessfulDelete"]
        assert len(deleted) == 4


@pytest.mark.virtual_time
async def test_it_adopts_what_fits_and_lets_go_what_no_longer_does():
    async with running() as r:
        orphan = {"apiVersion": "v1", "kind": "Pod", **template("web")}
        orphan["metadata"] = {**orphan["metadata"], "name": "orphan"}
        await r.pods.create(orphan)
        made = await controllers(r).create(replication_controller("web", 2))
        await r.until(ready(2), controllers(r))
        assert (await r.pods.get("orphan"))["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert len(await r.pods.list_all()) == 2
        await r.pods.patch("orphan", {"metadata": {"labels": {"app": "other"}}})
        await r.until(lambda pods: len(pods) == 3, r.pods)
        assert "ownerReferences" not in (await r.pods.get("orphan"))["metadata"]


@pytest.mark.virtual_time
async def test_it_leaves_alone_what_a_replica_set_of_the_same_name_and_labels_controls():
    async with running() as r:
        await r.sets.create(replica_set("web", 2))
        await r.until(ready(2), r.sets)
        await controllers(r).create(replication_controller("web", 3))
        await r.until(ready(3), controllers(r))
        kinds = [pod["metadata"]["ownerReferences"][0]["kind"] for pod in await r.pods.list_all()]
        assert sorted(kinds) == ["ReplicaSet"] * 2 + ["ReplicationController"] * 3


@pytest.mark.virtual_time
async def test_a_pod_counts_as_available_once_it_has_been_ready_long_enough():
    async with running() as r:
        await controllers(r).create(replication_controller("web", 1, minReadySeconds=30))
        await r.until(ready(1), controllers(r))
        since = r.clock.now()
        assert (await controllers(r).get("web"))["status"].get("availableReplicas", 0) == 0
        await r.until(lambda items: items[0]["status"].get("availableReplicas") == 1, controllers(r))
        assert 29 <= r.clock.now() - since <= 31


@pytest.mark.virtual_time
async def test_pods_that_are_refused_show_in_its_status_and_in_events():
    async with running() as r:
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small"}, "spec": {"hard": {"pods": "1"}}}
        await r.client.resource("v1", "resourcequotas", "default").create(quota)
        await controllers(r).create(replication_controller("web", 2))
        (item,) = await r.until(lambda items: bool(items and (items[0].get("status") or {}).get("conditions")), controllers(r))
        (failure,) = item["status"]["conditions"]
        assert (failure["type"], failure["status"], failure["reason"]) == ("ReplicaFailure", "True", "FailedCreate")
        await r.clock.sleep(0.1)
        assert "FailedCreate" in [reason for reason, _ in await r.events_of("web")]
        await r.client.resource("v1", "resourcequotas", "default").delete("small")
        (item,) = await r.until(ready(2), controllers(r), 600)
        await r.until(lambda items: "conditions" not in items[0]["status"], controllers(r))


@pytest.mark.virtual_time
async def test_its_pods_go_with_it_unless_they_are_left_behind():
    async with running() as r:
        await controllers(r).create(replication_controller("web", 2))
        await r.until(ready(2), controllers(r))
        await controllers(r).delete("web", propagation="Orphan")
        await r.until_gone(controllers(r), "web")
        await r.until(lambda pods: len(pods) == 2 and not any("ownerReferences" in pod["metadata"] for pod in pods), r.pods)
        await controllers(r).create(replication_controller("web", 2))
        await r.until(ready(2), controllers(r))
        assert len(await r.pods.list_all()) == 2
        await controllers(r).delete("web", propagation="Background")
        await r.until(lambda pods: pods == [], r.pods)
