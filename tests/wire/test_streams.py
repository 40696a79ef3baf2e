"""exec, attach, cp and port-forward: with unmodified kubectl, the Python client, svcsim's own commands, and byte by byte."""

import base64
import json
import os
import re
import socket
import struct
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kubernetes import client as kubernetes_client
from kubernetes import config as kubernetes_config
from kubernetes.stream import portforward, stream

from svcsim.meta.spdy_frames import SpdyWriter, data_frame
from svcsim.meta.types import Json, Object
from svcsim.meta.websocket_frames import BINARY, CLOSE, TEXT, FrameReader, Message, encode_frame
from tests.nursery import Child
from tests.process import SVCSIM, environment, served, started
from tests.waiting import until
from tests.wire.granting import allowed
from tests.wire.raw import Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl

needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
MASK = b"\x01\x02\x03\x04"
V4, V5 = "v4.channel.k8s.io", "v5.channel.k8s.io"


def pod(name: str, **container: Json) -> Object:
    spec = {"name": "main", "image": "example.com/app:1", "ports": [{"containerPort": 80}], **container}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [spec], "terminationGracePeriodSeconds": 0},
    }


def run_pod(wire: Wire, ns: str, obj: Object) -> str:
    """The path of a pod that runs."""
    pods = f"/api/v1/namespaces/{ns}/pods"
    wire.create(pods, obj)
    path = f"{pods}/{obj['metadata']['name']}"
    with wire.hurried():
        wire.until(path, lambda now: any("running" in one["state"] for one in now.get("status", {}).get("containerStatuses", ())))
    return path


@pytest.fixture
def running(wire: Wire, ns: str) -> str:
    """The path of a pod that runs, once in each dialect."""
    return run_pod(wire, ns, pod("web"))


VIEWERS: Object = {
    "metadata": {"name": "viewers"},
    "subjects": [{"kind": "User", "name": "viewer"}],
    "roleRef": {"kind": "ClusterRole", "name": "view"},
}


class Upgraded:
    """A connection that asked for another protocol."""

    def __init__(self, wire: Wire, path: str, headers: dict[str, str], method: str = "GET") -> None:
        connection = wire.connect()
        connection.connect()
        self._sock = connection.sock
        given = {"Host": "x", "Authorization": f"Bearer {wire.server.token}", "Connection": "Upgrade", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        self._sock.sendall(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._sock.recv(1)
        self.head = head.decode()
        self.status = int(head.split()[1])
        self._reader = FrameReader(masked=False)
        self._arrived: list[Message] = []

    def close(self) -> None:
        self._sock.close()

    def raw(self, data: bytes) -> None:
        self._sock.sendall(data)

    def body(self) -> Object:
        length = int(re.search(r"(?i)content-length: (\d+)", self.head)[1])
        data = b""
        while len(data) < length:
            data += self._sock.recv(length - len(data))
        return json.loads(data)

    def send(self, data: bytes, kind: int = BINARY) -> None:
        self._sock.sendall(encode_frame(kind, data, MASK))

    def next(self) -> Message | None:
        while not self._arrived:
            data = self._sock.recv(65536)
            if not data:
                return None
            self._arrived = self._reader.feed(data)
        return self._arrived.pop(0)

    def rest(self) -> dict[int, bytes]:
        """All that comes, by channel, until the other side closes."""
        found: dict[int, bytes] = {}
        while (message := self.next()) is not None and message.kind != CLOSE:
            found[message.data[0]] = found.get(message.data[0], b"") + message.data[1:]
        return found


@contextmanager
def socket_to(wire: Wire, path: str, *protocols: str) -> Iterator[Upgraded]:
    headers = {"Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode()}
    if protocols:
        headers["Sec-WebSocket-Protocol"] = ",".join(protocols)
    upgraded = Upgraded(wire, path, headers)
    try:
        yield upgraded
    finally:
        upgraded.close()


# Byte by byte, in both dialects.


@pytest.mark.parametrize(
    ("protocols", "agreed"),
    [((V5, V4), V5), ((V4, V5), V4), (("channel.k8s.io",), "channel.k8s.io"), ((), None), (("new.example", V4), V4)],
)
def test_the_first_protocol_that_both_speak_is_agreed_on(wire: Wire, running: str, protocols: tuple[str, ...], agreed: str | None):
    with socket_to(wire, f"{running}/exec?command=echo&command=hi&stdout=1&stderr=1", *protocols) as upgraded:
        assert upgraded.status == 101
        found = re.search(r"(?i)sec-websocket-protocol: (\S+)", upgraded.head)
        assert (found[1] if found else None) == agreed
        channels = upgraded.rest()
        assert channels[1] == b"hi\n"
        if agreed in {V4, V5}:
            assert json.loads(channels[3]) == {"metadata": {}, "status": "Success"}
        else:
            assert 3 not in channels


@pytest.mark.parametrize("follow", ["", "&follow=true"])
@pytest.mark.parametrize(
    ("protocols", "kind", "said"),
    [
        ((), BINARY, b"alive\n"),
        (("binary.k8s.io",), BINARY, b"alive\n"),
        (("base64.binary.k8s.io",), TEXT, base64.b64encode(b"alive\n")),
        (("new.example", "binary.k8s.io"), BINARY, b"alive\n"),
    ],
)
def test_logs_come_as_messages(wire: Wire, ns: str, protocols: tuple[str, ...], kind: int, said: bytes, follow: str):
    path = run_pod(wire, ns, pod("talking", command=["sh", "-c", "echo alive; sleep 1000"]))
    with socket_to(wire, f"{path}/log?container=main{follow}", *protocols) as upgraded:
        assert upgraded.status == 101
        assert upgraded.next() == Message(kind, said)
        if not follow:
            assert upgraded.next().kind == CLOSE


def test_logs_come_by_no_other_protocol(wire: Wire, running: str):
    with socket_to(wire, f"{running}/log", V4) as upgraded:
        assert upgraded.status == 403
    with socket_to(wire, f"{running}/log?container=none") as upgraded:
        assert (upgraded.status, upgraded.body()["message"]) == (400, "container none is not valid for pod web")


def test_exit_codes_come_as_a_status(wire: Wire, running: str):
    with socket_to(wire, f"{running}/exec?command=sh&command=-c&command=echo+no+%3E%262;exit+3&stdout=1&stderr=1", V4) as upgraded:
        channels = upgraded.rest()
    assert channels[2] == b"no\n"
    told = json.loads(channels[3])
    assert (told["status"], told["reason"]) == ("Failure", "NonZeroExitCode")
    assert told["details"] == {"causes": [{"reason": "ExitCode", "message": "3"}]}
    assert told["message"] == "command terminated with non-zero exit code: error executing command [sh -c echo no >&2;exit 3], exit code 3"


def test_input_is_closed_by_itself_from_version_5_on(wire: Wire, running: str):
    with socket_to(wire, f"{running}/exec?command=wc&command=-c&stdin=1&stdout=1", V5) as upgraded:
        upgraded.send(b"\x00one")
        upgraded.send(b"\x00two")
        upgraded.send(b"\xff\x00")
        assert upgraded.rest()[1] == b"6\n"
    with socket_to(wire, f"{running}/exec?command=wc&command=-c&stdin=1&stdout=1", V5) as upgraded:
        upgraded.send(b"\xff\x07")
        message = upgraded.next()
        while message is not None and message.kind != CLOSE:
            message = upgraded.next()
        assert message is not None
        assert int.from_bytes(message.data[:2], "big") == 1002


def test_messages_in_base64(wire: Wire, running: str):
    with socket_to(wire, f"{running}/exec?command=cat&stdin=1&stdout=1", "v4.base64.channel.k8s.io") as upgraded:
        assert upgraded.next() == Message(TEXT, b"1")
        upgraded.send(b"0" + base64.b64encode(b"hello"), TEXT)
        assert upgraded.next() == Message(TEXT, b"1" + base64.b64encode(b"hello"))


def test_a_terminal_has_the_size_it_is_given(wire: Wire, running: str):
    with socket_to(wire, f"{running}/exec?command=sh&stdin=1&stdout=1&tty=1", V5) as upgraded:
        upgraded.send(b'\x04{"Width":132,"Height":50}')
        upgraded.send(b"\x04nonsense}")
        upgraded.send(b"\x00stty size\r")
        upgraded.send(b"\x00exit 2\r")
        channels = upgraded.rest()
    assert b"50 132\r\n" in channels[1]
    assert json.loads(channels[3])["details"]["causes"][0]["message"] == "2"


@pytest.mark.parametrize(
    ("query", "code", "why"),
    [
        ("exec?command=ls", 400, "you must specify at least 1 of stdin, stdout, stderr"),
        ("exec?stdout=1", 400, "you must specify at least one command for the container"),
        ("exec?command=ls&stdout=1&container=nope", 400, "container nope is not valid for pod web"),
        ("attach?stdout=1&container=nope", 400, "container nope is not valid for pod web"),
        ("portforward", 400, 'query parameter "port" is required'),
        ("portforward?ports=0", 400, "invalid port 0: must be between 1 and 65535"),
        ("portforward?ports=x", 400, "invalid syntax"),
    ],
)
def test_what_makes_no_sense_is_refused_before_the_switch(wire: Wire, running: str, query: str, code: int, why: str):
    with socket_to(wire, f"{running}/{query}", V4) as upgraded:
        assert upgraded.status == code
        assert why in upgraded.body()["message"]


def test_an_upgrade_has_to_be_asked_for_and_be_known(wire: Wire, running: str):
    answer = wire.ask("POST", f"{running}/exec?command=ls&stdout=1")
    assert (answer.status, answer.reason, answer.message) == (400, "BadRequest", "Upgrade request required")
    with socket_to(wire, f"{running}/exec?command=ls&stdout=1", "other.example") as upgraded:
        assert upgraded.status == 403
        assert "requested protocol(s) are not supported" in upgraded.body()["message"]
    spdy = Upgraded(wire, f"{running}/exec?command=ls&stdout=1", {"Upgrade": "SPDY/3.1", "X-Stream-Protocol-Version": "v9"}, "POST")
    assert spdy.status == 403
    assert "X-Accepted-Stream-Protocol-Versions" in spdy.head
    spdy.close()


def test_a_pod_that_isnt_there_yet_says_so(wire: Wire, ns: str):
    waiting = pod("waiting")
    waiting["spec"]["nodeSelector"] = {"no": "node"}
    wire.create(f"/api/v1/namespaces/{ns}/pods", waiting)
    path = f"/api/v1/namespaces/{ns}/pods/waiting"
    for subresource in ("exec?command=ls&stdout=1", "attach?stdout=1", "portforward?ports=80"):
        with socket_to(wire, f"{path}/{subresource}", V4) as upgraded:
            assert upgraded.body()["message"] == "pod waiting does not have a host assigned"
        with socket_to(wire, f"{path}x/{subresource}", V4) as upgraded:
            assert upgraded.status == 404
    ended = pod("ended", image="busybox", command=["true"])
    ended["spec"]["restartPolicy"] = "Never"
    wire.create(f"/api/v1/namespaces/{ns}/pods", ended)
    with wire.hurried():
        wire.until(f"/api/v1/namespaces/{ns}/pods/ended", lambda now: now.get("status", {}).get("phase") == "Succeeded")
    with socket_to(wire, f"/api/v1/namespaces/{ns}/pods/ended/exec?command=ls&stdout=1", V4) as upgraded:
        told = json.loads(upgraded.rest()[3])
    assert told["message"] == 'Internal error occurred: unable to upgrade connection: container not found ("main")'


def test_what_runs_in_a_container_ends_with_it(wire: Wire, running: str):
    with (
        socket_to(wire, f"{running}/exec?command=sleep&command=inf&stdout=1", V4) as sleeping,
        socket_to(wire, f"{running}/attach?stdout=1", V4) as attached,
    ):
        sleeping.next()
        attached.next()
        wire.delete(running, {"gracePeriodSeconds": 0})
        assert json.loads(sleeping.rest()[3])["details"]["causes"][0]["message"] == "137"
        assert 3 in attached.rest()


def test_a_port_answers_over_a_plain_websocket_and_others_refuse(wire: Wire, running: str):
    with socket_to(wire, f"{running}/portforward?ports=80&ports=81", V4) as upgraded:
        begun = [upgraded.next().data for _ in range(4)]
        assert begun == [bytes((channel,)) + struct.pack("<H", port) for channel, port in ((0, 80), (1, 80), (2, 81), (3, 81))]
        upgraded.send(b"\x00GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = upgraded.rest()
    assert b'"port": 80' in found[0]
    assert b"connect: connection refused" in found[3]


def test_who_may_not_is_refused(wire: Wire, ns: str, running: str):
    headers = allowed(wire, {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}, namespace=ns)
    for method, verb in (("GET", "get"), ("POST", "create")):
        answer = wire.ask(method, f"{running}/exec?command=ls&stdout=1", headers=headers)
        assert answer.status == 403
        assert f'cannot {verb} resource "pods/exec"' in answer.message


def test_policies_and_the_audit_are_asked_about_connect(tmp_path: Path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n  resources: [{group: '', resources: [pods/exec]}]\n"
    )
    log = tmp_path / "audit.log"
    options = ("--durability", "process", "--audit-policy-file", str(policy), "--audit-log-path", str(log))
    with served(tmp_path / "home", "kubernetes", *options) as server:
        wire = Wire(server)
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        wire.until(accounts, lambda found: any(account["metadata"]["name"] == "default" for account in found["items"]))
        path = run_pod(wire, "default", pod("web"))
        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CONNECT"], "resources": ["pods/exec"]}]
        forbidding = {
            "matchConstraints": {"resourceRules": rules},
            "validations": [{"expression": "!('rm' in object.command)", "message": "nothing is removed here"}],
        }
        group = "admissionregistration.k8s.io/v1"
        named = {"apiVersion": group, "metadata": {"name": "no-rm"}}
        wire.create(f"/apis/{group}/validatingadmissionpolicies", {**named, "kind": "ValidatingAdmissionPolicy", "spec": forbidding})
        binding = {"policyName": "no-rm", "validationActions": ["Deny"]}
        bound = {**named, "kind": "ValidatingAdmissionPolicyBinding", "spec": binding}
        wire.create(f"/apis/{group}/validatingadmissionpolicybindings", bound)

        def refused() -> bool:
            with socket_to(wire, f"{path}/exec?command=rm&command=x&stdout=1", V4) as upgraded:
                return upgraded.status == 422 and "nothing is removed here" in upgraded.body()["message"]

        until(refused)
        with socket_to(wire, f"{path}/exec?command=ls&stdout=1", V4) as upgraded:
            assert b"etc" in upgraded.rest()[1]

        def stages() -> list[tuple[str, str]]:
            events = [json.loads(line) for line in log.read_text().splitlines()]
            return [(event["stage"], event["verb"]) for event in events if "command=ls" in event["requestURI"]]

        until(lambda: len(stages()) == 3)
        assert stages() == [("RequestReceived", "get"), ("ResponseStarted", "get"), ("ResponseComplete", "get")]
        wire.close()


def test_many_at_once_and_slow_readers(wire: Wire, running: str):
    many = 40
    with socket_to(wire, f"{running}/exec?command=sh&command=-c&command=seq+9999;seq+9999;seq+9999&stdout=1", V4) as slow:
        sockets = []
        for index in range(many):
            context = socket_to(wire, f"{running}/exec?command=cat&stdin=1&stdout=1", V5)
            opened = context.__enter__()
            opened.send(b"\x00" + str(index).encode())
            opened.send(b"\xff\x00")
            sockets.append((context, opened))
        for index, (context, opened) in enumerate(sockets):
            assert opened.rest()[1] == str(index).encode()
            context.__exit__(None, None, None)
        assert slow.rest()[1].count(b"\n") == 3 * 9999


def test_what_is_no_protocol_ends_the_connection_and_nothing_else(wire: Wire, running: str):
    for sent in (b"\xff" * 100, b"\x82\x01x", b"\x89" + bytes(200)):
        with socket_to(wire, f"{running}/exec?command=cat&stdin=1&stdout=1", V5) as upgraded:
            upgraded.raw(sent)
            upgraded.rest()
    for sent in (b"junk" * 100, SpdyWriter().open(2, {}) + SpdyWriter().open(1, {"streamtype": "nonsense"}), data_frame(9, b"x")):
        upgraded = Upgraded(wire, f"{running}/portforward", {"Upgrade": "SPDY/3.1"}, "POST")
        assert upgraded.status == 101
        upgraded.raw(sent)
        upgraded.close()
    assert wire.ask("GET", running).status == 200


# Unmodified kubectl.


@pytest.fixture
def kubectl(kubernetes_server: Wire, tmp_path: Path) -> Kubectl:
    namespace = kubernetes_server.namespace()
    run_pod(kubernetes_server, namespace, pod("web"))
    return Kubectl(kubernetes_server, tmp_path, namespace)


def said(kubectl: Kubectl, *words: str, sent: str = "", **environment: str) -> tuple[int, str, str]:
    kubectl.environment.update(environment)
    process = kubectl.start(*words)
    out, err = process.communicate(sent, timeout=60)
    return process.returncode, out, err


@needs_kubectl
@pytest.mark.parametrize("over", ["true", "false"])
def test_kubectl_exec(kubectl: Kubectl, over: str):
    way = {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": over}
    assert said(kubectl, "exec", "web", "--", "echo", "hi", **way) == (0, "hi\n", "")
    assert said(kubectl, "exec", "-i", "web", "--", "cat", sent="typed", **way) == (0, "typed", "")
    assert said(kubectl, "exec", "web", "--", "sh", "-c", "echo e >&2; exit 3") == (3, "", "e\ncommand terminated with exit code 3\n")
    code, _, err = said(kubectl, "exec", "web", "--", "foo")
    assert (code, err.splitlines()[-1]) == (127, "command terminated with exit code 127")
    assert 'exec: "foo": executable file not found in $PATH' in err
    code, out, _ = said(kubectl, "exec", "web", "--", "cat", "/var/run/secrets/kubernetes.io/serviceaccount/token")
    whoami = kubectl.wire.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, token=out)
    assert whoami.json["status"]["userInfo"]["username"] == f"system:serviceaccount:{kubectl.namespace}:default"


@needs_kubectl
@pytest.mark.parametrize("over", ["true", "false"])
def test_kubectl_cp_both_ways(kubectl: Kubectl, tmp_path: Path, over: str):
    kubectl.environment["KUBECTL_REMOTE_COMMAND_WEBSOCKETS"] = over
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "a").write_text("one\n")
    (source / "sub" / "b").write_bytes(os.urandom(200_000))  # noqa: TID251 - any bytes will do
    kubectl.run("cp", str(source / "a"), "web:/tmp/a")
    kubectl.run("cp", str(source), "web:/tmp/copy")
    assert kubectl.run("exec", "web", "--", "cat", "/tmp/a", "/tmp/copy/a") == "one\none\n"
    kubectl.run("cp", "web:/tmp/copy", str(tmp_path / "back"))
    assert (tmp_path / "back" / "sub" / "b").read_bytes() == (source / "sub" / "b").read_bytes()
    assert "No such file or directory" in kubectl.run("cp", "web:/nope", str(tmp_path / "none"), fails=True)


@contextmanager
def forwarding(process: "subprocess.Popen[str]") -> Iterator[int]:
    """The local port that leads to a pod."""
    assert process.stdout is not None
    try:
        yield int(re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())[1])
    finally:
        process.kill()
        process.communicate()


def fetched(port: int, path: str) -> Object:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        return json.loads(answer.read())


@needs_kubectl
@pytest.mark.parametrize("over", ["true", "false"])
def test_kubectl_port_forward(kubectl: Kubectl, over: str):
    kubectl.environment["KUBECTL_PORT_FORWARD_WEBSOCKETS"] = over
    with forwarding(kubectl.start("port-forward", "pod/web", ":80")) as port:
        for path in ("/one", "/two"):
            told = fetched(port, path)
            assert (told["pod"], told["port"], told["path"]) == ("web", 80, path)
    refusing = kubectl.start("port-forward", "pod/web", ":9999")
    with forwarding(refusing) as port, socket.create_connection(("127.0.0.1", port), timeout=30) as near:
        near.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert near.recv(1) == b""
        assert refusing.stderr is not None
        assert "connect: connection refused" in refusing.stderr.readline()


# The Python client.


@pytest.mark.usefixtures("left_to_the_collector")
def test_the_python_client_streams(kubernetes_server: Wire):
    namespace = kubernetes_server.namespace()
    run_pod(kubernetes_server, namespace, pod("web"))
    with kubernetes_config.new_client_from_config(str(kubernetes_server.server.kubeconfig)) as api:
        core = kubernetes_client.CoreV1Api(api)
        call = core.connect_get_namespaced_pod_exec
        assert stream(call, "web", namespace, command=["hostname"], stdout=True, stderr=True) == "web\n"
        talk = stream(call, "web", namespace, command=["sh"], stdin=True, stdout=True, stderr=True, _preload_content=False)
        talk.write_stdin("echo to $HOSTNAME; nope\nexit 6\n")
        talk.run_forever(timeout=30)
        assert (talk.read_stdout(), talk.read_stderr(), talk.returncode) == ("to web\n", "sh: nope: not found\n", 6)
        talk.close()
        forward = portforward(core.connect_get_namespaced_pod_portforward, "web", namespace, ports="80")
        answer, near = b"", forward.socket(80)
        near.setblocking(True)
        near.sendall(b"GET /py HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        while piece := near.recv(4096):
            answer += piece
        near.close()
        assert b'"path": "/py"' in answer
        assert forward.error(80) is None
        forward.websocket.close()


# svcsim's own commands.


def test_own_commands(wire: Wire, ns: str, running: str, tmp_path: Path):
    env = {**environment(wire.server.home), "KUBECONFIG": str(wire.server.kubeconfig)}

    def start(*words: str) -> subprocess.Popen[str] | Child:
        return started([SVCSIM, "--kubeconfig", str(wire.server.kubeconfig), "-n", ns, *words], env, stdin=subprocess.PIPE)

    def run(*words: str, sent: str = "") -> tuple[int, str, str]:
        process = start(*words)
        out, err = process.communicate(sent, timeout=60)
        return process.returncode, out, err

    assert running.endswith("/web")
    assert run("exec", "web", "--", "echo", "hi") == (0, "hi\n", "")
    assert run("exec", "-i", "web", "--", "sh", sent="cat\ntext") == (0, "text", "")
    assert run("exec", "web", "--", "sh", "-c", "exit 4") == (4, "", "command terminated with exit code 4\n")
    assert run("exec", "web", "ls")[2].startswith("error: exec [POD] [COMMAND] is not supported anymore.")
    assert run("exec", "-c", "nope", "web", "--", "ls")[2] == "Error from server (BadRequest): container nope is not valid for pod web\n"
    big = "x" * 1_000_000
    assert run("exec", "-i", "web", "--", "cat", sent=big)[1] == big
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    (tmp_path / "tree" / "sub" / "file").write_text("there\n")
    for name, size in (("all_of_a_block", 512), ("empty", 0), ("short", 3)):
        (tmp_path / "tree" / name).write_bytes(b"a" * size)
    assert run("cp", str(tmp_path / "tree"), "web:/tmp/tree") == (0, "", "")
    assert run("exec", "web", "--", "ls", "/tmp/tree")[1].split() == ["all_of_a_block", "empty", "short", "sub"]
    assert run("cp", "web:/tmp/tree", str(tmp_path / "back")) == (0, "", "")
    assert (tmp_path / "back" / "sub" / "file").read_text() == "there\n"
    assert run("cp", "a", "b")[2] == "error: one of src or dest must be a remote file specification\n"
    with forwarding(start("port-forward", "web", ":80")) as port:
        assert fetched(port, "/own")["path"] == "/own"
    assert "does not have a named port" in run("port-forward", "web", "http")[2]
    wire.create(f"/apis/rbac.authorization.{wire.dialect.group_suffix}/v1/namespaces/{ns}/rolebindings", VIEWERS)
    refused = run("--as", "viewer", "port-forward", "web", ":80")
    why = 'error: error upgrading connection: pods "web" is forbidden: User "viewer" cannot get resource "pods/portforward" in API group ""'
    assert refused == (1, "", f'{why} in the namespace "{ns}"\n'), "as kubectl tells it: before anybody relies on it"
