"""Unmodified kubectl against the kubernetes dialect."""

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jwt
import pytest

from svcsim.meta.objects import condition_is
from svcsim.meta.types import Json, Object
from tests.process import served
from tests.wire.raw import Wire

KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")

DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx:1.28"}]}},
    },
}


class Kubectl:
    """kubectl with a home of its own, in one namespace."""

    def __init__(self, wire: Wire, home: Path, namespace: str) -> None:
        self.wire, self.home, self.namespace = wire, home, namespace
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "KUBECONFIG": str(wire.server.kubeconfig),
            "KUBECACHEDIR": str(home),
            "GOGC": "off",
        }

    def start(self, *words: str, **kwargs: Json) -> subprocess.Popen[str]:
        command = [KUBECTL, "--cache-dir", str(self.home / "cache"), "-n", self.namespace, *words]
        return subprocess.Popen(
            command, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, **kwargs
        )

    def run(self, *words: str, sent: Object | None = None, fails: bool = False) -> str:
        """What it prints; on both channels if it is to fail."""
        process = self.start(*words)
        out, err = process.communicate(json.dumps(sent) if sent else "", timeout=60)
        assert (process.returncode != 0) == fails, f"kubectl {' '.join(words)}: {process.returncode} {out}{err}"
        return out + err if fails else out


@contextmanager
def of_its_own(directory: Path, *options: str, nodes: int = 2) -> Iterator[Kubectl]:
    """In a cluster of its own, started with these options, whose nodes are all ready and whose server complains of nothing."""
    with served(directory, "kubernetes", "--durability", "process", "--nodes", str(nodes), *options) as server:
        wire = Wire(server)
        wire.until("/api/v1/nodes", lambda found: [condition_is(node, "Ready") for node in found["items"]] == [True] * nodes)
        yield Kubectl(wire, directory, "default")
        wire.close()
        assert wire.complaints() == []


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, so that discovery is cached as on anybody's machine."""
    return tmp_path_factory.mktemp("kubectl")


@pytest.fixture
def kubectl(kubernetes_server: Wire, home: Path) -> Kubectl:
    return Kubectl(kubernetes_server, home, kubernetes_server.namespace())


@pytest.fixture(scope="module")
def deployed(kubernetes_server: Wire, home: Path) -> Kubectl:
    """A namespace where a deployment runs."""
    kubectl = Kubectl(kubernetes_server, home, kubernetes_server.namespace())
    kubectl.run("apply", "--validate=false", "-f", "-", sent=DEPLOYMENT)
    with kubernetes_server.hurried():
        kubectl.run("rollout", "status", "deployment/web", "--timeout=60s")
    return kubectl


def test_get_in_every_form(deployed: Kubectl):
    header, row = deployed.run("get", "deployments", "-o", "wide").splitlines()
    assert header.split() == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"]
    assert row.split()[:4] == ["web", "2/2", "2", "2"]
    assert row.split()[5:] == ["main", "nginx:1.28", "app=web"]
    assert deployed.run("get", "deploy", "-o", "name") == "deployment.apps/web\n"
    assert json.loads(deployed.run("get", "deploy", "web", "-o", "json"))["spec"]["replicas"] == 2
    assert "\n  replicas: 2\n" in deployed.run("get", "deploy/web", "-o", "yaml")
    assert deployed.run("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].status.phase}") == "Running Running"
    assert len(deployed.run("get", "pods", "--chunk-size=1", "--no-headers").splitlines()) == 2
    wide = deployed.run("get", "pods", "-o", "wide").splitlines()
    assert wide[0].split()[:7] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"]
    assert all(line.split()[1:4] == ["1/1", "Running", "0"] for line in wide[1:])
    assert deployed.run("get", "pods", "--field-selector", "status.phase=Failed") == ""
    nodes = deployed.run("get", "nodes", "--sort-by", "metadata.name", "--no-headers").splitlines()
    assert [node.split()[1] for node in nodes if node.startswith("node-")] == ["Ready", "Ready"], "others' tests make nodes, too"
    assert "configmaps" in deployed.run("get", "cm,secret,sa", "nothing", fails=True)


def test_access_is_asked_about_and_reconciled(kubectl: Kubectl):
    listed = kubectl.run("auth", "can-i", "--list").splitlines()
    assert [line.split() for line in listed[1:3]] == [["*.*", "[]", "[]", "[*]"], ["[*]", "[]", "[*]"]]
    assert kubectl.run("auth", "can-i", "create", "pods") == "yes\n"
    group = "rbac.authorization.k8s.io"
    rule = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
    role = {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": {"name": "reader", "namespace": kubectl.namespace}}
    kubectl.run("auth", "reconcile", "-f", "-", sent={**role, "rules": [rule]})
    kubectl.run("auth", "reconcile", "-f", "-", sent={**role, "rules": [{**rule, "verbs": ["list"]}]})
    path = f"/apis/{group}/v1/namespaces/{kubectl.namespace}/roles/reader"
    assert [one["verbs"] for one in kubectl.wire.get(path)["rules"]] == [["get"], ["list"]]
    kubectl.run("auth", "reconcile", "--remove-extra-permissions", "-f", "-", sent={**role, "rules": [rule]})
    assert [one["verbs"] for one in kubectl.wire.get(path)["rules"]] == [["get"]]


def test_warnings_of_updates_are_printed(kubectl: Kubectl):
    spec = {"clusterIP": "None", "ports": [{"port": 80}], "sessionAffinity": "ClientIP"}
    kubectl.wire.create(f"/api/v1/namespaces/{kubectl.namespace}/services", {"metadata": {"name": "alone"}, "spec": spec})
    process = kubectl.start("label", "service", "alone", "a=b")
    assert process.communicate(timeout=60) == (
        "service/alone labeled\n",
        "Warning: spec.SessionAffinity is ignored for headless services\n",
    )


def test_watching(kubectl: Kubectl):
    process = kubectl.start("get", "configmaps", "-w", "--output-watch-events", "--no-headers", "--field-selector", "metadata.name=seen")
    maps = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    kubectl.wire.create(maps, {"metadata": {"name": "seen"}})
    try:
        assert process.stdout.readline().split()[:3] == ["ADDED", "seen", "0"]
        kubectl.wire.patch(f"{maps}/seen", {"data": {"a": "b"}})
        assert process.stdout.readline().split()[:3] == ["MODIFIED", "seen", "1"]
        kubectl.wire.delete(f"{maps}/seen")
        assert process.stdout.readline().split()[:2] == ["DELETED", "seen"]
    finally:
        process.kill()
        process.communicate()


def test_describe(deployed: Kubectl):
    told = deployed.run("describe", "deployment", "web")
    assert "2 desired | 2 updated | 2 total | 2 available | 0 unavailable" in told
    assert "ScalingReplicaSet" in told
    pod = deployed.run("get", "pods", "-o", "name").split()[0]
    told = deployed.run("describe", pod)
    assert "Controlled By:  ReplicaSet/web-" in told
    for reason in ("Scheduled", "Pulled", "Created", "Started"):
        assert f"  {reason}  " in told
    assert "Allocated resources:" in deployed.run("describe", "node", "node-1")
    assert "Status:       Active" in deployed.run("describe", "namespace", deployed.namespace)


def test_logs_events_and_wait(deployed: Kubectl):
    pod = deployed.run("get", "pods", "-o", "name").split()[0]
    assert deployed.run("logs", pod).strip()
    assert len(deployed.run("logs", pod, "--tail=1").splitlines()) <= 1
    assert "condition met" in deployed.run("wait", "--for=condition=Available", "deployment/web", "--timeout=30s")
    assert "condition met" in deployed.run("wait", "--for=jsonpath={.status.phase}=Running", pod, "--timeout=30s")
    assert "ScalingReplicaSet" in deployed.run("events", "--for", "deployment/web")
    assert "Scheduled" in deployed.run("get", "events")


def test_apply_again_and_patch_and_mark(kubectl: Kubectl):
    plain = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": 0}}
    assert kubectl.run("apply", "--validate=false", "-f", "-", sent=plain) == "deployment.apps/web created\n"
    assert kubectl.run("apply", "--validate=false", "-f", "-", sent=plain) == "deployment.apps/web unchanged\n"
    changed = {**plain, "metadata": {"name": "web", "labels": {"new": "yes"}}}
    assert kubectl.run("apply", "--validate=false", "-f", "-", sent=changed) == "deployment.apps/web configured\n"
    assert kubectl.run("get", "deploy/web", "-o", "jsonpath={.metadata.labels}") == '{"new":"yes"}'
    assert kubectl.run("patch", "deploy/web", "--type=merge", "-p", '{"spec":{"paused":true}}') == "deployment.apps/web patched\n"
    kubectl.run("patch", "deploy/web", "--type=json", "-p", '[{"op":"remove","path":"/spec/paused"}]')
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "busybox"}]}}}}
    kubectl.run("patch", "deploy/web", "-p", json.dumps(side))
    assert kubectl.run("get", "deploy/web", "-o", "jsonpath={.spec.template.spec.containers[*].name}") == "side main"
    assert kubectl.run("label", "deploy/web", "tier=front", "new-") == "deployment.apps/web labeled\n"
    assert kubectl.run("get", "deploy/web", "--show-labels", "--no-headers").split()[-1] == "tier=front"
    assert "already has a value" in kubectl.run("label", "deploy/web", "tier=back", fails=True)
    assert kubectl.run("annotate", "deploy/web", "note=x") == "deployment.apps/web annotated\n"


@pytest.fixture
def hurried(kubernetes_server: Wire) -> Iterator[None]:
    """Cluster time passes faster."""
    with kubernetes_server.hurried():
        yield


@pytest.mark.usefixtures("hurried")
def test_scale_and_roll_out_and_back(deployed: Kubectl):
    assert deployed.run("scale", "deployment/web", "--replicas=3") == "deployment.apps/web scaled\n"
    assert "successfully rolled out" in deployed.run("rollout", "status", "deployment/web", "--timeout=60s")
    deployed.run("set", "image", "deployment/web", "main=nginx:1.29")
    assert "successfully rolled out" in deployed.run("rollout", "status", "deployment/web", "--timeout=60s")
    history = deployed.run("rollout", "history", "deployment/web")
    assert [line.split()[0] for line in history.splitlines() if line[:1].isdigit()] == ["1", "2"]
    assert deployed.run("rollout", "undo", "deployment/web") == "deployment.apps/web rolled back\n"
    deployed.run("rollout", "status", "deployment/web", "--timeout=60s")
    assert deployed.run("get", "deploy/web", "-o", "jsonpath={.spec.template.spec.containers[0].image}") == "nginx:1.28"
    assert deployed.run("rollout", "restart", "deployment/web") == "deployment.apps/web restarted\n"
    deployed.run("rollout", "status", "deployment/web", "--timeout=60s")
    deployed.run("scale", "deployment/web", "--replicas=2", "--current-replicas=3")


def test_typed_creation(kubectl: Kubectl):
    """These send protobuf, where they can."""
    kubectl.run("create", "configmap", "made", "--from-literal=a=b")
    kubectl.run("create", "secret", "generic", "kept", "--from-literal=password=s3cret")
    kubectl.run("create", "deployment", "web", "--image=nginx", "--replicas=0")
    kubectl.run("create", "service", "clusterip", "web", "--tcp=80:8080")
    kubectl.run("create", "serviceaccount", "robot")
    kubectl.run("run", "single", "--image=nginx", "--restart=Never")
    kubectl.run("expose", "deployment", "web", "--port=80", "--name=front")
    assert kubectl.run("get", "secret/kept", "-o", "jsonpath={.data.password}") == "czNjcmV0"
    names = ["configmap/made", "deployment.apps/web", "serviceaccount/robot", "pod/single"]
    assert kubectl.run("get", *names, "-o", "name").split() == names
    assert kubectl.run("get", "svc", "-o", "name").split() == ["service/front", "service/web"]
    name = kubectl.wire.fresh("made-ns")
    assert kubectl.run("create", "namespace", name) == f"namespace/{name} created\n"
    assert kubectl.run("delete", "namespace", name) == f'namespace "{name}" deleted\n'


def test_server_side_apply(kubectl: Kubectl):
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}}
    apply = ("apply", "--server-side", "--validate=false", "-f", "-")
    assert kubectl.run(*apply, sent=obj) == "configmap/a serverside-applied\n"
    told = kubectl.run(*apply, "--field-manager=other", sent={**obj, "data": {"k": "2"}}, fails=True)
    assert 'Apply failed with 1 conflict: conflict with "kubectl": .data.k' in told
    kubectl.run(*apply, "--field-manager=other", "--force-conflicts", sent={**obj, "data": {"k": "2"}})
    assert kubectl.run("get", "cm/a", "-o", "jsonpath={.data.k}") == "2"
    assert '"manager":"other"' in kubectl.run("get", "cm/a", "--show-managed-fields", "-o", "jsonpath={.metadata.managedFields}")


def test_create_replace_and_edit(kubectl: Kubectl, tmp_path: Path):
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}}
    assert kubectl.run("create", "--validate=false", "-f", "-", sent=obj) == "configmap/a created\n"
    assert "already exists" in kubectl.run("create", "--validate=false", "-f", "-", sent=obj, fails=True)
    assert kubectl.run("replace", "--validate=false", "-f", "-", sent={**obj, "data": {"k": "2"}}) == "configmap/a replaced\n"
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i \'s/k: "2"/k: "edited"/\' "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    kubectl.environment["EDITOR"] = str(editor)
    assert kubectl.run("edit", "cm/a", "--validate=false") == "configmap/a edited\n"
    assert kubectl.run("get", "cm/a", "-o", "jsonpath={.data.k}") == "edited"
    assert kubectl.run("delete", "cm", "a", "--dry-run=server") == 'configmap "a" deleted (server dry run)\n'
    assert kubectl.run("delete", "cm", "a") == 'configmap "a" deleted\n'
    assert kubectl.run("get", "cm", "a", fails=True) == 'Error from server (NotFound): configmaps "a" not found\n'


def test_a_node_is_drained(kubectl: Kubectl):
    kubectl.run("create", "--validate=false", "-f", "-", sent=DEPLOYMENT)
    kubectl.run("rollout", "status", "deployment/web", "--timeout=60s")
    node = kubectl.run("get", "pods", "-o", "jsonpath={.items[0].spec.nodeName}")
    try:
        told = kubectl.run("drain", node, "--pod-selector=app=web", "--grace-period=0", "--force", "--timeout=60s")
        assert f"node/{node} drained" in told
        assert kubectl.run("get", "pods", "--field-selector", f"spec.nodeName={node}", "-o", "name") == ""
        assert "SchedulingDisabled" in kubectl.run("get", "node", node)
    finally:
        kubectl.run("uncordon", node)


@pytest.mark.parametrize("cascade", ["foreground", "background", "orphan"])
def test_deletion_cascades_as_told(kubectl: Kubectl, cascade: str):
    kubectl.run("create", "--validate=false", "-f", "-", sent=DEPLOYMENT)
    kubectl.run("wait", "--for=jsonpath={.status.replicas}=2", "deployment/web", "--timeout=30s")
    assert kubectl.run("delete", "deployment/web", f"--cascade={cascade}") == 'deployment.apps "web" deleted\n'
    assert kubectl.run("get", "deployments") == ""
    sets = kubectl.run("get", "rs", "-o", "name").split()
    if cascade == "orphan":
        assert len(sets) == 1
        assert kubectl.run("get", sets[0], "-o", "jsonpath={.metadata.ownerReferences}") == ""
        kubectl.run("delete", sets[0])
    else:
        kubectl.run("wait", "--for=delete", "rs", "--all", "--timeout=30s")
        assert kubectl.run("get", "rs", "-o", "name") == ""


def test_what_there_is(kubectl: Kubectl):
    resources = [line.split() for line in kubectl.run("api-resources").splitlines()]
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in resources
    assert ["nodes", "no", "v1", "false", "Node"] in resources
    assert {"v1", "apps/v1", "coordination.k8s.io/v1"} <= set(kubectl.run("api-versions").split())
    assert "Server Version: v1.34" in kubectl.run("version")
    assert "is running at" in kubectl.run("cluster-info")


def test_validated_apply_and_explain(kubectl: Kubectl):
    if kubectl.wire.ask("GET", "/openapi/v3").status == 404:
        pytest.skip("no OpenAPI yet")
    assert "REQUIRED" in kubectl.run("explain", "deployment.spec").upper()
    assert "<[]Container>" in kubectl.run("explain", "pod.spec", "--recursive")
    assert kubectl.run("apply", "-f", "-", sent=DEPLOYMENT) == "deployment.apps/web created\n"
    bad = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replcas": 2}}
    assert 'unknown field "spec.replcas"' in kubectl.run("apply", "-f", "-", sent=bad, fails=True)
    assert "-  replicas: 2" in kubectl.run(
        "diff", "-f", "-", sent={**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": 1}}, fails=True
    )


def test_moving_to_server_side_apply(kubectl: Kubectl):
    def sent(**data: str) -> Object:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "moving"}, "data": data}

    kubectl.run("apply", "-f", "-", sent=sent(a="1"))
    assert "+  a: " in kubectl.run("diff", "--server-side", "-f", "-", sent=sent(a="2"), fails=True)
    assert kubectl.run("apply", "--server-side", "-f", "-", sent=sent(a="2", added="1")) == "configmap/moving serverside-applied\n"
    kubectl.run("apply", "-f", "-", sent=sent(a="3"))
    assert json.loads(kubectl.run("get", "cm", "moving", "-o", "json"))["data"] == {"a": "3"}, "what was applied from the server is known"
    other = kubectl.run("apply", "--server-side", "--field-manager=other", "-f", "-", sent=sent(a="4"), fails=True)
    assert "conflict with " in other


def test_tokens_of_accounts(kubectl: Kubectl):
    kubectl.run("create", "serviceaccount", "robot")
    kubectl.run("create", "secret", "generic", "s")
    token = kubectl.run("create", "token", "robot").strip()
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims["sub"] == f"system:serviceaccount:{kubectl.namespace}:robot"
    flags = ("--audience=vault", "--audience=db", "--duration=10m", "--bound-object-kind=Secret", "--bound-object-name=s")
    uid = kubectl.run("get", "secret", "s", "-o", "jsonpath={.metadata.uid}")
    answer = json.loads(kubectl.run("create", "token", "robot", *flags, f"--bound-object-uid={uid}", "-o", "json"))
    claims = jwt.decode(answer["status"]["token"], options={"verify_signature": False})
    assert (claims["aud"], claims["exp"] - claims["iat"]) == (["vault", "db"], 600)
    assert claims["kubernetes.io"]["secret"] == {"name": "s", "uid": uid}
    assert 'serviceaccounts "none" not found' in kubectl.run("create", "token", "none", fails=True)
    assert "may not specify a duration less than 10 minutes" in kubectl.run("create", "token", "robot", "--duration=9m", fails=True)
    wrong = ("--bound-object-kind=Secret", "--bound-object-name=s", "--bound-object-uid=x")
    assert "the UID in the bound object reference (x) does not match" in kubectl.run("create", "token", "robot", *wrong, fails=True)
    refused = kubectl.run("--token", token, "get", "secrets", fails=True)
    assert f'User "system:serviceaccount:{kubectl.namespace}:robot" cannot list resource "secrets"' in refused


def test_a_namespace_and_a_pod_in_one_file(kubectl: Kubectl):
    name = kubectl.wire.fresh("new")
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": name},
        "spec": {"containers": [{"name": "a", "image": "a"}]},
    }
    items = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, pod]
    said = kubectl.run("create", "-n", name, "-f", "-", sent={"apiVersion": "v1", "kind": "List", "items": items})
    assert said == f"namespace/{name} created\npod/a created\n"
