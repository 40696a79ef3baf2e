"""What `svcsim why` tells of claims whose volumes are to be filled from something."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.storage import CLAIM
from svcsim.printing.why.verdict import Facts, Verdict

OF_DATA: Object = {"kind": "PersistentVolumeClaim", "name": "data"}
FOO: Object = {"apiGroup": "example.com", "kind": "Foo", "name": "f"}
SNAPSHOT: Object = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
UNBOUND: Object = {"metadata": {"name": "data"}, "status": {"phase": "Pending"}}
DISKS = "disk.csi.svcsim.dev"
WAITS = f"It waits for {DISKS} to make a volume of the storage class now."


def explained(source: Object, events: list[Object], found: dict[str, list[Object]] | None = None) -> Verdict:
    claim: Object = {"metadata": {"name": "it", "namespace": "default"}, "spec": {"storageClassName": "now", "dataSourceRef": source}}
    return CLAIM.explain(claim, Facts(0.0, KUBERNETES, events, {"class": [{"provisioner": DISKS}], **(found or {})}))


@pytest.mark.parametrize(
    ("source", "found", "told"),
    [
        (OF_DATA, {"source": []}, "Its volume is to be a clone of that of the claim data, which isn't there."),
        (OF_DATA, {"source": [UNBOUND]}, "Its volume is to be a clone of that of the claim data, which isn't bound to a volume yet."),
        (OF_DATA, {"source": [{"status": {"phase": "Bound"}}]}, "Its volume is to be a clone of that of the claim data."),
        (OF_DATA, {}, "Its volume is to be a clone of that of the claim data."),
        (
            {**OF_DATA, "namespace": "shop"},
            {},
            "Its volume is to be filled from the PersistentVolumeClaim data of the namespace shop.",
        ),
        (SNAPSHOT, {}, "Its volume is to be filled from the VolumeSnapshot s (snapshot.storage.k8s.io)."),
    ],
)
def test_what_a_claim_is_to_be_filled_from_is_told(source: Object, found: dict[str, list[Object]], told: str) -> None:
    assert explained(source, [], found).because == (told, WAITS)


def test_a_claim_whose_source_waits_leads_to_that_one() -> None:
    assert explained(OF_DATA, [], {"source": [UNBOUND]}).below == (UNBOUND,)
    assert explained(OF_DATA, [], {"source": [{"status": {"phase": "Bound"}}]}).below == ()


def test_a_claim_that_takes_a_populator_waits_for_that_one_and_it_is_told_that_none_is_registered() -> None:
    told = "Its volume is to be filled from the Foo f (example.com), which takes a volume populator"
    assert explained(FOO, []).because == (f"{told}.",)
    events: list[Object] = [{"reason": "UnrecognizedDataSourceKind", "message": "The datasource for this PVC does not match any"}]
    assert explained(FOO, events).because == (f"{told}, and none is registered for its kind.",)
