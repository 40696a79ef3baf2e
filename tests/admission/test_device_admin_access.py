"""Devices that others use are claimed in namespaces that may do so, and nowhere else."""

import pytest

from svcsim.meta.errors import StatusError
from tests.devices import Devices, claiming, device_claim, device_template, given, request
from tests.living import is_ready, living

LABEL = "resource.kubernetes.io/admin-access"


@pytest.mark.virtual_time
async def test_a_namespace_needs_a_label_for_that():
    async with living() as cluster:
        d = Devices(cluster)
        await d.offer("node-1")
        everything = request(allocationMode="All", adminAccess=True)
        why = f"Forbidden: admin access to devices requires the `{LABEL}: true` label on the containing namespace"
        for collection, obj, path in (
            (d.claims, device_claim("watching", request("own"), everything), "spec.devices.requests[1]"),
            (d.templates, device_template("watching", everything), "spec.spec.devices.requests[0]"),
        ):
            with pytest.raises(StatusError) as refused:
                await collection.create(obj)
            kind = obj["kind"]
            assert refused.value.code == 422
            assert refused.value.message == f'{kind}.resource.k8s.io "watching" is invalid: {path}.exactly.adminAccess: {why}'
        await d.claims.create(device_claim("plain"))
        await cluster.client.resource("v1", "namespaces").patch("default", {"metadata": {"labels": {LABEL: "true"}}})
        await d.claims.create(device_claim("watching", everything))
        for name in ("plain", "watching"):
            await cluster.pods.create(claiming(name, name))
        await cluster.until(lambda pods: len(pods) == 2 and all(map(is_ready, pods)))
        assert given(await d.claims.get("plain")) == given(await d.claims.get("watching")) == ["node-1/gpu-0"]
        (result,) = (await d.claims.get("watching"))["status"]["allocation"]["devices"]["results"]
        assert result["adminAccess"] is True
