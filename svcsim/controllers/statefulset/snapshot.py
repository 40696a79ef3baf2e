"""What a StatefulSet's plan is made from: the pod of each ordinal, those that are to go, their claims, and the revisions."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from svcsim import limits
from svcsim.client.revisions import HASH_LABEL
from svcsim.controllers.statefulset.claims import claim_name, claim_templates
from svcsim.controllers.statefulset.identity import ordinal_of, ordinals, pod_name
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
    wanted: range
    """The ordinals that pods should have."""
    replicas: dict[int, Object | None]
    """By such ordinals, in order: the pod that is there. Of those that have none, only as many as may be made at once."""
    condemned: list[Object]
    """Pods of other ordinals, the largest first."""
    claims: dict[str, Object]
    """The existing claims of all these pods, by name."""
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

    def serves(self, pod: Object) -> bool:
        """Whether a pod is available, and stays."""
        return self.is_available(pod) and not is_terminating(pod)

    @property
    def unavailable(self) -> int:
        """How many of the pods that there should be aren't there, or don't serve."""
        return len(self.wanted) - sum(pod is not None and self.serves(pod) for pod in self.replicas.values())


def is_running_and_ready(pod: Object) -> bool:
    return phase_of(pod) == "Running" and is_ready(pod)


def revision_of_pod(pod: Object) -> str:
    """The name of the revision that a pod is of."""
    return labels_of(pod).get(HASH_LABEL, "")


def take_snapshot(
    stateful_set: Object, revisions: tuple[str, str], pods: Iterable[Object], claim: Callable[[str], Object | None], now: float
) -> StatefulSetSnapshot:
    """``revisions`` are the names of the current one and of the present template's; ``claim`` finds a claim by its name."""
    wanted = ordinals(stateful_set)
    by_ordinal = {ordinal_of(pod): pod for pod in pods}
    present = [ordinal for ordinal in by_ordinal if ordinal in wanted]
    missing = islice((ordinal for ordinal in wanted if ordinal not in by_ordinal), limits.CREATIONS_AT_ONCE)
    replicas = {ordinal: by_ordinal.get(ordinal) for ordinal in sorted([*present, *missing])}
    condemned = [by_ordinal[ordinal] for ordinal in sorted(by_ordinal, reverse=True) if ordinal not in wanted]
    snapshot = StatefulSetSnapshot(stateful_set, *revisions, wanted, replicas, condemned, {}, now)
    for template in claim_templates(stateful_set):
        names = (*(pod_name(stateful_set, ordinal) for ordinal in replicas), *map(name_of, condemned))
        for name in (claim_name(template, pod) for pod in names):
            found = claim(name)
            if found is not None:
                snapshot.claims[name] = found
    return snapshot
