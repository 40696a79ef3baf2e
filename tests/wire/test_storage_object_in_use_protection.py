"""StorageObjectInUseProtection: what becomes of claims, volumes and classes of attributes that are deleted while somebody uses them."""

from svcsim.meta.types import Object
from tests.wire.raw import Wire

SIZE = {"storage": "1Gi"}
CLAIM: Object = {"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": SIZE}}}


def pod(**spec: object) -> Object:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": volumes, **spec}}


def test_a_claim_stays_until_no_pod_uses_it(wire: Wire, ns: str) -> None:
    space, finalizer = f"/api/v1/namespaces/{ns}", wire.dialect.key("pvc-protection")
    claim, nodes = f"{space}/persistentvolumeclaims/c", "/api/v1/nodes"
    node = wire.fresh("apart")
    wire.create(nodes, {"metadata": {"name": node}})
    made = wire.create(f"{space}/persistentvolumeclaims", CLAIM)
    assert made["metadata"]["finalizers"] == [finalizer]
    wire.create(f"{space}/pods", pod(nodeName=node))
    assert wire.ask("DELETE", claim).status == 200
    assert "deletionTimestamp" in wire.ask("GET", claim).json["metadata"]
    assert wire.ask("GET", claim).json["metadata"]["finalizers"] == [finalizer]
    assert wire.ask("DELETE", f"{space}/pods/p", {"gracePeriodSeconds": 0}).status == 200
    wire.gone(claim, made)
    wire.ask("DELETE", f"{nodes}/{node}")


def test_a_claim_that_nobody_uses_goes(wire: Wire, ns: str) -> None:
    claims = f"/api/v1/namespaces/{ns}/persistentvolumeclaims"
    own = {**CLAIM, "metadata": {"name": "c", "finalizers": [wire.dialect.key("pvc-protection")]}}
    made = wire.create(claims, own)
    assert made["metadata"]["finalizers"] == own["metadata"]["finalizers"]
    assert wire.ask("DELETE", f"{claims}/c").status == 200
    wire.gone(f"{claims}/c", made)


def test_a_volume_stays_while_it_is_bound(wire: Wire) -> None:
    volumes, name = "/api/v1/persistentvolumes", wire.fresh("volume")
    spec = {"capacity": SIZE, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
    made = wire.create(volumes, {"metadata": {"name": name}, "spec": spec})
    assert made["metadata"]["finalizers"] == [wire.dialect.key("pv-protection")]
    path, claims = f"{volumes}/{name}", "/api/v1/namespaces/default/persistentvolumeclaims"
    asked = {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": name, "resources": {"requests": SIZE}}
    wire.create(claims, {"metadata": {"name": name}, "spec": asked})
    wire.until(path, lambda volume: volume["status"]["phase"] == "Bound")
    assert wire.ask("DELETE", path).status == 200
    assert wire.ask("GET", path).status == 200
    assert wire.ask("DELETE", f"{claims}/{name}").status == 200
    wire.gone(path, made)


def test_a_class_of_attributes_stays_while_a_claim_names_it(wire: Wire, ns: str) -> None:
    classes, name = f"/apis/{wire.dialect.group('storage')}/v1/volumeattributesclasses", wire.fresh("attributes")
    made = wire.create(classes, {"metadata": {"name": name}, "driverName": "disk.example.com", "parameters": {"iops": "1"}})
    assert made["metadata"]["finalizers"] == [wire.dialect.key("vac-protection")]
    claims = f"/api/v1/namespaces/{ns}/persistentvolumeclaims"
    wire.create(claims, {**CLAIM, "spec": {**CLAIM["spec"], "volumeAttributesClassName": name}})
    assert wire.ask("DELETE", f"{classes}/{name}").status == 200
    assert "deletionTimestamp" in wire.ask("GET", f"{classes}/{name}").json["metadata"]
    assert wire.ask("DELETE", f"{claims}/c").status == 200
    wire.gone(f"{classes}/{name}", made)
