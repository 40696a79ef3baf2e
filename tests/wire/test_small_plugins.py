"""Admission plugins that look at one thing each: what they let through, what they change, and what they refuse in which words."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.waiting import until
from tests.wire.raw import Answer, Wire

ASKED_FOR = ("NamespaceExists", "SecurityContextDeny", "LimitPodHardAntiAffinityTopology", "AlwaysPullImages", "ExtendedResourceToleration")
PODS = "/api/v1/namespaces/default/pods"
CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "0", "--enable-admission-plugins", ",".join(ASKED_FOR))
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def pod(name: str, *, container: Object | None = None, **spec: object) -> Object:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i", **(container or {})}], **spec}}


def refused(answer: Answer, name: str, why: str) -> None:
    assert (answer.status, answer.json.get("reason"), answer.message) == (403, "Forbidden", f'pods "{name}" is forbidden: {why}')


# --- LimitPodHardAntiAffinityTopology ---


def apart(wire: Wire, *keys: str, wish: bool = False) -> Object:
    terms = [{"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": key} for key in keys]
    if wish:
        weighted = [{"weight": 1, "podAffinityTerm": term} for term in terms]
        return {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_pods_keep_others_off_nodes_alone(wire: Wire) -> None:
    hostname, zone = wire.dialect.key("hostname"), wire.dialect.key("zone", "topology")
    for affinity in (apart(wire, hostname), apart(wire, hostname, hostname), apart(wire, zone, wish=True), apart(wire), {}):
        wire.create(PODS, pod(wire.fresh("pod"), affinity=affinity))
    together = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": zone}]}}
    wire.create(PODS, pod(wire.fresh("pod"), affinity=together))
    for keys in ((zone,), (hostname, zone), ("example.com/rack",)):
        name = wire.fresh("pod")
        found = f"has TopologyKey {keys[-1]} but only key {hostname} is allowed"
        answer = wire.ask("POST", PODS, pod(name, affinity=apart(wire, *keys)))
        refused(answer, name, f"affinity.PodAntiAffinity.RequiredDuringScheduling {found}")


# --- SecurityContextDeny ---

DENIED = (
    ({"supplementalGroups": [1]}, "pod.Spec.SecurityContext.SupplementalGroups"),
    ({"seLinuxOptions": {"level": "s0"}}, "pod.Spec.SecurityContext.SELinuxOptions"),
    ({"runAsUser": 0}, "pod.Spec.SecurityContext.RunAsUser"),
    ({"fsGroup": 0}, "pod.Spec.SecurityContext.FSGroup"),
)


@pytest.mark.parametrize(("context", "field"), DENIED)
def test_pods_say_nothing_of_who_their_processes_are(wire: Wire, context: Object, field: str) -> None:
    name = wire.fresh("pod")
    refused(wire.ask("POST", PODS, pod(name, securityContext=context)), name, f"{field} is forbidden")


@pytest.mark.parametrize(
    ("context", "field"), [({"runAsUser": 0}, "SecurityContext.RunAsUser"), ({"seLinuxOptions": {}}, "SecurityContext.SELinuxOptions")]
)
def test_nor_do_their_containers(wire: Wire, context: Object, field: str) -> None:
    name = wire.fresh("pod")
    refused(wire.ask("POST", PODS, pod(name, container={"securityContext": context})), name, f"{field} is forbidden")
    first = [{"name": "first", "image": "i", "securityContext": context}]
    refused(wire.ask("POST", PODS, pod(name, initContainers=first)), name, f"{field} is forbidden")
    wire.create(PODS, pod(name))
    late = {"spec": {"ephemeralContainers": [{"name": "late", "image": "i", "securityContext": context}]}}
    patch = {"Content-Type": "application/strategic-merge-patch+json"}
    refused(wire.ask("PATCH", f"{PODS}/{name}/ephemeralcontainers", late, headers=patch), name, f"{field} is forbidden")


def test_what_else_security_contexts_say_is_let_through(wire: Wire) -> None:
    context = {"runAsNonRoot": True, "runAsGroup": 5}
    container = {"securityContext": {"privileged": True, "runAsGroup": 5, "capabilities": {"add": ["NET_ADMIN"]}}}
    wire.create(PODS, pod(wire.fresh("pod"), securityContext=context, container=container))
    wire.create(PODS, pod(wire.fresh("pod"), securityContext={}))


# --- AlwaysPullImages ---


def test_images_are_always_pulled(wire: Wire) -> None:
    never = {"imagePullPolicy": "Never"}
    first = [{"name": "first", "image": "i:1", **never}]
    volumes = [{"name": "v", "image": {"reference": "v:1", "pullPolicy": "IfNotPresent"}}, {"name": "w", "emptyDir": {}}]
    name = wire.fresh("pod")
    spec = wire.create(PODS, pod(name, container=never, initContainers=first, volumes=volumes))["spec"]
    assert [one["imagePullPolicy"] for one in (*spec["containers"], *spec["initContainers"])] == ["Always", "Always"]
    assert spec["volumes"][0]["image"]["pullPolicy"] == "Always"
    late = {"spec": {"ephemeralContainers": [{"name": "late", "image": "i:2", **never}]}}
    patch = {"Content-Type": "application/strategic-merge-patch+json"}
    answer = wire.ask("PATCH", f"{PODS}/{name}/ephemeralcontainers", late, headers=patch)
    assert answer.json["spec"]["ephemeralContainers"][0]["imagePullPolicy"] == "Always"
    labelled = wire.ask("PATCH", f"{PODS}/{name}", {"metadata": {"labels": {"a": "b"}}}, headers=_as_merge("PATCH"))
    assert labelled.status == 200


# --- NamespaceExists ---


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_nothing_is_changed_in_a_namespace_that_is_not_there(wire: Wire, method: str) -> None:
    maps = "/api/v1/namespaces/nowhere/configmaps"
    answer = wire.ask(method, maps if method == "POST" else f"{maps}/a", {"metadata": {"name": "a"}}, headers=_as_merge(method))
    assert answer.status == 404
    assert answer.message in ('namespaces "nowhere" not found', 'configmaps "a" not found')
    wire.create("/api/v1/namespaces", {"metadata": {"name": (there := wire.fresh("there"))}})
    wire.create(f"/api/v1/namespaces/{there}/configmaps", {"metadata": {"name": "a"}})
    body = {"metadata": {"name": "a" if method != "POST" else "b"}, "data": {"k": "v"}}
    path = f"/api/v1/namespaces/{there}/configmaps"
    assert wire.ask(method, path if method == "POST" else f"{path}/a", body, headers=_as_merge(method)).status in (200, 201)
    assert wire.ask("DELETE", f"{path}/a").status == 200


def _as_merge(method: str) -> dict[str, str]:
    return {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}


# --- ExtendedResourceToleration ---


def test_pods_that_ask_for_devices_tolerate_their_nodes(wire: Wire) -> None:
    def asking(**counts: str) -> Object:
        return {"resources": {"limits": {f"example.com/{name}": count for name, count in counts.items()}}}

    def tolerated(made: Object) -> list[Object]:
        return [one for one in made["spec"]["tolerations"] if one["effect"] == "NoSchedule"]

    def toleration(name: str) -> Object:
        return {"key": f"example.com/{name}", "operator": "Exists", "effect": "NoSchedule"}

    first = [{"name": "first", "image": "i", **asking(fpga="1")}]
    made = wire.create(PODS, pod(wire.fresh("pod"), container=asking(gpu="2", nic="1"), initContainers=first))
    assert tolerated(made) == [toleration("fpga"), toleration("gpu"), toleration("nic")]
    own = wire.create(PODS, pod(wire.fresh("pod"), container=asking(gpu="2"), tolerations=[toleration("gpu")]))
    assert tolerated(own) == [toleration("gpu")]
    plain = {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"hugepages-2Mi": "2Mi"}}}
    assert tolerated(wire.create(PODS, pod(wire.fresh("pod"), container=plain))) == []


# --- DefaultStorageClass ---


def claim(name: str, *, annotations: Object | None = None, **spec: object) -> Object:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    return {"metadata": {"name": name, "annotations": annotations or {}}, "spec": wanted}


def test_a_claim_without_a_class_gets_the_default_one(wire: Wire) -> None:
    classes = f"/apis/{wire.dialect.group('storage')}/v1/storageclasses"
    mark, former = (wire.dialect.key("is-default-class", prefix) for prefix in ("storageclass", "storageclass.beta"))
    named = wire.dialect.key("storage-class", "volume.beta")

    def given(**said: object) -> str | None:
        found: str | None = wire.create(CLAIMS, claim(wire.fresh("claim"), **said))["spec"].get("storageClassName")  # type: ignore[arg-type]
        return found

    def add(name: str, **annotations: str) -> None:
        metadata = {"name": name, "annotations": annotations}
        wire.create(classes, {"metadata": metadata, "provisioner": "example.com/p"})

    assert wire.ask("DELETE", f"{classes}/standard").status in (200, 404), "which every cluster has at first"
    add("plain")
    add("off", **{mark: "false"})
    assert given() is None
    add("b-usual", **{mark: "true"})
    assert given() == "b-usual"
    add("a-former", **{former: "true"})
    assert given() in ("a-former", "b-usual"), "the newest, which two of one second both are; then the first by name"
    assert given(storageClassName="plain") == "plain"
    assert given(storageClassName="") == ""
    assert given(annotations={named: "plain"}) is None


# --- PersistentVolumeClaimResize ---


def bound(wire: Wire, **spec: object) -> str:
    """The path of a claim that has a volume."""
    name = wire.fresh("claim")
    wire.create(CLAIMS, claim(name, volumeName=f"{name}-volume", **spec))
    offered = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/p"}, **spec}
    wire.create("/api/v1/persistentvolumes", {"metadata": {"name": f"{name}-volume"}, "spec": offered})
    until(lambda: wire.ask("GET", f"{CLAIMS}/{name}").json["status"]["phase"] == "Bound")
    return f"{CLAIMS}/{name}"


def resized(wire: Wire, path: str, size: str) -> Answer:
    return wire.ask("PATCH", path, {"spec": {"resources": {"requests": {"storage": size}}}}, headers=_as_merge("PATCH"))


def test_claims_grow_where_their_class_allows_it(wire: Wire) -> None:
    classes = f"/apis/{wire.dialect.group('storage')}/v1/storageclasses"
    for name, allowed in (("grows", {"allowVolumeExpansion": True}), ("fixed", {"allowVolumeExpansion": False}), ("silent", {})):
        wire.create(classes, {"metadata": {"name": name}, "provisioner": "example.com/p", **allowed})
    growing = bound(wire, storageClassName="grows")
    assert resized(wire, growing, "2Gi").json["spec"]["resources"]["requests"]["storage"] == "2Gi"
    assert resized(wire, growing, "2048Mi").status == 200, "it is as large"
    why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
    for spec in ({"storageClassName": "fixed"}, {"storageClassName": "silent"}, {"storageClassName": ""}, {"storageClassName": "nowhere"}):
        path = bound(wire, **spec)
        answer = resized(wire, path, "1025Mi")
        assert (answer.status, answer.message) == (403, f'persistentvolumeclaims "{path.rpartition("/")[2]}" is forbidden: {why}')
        assert wire.ask("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, headers=_as_merge("PATCH")).status == 200
