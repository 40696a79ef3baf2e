"""EndpointSlices or Endpoints that the cluster doesn't take: that is told, and one of them is written without the other."""

import pytest

from svcsim.meta.types import Object
from tests.controllers.running import Running, deployment, running

SLICES = "discovery.k8s.io/v1"
NO_SLICES = "count/endpointslices.discovery.k8s.io"
NO_ENDPOINTS = "count/endpoints"
FORBIDDEN = "is forbidden: exceeded quota: none, requested: {0}=1, used: {0}=1, limited: {0}=1"


def service(name: str = "web") -> Object:
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


async def allow_no_more(r: Running, what: str) -> None:
    """No more of a kind of which there is one, that of the API server's own service."""
    quotas = r.client.resource("v1", "resourcequotas", "default")
    spec = {"hard": {what: "1"}}
    await quotas.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": spec})
    await r.until(lambda items: bool((items[0].get("status") or {}).get("used")), quotas)


async def serve(r: Running) -> None:
    await r.client.resource("v1", "services", "default").create(service())
    await r.deployments.create(deployment("web", 1))
    await r.rolled_out("web")
    await r.clock.sleep(10)


def of_web(items: list[Object], field: str) -> list[Object]:
    """What is said in a field of those that are the service's."""
    return [one.get(field) or [] for one in items if one["metadata"]["name"].startswith("web")]


@pytest.mark.virtual_time
async def test_slices_that_are_refused_are_told_and_endpoints_are_written_all_the_same():
    async with running(nodes=1) as r:
        await allow_no_more(r, NO_SLICES)
        await serve(r)
        (subset,) = of_web(await r.client.resource("v1", "endpoints", "default").list_all(), "subsets")[0]
        assert len(subset["addresses"]) == 1
        assert of_web(await r.client.resource(SLICES, "endpointslices", "default").list_all(), "endpoints") == []
        told = [event for event in await r.events_of("web") if event[0].startswith("Failed")]
        (reason, message) = told[0]  # others tell of other names that were tried
        what = "Error updating Endpoint Slices for Service default/web: failed to create EndpointSlice for Service default/web: "
        assert reason == "FailedToUpdateEndpointSlices"
        assert message.startswith(f"{what}endpointslices.discovery.k8s.io ")
        assert message.endswith(FORBIDDEN.format(NO_SLICES))

        await r.client.resource("v1", "resourcequotas", "default").delete("none")
        slices = r.client.resource(SLICES, "endpointslices", "default")
        await r.until(lambda items: [len(one) for one in of_web(items, "endpoints")] == [1], slices, 310)


@pytest.mark.virtual_time
async def test_endpoints_that_are_refused_are_told_and_slices_are_written_all_the_same():
    async with running(nodes=1) as r:
        await allow_no_more(r, NO_ENDPOINTS)
        await serve(r)
        assert of_web(await r.client.resource("v1", "endpoints", "default").list_all(), "subsets") == []
        assert [len(one) for one in of_web(await r.client.resource(SLICES, "endpointslices", "default").list_all(), "endpoints")] == [1]
        events = await r.client.resource("v1", "events", "default").list_all(field_selector="involvedObject.kind=Endpoints")
        (event,) = events
        told = f'Failed to create endpoint for service default/web: endpoints "web" {FORBIDDEN.format(NO_ENDPOINTS)}'
        assert (event["type"], event["reason"], event["message"]) == ("Warning", "FailedToCreateEndpoint", told)
        assert (event["involvedObject"]["name"], event["involvedObject"].get("uid", "")) == ("web", "")


@pytest.mark.virtual_time
async def test_changes_that_are_refused_are_told():
    expression = "request.operation != 'UPDATE' || !object.metadata.name.startsWith('web')"
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "frozen"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": ["", "discovery.k8s.io"], "apiVersions": ["v1"], "operations": ["UPDATE"]}
                    | {"resources": ["endpoints", "endpointslices"]}
                ]
            },
            "validations": [{"expression": expression, "message": "frozen"}],
        },
    }
    binding = {"policyName": "frozen", "validationActions": ["Deny"]}
    async with running(nodes=1) as r:
        await r.client.resource("v1", "services", "default").create(service())
        await r.until(lambda items: of_web(items, "subsets") == [[]], r.client.resource("v1", "endpoints", "default"))
        for kind, obj in (("policies", policy), ("policybindings", {"metadata": {"name": "frozen"}, "spec": binding})):
            whole = {**obj, "apiVersion": policy["apiVersion"], "kind": "ValidatingAdmissionPolicy" + ("Binding" if "b" in kind else "")}
            await r.client.resource(policy["apiVersion"], f"validatingadmission{kind}").create(whole)
        await r.clock.sleep(5)
        await r.deployments.create(deployment("web", 1))
        await r.rolled_out("web")
        await r.clock.sleep(10)
        told = {event for event in await r.events_of("web") if event[0].startswith("FailedTo")}
        because = "ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: frozen"
        (name,) = [
            one["metadata"]["name"] for one in await r.client.resource(SLICES, "endpointslices", "default").list_all() if "web" in str(one)
        ]
        slices = f'endpointslices.discovery.k8s.io "{name}" is forbidden: {because}'
        whose = "for Service default/web"
        assert told == {
            (
                "FailedToUpdateEndpointSlices",
                f"Error updating Endpoint Slices {whose}: failed to update {name} EndpointSlice {whose}: {slices}",
            ),
            ("FailedToUpdateEndpoint", f'Failed to update endpoint default/web: endpoints "web" is forbidden: {because}'),
        }
