"""What a StatefulSet's plan is made from: the pod of each ordinal, those that are to go, their claims, and the revisions."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from svcsim.client.revisions import HASH_LABEL
from svcsim.controllers.statefulset.claims import claim_name, claim_templates
from svcsim.controllers.statefulset.identity import ordinal_of, ordinals
from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.pods import available_in, is_ready, phase_of
from svcsim.meta.types import Object


class StatefulSetSnapshot(NamedTuple):
    """A StatefulSet and all that its next step depends on."""

    stateful_set: Object
    current: str
    """The name of the revision that the first pods have."""
    update: str
    """The name of the revision of its present template."""
    replicas: dict[int, Object | None]
    """By the ordinals that pods should have, in order: the pod that is there."""
    condemned: list[Object]
    """Pods of other ordinals, the largest first."""
    claims: dict[str, Object]
    """Those that are there of all these pods, by name."""
    now: float

    @property
    def ordered(self) -> bool:
        """Whether pods come and go one after another."""
        return bool(self.stateful_set["spec"].get("podManagementPolicy") != "Parallel")

    @property
    def min_ready_s(self) -> int:
        seconds: int = self.stateful_set["spec"].get("minReadySeconds") or 0
        return seconds

    @property
    def pods(self) -> list[Object]:
        """All that are there."""
        return [*(pod for pod in self.replicas.values() if pod is not None), *self.condemned]

    def is_available(self, pod: Object) -> bool:
        """Whether a pod has been ready for as long as the set asks."""
        wait = available_in(pod, self.min_ready_s, self.now)
        return wait is not None and wait <= 0

    def serves(self, pod: Object | None) -> bool:
        """Whether there is a pod that is available, and stays."""
        return pod is not None and self.is_available(pod) and not is_terminating(pod)


def is_running_and_ready(pod: Object) -> bool:
    return phase_of(pod) == "Running" and is_ready(pod)


def revision_of_pod(pod: Object) -> str:
    """The name of the revision that a pod is of."""
    return labels_of(pod).get(HASH_LABEL, "")


def take_snapshot(
    stateful_set: Object, revisions: tuple[str, str], pods: Iterable[Object], claim: Callable[[str], Object | None], now: float
) -> StatefulSetSnapshot:
    """``revisions`` are the names of the current one and of the present template's; ``claim`` finds a claim by its name."""
    current, update = revisions
    replicas: dict[int, Object | None] = dict.fromkeys(ordinals(stateful_set))
    condemned: list[tuple[int, Object]] = []
    for pod in pods:
        ordinal = ordinal_of(pod)
        if ordinal in replicas:
            replicas[ordinal] = pod
        else:
            condemned.append((ordinal, pod))
    condemned.sort(key=lambda item: item[0], reverse=True)
    snapshot = StatefulSetSnapshot(stateful_set, current, update, replicas, [pod for _, pod in condemned], {}, now)
    for template in claim_templates(stateful_set):
        names = (*(f"{name_of(stateful_set)}-{ordinal}" for ordinal in replicas), *(name_of(pod) for pod in snapshot.condemned))
        for name in (claim_name(template, pod) for pod in names):
            found = claim(name)
            if found is not None:
                snapshot.claims[name] = found
    return snapshot
