"""Disruption budgets in a running cluster: their status, and what it lets be evicted."""

import asyncio
from collections.abc import Callable

import pytest

from svcsim.controllers.disruption.plan import DELETION_WAIT_S
from svcsim.controllers.disruption.stale import STALE_S
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, deployment, replica_set, running

VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."


def budget(name: str = "web", app: str = "web", **spec: Json) -> Object:
    selector = {"matchLabels": {"app": app}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": {"selector": selector, **spec}}


def eviction(name: str, **options: Json) -> Object:
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, "deleteOptions": options}


def bare(name: str, app: str = "web", **spec: Json) -> Object:
    spec = {"containers": [{"name": "main", "image": "nginx:1"}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": app}}, "spec": spec}


class Budgets:
    """Budgets and evictions at hand."""

    def __init__(self, r: Running) -> None:
        self.r = r
        self.collection = r.client.resource("policy/v1", "poddisruptionbudgets", "default")

    async def status(self, holds: Callable[[Object], bool], name: str = "web") -> Object:
        def found(items: list[Object]) -> Object:
            return next(item for item in items if item["metadata"]["name"] == name)

        items = await self.r.until(lambda items: holds(found(items).get("status") or {}), self.collection)
        return found(items)["status"]

    async def allows(self, count: int, name: str = "web") -> Object:
        return await self.status(lambda status: status.get("disruptionsAllowed") == count and bool(status.get("observedGeneration")), name)

    async def evict(self, pod: str, **options: Json) -> Object:
        return await self.r.pods.create_subresource(pod, "eviction", eviction(pod, **options))

    async def refused(self, pod: str, **options: Json) -> StatusError:
        with pytest.raises(StatusError) as refused:
            await self.evict(pod, **options)
        return refused.value

    async def pods(self) -> list[str]:
        return [pod["metadata"]["name"] for pod in await self.r.pods.list_all() if "deletionTimestamp" not in pod["metadata"]]


async def web(r: Running, replicas: int = 3, **spec: Json) -> Budgets:
    """A deployment that is rolled out, and its budget."""
    await r.deployments.create(deployment("web", replicas))
    await r.rolled_out("web")
    budgets = Budgets(r)
    await budgets.collection.create(budget(**spec))
    return budgets


@pytest.mark.virtual_time
async def test_a_budget_lets_go_as_many_as_it_allows_and_more_once_others_are_ready():
    async with running() as r:
        b = await web(r, minAvailable=2)
        status = await b.allows(1)
        assert (status["expectedPods"], status["currentHealthy"], status["desiredHealthy"]) == (3, 3, 2)
        first, second, _ = await b.pods()
        assert (await b.evict(first))["status"] == "Success"
        going = await r.pods.get(first)
        (target,) = [one for one in going["status"]["conditions"] if one["type"] == "DisruptionTarget"]
        assert (target["status"], target["reason"], target["message"]) == ("True", "EvictionByEvictionAPI", "Eviction API: evicting")
        assert "deletionTimestamp" in going["metadata"]
        error = await b.refused(second)
        assert (error.code, error.message) == (429, VIOLATES)
        assert error.details == {
            "causes": [{"reason": "DisruptionBudget", "message": "The disruption budget web needs 2 healthy pods and has 2 currently"}]
        }
        assert "deletionTimestamp" not in (await r.pods.get(second))["metadata"]
        assert (await b.evict(first))["status"] == "Success", "what is going already needs nobody's leave"
        await b.allows(1)
        await b.evict(second)


@pytest.mark.virtual_time
async def test_of_many_who_ask_together_as_many_get_leave_as_there_are_disruptions():
    async with running() as r:
        b = await web(r, 10, maxUnavailable=3)
        await b.allows(3)
        asked = await asyncio.gather(*[b.evict(name) for name in await b.pods()], return_exceptions=True)
        refused = [one for one in asked if isinstance(one, StatusError)]
        assert len(refused) == 7
        assert {(one.code, one.message) for one in refused} == {(429, VIOLATES)}
        assert len(await b.pods()) <= 7 + 3


@pytest.mark.virtual_time
async def test_a_budget_nobody_has_looked_at_yet_lets_nothing_go():
    async with running() as r:
        b = await web(r, minAvailable=1)
        (name, *_) = await b.pods()
        await b.allows(2)
        await b.collection.patch("web", {"spec": {"minAvailable": 3}})
        error = await b.refused(name)
        assert (error.code, error.message) == (429, VIOLATES)
        (cause,) = error.details["causes"]
        assert cause["message"] == "The disruption budget web is still being processed by the server."
        assert error.details["retryAfterSeconds"] == 10
        await b.allows(0)
        await b.collection.delete("web")
        await b.evict(name)


@pytest.mark.virtual_time
async def test_a_dry_run_asks_and_uses_nothing_up():
    async with running() as r:
        b = await web(r, minAvailable=2)
        await b.allows(1)
        names = await b.pods()
        before = r.cluster.store.revision
        for name in names:
            assert (await b.evict(name, dryRun=["All"]))["status"] == "Success"
        assert r.cluster.store.revision == before
        await b.collection.patch("web", {"spec": {"minAvailable": 3}})
        await b.allows(0)
        assert (await b.refused(names[0], dryRun=["All"])).code == 429


@pytest.mark.virtual_time
async def test_two_budgets_are_one_too_many():
    async with running() as r:
        b = await web(r, minAvailable=0)
        await b.collection.create(budget("other", minAvailable=0))
        await b.allows(3, "other")
        error = await b.refused((await b.pods())[0])
        assert error.code == 500
        assert error.message == "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


@pytest.mark.virtual_time
async def test_pods_that_serve_nobody_need_no_leave():
    async with running(nodes=1) as r:
        b = Budgets(r)
        await b.collection.create(budget(minAvailable=5))
        await r.pods.create(bare("pending", nodeSelector={"no": "such"}))
        await r.pods.create(bare("done", restartPolicy="Never"))
        await r.pods.create(bare("runs"))
        await r.until(lambda items: [i["status"].get("phase") for i in items if i["metadata"]["name"] == "runs"] == ["Running"], r.pods)
        await r.pods.patch("done", {"status": {"phase": "Succeeded"}}, subresource="status")
        await b.status(lambda status: status.get("expectedPods") == 3)
        assert (await b.evict("pending"))["status"] == "Success"
        assert (await b.evict("done"))["status"] == "Success"
        assert (await b.refused("runs")).code == 429


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("policy", "least", "goes"),
    [
        (None, 1, True),
        ("IfHealthyBudget", 1, True),
        ("IfHealthyBudget", 2, False),
        (None, 2, False),
        ("AlwaysAllow", 2, True),
        (None, 0, True),
    ],
)
async def test_whether_a_pod_that_is_not_ready_may_go(policy: str | None, least: int, *, goes: bool):
    async with running(nodes=1) as r:
        b = Budgets(r)
        probe = {"exec": {"command": ["false"]}, "periodSeconds": 1}
        await r.pods.create(bare("well"))
        await r.pods.create(bare("ill", containers=[{"name": "main", "image": "nginx:1", "readinessProbe": probe}]))

        def as_named(items: list[Object]) -> bool:
            ready = {i["metadata"]["name"]: c["status"] for i in items for c in i["status"].get("conditions", ()) if c["type"] == "Ready"}
            return ready == {"well": "True", "ill": "False"} and all(item["status"]["phase"] == "Running" for item in items)

        await r.until(as_named, r.pods)
        await b.collection.create(budget(minAvailable=least, **({"unhealthyPodEvictionPolicy": policy} if policy else {})))
        before = await b.status(lambda status: status.get("currentHealthy") == 1)
        if goes:
            await b.evict("ill")
            if least:
                assert (await b.collection.get("web"))["status"]["disruptionsAllowed"] == before["disruptionsAllowed"], "it isn't counted"
        else:
            assert (await b.refused("ill")).code == 429


@pytest.mark.virtual_time
async def test_an_eviction_may_be_sent_as_it_was_before():
    async with running() as r:
        b = await web(r, minAvailable=2)
        await b.allows(1)
        one, *_ = await b.pods()
        for version, code in (("policy/v1beta1", 201), ("policy/v1beta2", 400), ("policy/v2", 400)):
            sent = {**eviction(one), "apiVersion": version}
            if code == 201:
                assert (await r.pods.create_subresource(one, "eviction", sent))["status"] == "Success"
                continue
            with pytest.raises(StatusError) as refused:
                await r.pods.create_subresource(one, "eviction", sent)
            assert refused.value.code == code


@pytest.mark.virtual_time
async def test_an_eviction_holds_to_its_preconditions():
    async with running() as r:
        b = await web(r, minAvailable=2)
        await b.allows(1)
        name = (await b.pods())[0]
        for stale in ({"uid": "other"}, {"resourceVersion": "1"}):
            error = await b.refused(name, preconditions=stale)
            assert (error.code, error.reason) == (409, "Conflict")
        assert (await b.collection.get("web"))["status"]["disruptionsAllowed"] == 1, "nothing was used up"
        known = (await r.pods.get(name))["metadata"]
        await b.evict(name, preconditions={"uid": known["uid"], "resourceVersion": known["resourceVersion"]})
        assert "deletionTimestamp" in (await r.pods.get(name))["metadata"]


@pytest.mark.virtual_time
async def test_leave_that_is_not_made_use_of_expires():
    async with running() as r:
        b = await web(r, minAvailable=2)
        status = await b.allows(1)
        name = (await b.pods())[0]
        granted = {**status, "disruptionsAllowed": 0, "disruptedPods": {name: r.clock.timestamp()}}
        await b.collection.patch("web", {"status": granted}, subresource="status")
        assert (await b.status(lambda status: status["currentHealthy"] == 2))["disruptedPods"] == granted["disruptedPods"]
        began = r.clock.now()
        status = await b.status(lambda status: not status.get("disruptedPods"))
        assert r.clock.now() - began == pytest.approx(DELETION_WAIT_S, abs=2)
        assert status["disruptionsAllowed"] == 1
        await r.clock.sleep(1)
        assert [event for event in await r.events_of(name) if event[0] == "NotDeleted"] == [
            ("NotDeleted", "Pod was expected by PDB default/web to be deleted but it wasn't")
        ]


@pytest.mark.virtual_time
async def test_a_share_is_one_of_the_pods_that_are_wanted():
    async with running() as r:
        b = await web(r, 4, maxUnavailable="50%")
        assert (await b.allows(2))["expectedPods"] == 4
        await r.deployments.patch("web", {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}}})
        await r.rolled_out("web")
        assert (await b.allows(2))["expectedPods"] == 4, "not the sum of its sets"
        await r.deployments.patch("web", {"spec": {"replicas": 8}})
        await b.status(lambda status: (status["expectedPods"], status["disruptionsAllowed"]) == (8, 4))
        await r.sets.create(replica_set("alone", 2))
        await b.collection.create(budget("alone", "alone", minAvailable="50%"))
        await b.allows(1, "alone")


WIDGETS: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                "subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
            }
        ],
    },
}
STATEFUL_SET: Object = {**deployment("db", 3), "kind": "StatefulSet", "spec": {**deployment("db", 3)["spec"], "serviceName": "db"}}
CONTROLLER: Object = {
    "apiVersion": "v1",
    "kind": "ReplicationController",
    "metadata": {"name": "rc"},
    "spec": {"replicas": 5, "selector": {"app": "owned"}, "template": deployment("owned")["spec"]["template"]},
}
JOB: Object = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "job"},
    "spec": {
        "managedBy": "example.com/nobody",
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}},
    },
}


async def owned(r: Running, owner: Object, name: str) -> None:
    reference = {"controller": True, "uid": owner["metadata"]["uid"], "name": owner["metadata"]["name"]}
    pod = bare(name, "owned")
    pod["metadata"]["ownerReferences"] = [{**reference, "apiVersion": owner["apiVersion"], "kind": owner["kind"]}]
    await r.pods.create(pod)


@pytest.mark.virtual_time
async def test_whoever_has_a_scale_says_how_many_are_wanted():
    async with running(controllers=("*", "-statefulset")) as r:  # nobody lets a pod go that isn't named after its set
        b = Budgets(r)
        await r.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions").create(WIDGETS)
        await r.clock.sleep(1)
        widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"replicas": 7}}
        owners = [
            await r.client.resource("example.com/v1", "widgets", "default").create(widget),
            await r.client.resource("apps/v1", "statefulsets", "default").create(STATEFUL_SET),
            await r.client.resource("v1", "replicationcontrollers", "default").create(CONTROLLER),
        ]
        for number, owner in enumerate(owners):
            await owned(r, owner, f"p{number}")
        await b.collection.create(budget("web", "owned", maxUnavailable="10%"))
        status = await b.status(lambda status: status.get("currentHealthy") == 1 + 1 + 5)
        assert (status["expectedPods"], status["desiredHealthy"]) == (7 + 3 + 5, 13)


@pytest.mark.virtual_time
async def test_where_the_number_wanted_is_not_known_nothing_may_go():
    async with running() as r:
        b = Budgets(r)
        await owned(r, await r.client.resource("batch/v1", "jobs", "default").create(JOB), "p")
        await r.until(lambda items: items[0]["status"].get("phase") == "Running", r.pods)
        await b.collection.create(budget("web", "owned", maxUnavailable=1))
        why = "jobs.batch does not implement the scale subresource"
        status = await b.status(lambda status: bool(status.get("conditions")))
        (told,) = status["conditions"]
        assert (told["status"], told["reason"], told["message"], status["disruptionsAllowed"]) == ("False", "SyncFailed", why, 0)
        await b.collection.patch("web", {"metadata": {"annotations": {"look": "again"}}})
        await r.clock.sleep(5)
        events = await r.events_of("web")
        assert ("CalculateExpectedPodCountFailed", f"Failed to calculate the number of expected pods: {why}") in events
        assert len(events) == 1, "it isn't tried again and again"


@pytest.mark.virtual_time
async def test_pods_nobody_controls_are_told_of():
    async with running() as r:
        b = Budgets(r)
        await r.pods.create(bare("p"))
        await b.collection.create(budget(maxUnavailable=1))
        assert (await b.status(lambda status: status.get("currentHealthy") == 1))["expectedPods"] == 0
        await r.clock.sleep(1)
        assert {reason for reason, _ in await r.events_of("web")} == {"UnmanagedPods"}


@pytest.mark.virtual_time
async def test_a_status_that_stands_is_not_written_again():
    async with running() as r:
        b = await web(r, minAvailable=2)
        await b.allows(1)
        before = (await b.collection.get("web"))["metadata"]["resourceVersion"]
        await r.clock.sleep(600)
        assert (await b.collection.get("web"))["metadata"]["resourceVersion"] == before


async def said_to_be_target(r: Running, name: str, reason: str) -> None:
    pod = await r.pods.get(name)
    target = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "m", "lastTransitionTime": r.clock.timestamp()}
    status = {"conditions": [*pod["status"]["conditions"], target]}
    await r.pods.patch(name, {"status": status}, subresource="status")


def target_of(pod: Object) -> Object:
    return next((one for one in pod["status"]["conditions"] if one["type"] == "DisruptionTarget"), {})


@pytest.mark.virtual_time
async def test_a_pod_that_was_to_go_and_stayed_is_no_target_any_more():
    async with running() as r:
        for name in ("evicted", "ended"):
            await r.pods.create(bare(name))
        await r.until(lambda pods: all(pod.get("status", {}).get("phase") == "Running" for pod in pods), r.pods)
        began = r.clock.now()
        await said_to_be_target(r, "evicted", "EvictionByEvictionAPI")
        await said_to_be_target(r, "ended", "TerminationByKubelet")
        pods = await r.until(lambda pods: any(target_of(pod).get("status") == "False" for pod in pods), r.pods, within_s=2 * STALE_S)
        assert r.clock.now() - began == pytest.approx(STALE_S, abs=2)
        targets = {pod["metadata"]["name"]: target_of(pod) for pod in pods}
        assert targets["evicted"] == {"type": "DisruptionTarget", "status": "False", "lastTransitionTime": r.clock.timestamp()}
        await r.clock.sleep(2 * STALE_S)
        assert target_of(await r.pods.get("ended"))["status"] == "True", "its node may take its time"


@pytest.mark.virtual_time
async def test_a_pod_of_several_budgets_is_told_of():
    async with running() as r:
        b = await web(r, replicas=1, minAvailable=0)
        await b.collection.create(budget("second", minAvailable=0))
        await b.allows(1, "second")
        (name,) = await b.pods()
        await r.pods.patch(name, {"metadata": {"labels": {"more": "here"}}})
        await r.clock.sleep(1)
        told = f'Pod "default"/"{name}" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.'
        assert ("MultiplePodDisruptionBudgets", told) in await r.events_of(name)
        events = await r.client.resource("v1", "events", "default").list_all(field_selector="reason=MultiplePodDisruptionBudgets")
        assert {(one["involvedObject"]["apiVersion"], one["involvedObject"]["kind"]) for one in events} == {("v1", "Pod")}
