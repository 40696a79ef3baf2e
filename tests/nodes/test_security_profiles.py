"""Containers that want profiles of seccomp or AppArmor that their node must have."""

from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.living import is_ready, living, pod

NO_APPARMOR = "failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found deny-write"
PATH = "/var/lib/kubelet/seccomp/profiles/missing.json"
NO_SECCOMP = f'failed to create containerd container: cannot load seccomp profile "{PATH}": open {PATH}: no such file or directory'
APPARMOR: Object = {"appArmorProfile": {"type": "Localhost", "localhostProfile": "deny-write"}}
SECCOMP: Object = {"seccompProfile": {"type": "Localhost", "localhostProfile": "profiles/missing.json"}}
DEFAULTS: Object = {"appArmorProfile": {"type": "RuntimeDefault"}, "seccompProfile": {"type": "RuntimeDefault"}}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("of_pod", "own", "refused"),
    [
        (APPARMOR, {}, NO_APPARMOR),
        ({}, APPARMOR, NO_APPARMOR),
        (SECCOMP, {}, NO_SECCOMP),
        ({}, {**SECCOMP, "privileged": True}, ""),
        ({}, {**APPARMOR, "privileged": True}, NO_APPARMOR),
        ({**SECCOMP, **APPARMOR}, DEFAULTS, ""),
        (DEFAULTS, {}, ""),
    ],
)
async def test_a_container_isn_t_made_without_the_profile_that_it_is_to_have(of_pod: Object, own: Object, refused: str):
    async with living(nodes=1) as cluster:
        wanted = pod("web", securityContext=of_pod)
        wanted["spec"]["containers"][0]["securityContext"] = own
        await cluster.pods.create(wanted)
        await cluster.sleep(30)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        if not refused:
            assert "running" in status["state"]
            return
        assert status["state"] == {"waiting": {"reason": "CreateContainerError", "message": refused}}
        failed = [event for event in await cluster.events("web") if event["reason"] == "Failed"]
        assert [event["message"] for event in failed] == [f"Error: {refused}"]
        assert failed[0]["count"] > 1, "it is tried again"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("profile", "directory"), [(APPARMOR, "/etc/apparmor.d"), (SECCOMP, "/var/lib/kubelet/seccomp/profiles"), (SECCOMP, "/var/lib/kubelet")]
)
async def test_who_mounts_the_directory_of_profiles_brings_them_to_the_node(profile: Object, directory: str):
    async with living(nodes=1) as cluster:
        await cluster.pods.create(pod("web", securityContext=profile))
        await cluster.sleep(20)
        assert not is_ready(await cluster.pods.get("web"))
        await cluster.pods.create(pod("loader", volumes=[{"name": "v", "hostPath": {"path": directory}}]))
        await cluster.sleep(30)
        assert is_ready(await cluster.pods.get("web")) == (directory != "/var/lib/kubelet"), "which has always been there"


@pytest.mark.virtual_time
async def test_they_are_there_again_when_the_cluster_is_started_again(tmp_path: Path):
    async with living(nodes=1, data_dir=tmp_path, durability="process") as cluster:
        await cluster.run_pod(pod("loader", volumes=[{"name": "v", "hostPath": {"path": "/var/lib/kubelet/seccomp"}}]))
    async with living(nodes=1, data_dir=tmp_path, durability="process", start_s=None) as cluster:
        await cluster.pods.create(pod("web", securityContext=SECCOMP))
        await cluster.until(lambda pods: all(map(is_ready, pods)), within_s=30)
