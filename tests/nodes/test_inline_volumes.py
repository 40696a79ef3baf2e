"""Volumes that stand in a pod's spec and are to be had of a storage driver: only of one that says that it can do that."""

import pytest

from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import Object
from tests.controllers.running import running
from tests.controllers.volumes import Storage, user_of

LEAD = 'MountVolume.NewMounter initialization failed for volume "data" : volume mode "Ephemeral" not supported by driver'


def of_driver(name: str) -> Object:
    return user_of("", name.partition(".")[0], volumes=[{"name": "data", "csi": {"driver": name}}])


@pytest.mark.virtual_time
async def test_a_driver_that_is_not_there_or_can_not_do_that_keeps_a_pod_waiting():
    async with running() as r:
        s = Storage(r)
        await r.pods.create(of_driver("nobody.example.com"))
        await r.pods.create(of_driver(DRIVER))
        await r.clock.sleep(20)
        assert set(await s.messages("nobody", "FailedMount")) == {f"{LEAD} nobody.example.com (no CSIDriver object)"}
        assert set(await s.messages("disk", "FailedMount")) == {f'{LEAD} {DRIVER} (only supports ["Persistent"])'}
        pod = await r.pods.get("disk")
        (status,) = pod["status"]["containerStatuses"]
        assert (pod["status"]["phase"], status["state"]) == ("Pending", {"waiting": {"reason": "ContainerCreating"}})
        driver = {"metadata": {"name": "nobody.example.com"}, "spec": {"volumeLifecycleModes": ["Persistent", "Ephemeral"]}}
        await s.drivers.create({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", **driver})
        await s.running("nobody", 120)
