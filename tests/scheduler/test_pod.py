"""What the scheduler keeps of a pod, read once and again."""

from collections.abc import Callable

import pytest

from svcsim.meta.types import Object
from svcsim.scheduler.pod import read_again, read_pod
from tests.scheduler.build import pod_object

CHANGES: dict[str, Callable[[Object], object]] = {
    "nothing": lambda _: None,
    "bound": lambda pod: pod["spec"].update(nodeName="n1"),
    "nominated": lambda pod: pod["status"].update(nominatedNodeName="n1"),
    "started": lambda pod: pod["status"].update(startTime="2026-01-01T00:00:00Z"),
    "finished": lambda pod: pod["status"].update(phase="Succeeded"),
    "on its way out": lambda pod: pod["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z"),
    "deleted": lambda pod: pod["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z", generation=pod["metadata"]["generation"] + 1),
    "deleted with another spec": lambda pod: (
        pod["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z", generation=pod["metadata"]["generation"] + 2),
        pod["spec"].update(tolerations=[{"operator": "Exists"}]),
    ),
    "preempted": lambda pod: (
        pod["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z"),
        pod["status"].update(conditions=[{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]),
    ),
    "adopted": lambda pod: pod["metadata"].update(
        ownerReferences=[{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}]
    ),
    "other labels": lambda pod: pod["metadata"]["labels"].update(app="b", rev="2"),
    "other spec": lambda pod: (pod["metadata"].update(generation=2), pod["spec"].update(tolerations=[{"operator": "Exists"}])),
    "made anew": lambda pod: (pod["metadata"].update(uid="other"), pod["spec"].update(priority=7)),
    "claims made for it": lambda pod: pod["status"].update(resourceClaimStatuses=[{"name": "gpu", "resourceClaimName": "p-gpu"}]),
}


def made(generation: int) -> Object:
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}, "matchLabelKeys": ["rev"]}
    pod = pod_object(
        "p",
        labels={"app": "a", "rev": "1"},
        requests={"cpu": "1"},
        topologySpreadConstraints=[spread],
        volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}],
    )
    pod["metadata"]["generation"] = generation
    pod["status"] = {}
    return pod


@pytest.mark.parametrize("generation", [0, 1, 2])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("with_devices", [True, False])
def test_a_pod_read_again_is_what_it_would_be_if_it_were_read_for_the_first_time(change: str, generation: int, with_devices: bool):
    first, later = made(generation), made(generation)
    if not with_devices:
        del first["spec"]["resourceClaims"], later["spec"]["resourceClaims"]
    CHANGES[change](later)
    assert read_again(later, read_pod(first)) == read_pod(later)
