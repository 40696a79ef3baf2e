"""Ephemeral volumes: claims that are made for a pod, and go with it."""

import pytest

from svcsim.meta.types import Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, claim, storage_class


def scratching(name: str = "user", storage: str = "now", **spec: object) -> Object:
    """A pod with an ephemeral volume."""
    template = {
        "metadata": {"labels": {"kind": "scratch"}, "annotations": {"note": "x"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": storage, "resources": {"requests": {"storage": "1Gi"}}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "containers": [{"name": "main", "image": "nginx:1"}],
            "volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}],
            **spec,
        },
    }


@pytest.mark.virtual_time
async def test_a_claim_is_made_for_the_pod_and_goes_with_it():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        pod = await r.pods.create(scratching())
        await s.running()
        found = await s.claims.get("user-scratch")
        assert found["metadata"]["labels"] == {"kind": "scratch"}
        assert found["metadata"]["annotations"]["note"] == "x"
        (owner,) = found["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["uid"], owner["controller"], owner["blockOwnerDeletion"]) == (
            "Pod",
            "user",
            pod["metadata"]["uid"],
            True,
            True,
        )
        volume = found["spec"]["volumeName"]
        await r.pods.delete("user")
        await r.until_gone(s.claims, "user-scratch")
        await r.until_gone(s.volumes, volume)


@pytest.mark.virtual_time
async def test_a_claim_that_is_somebody_elses_is_in_the_way():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        await s.claims.create(claim("user-scratch", storageClassName="now"))
        await r.pods.create(scratching())
        await r.clock.sleep(30)
        assert (await r.pods.get("user"))["status"]["phase"] == "Pending"
        assert await s.messages("user", "FailedBinding") == [
            "ephemeral volume scratch: PVC default/user-scratch was not created for pod default/user (pod is not owner)"
        ]
        await s.claims.delete("user-scratch")
        await s.running()


@pytest.mark.virtual_time
async def test_a_claim_that_is_not_let_in_is_told_of():
    async with running() as r:
        s = Storage(r)
        await s.classes.create(storage_class("now"))
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "none"},
            "spec": {"hard": {"persistentvolumeclaims": "0"}},
        }
        await r.client.resource("v1", "resourcequotas", "default").create(quota)
        await r.clock.sleep(1)
        await r.pods.create(scratching())
        await r.clock.sleep(5)
        (message,) = set(await s.messages("user", "FailedBinding"))
        assert message.startswith("ephemeral volume scratch: create PVC user-scratch: ")
        assert "exceeded quota: none" in message
        await r.client.resource("v1", "resourcequotas", "default").delete("none")
        await s.running(within_s=300)
