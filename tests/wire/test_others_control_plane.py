"""A controller manager and a scheduler of somebody else's, in the place of ours: they find all that they ask for, and nothing of ours acts.

What they ask follows from Kubernetes' documentation of both: who they act as, what they look up at their start, what their informers list
and watch, in which forms, and what they write. The requests are made one by one here, in those names.
"""

from collections.abc import Iterator

import pytest

from svcsim.client.paths import CLOCK
from svcsim.meta.types import Json, Object
from tests.process import served
from tests.wire.raw import STRATEGIC, Answer, Wire

MANAGER, SCHEDULER = "system:kube-controller-manager", "system:kube-scheduler"
PROTOBUF = "application/vnd.kubernetes.protobuf"
METADATA = f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = f"{PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
INITIAL = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
INITIAL_END = b"k8s.io/initial-events-end"

OF_MANAGER = {
    "/api/v1": (
        "configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates "
        "replicationcontrollers resourcequotas secrets serviceaccounts services"
    ),
    "/apis/apps/v1": "controllerrevisions daemonsets deployments replicasets statefulsets",
    "/apis/batch/v1": "cronjobs jobs",
    "/apis/autoscaling/v2": "horizontalpodautoscalers",
    "/apis/policy/v1": "poddisruptionbudgets",
    "/apis/discovery.k8s.io/v1": "endpointslices",
    "/apis/networking.k8s.io/v1": "ingresses ingressclasses networkpolicies servicecidrs ipaddresses",
    "/apis/storage.k8s.io/v1": "csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
    "/apis/coordination.k8s.io/v1": "leases",
    "/apis/certificates.k8s.io/v1": "certificatesigningrequests",
    "/apis/rbac.authorization.k8s.io/v1": "clusterroles clusterrolebindings roles rolebindings",
    "/apis/admissionregistration.k8s.io/v1": (
        "validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations mutatingwebhookconfigurations"
    ),
    "/apis/resource.k8s.io/v1": "deviceclasses resourceclaims resourceclaimtemplates resourceslices",
    "/apis/scheduling.k8s.io/v1": "priorityclasses",
    "/apis/node.k8s.io/v1": "runtimeclasses",
    "/apis/apiextensions.k8s.io/v1": "customresourcedefinitions",
    "/apis/apiregistration.k8s.io/v1": "apiservices",
    "/apis/flowcontrol.apiserver.k8s.io/v1": "flowschemas prioritylevelconfigurations",
}
OF_SCHEDULER = {
    "/api/v1": "namespaces nodes persistentvolumeclaims persistentvolumes pods replicationcontrollers services",
    "/apis/apps/v1": "replicasets statefulsets",
    "/apis/policy/v1": "poddisruptionbudgets",
    "/apis/storage.k8s.io/v1": "csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
    "/apis/resource.k8s.io/v1": "deviceclasses resourceclaims resourceslices",
}
SUBRESOURCES = {
    "/api/v1": (
        "bindings namespaces/finalize namespaces/status nodes/status persistentvolumeclaims/status persistentvolumes/status pods/binding "
        "pods/ephemeralcontainers pods/eviction pods/status replicationcontrollers/scale replicationcontrollers/status "
        "resourcequotas/status serviceaccounts/token services/status"
    ),
    "/apis/apps/v1": (
        "daemonsets/status deployments/scale deployments/status replicasets/scale replicasets/status statefulsets/scale statefulsets/status"
    ),
    "/apis/batch/v1": "cronjobs/status jobs/status",
    "/apis/autoscaling/v2": "horizontalpodautoscalers/status",
    "/apis/policy/v1": "poddisruptionbudgets/status",
    "/apis/certificates.k8s.io/v1": "certificatesigningrequests/approval certificatesigningrequests/status",
    "/apis/networking.k8s.io/v1": "ingresses/status servicecidrs/status",
    "/apis/storage.k8s.io/v1": "volumeattachments/status",
    "/apis/resource.k8s.io/v1": "resourceclaims/status",
    "/apis/apiextensions.k8s.io/v1": "customresourcedefinitions/status",
    "/apis/apiregistration.k8s.io/v1": "apiservices/status",
    "/apis/admissionregistration.k8s.io/v1": "validatingadmissionpolicies/status",
}
FOLLOWED = [
    (user, f"{root}/{plural}")
    for user, of in ((MANAGER, OF_MANAGER), (SCHEDULER, OF_SCHEDULER))
    for root, plurals in of.items()
    for plural in plurals.split()
]
SELECTED = [
    (SCHEDULER, "pods", {"fieldSelector": "status.phase!=Succeeded,status.phase!=Failed"}),
    (MANAGER, "pods", {"fieldSelector": "spec.nodeName=node-1"}),
    (MANAGER, "pods", {"fieldSelector": "spec.nodeName=node-1,status.phase=Running"}),
    (MANAGER, "events", {"fieldSelector": "involvedObject.kind=Pod,involvedObject.name=x,involvedObject.uid=y"}),
    (MANAGER, "events", {"fieldSelector": "reason=x,reportingComponent=y,type=Normal"}),
    (MANAGER, "secrets", {"fieldSelector": "type=kubernetes.io/service-account-token"}),
    (MANAGER, "secrets", {"fieldSelector": "type=bootstrap.kubernetes.io/token"}),
    (MANAGER, "nodes", {"fieldSelector": "spec.unschedulable=false"}),
    (MANAGER, "namespaces", {"fieldSelector": "status.phase=Terminating"}),
    (MANAGER, "configmaps", {"fieldSelector": "metadata.name=x,metadata.namespace=y"}),
]


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--controllers=-*,-scheduler", "--nodes", "2", "--seed", "1", "--durability", "process")
    with served(tmp_path_factory.mktemp("cluster"), "kubernetes", *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def acting(user: str, accept: str = "") -> dict[str, str]:
    """The headers of that user, authenticated as one is."""
    return {"Impersonate-User": user, "Impersonate-Group": "system:authenticated", **({"Accept": accept} if accept else {})}


def ask(wire: Wire, user: str, method: str, path: str, body: Json = None, accept: str = "", **query: Json) -> Answer:
    """As that user; a patch is a strategic one."""
    content_type = STRATEGIC if method == "PATCH" else "application/json"
    return wire.ask(method, path, body, headers=acting(user, accept), content_type=content_type, **query)


def told(answer: Answer) -> tuple[int, str]:
    return answer.status, "" if answer.status < 300 else answer.body.decode("utf-8", "replace")


def pass_time(wire: Wire, seconds: int) -> None:
    """Whoever had something to do has done it."""
    for wish in ({"speed": 0}, {"step": seconds}, {"speed": 1}):
        assert wire.ask("PUT", CLOCK, wish).status == 200


@pytest.mark.parametrize(("user", "path"), FOLLOWED)
def test_every_resource_is_listed_and_watched_in_every_form(wire: Wire, user: str, path: str) -> None:
    for accept in (f"{PROTOBUF},application/json", "application/json"):
        listed = ask(wire, user, "GET", path, accept=accept, limit=500, resourceVersion="0")
        assert told(listed) == (200, "")
        assert listed.body.startswith(b"k8s\0") == accept.startswith(PROTOBUF)
        kind = f"{PROTOBUF};stream=watch,application/json" if accept.startswith(PROTOBUF) else accept
        with wire.watch(path, headers=acting(user, kind), **INITIAL) as followed:
            assert followed.status == 200
            assert followed.bytes_until(INITIAL_END).count(b"k8s\0") >= accept.startswith(PROTOBUF)


@pytest.mark.parametrize("path", [path for user, path in FOLLOWED if user == MANAGER])
def test_the_garbage_collector_sees_the_metadata_of_all(wire: Wire, path: str) -> None:
    listed = ask(wire, MANAGER, "GET", path, accept=METADATA_LIST, resourceVersion="0")
    assert told(listed) == (200, "")
    assert b"PartialObjectMetadataList" in listed.body[:64]
    with wire.watch(path, headers=acting(MANAGER, f"{METADATA};stream=watch"), **INITIAL) as followed:
        assert followed.status == 200
        assert b"PartialObjectMetadata" in followed.bytes_until(INITIAL_END)


@pytest.mark.parametrize(("user", "plural", "selector"), SELECTED)
def test_what_they_pick_by_fields_can_be_picked(wire: Wire, user: str, plural: str, selector: dict[str, str]) -> None:
    assert told(ask(wire, user, "GET", f"/api/v1/{plural}", **selector)) == (200, "")


@pytest.mark.parametrize("root", SUBRESOURCES)
def test_what_they_write_to_is_there(wire: Wire, root: str) -> None:
    served = [one["name"] for one in ask(wire, MANAGER, "GET", root).json["resources"]]
    assert [name for name in SUBRESOURCES[root].split() if name not in served] == []


@pytest.mark.parametrize("user", [MANAGER, SCHEDULER])
def test_what_they_look_up_at_their_start_is_there(wire: Wire, user: str) -> None:
    groups = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    for path in ("/version", "/healthz", "/readyz", "/livez", "/openapi/v3"):
        assert told(ask(wire, user, "GET", path))[0] == 200
    for path in ("/api", "/apis"):
        assert ask(wire, user, "GET", path, accept=groups).json["kind"] == "APIGroupDiscoveryList"
    system = "/api/v1/namespaces/kube-system/configmaps"
    authentication = "extension-apiserver-authentication"
    assert "client-ca-file" in ask(wire, user, "GET", f"{system}/{authentication}").json["data"]
    for query in ({}, {"watch": "true", "timeoutSeconds": "1"}):
        assert told(ask(wire, user, "GET", system, fieldSelector=f"metadata.name={authentication}", **query)) == (200, "")
    review = {"spec": {"token": "x"}}
    assert told(ask(wire, user, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)) == (201, "")
    access = {"spec": {"user": "jane", "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}}
    assert told(ask(wire, user, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", access)) == (201, "")


@pytest.mark.parametrize("user", [MANAGER, SCHEDULER])
def test_they_elect_a_leader(wire: Wire, user: str) -> None:
    leases, name = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", user.removeprefix("system:")
    assert ask(wire, user, "GET", f"{leases}/{name}").status == 404
    spec: Object = {"holderIdentity": "a", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z", "leaseTransitions": 0}
    created = ask(wire, user, "POST", leases, {"metadata": {"name": name}, "spec": spec})
    assert told(created) == (201, "")
    renewed = ask(wire, user, "PUT", f"{leases}/{name}", {**created.json, "spec": {**spec, "renewTime": "2026-01-01T00:00:02.000000Z"}})
    assert told(renewed) == (200, "")
    assert told(ask(wire, user, "PUT", f"{leases}/{name}", {**created.json, "spec": {**spec, "holderIdentity": "b"}}))[0] == 409
    event = {
        "metadata": {"generateName": "leader-", "namespace": "kube-system"},
        "involvedObject": {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "namespace": "kube-system", "name": name},
        "reason": "LeaderElection",
        "type": "Normal",
    }
    assert told(ask(wire, user, "POST", "/api/v1/namespaces/kube-system/events", event)) == (201, "")


class Account:
    """A controller, as a manager runs it with --use-service-account-credentials: by a token of an account that it makes if need be."""

    def __init__(self, wire: Wire, name: str) -> None:
        self._wire = wire
        accounts = "/api/v1/namespaces/kube-system/serviceaccounts"
        if ask(wire, MANAGER, "GET", f"{accounts}/{name}").status == 404:
            assert told(ask(wire, MANAGER, "POST", accounts, {"metadata": {"name": name}})) == (201, "")
        token = ask(wire, MANAGER, "POST", f"{accounts}/{name}/token", {"spec": {"expirationSeconds": 3600, "audiences": []}})
        assert told(token) == (201, "")
        self._token = token.json["status"]["token"]

    def do(self, method: str, path: str, body: Json = None) -> Object:
        content_type = STRATEGIC if method == "PATCH" else "application/json"
        answer = self._wire.ask(method, path, body, content_type=content_type, token=self._token)
        assert told(answer) in ((200, ""), (201, ""))
        return answer.json


CONTAINERS = [{"name": "c", "image": "i"}]
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"automountServiceAccountToken": False, "containers": CONTAINERS}}


def owned_by(kind: str, owner: Object) -> list[Object]:
    names = {"apiVersion": "apps/v1", "kind": kind, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
    return [{**names, "controller": True, "blockOwnerDeletion": True}]


def test_nothing_of_ours_acts(wire: Wire) -> None:
    namespace = wire.namespace()
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"
    wire.create(f"{apps}/deployments", {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}})
    pod: Object = {"metadata": {"name": "p"}, "spec": TEMPLATE["spec"]}
    Account(wire, "service-account-controller").do("POST", f"{core}/serviceaccounts", {"metadata": {"name": "default"}})
    wire.create(f"{core}/pods", pod)
    wire.create(f"{core}/pods", {"metadata": {"name": "bound"}, "spec": {**TEMPLATE["spec"], "nodeName": "node-2"}})
    wire.patch("/api/v1/nodes/node-2", {"spec": {"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]}})
    pass_time(wire, 120)
    assert wire.get(f"{apps}/replicasets")["items"] == []
    assert [one["metadata"]["name"] for one in wire.get(f"{core}/serviceaccounts")["items"]] == ["default"]
    assert wire.get(f"{core}/configmaps")["items"] == []
    nodes = wire.get("/api/v1/nodes")["items"]
    assert [node["spec"].get("podCIDR") for node in nodes] == [None, None]
    assert {entry["manager"] for node in nodes for entry in node["metadata"]["managedFields"]} - {"python"} <= {"kubelet", "unknown"}
    assert "nodeName" not in wire.get(f"{core}/pods/p")["spec"]
    assert wire.get(f"{core}/pods/bound")["status"]["phase"] == "Running", "nodes are there; who drives pods away from them isn't"
    assert wire.delete(f"/api/v1/namespaces/{namespace}")["status"]["phase"] == "Terminating"
    pass_time(wire, 120)
    assert wire.get(f"{apps}/deployments/d")["metadata"]["name"] == "d"


def test_theirs_can_do_what_ours_would(wire: Wire) -> None:
    namespace = wire.namespace()
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"
    Account(wire, "service-account-controller").do("POST", f"{core}/serviceaccounts", {"metadata": {"name": "default"}})
    selector = {"matchLabels": {"a": "b"}}
    deployment = wire.create(f"{apps}/deployments", {"metadata": {"name": "d"}, "spec": {"selector": selector, "template": TEMPLATE}})
    metadata = {"name": "d-1", "labels": {"a": "b"}, "ownerReferences": owned_by("Deployment", deployment)}
    spec = {"replicas": 1, "selector": selector, "template": TEMPLATE}
    replica_set = Account(wire, "deployment-controller").do("POST", f"{apps}/replicasets", {"metadata": metadata, "spec": spec})
    metadata = {"generateName": "d-1-", "labels": {"a": "b"}, "ownerReferences": owned_by("ReplicaSet", replica_set)}
    pod = Account(wire, "replicaset-controller").do("POST", f"{core}/pods", {"metadata": metadata, "spec": TEMPLATE["spec"]})
    name = pod["metadata"]["name"]

    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "none"}
    assert told(ask(wire, SCHEDULER, "PATCH", f"{core}/pods/{name}/status", {"status": {"conditions": [condition]}})) == (200, "")
    binding = {"metadata": {"name": name, "namespace": namespace}, "target": {"kind": "Node", "name": "node-1"}}
    assert told(ask(wire, SCHEDULER, "POST", f"{core}/pods/{name}/binding", binding)) == (201, "")
    running = wire.until(f"{core}/pods/{name}", lambda found: found["status"]["phase"] == "Running")
    assert running["status"]["podIP"]

    nodes = Account(wire, "node-controller")
    nodes.do("PATCH", "/api/v1/nodes/node-1", {"spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"]}})
    nodes.do("PATCH", "/api/v1/nodes/node-1/status", {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}})
    nodes.do("DELETE", f"{core}/pods/{name}")

    wire.delete(f"/api/v1/namespaces/{namespace}")
    namespaces = Account(wire, "namespace-controller")
    for collection in (f"{apps}/deployments", f"{apps}/replicasets", f"{core}/serviceaccounts"):
        namespaces.do("DELETE", collection)
    wire.gone(f"{core}/pods/{name}", running)
    going = wire.get(f"/api/v1/namespaces/{namespace}")
    namespaces.do("PUT", f"/api/v1/namespaces/{namespace}/finalize", {**going, "spec": {"finalizers": []}})
    assert wire.ask("GET", f"/api/v1/namespaces/{namespace}").status == 404
