"""What a set knows of its pods: of ten thousand, few have changed since it last looked, and of the others nothing has to be found out.

The objects in a cache are never changed (`svcsim.client.cache`): who is given the same one again knows all about it.
"""

from typing import NamedTuple

from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating, labels_of, uid_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object


class KnownPod(NamedTuple):
    """An active pod that belongs to a set and fits its selector."""

    pod: Object
    is_labelled: bool
    """Whether it has all labels of the template."""
    is_ready: bool


class _Known(NamedTuple):
    """The pods of a set, and what of the set all that is known of them follows from."""

    basis: tuple[object, ...]
    pods: dict[str, KnownPod]
    """By UID."""


class KnownPods:
    """Those of every set, as of its last look."""

    def __init__(self) -> None:
        self._known: dict[ObjectKey, _Known] = {}

    def recall(self, key: ObjectKey, replica_set: Object, candidates: list[Object]) -> tuple[list[KnownPod], list[Object]]:
        """Those candidates that are known to be the set's, and those of which it has yet to be found out."""
        known = self._known.get(key)
        if known is None or known.basis != _basis(replica_set):
            return [], candidates
        pods = known.pods
        unchanged: list[KnownPod] = []
        others: list[Object] = []
        for candidate in candidates:
            pod = pods.get(candidate["metadata"]["uid"])
            if pod is not None and pod.pod is candidate:
                unchanged.append(pod)
            else:
                others.append(candidate)
        return unchanged, others

    def keep(self, key: ObjectKey, replica_set: Object, pods: list[KnownPod]) -> None:
        """Know no more of the set's pods than this."""
        self._known[key] = _Known(_basis(replica_set), {pod.pod["metadata"]["uid"]: pod for pod in pods})

    def forget(self, key: ObjectKey) -> None:
        """The set is gone."""
        self._known.pop(key, None)


def get_to_know(replica_set: Object, pods: list[Object]) -> list[KnownPod]:
    """What there is to know of active pods that are the set's."""
    wanted = _template_labels(replica_set).items()
    return [KnownPod(pod, wanted <= labels_of(pod).items(), is_ready(pod)) for pod in pods]


def _basis(replica_set: Object) -> tuple[object, ...]:
    return uid_of(replica_set), is_terminating(replica_set), replica_set["spec"].get("selector"), _template_labels(replica_set)


def _template_labels(replica_set: Object) -> dict[str, str]:
    labels: dict[str, str] = (replica_set["spec"]["template"].get("metadata") or {}).get("labels") or {}
    return labels
