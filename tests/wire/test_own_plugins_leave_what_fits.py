"""What the server's own plugins put into objects is not read again by the schema: it fits it already, in the form it's stored in."""

import json
from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS, Dialect
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object
from tests.kinds.helpers import BY_NAME, filled
from tests.process import served
from tests.wire.raw import Wire

ON = ("AlwaysPullImages", "PodNodeSelector", "PodTolerationRestriction", "ExtendedResourceToleration", "PersistentVolumeLabel")
TOLERATION = {"key": "team", "operator": "Equal", "value": "a", "effect": "NoExecute", "tolerationSeconds": 30}
CONTAINER = {"name": "c", "image": "i", "resources": {"requests": {"example.com/device": "1"}, "limits": {"example.com/device": "1.0"}}}


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "0", "--enable-admission-plugins", ",".join(ON))
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        _surroundings(wire)
        yield wire
        wire.close()
        assert wire.complaints() == []


def _surroundings(wire: Wire) -> None:
    """All that plugins go by."""
    words = wire.dialect
    noted = {
        words.key("node-selector", "scheduler.alpha"): "disk=fast",
        words.key("defaultTolerations", "scheduler.alpha"): json.dumps([TOLERATION]),
    }
    wire.create("/api/v1/namespaces", {"metadata": {"name": "full", "annotations": noted}})
    limits = [
        {"type": "Container", "default": {"cpu": "0.5", "memory": "1024Mi"}, "defaultRequest": {"cpu": "0.1"}},
        {"type": "PersistentVolumeClaim", "min": {"storage": "1"}},
    ]
    wire.create("/api/v1/namespaces/full/limitranges", {"metadata": {"name": "l"}, "spec": {"limits": limits}})
    wire.create("/api/v1/namespaces/full/serviceaccounts", {"metadata": {"name": "puller"}, "imagePullSecrets": [{"name": "key"}]})
    scheduling = {"nodeSelector": {"runtime": "slow"}, "tolerations": [{"key": "slow"}]}
    runtime = {"metadata": {"name": "slow"}, "handler": "h", "overhead": {"podFixed": {"cpu": "1.0"}}, "scheduling": scheduling}
    wire.create(f"/apis/node.{words.group_suffix}/v1/runtimeclasses", runtime)
    wire.create(
        f"/apis/scheduling.{words.group_suffix}/v1/priorityclasses", {"metadata": {"name": "top"}, "value": 7, "globalDefault": True}
    )
    default = {words.key("is-default-class", "storageclass"): "true"}
    classes = f"/apis/storage.{words.group_suffix}/v1/storageclasses"
    wire.create(classes, {"metadata": {"name": "disk", "annotations": default}, "provisioner": "p"})
    default = {words.key("is-default-class", "ingressclass"): "true"}
    classes = f"/apis/networking.{words.group_suffix}/v1/ingressclasses"
    wire.create(classes, {"metadata": {"name": "way", "annotations": default}, "spec": {"controller": "example.com/c"}})


def _objects(words: Dialect) -> dict[str, tuple[str, Object]]:
    own = "/api/v1/namespaces/full"
    pod = {"containers": [CONTAINER, {"name": "d", "image": "i"}], "initContainers": [{"name": "e", "image": "i"}]}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}
    volume = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "gcePersistentDisk": {"pdName": "d"}}
    service = {"service": {"name": "s", "port": {"number": 80}}}
    return {
        "Pod": (f"{own}/pods", {"spec": {**pod, "serviceAccountName": "puller", "runtimeClassName": "slow"}}),
        "PersistentVolumeClaim": (f"{own}/persistentvolumeclaims", {"spec": claim}),
        "PersistentVolume": ("/api/v1/persistentvolumes", {"spec": volume}),
        "Service": (f"{own}/services", {"spec": {"type": "NodePort", "ports": [{"port": 80}]}}),
        "Ingress": (f"/apis/networking.{words.group_suffix}/v1/namespaces/full/ingresses", {"spec": {"defaultBackend": service}}),
        "Node": ("/api/v1/nodes", {}),
    }


@pytest.mark.parametrize("kind", ["Pod", "PersistentVolumeClaim", "PersistentVolume", "Service", "Ingress", "Node"])
def test_what_is_stored_reads_as_it_is(wire: Wire, kind: str) -> None:
    """Nothing in it is unknown, left to be filled in, or spelled otherwise than it would be if a client had sent it."""
    path, obj = _objects(wire.dialect)[kind]
    made = wire.create(path, {"metadata": {"name": wire.fresh("x")}, **obj})
    assert filled(BY_NAME[kind], made) == made


def test_plugins_had_their_say(wire: Wire) -> None:
    """Else there was nothing to look at."""
    objects = _objects(wire.dialect)

    def made(kind: str) -> Object:
        path, obj = objects[kind]
        return wire.create(path, {"metadata": {"name": wire.fresh("y")}, **obj})

    pod = made("Pod")
    spec = pod["spec"]
    assert wire.dialect.key("limit-ranger") in annotations_of(pod)
    assert spec["containers"][1]["resources"] == {"limits": {"cpu": "500m", "memory": "1Gi"}, "requests": {"cpu": "100m", "memory": "1Gi"}}
    assert (spec["overhead"], spec["priority"], spec["imagePullSecrets"]) == ({"cpu": "1"}, 7, [{"name": "key"}])
    assert spec["nodeSelector"] == {"disk": "fast", "runtime": "slow"}
    assert {one.get("key") for one in spec["tolerations"]} >= {"team", "slow", "example.com/device", wire.dialect.key("not-ready", "node")}
    assert spec["containers"][0]["imagePullPolicy"] == "Always"
    assert made("PersistentVolumeClaim")["spec"]["storageClassName"] == "disk"
    assert made("Ingress")["spec"]["ingressClassName"] == "way"
    assert made("Node")["spec"]["taints"]
