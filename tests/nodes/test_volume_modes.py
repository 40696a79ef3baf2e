"""Whose files are and what their modes say, and what else the test image of the conformance suites tells."""

import base64
import re

import pytest

from svcsim.meta.types import Json, Object
from tests.living import Living, living
from tests.nodes.test_processes import ONCE, ended, exit_code, log, of_containers
from tests.nodes.test_streams import of

IMAGE = "registry.k8s.io/e2e-test-images/agnhost:2.21"
MEMORY: Object = {"emptyDir": {"medium": "Memory"}}


def looking(*args: str, user: int | None = None, group: int | None = None, volume: Object | None = None, **mount: Json) -> Object:
    """A pod that asks that of what is mounted at /v."""
    context = {} if user is None else {"runAsUser": user}
    mounts = [{"name": "v", "mountPath": "/v", **mount}]
    one: Object = {"name": "main", "image": IMAGE, "args": list(args), "securityContext": context, "volumeMounts": mounts}
    of_pod = {} if group is None else {"securityContext": {"fsGroup": group}}
    return of_containers(one, volumes=[{"name": "v", **(volume or {"emptyDir": {}})}], **of_pod, **ONCE)


async def said(cluster: Living, wanted: Object) -> list[str]:
    assert exit_code(await ended(cluster, wanted)) == 0
    return (await log(cluster, "web")).splitlines()


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        (
            looking("mounttest", "--fs_type=/v", "--file_perm=/v", "--file_mode=/v", volume=MEMORY),
            ['mount type of "/v": tmpfs', 'mode of file "/v": dtrwxrwxrwx', 'perms of file "/v": -rwxrwxrwx'],
        ),
        (
            looking("mounttest", "--new_file_0644=/v/f", "--file_mode=/v/f", "--fs_type=/v"),
            ['mount type of "/v": 61267', 'content of file "/v/f": mount-tester new file', "", 'mode of file "/v/f": -rw-r--r--'],
        ),
        (
            looking("mounttest", "--new_file_0660=/v/f", "--file_perm=/v/f", "--file_owner=/v/f", user=1001, group=123),
            [
                'content of file "/v/f": mount-tester new file',
                "",
                'perms of file "/v/f": -rw-rw----',
                'owner UID of "/v/f": 1001',
                'owner GID of "/v/f": 123',
            ],
        ),
        (
            looking("mounttest", "--file_owner=/v", "--file_mode=/v", user=1001, group=123, volume=MEMORY, subPath="not/there"),
            ['mode of file "/v": dgtrwxrwxrwx', 'owner UID of "/v": 0', 'owner GID of "/v": 123'],
        ),
        (looking("mounttest", "--file_mode=/v", volume={"hostPath": {"path": "/tmp"}}), ['mode of file "/v": dtrwxrwxrwx']),
        (looking("mounttest", "--file_mode=/v", volume={"hostPath": {"path": "/data"}}, group=7), ['mode of file "/v": drwxr-xr-x']),
    ],
)
async def test_a_volume_has_the_mode_and_the_group_that_its_pod_says(wanted: Object, lines: list[str]):
    async with living(nodes=1) as cluster:
        assert await said(cluster, wanted) == lines


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("source", "group", "mode", "owner"),
    [
        ({"secretName": "login"}, None, "-rw-r--r--", 0),
        ({"secretName": "login", "defaultMode": 0o400}, None, "-r--------", 0),
        ({"secretName": "login", "defaultMode": 0o400}, 1001, "-r--r-----", 1001),
        ({"secretName": "login", "items": [{"key": "p", "path": "p", "mode": 0o200}], "defaultMode": 0o400}, 7, "-rw-r-----", 7),
    ],
)
async def test_the_group_of_a_pods_volumes_reads_what_is_filled_in(source: Object, group: int | None, mode: str, owner: int):
    async with living(nodes=1) as cluster:
        made = of("Secret", "login", data={"p": base64.b64encode(b"secret").decode()})
        await cluster.client.resource("v1", "secrets", "default").create(made)
        args = ("mounttest", "--file_content=/v/p", "--file_mode=/v/p", "--file_owner=/v/p", "--fs_type=/v")
        found = await said(cluster, looking(*args, user=1000, group=group, volume={"secret": source}))
        assert found[1:] == [
            f'mode of file "/v/p": {mode}', 'owner UID of "/v/p": 0', f'owner GID of "/v/p": {owner}', 'content of file "/v/p": secret'
        ]  # fmt: skip
        assert found[0] == 'mount type of "/v": tmpfs'


@pytest.mark.virtual_time
async def test_what_is_not_there_is_said_and_ends_badly():
    async with living(nodes=1) as cluster:
        wanted = looking("mounttest", "--file_content=/v/none", "--file_mode=/v/none", "--fs_type=/v", "--new_file_0644=/etc/hosts/f")
        assert exit_code(await ended(cluster, wanted)) == 1
        assert (await log(cluster, "web")).splitlines() == [
            'mount type of "/v": 61267',
            'error writing new file "/etc/hosts/f": open /etc/hosts/f: not a directory',
            'error from Stat("/v/none"): stat /v/none: no such file or directory',
            'error reading file content for "/v/none": open /v/none: no such file or directory',
        ]


@pytest.mark.virtual_time
async def test_a_file_is_looked_at_until_it_has_what_is_expected():
    async with living(nodes=1) as cluster:
        mounts: list[Json] = [{"name": "v", "mountPath": "/v"}]
        writes: Object = {"name": "writes", "image": "busybox:1", "command": ["sh", "-c", "sleep 5; echo mount-tester new file > /v/f"]}
        reads: Object = {"name": "reads", "image": IMAGE, "args": ["mounttest", "--file_content_in_loop=/v/f", "--retry_time=60"]}
        both = [{**one, "volumeMounts": mounts} for one in (writes, reads)]
        await ended(cluster, of_containers(*both, volumes=[{"name": "v", "emptyDir": {}}], **ONCE))
        lines = (await log(cluster, "web", "container=reads")).splitlines()
        assert lines[0] == "Error reading file /v/f: open /v/f: no such file or directory, retrying"
        assert lines[-2:] == ['content of file "/v/f": mount-tester new file', ""]


@pytest.mark.virtual_time
async def test_what_is_mounted_is_looked_at_again_for_as_long_as_it_is_said():
    async with living(nodes=1) as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        args = ("mounttest", "--break_on_expected_content=false", "--retry_time=120", "--file_content_in_loop=/v/a")
        await cluster.pods.create(looking(*args, volume={"configMap": {"name": "late", "optional": True}}))
        await cluster.sleep(20)
        await maps.create(of("ConfigMap", "late", data={"a": "one"}))
        await cluster.sleep(90)
        text = await log(cluster, "web")
        assert "Error reading file /v/a: open /v/a: no such file or directory, retrying" in text
        assert 'content of file "/v/a": one' in text
        await cluster.until(lambda pods: pods[0]["status"]["phase"] == "Succeeded", 60)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"args": ["entrypoint-tester", "a", "b"]}, "[/agnhost entrypoint-tester a b]"),
        ({"command": ["/agnhost-2", "entrypoint-tester"]}, "[/agnhost-2 entrypoint-tester]"),
        ({"command": ["/agnhost-2"], "args": ["entrypoint-tester", "c"]}, "[/agnhost-2 entrypoint-tester c]"),
    ],
)
async def test_an_image_starts_its_own_program_unless_another_is_given(given: Object, line: str):
    async with living(nodes=1) as cluster:
        one: Object = {"name": "main", "image": IMAGE, **given}
        await ended(cluster, of_containers(one, **ONCE))
        assert await log(cluster, "web") == f"{line}\n"


@pytest.mark.virtual_time
@pytest.mark.parametrize("args", [[], ["pause"], ["netexec"], ["mounttest", "--new=1"], ["logs-generator", "-t", "x"]])
async def test_what_serves_or_is_not_known_goes_on(args: list[str]):
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers({"name": "main", "image": IMAGE, "args": args}, **ONCE))
        await cluster.sleep(300)
        assert (await cluster.pods.get("web"))["status"]["phase"] == "Running"


@pytest.mark.virtual_time
async def test_pausing_is_said_once():
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers({"name": "main", "image": IMAGE}))
        await cluster.sleep(300)
        assert await log(cluster, "web") == "Paused\n"


@pytest.mark.virtual_time
async def test_logs_are_generated_evenly():
    async with living(nodes=1) as cluster:
        args = ["logs-generator", "--log-lines-total", "10", "--run-duration=20s"]
        await cluster.run_pod(of_containers({"name": "main", "image": IMAGE, "args": args}, **ONCE))
        await cluster.sleep(9)
        early = (await log(cluster, "web")).splitlines()
        assert 4 <= len(early) <= 7
        assert re.fullmatch(
            r"I0101 \d\d:\d\d:\d\d\.\d{6} +1 logs_generator.go:76\] 0 GET /api/v1/namespaces/kube-system/pods/p0 200", early[0]
        )
        await cluster.until(lambda pods: pods[0]["status"]["phase"] == "Succeeded", 60)
        assert len((await log(cluster, "web")).splitlines()) == 10


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("context", "of_pod", "lines"),
    [
        ({}, {}, ["NoNewPrivs:\t0", "Seccomp:\t0"]),
        ({}, {"seccompProfile": {"type": "RuntimeDefault"}}, ["NoNewPrivs:\t0", "Seccomp:\t2"]),
        ({"seccompProfile": {"type": "Unconfined"}}, {"seccompProfile": {"type": "RuntimeDefault"}}, ["NoNewPrivs:\t0", "Seccomp:\t0"]),
        ({"allowPrivilegeEscalation": False}, {}, ["NoNewPrivs:\t1", "Seccomp:\t0"]),
    ],
)
async def test_a_process_is_told_what_it_may_do(context: Object, of_pod: Object, lines: list[str]):
    async with living(nodes=1) as cluster:
        text = "grep Uid /proc/self/status; grep NoNew /proc/self/status; grep ecc /proc/self/status"
        one: Object = {"name": "main", "image": "busybox:1", "command": ["sh", "-c", text], "securityContext": {"runAsUser": 7, **context}}
        await ended(cluster, of_containers(one, securityContext=of_pod, **ONCE))
        found = (await log(cluster, "web")).splitlines()
        assert found[0] == "Uid:\t7\t7\t7\t7"
        assert found[1:] == lines


@pytest.mark.virtual_time
async def test_owners_are_seen_and_changed():
    async with living(nodes=1) as cluster:
        text = "touch /v/a; mkdir /v/d; chown 5:6 /v/a; ls -l /v; chown root /v/a; ls -l /v/a; ls -ld /v"
        one: Object = {"name": "main", "image": "busybox:1", "command": ["sh", "-c", text], "securityContext": {"runAsUser": 9}}
        one["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
        wanted = of_containers(one, volumes=[{"name": "v", "emptyDir": {}}], securityContext={"fsGroup": 8}, **ONCE)
        assert exit_code(await ended(cluster, wanted)) == 0
        seen = [line.split()[:4] for line in (await log(cluster, "web")).splitlines() if not line.startswith("total")]
        assert seen == [
            ["-rw-r--r--", "1", "5", "6"],
            ["drwxr-sr-x", "2", "9", "8"],
            ["-rw-r--r--", "1", "root", "6"],
            ["drwxrwsrwx", "2", "root", "8"],
        ]
