"""Volumes on disks of a cloud, which say where the disk is."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.raw import Wire

VOLUMES = "/api/v1/persistentvolumes"
DISKS = ("a", "b", "c", "d", "e", "f", "g", "h")
ZONES = ("sim-1a", "sim-1b", "sim-1c")
SOURCES = {
    "awsElasticBlockStore": "volumeID",
    "gcePersistentDisk": "pdName",
    "azureDisk": "diskName",
    "cinder": "volumeID",
    "vsphereVolume": "volumePath",
}


@pytest.fixture(scope="module", params=list(DIALECTS))
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    options = ("--durability", "process", "--nodes", "3", "--enable-admission-plugins", "PersistentVolumeLabel")
    with served(tmp_path_factory.mktemp("home"), request.param, *options) as server:
        wire = Wire(server)
        yield wire
        wire.close()
        assert wire.complaints() == []


def volume(wire: Wire, source: str = "awsElasticBlockStore", disk: str = "a", labels: Object | None = None, **spec: object) -> Object:
    more = {"diskURI": f"https://account.blob.core.windows.net/disks/{disk}.vhd"} if source == "azureDisk" else {}
    wanted = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], source: {SOURCES.get(source, "path"): disk, **more}, **spec}
    return {"metadata": {"name": wire.fresh("volume"), "labels": labels or {}}, "spec": wanted}


def places(wire: Wire, zones: list[str], region: str, prefix: str = "topology") -> list[Object]:
    found = {"zone": zones, "region": [region]}
    return [{"key": wire.dialect.key(name, prefix), "operator": "In", "values": values} for name, values in found.items()]


def terms(made: Object) -> list[Object]:
    found: list[Object] = made["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    return found


@pytest.mark.parametrize("source", list(SOURCES))
def test_a_disk_of_a_cloud_is_in_a_zone_that_nodes_stand_in(wire: Wire, source: str) -> None:
    zone, region = (wire.dialect.key(name, "topology") for name in ("zone", "region"))
    standing = {one["metadata"]["labels"][zone] for one in wire.until("/api/v1/nodes", lambda found: len(found["items"]) == 3)["items"]}
    seen = []
    for disk in DISKS:
        made, again = (wire.create(VOLUMES, volume(wire, source, disk, {"a": "b"})) for _ in range(2))
        labels = made["metadata"]["labels"]
        assert labels == again["metadata"]["labels"] == {"a": "b", zone: labels[zone], region: "sim-1"}
        assert terms(made) == [{"matchExpressions": places(wire, [labels[zone]], "sim-1")}]
        seen.append(labels[zone])
    assert set(seen) == standing == set(ZONES)


def test_what_is_no_disk_of_a_cloud_is_left_alone(wire: Wire) -> None:
    for wanted in (volume(wire, "hostPath", "/a"), volume(wire, disk="placeholder-for-provisioning")):
        made = wire.create(VOLUMES, wanted)
        assert "labels" not in made["metadata"]
        assert "nodeAffinity" not in made["spec"]


@pytest.mark.parametrize("prefix", ["topology", "failure-domain.beta"])
def test_labels_that_are_there_stay(wire: Wire, prefix: str) -> None:
    labels = {wire.dialect.key("zone", prefix): "west-b__west-a", wire.dialect.key("region", prefix): "west"}
    made = wire.create(VOLUMES, volume(wire, labels=labels))
    assert made["metadata"]["labels"] == labels
    assert terms(made) == [{"matchExpressions": places(wire, ["west-a", "west-b"], "west", prefix)}]


def test_one_label_alone_says_nothing(wire: Wire) -> None:
    zone, region = (wire.dialect.key(name, "topology") for name in ("zone", "region"))
    labels = wire.create(VOLUMES, volume(wire, labels={zone: "elsewhere"}))["metadata"]["labels"]
    assert labels[zone] in ZONES
    assert labels[region] == "sim-1"


def test_a_label_that_names_no_zone_is_refused(wire: Wire) -> None:
    wanted = volume(wire, labels={wire.dialect.key("zone", "topology"): "", wire.dialect.key("region", "topology"): "west"})
    answer = wire.ask("POST", VOLUMES, wanted)
    name = wanted["metadata"]["name"]
    assert (answer.status, answer.message) == (
        403,
        f'persistentvolumes "{name}" is forbidden: failed to convert label string for Zone:  to a Set',
    )


def test_a_volumes_own_affinity_is_added_to_unless_it_says_where(wire: Wire) -> None:
    disks = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["fast"]}]}
    here = {"matchExpressions": [{"key": wire.dialect.key("region", "topology"), "operator": "In", "values": ["west"]}]}
    for own in ([disks, disks], [disks, here]):
        made = wire.create(VOLUMES, volume(wire, nodeAffinity={"required": {"nodeSelectorTerms": own}}))
        zone = made["metadata"]["labels"][wire.dialect.key("zone", "topology")]
        more = [*disks["matchExpressions"], *places(wire, [zone], "sim-1")]
        assert terms(made) == (own if here in own else [{"matchExpressions": more}] * 2)


def test_the_log_says_that_it_is_deprecated(wire: Wire) -> None:
    assert "PersistentVolumeLabel admission controller is deprecated. Please remove this controller" in wire.server.log


def test_it_is_off_by_default(svcapi_server: Wire, kubernetes_server: Wire) -> None:
    for server in (svcapi_server, kubernetes_server):
        assert "labels" not in server.create(VOLUMES, volume(server))["metadata"]
        assert "is deprecated" not in server.server.log
