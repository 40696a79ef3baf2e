"""Grace that nobody lives to see: pods that are given it are read in every encoding, and end as soon as somebody shortens it."""

import pytest

from svcsim import limits
from svcsim.meta.codec import encode
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from tests.controllers.running import Running, running, template

PODS = "/api/v1/namespaces/default/pods"
PROTOBUF = "application/vnd.kubernetes.protobuf"
MERGE = "application/merge-patch+json"
END = "9999-12-31T23:59:59Z"
LONG = pytest.mark.parametrize("grace_s", [300_000_000_000, 9_223_372_036_854_775_807])


def pod(name: str, **spec: object) -> Object:
    """One that takes long to stop."""
    made = template(name, **spec)["spec"]
    made["containers"][0]["lifecycle"] = {"preStop": {"exec": {"command": ["sleep", "100000"]}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"way": name}}, "spec": made}


async def ask(r: Running, method: str, path: str, body: object = None, content: str = "application/json", accept: str = "") -> Response:
    headers = {"content-type": content, **({"accept": accept} if accept else {})}
    path, _, query = path.partition("?")
    return await r.client.transport.send(Request(method, path, query, headers, b"" if body is None else encode(body)))


@LONG
@pytest.mark.virtual_time
async def test_a_pod_that_is_to_end_beyond_the_calendar_ends_where_it_does(grace_s: int) -> None:
    async with running() as r:
        ways = ("asked", "spec", "evicted", "collected")
        for name in ways:
            await r.pods.create(pod(name, **({"terminationGracePeriodSeconds": grace_s} if name in ("spec", "collected") else {})))
        await r.until(lambda pods: [one["status"].get("phase") for one in pods] == ["Running"] * 4, r.pods)
        options = {"gracePeriodSeconds": grace_s}
        answers = [
            await ask(r, "DELETE", f"{PODS}/asked", options),
            await ask(r, "DELETE", f"{PODS}/spec"),
            await ask(
                r,
                "POST",
                f"{PODS}/evicted/eviction",
                {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "evicted"}, "deleteOptions": options},
            ),
            await ask(r, "DELETE", f"{PODS}?labelSelector=way%3Dcollected"),
        ]
        assert [answer.status // 100 for answer in answers] == [2] * 4, answers
        pods = await r.pods.list_all()
        assert {one["metadata"]["deletionTimestamp"] for one in pods} == {END}
        assert {one["metadata"]["deletionGracePeriodSeconds"] for one in pods} == {grace_s}
        assert (await ask(r, "GET", PODS, accept=PROTOBUF)).status == 200
        patched = await ask(r, "PATCH", f"{PODS}/asked", {"metadata": {"labels": {"a": "b"}}}, MERGE)
        assert patched.status == 200, patched.body
        for name in ways:
            await r.pods.delete(name, grace_period_s=1)
        await r.until(lambda pods: not pods, r.pods)


@LONG
@pytest.mark.virtual_time
async def test_a_namespace_waits_for_such_a_pod_and_goes_with_it(grace_s: int) -> None:
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        pods = r.pods.within("shop")
        await pods.create(pod("p", terminationGracePeriodSeconds=grace_s))
        await r.until(lambda found: [one["status"].get("phase") for one in found] == ["Running"], pods)
        await namespaces.delete("shop")
        await r.clock.sleep(60)
        (held,) = await pods.list_all()
        assert held["metadata"]["deletionTimestamp"] == END
        await pods.delete("p", grace_period_s=0)
        await r.until_gone(namespaces, "shop", limits.NAMESPACE_RECHECK_LONGEST_S + 10)
