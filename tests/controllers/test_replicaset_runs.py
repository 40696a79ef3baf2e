"""ReplicaSets in a running cluster."""

import asyncio
import itertools
import re

import pytest

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import ControllerContext
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.cluster import parts
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import User
from tests.controllers.running import replica_set, running, template
from tests.virtual import run_virtual


def ready(count: int):
    return lambda items: bool(items) and items[0].get("status", {}).get("readyReplicas", 0) == count


@pytest.mark.virtual_time
async def test_it_makes_its_pods_and_reports_them():
    async with running() as r:
        await r.sets.create(replica_set("web", 3))
        (item,) = await r.until(ready(3), r.sets)
        assert item["status"] == {
            "replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 1,
        }  # fmt: skip
        pods = await r.pods.list_all()
        assert len(pods) == 3
        for pod in pods:
            assert pod["metadata"]["generateName"] == "web-"
            assert pod["metadata"]["ownerReferences"] == [
                {
                    "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": item["metadata"]["uid"],
                    "controller": True, "blockOwnerDeletion": True,
                }
            ]  # fmt: skip
        created = [message for reason, message in await r.events_of("web") if reason == "SuccessfulCreate"]
        assert sorted(created) == sorted(f"Created pod: {pod['metadata']['name']}" for pod in pods)


@pytest.mark.virtual_time
async def test_where_the_namespace_is_going_one_refusal_is_enough():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"metadata": {"name": "shop"}})
        sets = r.sets.within("shop")
        shop = replica_set("web", 40)
        shop["metadata"]["namespace"] = "shop"
        await sets.create(shop)
        await r.until(ready(40), sets)
        await namespaces.delete("shop")
        await r.until_gone(namespaces, "shop")
        page = (await r.client.get_body("/metrics")).decode()
    refused = re.search(r'^apiserver_request_total\{verb="create",group="",resource="pods",code="403"\} (\d+)$', page, re.MULTILINE)
    assert refused is not None, "its pods are deleted before it is"
    assert int(refused[1]) < 5


@pytest.mark.virtual_time
async def test_of_two_hundred_pods_it_tells_in_few_events():
    async with running() as r:
        await r.sets.create(replica_set("web", 200))
        await r.until(lambda pods: len(pods) == 200, r.pods)
        await r.clock.sleep(1)
        found = await r.client.resource("v1", "events", "default").list_all()
        told = [event for event in found if event["reason"] == "SuccessfulCreate"]
        assert len(told) == limits.EVENTS_SIMILAR
        assert sum(event["count"] for event in told) == limits.EVENTS_OF_AN_OBJECT, "as many as were written"


@pytest.mark.virtual_time
async def test_it_replaces_a_pod_that_is_deleted():
    async with running() as r:
        await r.sets.create(replica_set("web", 2))
        await r.until(ready(2), r.sets)
        victim = (await r.pods.list_all())[0]["metadata"]["name"]
        await r.pods.delete(victim)
        await r.until_gone(r.pods, victim)
        await r.until(ready(2), r.sets)
        assert len(await r.pods.list_all()) == 2


@pytest.mark.virtual_time
async def test_it_never_has_more_pods_than_asked_for_however_it_is_scaled():
    async with running() as r:
        await r.sets.create(replica_set("web", 20))
        most = 0
        for size in (20, 5, 12, 0, 7):
            await r.sets.patch("web", {"spec": {"replicas": size}})
            async with r.pods.watch((await r.pods.list()).revision, timeout_s=30) as events:
                async for _ in events:
                    living = [pod for pod in await r.pods.list_all() if "deletionTimestamp" not in pod["metadata"]]
                    most = max(most, len(living))
            assert len([pod for pod in await r.pods.list_all() if "deletionTimestamp" not in pod["metadata"]]) == size
        assert most == 20


@pytest.mark.virtual_time
async def test_it_adopts_what_fits_and_lets_go_what_no_longer_does():
    async with running() as r:
        orphan = {"apiVersion": "v1", "kind": "Pod", **template("web")}
        orphan["metadata"] = {**orphan["metadata"], "name": "orphan"}
        await r.pods.create(orphan)
        made = await r.sets.create(replica_set("web", 2))
        await r.until(ready(2), r.sets)
        adopted = await r.pods.get("orphan")
        assert adopted["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert len(await r.pods.list_all()) == 2

        await r.pods.patch("orphan", {"metadata": {"labels": {"app": "other"}}})
        await r.until(lambda pods: len(pods) == 3, r.pods)
        assert "ownerReferences" not in (await r.pods.get("orphan"))["metadata"]


@pytest.mark.virtual_time
async def test_pods_that_have_ended_are_neither_adopted_nor_let_go():
    async with running(nodes=0) as r:  # which would say that they have not
        ended = {"apiVersion": "v1", "kind": "Pod", **template("web")}
        ended["metadata"] = {**ended["metadata"], "name": "ended"}
        await r.pods.create(ended)
        await r.pods.patch("ended", {"status": {"phase": "Failed"}}, subresource="status")
        await r.sets.create(replica_set("web", 1))
        await r.until(lambda pods: len(pods) == 2, r.pods)
        await r.clock.sleep(60)
        assert "ownerReferences" not in (await r.pods.get("ended"))["metadata"]

        (own,) = [pod for pod in await r.pods.list_all() if pod["metadata"]["name"] != "ended"]
        name = own["metadata"]["name"]
        await r.pods.patch(name, {"status": {"phase": "Failed", "reason": "Evicted"}}, subresource="status")
        await r.until(lambda pods: len(pods) == 3, r.pods)
        await r.pods.patch(name, {"metadata": {"labels": {"app": "other"}}})
        await r.clock.sleep(60)
        assert (await r.pods.get(name))["metadata"]["ownerReferences"] == own["metadata"]["ownerReferences"]

        await r.sets.delete("web")
        await r.until_gone(r.pods, name)
        assert await r.exists(r.pods, "ended")


@pytest.mark.virtual_time
async def test_a_pod_counts_as_available_once_it_has_been_ready_long_enough():
    async with running() as r:
        await r.sets.create(replica_set("web", 1, minReadySeconds=30))
        await r.until(ready(1), r.sets)
        since = r.clock.now()
        assert (await r.sets.get("web"))["status"].get("availableReplicas", 0) == 0
        await r.until(lambda items: items[0]["status"].get("availableReplicas") == 1, r.sets)
        assert 29 <= r.clock.now() - since <= 31


@pytest.mark.virtual_time
async def test_in_a_namespace_on_its_way_out_no_pod_is_tried_again_and_again():
    """One that a pod with a finalizer keeps alive: pods go first, so the set is still there. Nothing it could make would be taken."""
    async with running() as r:
        shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        await r.client.resource("v1", "namespaces").create(shop)
        sets = r.sets.within("shop")
        wish = replica_set("web", 1)
        wish["spec"]["template"]["metadata"]["finalizers"] = ["example.com/wait"]
        await sets.create({**wish, "metadata": {"name": "web", "namespace": "shop"}})
        await r.until(ready(1), sets)
        await r.client.resource("v1", "namespaces").delete("shop")
        (item,) = await r.until(lambda items: bool(items and not items[0]["status"]["replicas"]), sets)
        await r.clock.sleep(120)
        (later,) = await sets.list_all()
        assert "conditions" not in later["status"]
        assert later["metadata"]["resourceVersion"] == item["metadata"]["resourceVersion"]
        events = await r.client.resource("v1", "events", "shop").list_all()
        assert "FailedCreate" not in {event["reason"] for event in events}


def test_a_pod_the_server_refuses_is_told_in_an_event_and_tried_again_later_and_later(monkeypatch):
    """The controller under test works beside a cluster that has none, through a server that refuses its pods, as a quota would."""
    others = tuple(entry for entry in parts.CONTROLLERS if entry[1] is not ReplicaSetController)
    monkeypatch.setattr(parts, "CONTROLLERS", others)
    refusals: list[float] = []

    async def main() -> None:
        async with running() as r:

            async def refusing(request: Request) -> Response:
                if request.method == "POST" and request.path.endswith("/pods"):
                    refusals.append(r.clock.now())
                    error = StatusError(403, "Forbidden", "exceeded quota: small")
                    return Response(403, encode(error.status()))
                return await r.cluster.pipeline.handle(request)

            client = Client(InProcessTransport(refusing, User("system:controller", ("system:masters",))), r.dialect)
            events = EventRecorder(client, r.clock, "replicaset-controller")
            context = ControllerContext(client, r.cluster.informers, r.cluster.served_types, r.clock, Chance(2), r.dialect, events)
            controller = ReplicaSetController(context)
            tasks = [asyncio.create_task(controller.run()), asyncio.create_task(events.run())]
            await r.sets.create(replica_set("web", 8))
            await r.clock.sleep(60)
            (item,) = await r.sets.list_all()
            (failure,) = item["status"]["conditions"]
            assert (failure["reason"], failure["message"]) == ("FailedCreate", "exceeded quota: small")
            assert await r.events_of("web") == [("FailedCreate", "Error creating: exceeded quota: small")]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(main())
    gaps = [later - earlier for earlier, later in itertools.pairwise(refusals)]
    assert 10 <= len(refusals) <= 20, "one try at a time, not eight"
    assert gaps == sorted(gaps)
