"""Namespaces, and what every namespace has, in a running cluster."""

import pytest

from svcsim import limits
from svcsim.controllers.namespace import NamespaceController
from svcsim.meta.objects import condition, condition_is
from tests.controllers.running import config_map, deployment, running

SHOP = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def inside(obj: dict) -> dict:
    return {**obj, "metadata": {**obj["metadata"], "namespace": "shop"}}


@pytest.mark.virtual_time
async def test_deleting_a_namespace_empties_it_and_then_it_goes():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create(SHOP)
        await r.deployments.within("shop").create(inside(deployment("web", 3)))
        await r.config_maps.within("shop").create(inside(config_map("settings")))
        await r.until(lambda pods: len(pods) == 3, r.pods.within("shop"))
        await namespaces.delete("shop")
        await r.until_gone(namespaces, "shop", 300)
        for plural in ("pods", "configmaps", "serviceaccounts", "events"):
            assert await r.client.resource("v1", plural, "shop").list_all() == []
        assert len(await namespaces.list_all()) == 4


@pytest.mark.virtual_time
async def test_what_holds_a_namespace_up_stands_in_its_conditions():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create(SHOP)
        await r.config_maps.within("shop").create(inside(config_map("held", finalizers=["example.com/hold"])))
        await namespaces.delete("shop")
        await r.until(lambda items: any(condition(item, "NamespaceContentRemaining") for item in items), namespaces)
        shop = await namespaces.get("shop")
        told = {item["type"]: (item["status"], item["reason"], item["message"]) for item in shop["status"]["conditions"]}
        assert told["NamespaceContentRemaining"] == (
            "True", "SomeResourcesRemain", "Some resources are remaining: configmaps. has 1 resource instances",
        )  # fmt: skip
        assert told["NamespaceFinalizersRemaining"] == (
            "True",
            "SomeFinalizersRemain",
            "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
        )
        assert told["NamespaceDeletionContentFailure"][0] == "False"
        await r.config_maps.within("shop").patch("held", {"metadata": {"finalizers": None}})
        await r.until_gone(namespaces, "shop")


@pytest.mark.virtual_time
async def test_events_that_hold_a_namespace_up_are_counted_once_though_two_groups_have_them():
    async with running() as r:
        namespaces, events = r.client.resource("v1", "namespaces"), r.client.resource("v1", "events", "shop")
        await namespaces.create(SHOP)
        held = {"name": "held", "namespace": "shop", "finalizers": ["example.com/hold"]}
        await events.create({"apiVersion": "v1", "kind": "Event", "metadata": held, "involvedObject": {"namespace": "shop"}})
        await namespaces.delete("shop")
        await r.until(lambda items: any(condition(item, "NamespaceContentRemaining") for item in items), namespaces)
        told = condition(await namespaces.get("shop"), "NamespaceContentRemaining")
        assert told is not None
        assert told["message"] == "Some resources are remaining: events. has 1 resource instances"
        await events.patch("held", {"metadata": {"finalizers": None}})
        await r.until_gone(namespaces, "shop")


@pytest.mark.virtual_time
async def test_what_remains_is_counted_over_all_pages_and_so_is_what_holds_it(monkeypatch):
    monkeypatch.setattr(limits, "RELIST_PAGE_OBJECTS", 3)
    async with running() as r:
        namespaces, pods = r.client.resource("v1", "namespaces"), r.client.resource("v1", "pods", "shop")
        await namespaces.create(SHOP)
        for number in range(11):
            held = {"finalizers": ["example.com/hold"]} if number in {1, 7} else {}
            container = {"name": "a", "image": "a", "lifecycle": {"preStop": {"sleep": {"seconds": 30}}}}
            spec = {"containers": [container], "terminationGracePeriodSeconds": 40 + number}
            await pods.create({"metadata": {"name": f"p{number:02}", **held}, "spec": spec})
        await r.until(lambda items: all(condition_is(item, "Ready") for item in items), pods)
        await namespaces.delete("shop")
        await r.until(lambda items: any(condition(item, "NamespaceContentRemaining") for item in items), namespaces)
        told = {one["type"]: one["message"] for one in (await namespaces.get("shop"))["status"]["conditions"]}
        assert told["NamespaceContentRemaining"] == "Some resources are remaining: pods. has 11 resource instances"
        holding = "Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances"
        assert told["NamespaceFinalizersRemaining"] == holding


@pytest.mark.virtual_time
async def test_every_namespace_has_a_default_service_account_again_and_again():
    async with running() as r:
        accounts = r.client.resource("v1", "serviceaccounts", "shop")
        await r.client.resource("v1", "namespaces").create(SHOP)
        (first,) = await r.until(lambda items: len(items) == 1, accounts)
        await accounts.delete("default")
        (second,) = await r.until(lambda items: len(items) == 1, accounts)
        assert first["metadata"]["uid"] != second["metadata"]["uid"]


@pytest.mark.virtual_time
async def test_events_end_an_hour_after_they_were_last_seen():
    async with running(nodes=0) as r:
        events = r.client.resource("v1", "events", "default")
        about = {"kind": "ConfigMap", "namespace": "default", "name": "x"}
        for name in ("once", "again"):
            await events.create(
                {
                    "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
                    "involvedObject": about, "lastTimestamp": r.clock.timestamp(),
                }
            )  # fmt: skip
        await r.clock.sleep(1800)
        await events.patch("again", {"lastTimestamp": r.clock.timestamp(), "count": 2})
        await r.clock.sleep(1795)
        assert [event["metadata"]["name"] for event in await events.list_all()] == ["again", "once"]
        await r.clock.sleep(10)
        assert [event["metadata"]["name"] for event in await events.list_all()] == ["again"]
        await r.clock.sleep(1800)
        assert await events.list_all() == []


@pytest.fixture
def tries(monkeypatch) -> list[float]:
    """When namespaces have been tried to be emptied. What failed is told in other words each time."""
    times: list[float] = []
    empty = NamespaceController._empty

    async def counted(self, namespace, resources):
        times.append(self.clock.now())
        remains = await empty(self, namespace, resources)
        return remains._replace(failures=[f"{failure} ({len(times)})" for failure in remains.failures])

    monkeypatch.setattr(NamespaceController, "_empty", counted)
    return times


@pytest.mark.virtual_time
async def test_a_namespace_that_waits_for_a_server_that_is_away_is_tried_less_and_less_and_at_once_when_that_goes(tries):
    async with running() as r:
        namespaces, api_services = r.client.resource("v1", "namespaces"), r.client.resource("apiregistration.k8s.io/v1", "apiservices")
        service = {"namespace": "default", "name": "away"}
        spec = {"group": "away.example.com", "version": "v1", "service": service, "groupPriorityMinimum": 1, "versionPriority": 1}
        await api_services.create({"metadata": {"name": "v1.away.example.com"}, "spec": spec})
        await namespaces.create(SHOP)
        await r.clock.sleep(5)
        await namespaces.delete("shop")
        await r.clock.sleep(300)
        assert 5 < len(tries) < 16
        assert tries[-1] - tries[-2] == pytest.approx(limits.NAMESPACE_RETRY_LONGEST_S, abs=1)
        await api_services.delete("v1.away.example.com")
        await r.until_gone(namespaces, "shop", 5)


def keeps(plural: str, message: str) -> tuple[dict, dict]:
    """A policy that lets nobody delete the objects of a type; and where it counts. What it says differs from object to object."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": [plural]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false", "messageExpression": message}]}
    binding = {"policyName": "keep", "validationActions": ["Deny"]}
    return {"metadata": {"name": "keep"}, "spec": spec}, {"metadata": {"name": "keep"}, "spec": binding}


@pytest.mark.virtual_time
async def test_a_namespace_whose_content_cant_be_deleted_is_tried_less_and_less_whatever_is_said_each_time(tries):
    async with running() as r:
        namespaces, version = r.client.resource("v1", "namespaces"), "admissionregistration.k8s.io/v1"
        policy, binding = keeps("configmaps", "'kept: ' + oldObject.metadata.name")
        await r.client.resource(version, "validatingadmissionpolicies").create(policy)
        await r.client.resource(version, "validatingadmissionpolicybindings").create(binding)
        await namespaces.create(SHOP)
        await r.config_maps.within("shop").create(inside(config_map("dear")))
        await r.clock.sleep(5)
        before = r.cluster.store.revision
        await namespaces.delete("shop")
        await r.clock.sleep(300)
        assert 5 < len(tries) < 16
        assert r.cluster.store.revision - before < 40
        told = {item["type"]: item for item in (await namespaces.get("shop"))["status"]["conditions"]}
        assert "kept: " in told["NamespaceDeletionContentFailure"]["message"]
        assert "configmaps. has" in told["NamespaceContentRemaining"]["message"], "what can't be deleted remains"
        await r.client.resource(version, "validatingadmissionpolicybindings").delete("keep")
        await r.until_gone(namespaces, "shop", limits.NAMESPACE_RETRY_LONGEST_S + 10)


@pytest.mark.virtual_time
async def test_while_pods_cant_be_deleted_they_are_said_to_remain():
    async with running() as r:
        namespaces, version = r.client.resource("v1", "namespaces"), "admissionregistration.k8s.io/v1"
        policy, binding = keeps("pods", "'kept'")
        await r.client.resource(version, "validatingadmissionpolicies").create(policy)
        await r.client.resource(version, "validatingadmissionpolicybindings").create(binding)
        await namespaces.create(SHOP)
        await r.pods.within("shop").create({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}})
        await namespaces.delete("shop")
        await r.clock.sleep(10)
        told = condition(await namespaces.get("shop"), "NamespaceContentRemaining")
        assert told["message"] == "Some resources are remaining: pods. has 1 resource instances"


@pytest.mark.virtual_time
async def test_a_namespace_that_others_hold_says_in_the_end_that_nothing_is_left_in_it():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        shop = await namespaces.create(SHOP)
        await namespaces.update({**shop, "spec": {"finalizers": ["kubernetes", "example.com/hold"]}}, "finalize")
        await r.config_maps.within("shop").create(inside(config_map("held", finalizers=["example.com/hold"])))
        await namespaces.delete("shop")
        await r.clock.sleep(60)
        assert condition(await namespaces.get("shop"), "NamespaceContentRemaining")["status"] == "True"
        await r.config_maps.within("shop").patch("held", {"metadata": {"finalizers": None}})
        await r.clock.sleep(60)
        shop = await namespaces.get("shop")
        assert shop["spec"]["finalizers"] == ["example.com/hold"]
        assert {item["status"] for item in shop["status"]["conditions"]} == {"False"}
        before = r.cluster.store.revision
        await r.clock.sleep(1200)
        assert r.cluster.store.revision == before
        await namespaces.update({**shop, "spec": {"finalizers": []}}, "finalize")
        await r.until_gone(namespaces, "shop")


@pytest.mark.virtual_time
async def test_what_holds_a_namespace_is_known_as_long_as_it_does(monkeypatch: pytest.MonkeyPatch):
    look_through, controllers = NamespaceController._look_through, []

    async def noted(self, *asked):
        controllers.append(self)
        return await look_through(self, *asked)

    monkeypatch.setattr(NamespaceController, "_look_through", noted)
    async with running() as r:
        namespaces, config_maps = r.client.resource("v1", "namespaces"), r.config_maps.within("shop")
        await namespaces.create(SHOP)
        held = inside(config_map("dear"))
        await config_maps.create({**held, "metadata": {**held["metadata"], "finalizers": ["example.com/held"]}})
        await namespaces.delete("shop")
        await r.clock.sleep(60)
        assert [list(types) for types in controllers[0]._holding.values()] == [["configmaps."]]
        await config_maps.patch("dear", {"metadata": {"finalizers": None}})
        await r.clock.sleep(60)
        assert await namespaces.find("shop") is None
        assert controllers[0]._holding == {}
