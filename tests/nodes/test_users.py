"""As whom containers may run, and what of their host they see."""

import pytest

from svcsim.meta.types import Object
from tests.living import living, pod
from tests.nodes.test_processes import ONCE, ended, log, of_containers, script


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("image", "of_pod", "own", "refused"),
    [
        ("nginx:1", {}, {"runAsNonRoot": True}, "container has runAsNonRoot and image will run as root"),
        ("nginx:1", {"runAsNonRoot": True}, {}, "container has runAsNonRoot and image will run as root"),
        ("somebody/web:1", {"runAsNonRoot": True}, {"runAsUser": 0}, "container's runAsUser breaks non-root policy"),
        ("nginx:1", {"runAsUser": 0}, {"runAsNonRoot": True}, "container's runAsUser breaks non-root policy"),
        ("nginx:1", {"runAsNonRoot": True}, {"runAsNonRoot": False}, ""),
        ("nginx:1", {"runAsNonRoot": True}, {"runAsUser": 101}, ""),
        ("nginx:1", {"runAsUser": 101}, {"runAsNonRoot": True}, ""),
        ("nginxinc/nginx:1", {"runAsNonRoot": True}, {}, ""),
        ("nginx:1", {}, {"runAsUser": 0}, ""),
    ],
)
async def test_who_must_not_be_root_is_not_started_as_root(image: str, of_pod: Object, own: Object, refused: str):
    async with living(nodes=1) as cluster:
        wanted = pod("web", image=image, securityContext=of_pod)
        wanted["spec"]["containers"][0]["securityContext"] = own
        uid = (await cluster.pods.create(wanted))["metadata"]["uid"]
        await cluster.sleep(20)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        if not refused:
            assert "running" in status["state"]
            return
        message = f'{refused} (pod: "web_default({uid})", container: {status["name"]})'
        assert status["state"] == {"waiting": {"reason": "CreateContainerConfigError", "message": message}}
        assert f"Error: {message}" in [event["message"] for event in await cluster.events("web") if event["reason"] == "Failed"]


@pytest.mark.virtual_time
async def test_groups_are_in_the_order_of_their_numbers():
    context = {"runAsUser": 1000, "runAsGroup": 3000, "fsGroup": 2000, "supplementalGroups": [4000]}
    async with living(nodes=1) as cluster:
        text = "id; id -G; grep Groups /proc/self/status"
        await ended(cluster, of_containers(script(text), securityContext=context, **ONCE))
        told = "uid=1000 gid=3000 groups=2000,3000,4000\n3000 2000 4000\nGroups:\t2000 4000\n"
        assert await log(cluster, "web") == told


@pytest.mark.virtual_time
async def test_kernel_parameters_are_as_the_pod_sets_them():
    async with living(nodes=1) as cluster:
        text = "cd /proc/sys/kernel; sysctl kernel.shm_rmid_forced kernel/shm_rmid_forced; "
        text += "sysctl -n kernel.shm_rmid_forced; echo 0 > shm_rmid_forced"
        context = {"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}]}
        wanted = of_containers({"name": "main", "image": "busybox:1", "command": ["/bin/sh", "-c", text]}, securityContext=context, **ONCE)
        await ended(cluster, wanted)
        refused = "/bin/sh: can't create shm_rmid_forced: Read-only file system\n"
        assert await log(cluster, "web") == f"kernel.shm_rmid_forced = 1\nkernel.shm_rmid_forced = 1\n1\n{refused}"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("in_host_network", "header"),
    [(False, "# Kubernetes-managed hosts file."), (True, "# Kubernetes-managed hosts file (host network).")],
)
async def test_who_is_in_the_network_of_the_host_is_told_so(in_host_network: bool, header: str):
    async with living(nodes=1) as cluster:
        await ended(cluster, of_containers(script("head -1 /etc/hosts"), hostNetwork=in_host_network, **ONCE))
        assert await log(cluster, "web") == f"{header}\n"


MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
OTHER: Object = {"name": "other", "image": "busybox:1", "command": ["true"]}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("context", "own", "others", "listed"),
    [
        ({}, {}, [], ["-rw-r--r--", "0", "0"]),
        ({"runAsUser": 1000}, {}, [], ["-rw-------", "1000", "0"]),
        ({"runAsUser": 1000, "fsGroup": 1000}, {}, [], ["-rw-r-----", "1000", "1000"]),
        ({"fsGroup": 2000}, {}, [], ["-rw-r-----", "0", "2000"]),
        ({"runAsUser": 1000}, {"runAsUser": 7}, [], ["-rw-------", "7", "0"]),
        ({}, {"runAsUser": 7}, [OTHER], ["-rw-r--r--", "0", "0"]),
        ({"runAsUser": 1000}, {"runAsUser": 7}, [OTHER], ["-rw-r--r--", "0", "0"]),
        ({}, {"runAsUser": 7}, [{**OTHER, "securityContext": {"runAsUser": 7}}], ["-rw-------", "7", "0"]),
    ],
)
async def test_a_token_is_that_of_the_user_of_all_containers_and_of_the_group_of_volumes(
    context: Object, own: Object, others: list[Object], listed: list[str]
):
    async with living(nodes=1) as cluster:
        script = f"ls -nL {MOUNT}/token /tokens/own"
        token: Object = {"serviceAccountToken": {"path": "own", "audience": "x"}}
        one: Object = {"name": "main", "image": "busybox:1", "command": ["sh", "-c", script], "securityContext": own}
        one["volumeMounts"] = [{"name": "tokens", "mountPath": "/tokens"}]
        volumes = [{"name": "tokens", "projected": {"sources": [token]}}]
        await ended(cluster, of_containers(one, *others, volumes=volumes, securityContext=context, **ONCE))
        found = [line.split() for line in (await log(cluster, "web", "container=main")).splitlines()]
        assert [[mode, user, group] for mode, _, user, group, *_ in found] == [listed] * 2
