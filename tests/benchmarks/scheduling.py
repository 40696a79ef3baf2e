"""How many pods a second the scheduler places: the decision itself, with the snapshot kept up to date, and no API server.

``python -m tests.benchmarks.scheduling [NODES [PODS]]``. Each sort of pod is measured on nodes of its own; every pod is read from its
object, placed, assumed, and then taken in again as the watch brings it. Processor time counts, so that others on the machine don't.
"""

import sys
from time import process_time

from svcsim.chance import Chance
from svcsim.meta.label_selectors import from_object
from svcsim.meta.types import Json, Object
from svcsim.scheduler.cycle import Known
from svcsim.scheduler.placement import Placer
from svcsim.scheduler.pod import read_pod
from tests.scheduler.build import KEYS, finished, namespace_labels, node, pod_object, selector, snapshot

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
LIKE = selector(app="web")


def _spread(key: str, when: str) -> Json:
    return {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": LIKE}]}


def _terms(kind: str, key: str) -> Json:
    return {"affinity": {kind: {REQUIRED: [{"topologyKey": key, "labelSelector": LIKE}]}}}


SORTS: dict[str, Json] = {
    "of a Deployment": {"owner": "web"},
    "that belong to nobody": {},
    "spread over zones": _spread(ZONE, "DoNotSchedule"),
    "rather spread over hosts": _spread(HOST, "ScheduleAnyway"),
    "apart from each other": _terms("podAntiAffinity", HOST),
    "near each other": _terms("podAffinity", ZONE),
}
"""What is asked for besides CPU and memory."""


def placed_a_second(nodes: int, pods: int, parts: Json) -> tuple[float, int]:
    """How many pods are placed in a second of processor time, and how many found no node."""
    places = (node(f"node-{number}", labels={ZONE: f"zone-{number % 3}"}, cpu="32", memory="128Gi") for number in range(nodes))
    on = snapshot(*places)
    known = Known(KEYS, namespace_labels, lambda pod: from_object(LIKE if pod.owner else {}))
    placer = Placer(on, known, Chance(1))
    objects = [
        pod_object(f"web-{number}", labels={"app": "web"}, requests={"cpu": "100m", "memory": "200Mi"}, **parts) for number in range(pods)
    ]
    unplaced = 0
    since = process_time()
    for obj in objects:
        pod = read_pod(obj)
        where = finished(placer.place(pod)).node
        if where:
            on.assume(pod, where)
            on.set_pod(read_pod(_bound(obj, where)))
        else:
            unplaced += 1
    return pods / (process_time() - since), unplaced


def _bound(pod: Object, where: str) -> Object:
    return {**pod, "spec": {**pod["spec"], "nodeName": where}}


def main() -> None:
    """Measure each sort."""
    nodes, pods = (int(word) for word in (*sys.argv[1:], "5000", "10000")[:2]) if len(sys.argv) != 2 else (int(sys.argv[1]), 10_000)
    for sort, parts in SORTS.items():
        rate, unplaced = placed_a_second(nodes, pods, parts)
        print(f"{pods} pods {sort} on {nodes} nodes: {rate:,.0f} a second" + (f" ({unplaced} of them fit nowhere)" if unplaced else ""))


if __name__ == "__main__":
    main()
