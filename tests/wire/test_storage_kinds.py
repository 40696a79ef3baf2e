"""Kinds of storage over the wire, in both dialects: what may change of a whole object and what may not, its table, and how it goes."""

from typing import NamedTuple

import pytest

from svcsim.meta.types import Json, Object
from tests.kinds.samples.storage import FULL
from tests.waiting import until
from tests.wire.raw import MERGE, Wire
from tests.wire.test_verbs import Served
from tests.wire.test_whole_objects import STORED, key_of, whole


class Case(NamedTuple):
    """A kind: a patch that is fine, one that is refused with the reason and the field of its cause, and its line in a table."""

    fine: Object
    wrong: Object
    reason: str
    field: str
    cells: list[Json]


CASES: dict[str, Case] = {
    "v1 PersistentVolumeClaim": Case(
        {"metadata": {"labels": {"a": "b"}}},
        {"spec": {"volumeName": "other"}},
        "FieldValueForbidden",
        "spec",
        ["Pending", "disk-1", "0", "", "fast", "gold"],
    ),
    "v1 PersistentVolume": Case(
        {"spec": {"capacity": {"storage": "2Gi"}, "mountOptions": ["rw"]}},
        {"spec": {"nodeAffinity": None}},
        "FieldValueInvalid",
        "spec.nodeAffinity",
        ["2Gi", "RWO,ROX", "Delete"],
    ),
    "storage/v1 StorageClass": Case(
        {"allowVolumeExpansion": False, "mountOptions": None},
        {"parameters": {"tier": "iron"}},
        "FieldValueForbidden",
        "parameters",
        ["disks.example.com", "Retain", "WaitForFirstConsumer", False],
    ),
    "storage/v1 VolumeAttributesClass": Case(
        {"metadata": {"labels": {"a": "b"}}},
        {"driverName": "other"},
        "FieldValueForbidden",
        "driverName",
        ["disks.example.com"],
    ),
    "storage/v1 VolumeAttachment": Case(
        {"metadata": {"labels": {"a": "b"}}},
        {"spec": {"nodeName": "other"}},
        "FieldValueInvalid",
        "spec",
        ["disks.example.com", "", "node-1", False],
    ),
    "storage/v1 CSIDriver": Case(
        {"spec": {"requiresRepublish": False}},
        {"spec": {"fsGroupPolicy": "None"}},
        "FieldValueInvalid",
        "spec.fsGroupPolicy",
        [False, True, True, "vault,", False, "Persistent,Ephemeral"],
    ),
    "storage/v1 CSINode": Case(
        {"spec": {"drivers": [{"name": "disks.example.com", "nodeID": "i-1", "topologyKeys": ["topology.{domain}/zone", "disk"]}]}},
        {"spec": {"drivers": [{"name": "disks.example.com", "nodeID": "i-2"}]}},
        "FieldValueInvalid",
        "spec.drivers[0]",
        [1],
    ),
    "storage/v1 CSIStorageCapacity": Case(
        {"capacity": "5Gi"},
        {"storageClassName": "slow"},
        "FieldValueInvalid",
        "storageClassName",
        ["fast", "5Gi"],
    ),
}
KINDS_OF_STORAGE = [kind for kind in STORED if key_of(kind) in FULL]


def filled(value: Json, wire: Wire, namespace: str) -> Json:
    """The value with the words of the dialect."""
    if isinstance(value, dict):
        return {name: filled(item, wire, namespace) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, wire, namespace) for item in value]
    return value.replace("{domain}", wire.dialect.domain).replace("{ns}", namespace) if isinstance(value, str) else value


def causes(answer: Object) -> list[tuple[str, str]]:
    return [(cause["reason"], cause["field"]) for cause in answer["details"]["causes"]]


def test_every_whole_object_has_a_case():
    assert sorted(CASES) == sorted(FULL) == sorted(map(key_of, KINDS_OF_STORAGE))


@pytest.mark.parametrize("kind", KINDS_OF_STORAGE, ids=key_of)
def test_its_life(wire: Wire, kind):
    namespace, case = wire.namespace(), CASES[key_of(kind)]
    served, obj = whole(wire, kind, namespace, wire.fresh())
    wire.create(served.path, obj)
    path = served.path_of(obj)
    changed = wire.ask("PATCH", path, filled(case.fine, wire, namespace), content_type=MERGE)
    assert changed.status == 200, changed.body
    refused = wire.ask("PATCH", path, case.wrong, content_type=MERGE)
    assert refused.status == 422, refused.body
    assert (case.reason, case.field) in causes(refused.json)
    table = wire.ask("GET", path, headers={"Accept": "application/json;as=Table;v=v1;g=meta." + wire.dialect.group_suffix}).json
    assert table["columnDefinitions"][0]["name"] == "Name"
    assert table["rows"][0]["cells"][: len(case.cells) + 1] == [obj["metadata"]["name"], *filled(case.cells, wire, namespace)]
    gone = wire.ask("DELETE", path).json
    assert gone["kind"] == ("Status" if kind.name == "CSIStorageCapacity" else kind.name)
    wire.gone(path, changed.json)


@pytest.fixture
def claims(wire: Wire) -> Served:
    return Served(wire, next(kind for kind in STORED if kind.name == "PersistentVolumeClaim"), wire.namespace())


def test_a_claim_grows_once_it_is_bound(claims: Served):
    wire, obj, growing = claims.wire, claims.obj(name=claims.fresh()), claims.wire.fresh("growing")
    classes = f"/apis/{wire.dialect.group('storage')}/v1/storageclasses"
    wire.create(classes, {"metadata": {"name": growing}, "provisioner": "example.com/p", "allowVolumeExpansion": True})
    obj["spec"]["storageClassName"] = growing
    path = claims.path_of(wire.create(claims.path, obj))
    larger = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    assert causes(wire.ask("PATCH", path, larger, content_type=MERGE).json) == [("FieldValueForbidden", "spec")]
    offered = {"capacity": {"storage": "1Gi"}, "accessModes": obj["spec"]["accessModes"], "hostPath": {"path": "/p"}}
    reference = {"namespace": path.split("/")[4], "name": obj["metadata"]["name"]}
    volume = {"metadata": {"name": growing}, "spec": {**offered, "storageClassName": growing, "claimRef": reference}}
    wire.create("/api/v1/persistentvolumes", volume)
    until(lambda: wire.ask("GET", path).json["status"]["phase"] == "Bound")
    assert wire.ask("PATCH", path, larger, content_type=MERGE).json["spec"]["resources"]["requests"] == {"storage": "2Gi"}
    smaller = wire.ask("PATCH", path, {"spec": {"resources": {"requests": {"storage": "512Mi"}}}}, content_type=MERGE)
    assert causes(smaller.json) == [("FieldValueForbidden", "spec.resources.requests.storage")]
    assert "field can not be less than status.capacity" in smaller.message
    negative = wire.ask("PATCH", f"{path}/status", {"status": {"capacity": {"storage": "-1"}}}, content_type=MERGE)
    assert causes(negative.json) == [("FieldValueInvalid", "status.capacity[storage]")]


def test_a_claim_tells_its_source_twice(claims: Served):
    wire, obj = claims.wire, claims.obj(name="from-another")
    group = wire.dialect.group("snapshot.storage")
    snapshot = {"apiGroup": group, "kind": "VolumeSnapshot", "name": "s"}
    created = wire.create(claims.path, {**obj, "spec": {**obj["spec"], "dataSource": snapshot}})
    assert created["spec"]["dataSource"] == created["spec"]["dataSourceRef"] == snapshot
    book = {"apiGroup": "example.com", "kind": "Book", "name": "b"}
    obj["metadata"]["name"] = "from-a-book"
    assert "dataSource" not in wire.create(claims.path, {**obj, "spec": {**obj["spec"], "dataSource": book}})["spec"]
    obj["metadata"]["name"] = "from-two"
    refused = wire.ask("POST", claims.path, {**obj, "spec": {**obj["spec"], "dataSource": snapshot, "dataSourceRef": book}})
    assert refused.status == 422
    assert "must match dataSourceRef" in refused.message


def test_what_is_on_its_way_out_is_warned_of(wire: Wire):
    spec: Object = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "rbd": {"monitors": ["m"], "image": "i"}}
    answer = wire.ask("POST", "/api/v1/persistentvolumes", {"metadata": {"name": wire.fresh()}, "spec": spec})
    assert answer.status == 201, answer.body
    assert "spec.rbd: deprecated in v1.28, non-functional in v1.31+" in answer.headers["warning"]
