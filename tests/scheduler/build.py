"""Pods and nodes for tests of the scheduler, with only what the test is about."""

from typing import TypeVar

from svcsim.chance import Chance
from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Json, Object
from svcsim.scheduler.cycle import Known, WellKnownKeys
from svcsim.scheduler.placement import Placement, Placer
from svcsim.scheduler.pod import PodInfo, read_pod
from svcsim.scheduler.snapshot import Snapshot
from svcsim.scheduler.turns import Steps

T = TypeVar("T")


def node(
    name: str, *, labels: dict[str, str] | None = None, taints: list[Object] | None = None, pods: int = 110, **allocatable: str
) -> Object:
    spec: Object = {"taints": taints} if taints else {}
    given = {"cpu": "4", "memory": "8Gi", **allocatable, "pods": str(pods)}
    all_labels = {"kubernetes.io/hostname": name, **(labels or {})}
    return {"metadata": {"name": name, "labels": all_labels}, "spec": spec, "status": {"allocatable": given}}


def pod_object(
    name: str, *, labels: dict[str, str] | None = None, owner: str = "", requests: dict[str, str] | None = None, **spec: Json
) -> Object:
    container = {"name": "main", "image": "app:1", "resources": {"requests": requests or {}}}
    meta: Object = {"name": name, "namespace": "default", "uid": f"uid-{name}", "labels": labels or {}}
    if owner:
        meta["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}]
    return {"metadata": meta, "spec": {"containers": [container], **spec}}


def pod(name: str, **parts: Json) -> PodInfo:
    return read_pod(pod_object(name, **parts))


def snapshot(*nodes: Object) -> Snapshot:
    found = Snapshot("node.kubernetes.io/unschedulable")
    for item in nodes:
        found.set_node(item)
    return found


KEYS = WellKnownKeys.of(KUBERNETES)


def namespace_labels(name: str) -> dict[str, str]:
    return {"kubernetes.io/metadata.name": name}


KNOWN = Known(KEYS, namespace_labels)


def place(pod_info: PodInfo, on: Snapshot, seed: int = 1, known: Known = KNOWN) -> Placement:
    return finished(Placer(on, known, Chance(seed)).place(pod_info))


def finished(steps: Steps[T]) -> T:
    """What work comes to that nobody is let in between."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def selector(**labels: str) -> Object:
    return {"matchLabels": labels}
