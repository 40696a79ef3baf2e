"""What commands find in simulated containers, and what becomes of it: on virtual time, through the API."""

import asyncio
import base64
import gc
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.http import Request, Tunnel
from svcsim.meta.types import Json, Object
from svcsim.meta.websocket_frames import BINARY, CLOSE, FrameReader, encode_frame
from tests.living import Living, living, name, phase, pod

MASK = b"\x01\x02\x03\x04"
UPGRADE = {
    "upgrade": "websocket",
    "connection": "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": base64.b64encode(bytes(16)).decode(),
    "sec-websocket-protocol": "v5.channel.k8s.io",
}


SPDY = {"upgrade": "SPDY/3.1", "connection": "Upgrade"}


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Talk:
    """One connection, as its client has it."""

    def __init__(self, tunnel: Tunnel) -> None:
        self._tunnel = tunnel
        self._reader = FrameReader(masked=False)
        self.channels: dict[int, bytes] = {}
        self.over = False

    def send(self, channel: int, data: bytes) -> None:
        self._tunnel.write(encode_frame(BINARY, bytes((channel,)) + data, MASK))

    async def turn(self) -> None:
        """Take in what comes next."""
        data = await self._tunnel.read()
        self.over = self.over or not data
        for message in self._reader.feed(data):
            if message.kind == CLOSE:
                self.over = True
            elif message.data:
                self.channels[message.data[0]] = self.channels.get(message.data[0], b"") + message.data[1:]

    async def until(self, text: bytes) -> None:
        while text not in self.channels.get(1, b"") and not self.over:
            await self.turn()
        assert text in self.channels.get(1, b""), self.channels

    async def end(self) -> Done:
        while not self.over:
            await self.turn()
        told = json.loads(self.channels.get(3) or b"{}")
        causes = (told.get("details") or {}).get("causes") or [{}]
        code = 0 if told.get("status") == "Success" else int(causes[0].get("message", "-1")) if causes[0].get("reason") else -1
        return Done(
            code, self.channels.get(1, b"").decode(), self.channels.get(2, b"").decode() or (told.get("message") or "" if code < 0 else "")
        )


@asynccontextmanager
async def talking(cluster: Living, name: str, subresource: str, **asked: Json) -> AsyncIterator[Talk]:
    query = urlencode([(key, one) for key, value in asked.items() for one in (value if isinstance(value, list) else [value])])
    path = f"/api/v1/namespaces/default/pods/{name}/{subresource}"
    user = cluster.client.transport
    response = await user.call(Request("GET", path, query, UPGRADE))
    assert response.status == 101, response.body
    assert response.tunnel is not None
    try:
        yield Talk(response.tunnel)
    finally:
        await response.tunnel.close()


async def run(cluster: Living, name: str, *words: str, container: str = "") -> Done:
    asked = {"container": container} if container else {}
    async with talking(cluster, name, "exec", command=list(words), stdout=1, stderr=1, **asked) as talk:
        return await talk.end()


async def sh(cluster: Living, name: str, script: str, container: str = "") -> str:
    done = await run(cluster, name, "sh", "-c", script, container=container)
    return done.out + done.err


def _exec(name: str) -> Request:
    return Request("GET", f"/api/v1/namespaces/default/pods/{name}/exec", "command=sleep&command=inf&stdout=1", UPGRADE)


def _exec_over_spdy(name: str) -> Request:
    return Request("POST", f"/api/v1/namespaces/default/pods/{name}/exec", "command=sleep&command=inf&stdout=1", SPDY)


def _forward(name: str) -> Request:
    headers = {**UPGRADE, "sec-websocket-protocol": "v4.channel.k8s.io"}
    return Request("GET", f"/api/v1/namespaces/default/pods/{name}/portforward", "ports=80", headers)


def _forward_over_spdy(name: str) -> Request:
    return Request("POST", f"/api/v1/namespaces/default/pods/{name}/portforward", "", SPDY)


def _log(name: str) -> Request:
    return Request("GET", f"/api/v1/namespaces/default/pods/{name}/log")


ASKED = (_exec, _exec_over_spdy, _forward, _forward_over_spdy, _log)
"""Each way to reach a pod."""


@pytest.mark.virtual_time
async def test_sleep_takes_the_clusters_time_and_ends_with_the_container():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        before = cluster.cluster.clock.now()
        assert (await run(cluster, "web", "sleep", "3600")).code == 0
        assert 3600 <= cluster.cluster.clock.now() - before < 3601
        async with talking(cluster, "web", "exec", command=["sleep", "inf"], stdout=1) as talk:
            await talk.turn()
            cluster.cluster.nodes.faults.add({"type": "pod-crash", "target": {"name": "web"}})
            assert (await talk.end()).code == 137


@pytest.mark.virtual_time
async def test_the_environment_has_what_the_spec_and_services_say():
    async with living() as cluster:
        core = cluster.client.resource
        await core("v1", "configmaps", "default").create(of("ConfigMap", "settings", data={"COLOUR": "blue", "port": "80"}))
        await core("v1", "secrets", "default").create(of("Secret", "login", data={"PASSWORD": base64.b64encode(b"s3cret").decode()}))
        ports = [{"name": "http", "port": 80}]
        await core("v1", "services", "default").create(of("Service", "my-db", spec={"ports": ports, "clusterIP": "10.96.7.7"}))
        await cluster.sleep(2)
        wanted = pod("web")
        wanted["metadata"]["labels"] = {"app": "shop"}
        wanted["spec"]["containers"][0] |= {
            "resources": {"limits": {"cpu": "1500m", "memory": "64Mi"}},
            "envFrom": [{"configMapRef": {"name": "settings"}}, {"prefix": "L_", "secretRef": {"name": "login"}}],
            "env": [
                {"name": "ONE", "value": "1"},
                {"name": "TWO", "value": "$(ONE) $$(ONE) $(NONE) $(MY_DB_SERVICE_HOST)"},
                {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "port"}}},
                {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
                {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
                {"name": "MEM", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
            ],
        }
        made = await cluster.run_pod(wanted)
        found = dict(line.split("=", 1) for line in (await run(cluster, "web", "env")).out.splitlines())
        expected = {
            "COLOUR": "blue", "L_PASSWORD": "s3cret", "TWO": "1 $(ONE) $(NONE) 10.96.7.7", "KEY": "80", "NAME": "web", "APP": "shop",
            "IP": made["status"]["podIP"], "CPU": "2", "MEM": "64", "HOSTNAME": "web", "HOME": "/root", "KUBERNETES_SERVICE_PORT": "443",
            "MY_DB_SERVICE_HOST": "10.96.7.7", "MY_DB_SERVICE_PORT_HTTP": "80", "MY_DB_PORT_80_TCP_ADDR": "10.96.7.7",
        }  # fmt: skip
        assert {name: found.get(name) for name in expected} == expected


def of(kind: str, name: str, **fields: Json) -> Object:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **fields}


@pytest.mark.virtual_time
async def test_volumes_have_what_is_in_them_now_and_are_shared():
    async with living() as cluster:
        maps = cluster.client.resource("v1", "configmaps", "default")
        await maps.create(of("ConfigMap", "settings", data={"a.conf": "old\n", "b.conf": "b\n"}))
        secret = of("Secret", "login", data={"p": base64.b64encode(b"\x00\xff").decode()})
        await cluster.client.resource("v1", "secrets", "default").create(secret)
        both = pod("web")
        token = {"serviceAccountToken": {"path": "token", "audience": "vault", "expirationSeconds": 600}}
        downward = {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}}
        both["metadata"]["labels"] = {"app": "shop"}
        both["spec"]["volumes"] = [
            {"name": "settings", "configMap": {"name": "settings"}},
            {"name": "one", "configMap": {"name": "settings", "items": [{"key": "b.conf", "path": "deep/er"}]}},
            {"name": "secret", "secret": {"secretName": "login"}},
            {"name": "all", "projected": {"sources": [token, downward]}},
            {"name": "work", "emptyDir": {}},
        ]
        mounts = [{"name": name, "mountPath": f"/{name}"} for name in ("settings", "one", "secret", "all", "work")]
        mounts.append({"name": "settings", "mountPath": "/etc/single", "subPath": "a.conf"})
        both["spec"]["containers"] = [
            {"name": "main", "image": "nginx:1", "volumeMounts": mounts},
            {"name": "side", "image": "nginx:1", "volumeMounts": [{"name": "work", "mountPath": "/w", "readOnly": True}]},
        ]
        await cluster.run_pod(both)
        assert (
            await sh(cluster, "web", "cat /settings/a.conf /one/deep/er /etc/single; ls /settings", "main")
            == "old\nb\nold\na.conf\nb.conf\n"
        )
        assert await sh(cluster, "web", "base64 /secret/p; cat /all/labels", "main") == 'AP8=\napp="shop"'
        claims = (await sh(cluster, "web", "cat /all/token", "main")).split(".")[1]
        assert json.loads(base64.urlsafe_b64decode(claims + "==="))["aud"] == ["vault"]
        assert "Read-only file system" in await sh(cluster, "web", "echo x > /settings/a.conf", "main")
        await maps.patch("settings", {"data": {"a.conf": "new\n"}})
        assert await sh(cluster, "web", "cat /settings/a.conf; echo shared > /work/f", "main") == "new\n"
        assert await sh(cluster, "web", "cat /w/f; rm /w/f", "side") == "shared\nrm: can't remove '/w/f': Read-only file system\n"


@pytest.mark.virtual_time
async def test_files_live_as_long_as_their_container_and_volumes_as_their_pod():
    async with living() as cluster:
        one = pod("web")
        one["spec"]["volumes"] = [{"name": "work", "emptyDir": {}}]
        one["spec"]["containers"][0]["volumeMounts"] = [{"name": "work", "mountPath": "/work"}]
        await cluster.run_pod(one)
        assert await sh(cluster, "web", "echo a > /tmp/f; echo b > /work/f; kill 1") == ""
        await cluster.until(lambda pods: pods[0]["status"]["containerStatuses"][0]["restartCount"] == 1)
        await cluster.sleep(5)
        done = await run(cluster, "web", "cat", "/tmp/f", "/work/f")
        assert (done.code, done.out) == (1, "b\n")
        files = cluster.cluster.nodes.reach.processes.files
        assert files.used_bytes > 0
        await cluster.pods.delete("web", grace_period_s=0)
        await cluster.sleep(5)
        assert files.used_bytes == 0


@pytest.mark.virtual_time
async def test_many_small_messages_are_taken_as_if_they_were_one():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        async with talking(cluster, "web", "exec", command=["wc", "-c"], stdin=1, stdout=1) as talk:
            for _ in range(5000):
                talk.send(0, b"x")
            talk.send(255, b"\x00")
            assert (await talk.end()).out == "5000\n"
        async with talking(cluster, "web", "exec", command=["sh"], stdin=1, stdout=1, tty=1) as talk:
            for width in range(1, 1000):
                talk.send(4, f'{{"Width":{width},"Height":7}}'.encode())
            talk.send(4, b"nonsense}")
            talk.send(0, b"stty size\r")
            await talk.until(b"7 999")


@pytest.mark.virtual_time
async def test_a_node_that_is_down_is_not_reached():
    async with living() as cluster:
        made = await cluster.run_pod(pod("web"))
        node = made["spec"]["nodeName"]
        cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"name": node}})
        for asked in ASKED:
            answer = await cluster.client.transport.call(asked("web"))
            assert answer.status == 500
            message = json.loads(answer.body)["message"]
            assert message.startswith("error dialing backend: dial tcp 10.0.0.")
            assert "i/o timeout" in message


@pytest.mark.virtual_time
async def test_pods_of_a_node_that_is_removed_are_not_reached():
    async with living() as cluster:
        made = await cluster.run_pod(pod("web"))
        node = made["spec"]["nodeName"]
        async with talking(cluster, "web", "exec", command=["sleep", "inf"], stdout=1) as command:
            await command.turn()
            await cluster.cluster.nodes.handle({"remove": [node]})
            assert (await command.end()).code == 137, "whoever is connected is cut off"
        while any(name(one) == node for one in await cluster.nodes.list_all()):
            await cluster.sleep(0.1)
        assert (await cluster.pods.get("web"))["status"]["phase"] == "Running", "nobody has found out yet"
        for asked in ASKED:
            answer = await cluster.client.transport.call(asked("web"))
            assert (answer.status, json.loads(answer.body)["message"]) == (404, f'nodes "{node}" not found')


@pytest.mark.virtual_time
async def test_a_node_that_falls_silent_cuts_off_who_is_connected():
    async with living() as cluster:
        made = await cluster.run_pod(pod("web"))
        async with talking(cluster, "web", "exec", command=["sleep", "inf"], stdout=1) as command:
            await command.turn()
            cluster.cluster.nodes.faults.add({"type": "node-down", "target": {"name": made["spec"]["nodeName"]}})
            assert (await command.end()).code == 137


@pytest.mark.virtual_time
@pytest.mark.parametrize("kind", range(4))
async def test_each_way_to_be_connected_counts_until_it_is_over(kind: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "POD_CONNECTIONS", 2)
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        ways = [_exec, _forward, _forward_over_spdy, _exec_over_spdy]
        transport = cluster.client.transport
        opened = [(await transport.call(ways[kind]("web"))).tunnel for _ in range(2)]
        reading = [asyncio.ensure_future(tunnel.read()) for tunnel in opened]
        await turn()
        for way in ways:
            refused = await transport.call(way("web"))
            assert (refused.status, json.loads(refused.body)["reason"]) == (429, "TooManyRequests")
        await asyncio.wait(reading, timeout=1)
        for tunnel, one in zip(opened, reading, strict=True):
            one.cancel()
            await tunnel.close()
        for way in ways:
            response = await transport.call(way("web"))
            assert response.status == 101
            await response.tunnel.close()


@pytest.mark.virtual_time
async def test_attach_shows_what_is_said_from_now_on():
    async with living() as cluster:
        await cluster.run_pod(pod("loop", image="busybox:1", command=["sh", "-c", "while true; do echo tick; sleep 10; done"]))
        await cluster.sleep(25)
        async with talking(cluster, "loop", "attach", stdout=1) as talk:
            await talk.until(b"tick\ntick\n")
            await cluster.pods.delete("loop", grace_period_s=0)
            assert (await talk.end()).code == 0


@pytest.mark.virtual_time
async def test_who_is_attached_just_after_the_start_sees_what_was_said_before():
    async with living() as cluster:
        await cluster.run_pod(pod("quick", image="busybox:1", command=["sh", "-c", "echo hi; sleep 20; echo ho"]))
        async with talking(cluster, "quick", "attach", stdout=1) as early:
            await early.until(b"hi\n")
            await cluster.sleep(limits.JUST_STARTED_S + 1)
            async with talking(cluster, "quick", "attach", stdout=1) as late:
                await late.until(b"ho\n")
                assert late.channels[1] == b"ho\n"


@pytest.mark.virtual_time
async def test_a_shell_that_waits_for_commands_takes_them_and_ends_its_container():
    async with living() as cluster:
        shell = pod("dbg", image="busybox:1", command=["sh"], restartPolicy="Never")
        shell["spec"]["containers"][0] |= {"stdin": True, "tty": True}
        await cluster.run_pod(shell)
        async with talking(cluster, "dbg", "attach", stdin=1, stdout=1, tty=1) as talk:
            await talk.until(b"/ # ")
            talk.send(0, b"echo $((6*7))\r")
            await talk.until(b"\r\n42\r\n")
            talk.send(0, b"exit 3\r")
            await talk.end()
        ended = await cluster.until(lambda pods: pods[0]["status"]["phase"] == "Failed")
        assert ended[0]["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 3


INTERACTIVE: Json = {"stdin": True, "tty": True}


@pytest.mark.parametrize(
    ("image", "command"), [("busybox", []), ("alpine:3", []), ("debian:12", []), ("ubuntu", ["/bin/bash", "-i"]), ("busybox", ["sh"])]
)
@pytest.mark.virtual_time
async def test_an_image_that_starts_a_shell_takes_commands(image: str, command: list[str]):
    async with living() as cluster:
        shell = pod("dbg", image=image, restartPolicy="Never", command=command)
        shell["spec"]["containers"][0] |= INTERACTIVE
        await cluster.run_pod(shell)
        await cluster.sleep(60)
        async with talking(cluster, "dbg", "attach", stdin=1, stdout=1, tty=1) as talk:
            await talk.until(b" ")
            talk.send(0, b"echo $((6*7)); exit 3\r")
            await talk.until(b"\r\n42\r\n")
            await talk.end()
        (ended,) = await cluster.until(lambda pods: pods[0]["status"]["phase"] == "Failed")
        assert ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 3


@pytest.mark.parametrize("given", [{}, {"stdin": True}, {"tty": True}], ids=["neither", "stdin", "tty"])
@pytest.mark.parametrize(
    "command",
    [[], ["sh"], ["/bin/sh", "-l"], ["cat"], ["sh", "-c", "cat; echo end"], ["sh", "-c", "while read x; do echo $x; done"], ["grep", "a"]],
    ids=" ".join,
)
@pytest.mark.virtual_time
async def test_what_waits_for_input_ends_at_once_where_none_can_come(command: list[str], given: Json):
    async with living() as cluster:
        waiting = pod("web", image="busybox", restartPolicy="Never", command=command)
        waiting["spec"]["containers"][0] |= given
        await cluster.pods.create(waiting)
        await cluster.sleep(60)
        said = await cluster.client.transport.call(Request("GET", "/api/v1/namespaces/default/pods/web/log"))
        assert said.body in {b"", b"end\n"}
        assert (phase(await cluster.pods.get("web")) == "Running") is bool(given)


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.virtual_time
async def test_a_program_that_waits_for_input_is_given_that_of_a_client(once: bool):
    async with living() as cluster:
        waiting = pod("web", image="busybox", restartPolicy="Never", command=["sh", "-c", "cat; echo $(WHO); exit 2"])
        waiting["spec"]["containers"][0] |= {"stdin": True, "stdinOnce": once, "env": [{"name": "WHO", "value": "me"}]}
        await cluster.run_pod(waiting)
        async with talking(cluster, "web", "attach", stdin=1, stdout=1) as talk:
            talk.send(0, b"abc\n")
            await talk.until(b"abc\n")
            talk.send(255, b"\x00")
            if once:
                await talk.until(b"me\n")
                await talk.end()
        await cluster.sleep(5)
        assert phase(await cluster.pods.get("web")) == ("Failed" if once else "Running"), "others may have more to say"
        said = await cluster.client.transport.call(Request("GET", "/api/v1/namespaces/default/pods/web/log"))
        assert said.body == (b"abc\nme\n" if once else b"abc\n")


@pytest.mark.virtual_time
async def test_a_connection_that_is_over_leaves_nothing_that_has_to_be_searched_for():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        await run(cluster, "web", "true")
        gc.collect()
        for _ in range(30):
            assert (await run(cluster, "web", "echo", "a")).out == "a\n"
        assert gc.collect() < 30


@pytest.mark.virtual_time
async def test_whoever_hangs_up_takes_what_runs_along():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        before = len(asyncio.all_tasks())
        for _ in range(5):
            async with talking(cluster, "web", "exec", command=["sleep", "inf"], stdout=1) as talk:
                await talk.turn()
        assert len(asyncio.all_tasks()) == before
