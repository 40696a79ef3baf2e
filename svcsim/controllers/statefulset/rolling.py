"""How a StatefulSet's pods get to a new template: from the last one down to the partition, as few at a time as its strategy allows.

They are deleted, and made anew from the new template when their turn comes. Pods below the partition keep, and get again, the template
that all pods had when the last rollout was over.
"""

from svcsim.controllers.statefulset.identity import first_ordinal
from svcsim.controllers.statefulset.snapshot import StatefulSetSnapshot, revision_of_pod
from svcsim.meta.objects import is_terminating
from svcsim.meta.shares import share
from svcsim.meta.types import Object


def outdated(snapshot: StatefulSetSnapshot) -> list[Object]:
    """Pods of an old template to delete now, the last one first.

    Where pods come and go in order, all of them work by now, but for those that an update has deleted. Where they don't, those that don't
    work are replaced at once, whatever the limit: nobody misses them, and what is wrong with them may be what the update mends.
    """
    if _strategy(snapshot.stateful_set).get("type") == "OnDelete":
        return []
    old = [
        pod
        for ordinal, pod in reversed(snapshot.replicas.items())
        if pod is not None and not is_current(snapshot.stateful_set, ordinal) and _may_be_replaced(snapshot, pod)
    ]
    spare = max(most_unavailable(snapshot.stateful_set) - snapshot.unavailable, 0)
    if snapshot.ordered:
        return old[:spare]
    useless = [pod for pod in old if not snapshot.is_available(pod)]
    return [*useless, *[pod for pod in old if snapshot.is_available(pod)][:spare]]


def is_current(stateful_set: Object, ordinal: int) -> bool:
    """Whether the pod of an ordinal is below the partition: of the current revision, and not of the present template."""
    partition: int = (_strategy(stateful_set).get("rollingUpdate") or {}).get("partition") or 0
    return ordinal < first_ordinal(stateful_set) + partition


def most_unavailable(stateful_set: Object) -> int:
    """How many pods may be unavailable while others are replaced: a number or a share of them, rounded down, but one always."""
    given = (_strategy(stateful_set).get("rollingUpdate") or {}).get("maxUnavailable", 1)
    return max(share(given, stateful_set["spec"].get("replicas", 1), up=False), 1)


def _may_be_replaced(snapshot: StatefulSetSnapshot, pod: Object) -> bool:
    return revision_of_pod(pod) != snapshot.update and not is_terminating(pod)


def _strategy(stateful_set: Object) -> Object:
    strategy: Object = stateful_set["spec"].get("updateStrategy") or {}
    return strategy
