"""Moments beyond the year 9999, which earlier versions could write: whoever looks at what is there gets it nevertheless, or deletes it."""

import re

import pytest

from svcsim.storage.contract import Body
from tests.controllers.running import Running, deployment, running
from tests.controllers.test_endless_grace_runs import PROTOBUF, ask

LATER = re.compile(rb'"20\d\d-(\d\d-\d\dT)')
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PATHS = {
    "pods": "/api/v1/namespaces/default/pods",
    "deployments.apps": "/apis/apps/v1/namespaces/default/deployments",
    "nodes": "/api/v1/nodes",
    "events": "/api/v1/namespaces/default/events",
    "leases.coordination.k8s.io": "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
}


async def postpone(r: Running, resource: str) -> None:
    """Have all objects of a resource say that all of it is in ten thousand years."""
    store = r.cluster.store
    page = await store.list(resource)
    assert page.records
    for record in page.records:
        head, mark, rest = LATER.sub(rb'"12026-\1', record.body).partition(b'"resourceVersion":"')
        body = Body(head + mark, rest[rest.index(b'"') :])
        await store.update(record.key, record.envelope, body, expected=record.revision)


@pytest.mark.virtual_time
async def test_moments_that_nobody_can_read_keep_nobody_from_reading_what_is_there() -> None:
    async with running() as r:
        await r.deployments.create(deployment("web", 2))
        await r.rolled_out("web")
        await r.clock.sleep(60)
        for resource, path in PATHS.items():
            await postpone(r, resource)
            for accept in ("application/json", "application/yaml", PROTOBUF, TABLE):
                answer = await ask(r, "GET", path, accept=accept)
                assert answer.status == 200, (path, accept, answer.body)
        listed = await r.pods.list_all()
        assert all(pod["metadata"]["creationTimestamp"].startswith("12026-") for pod in listed)
        await r.clock.sleep(600)
        await r.deployments.delete("web")
        await r.until(lambda pods: not pods, r.pods)


@pytest.mark.virtual_time
async def test_what_has_such_moments_can_be_changed_in_every_way_and_has_them_no_more() -> None:
    async with running() as r:
        await r.deployments.create(deployment("web", 2))
        await r.rolled_out("web")
        path = PATHS["deployments.apps"] + "/web"
        label = {"metadata": {"labels": {"way": "x"}}}
        paused = {"type": "Progressing", "message": "x"}
        condition = {"status": {"conditions": [paused]}}
        applied = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "annotations": {"a": "b"}}}
        ways = (
            ("PATCH", path, "application/merge-patch+json", label),
            ("PATCH", path, "application/json-patch+json", [{"op": "add", "path": "/metadata/labels", "value": {"way": "x"}}]),
            ("PATCH", path, "application/strategic-merge-patch+json", label),
            ("PATCH", f"{path}/status", "application/strategic-merge-patch+json", condition),
            ("PATCH", f"{path}?fieldManager=me", "application/apply-patch+yaml", applied),
            ("PUT", path, "application/json", None),
        )
        for method, to, content_type, body in ways:
            await postpone(r, "deployments.apps")
            sent = await r.deployments.get("web") if body is None else body
            answer = await ask(r, method, to, sent, content_type)
            assert answer.status == 200, (method, to, content_type, answer.body)
            changed = await r.deployments.get("web")
            assert changed["metadata"]["creationTimestamp"] == "9999-12-31T23:59:59Z", (method, to, content_type)
        await postpone(r, "deployments.apps")
        wrong = {"metadata": {"managedFields": [{"manager": "x", "operation": "Update", "time": "54321-01-01T00:00:00Z"}]}}
        answer = await ask(r, "PATCH", path, wrong, "application/merge-patch+json")
        assert answer.status == 422, "what somebody gives is none of what was there"
