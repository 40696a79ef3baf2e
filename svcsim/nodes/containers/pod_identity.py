"""Which pod it is that containers belong to: what never changes of it."""

from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.objects import labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class PodIdentity(NamedTuple):
    """Names of a pod, and of the node that it is on."""

    namespace: str
    name: str
    uid: str
    node_name: str
    labels: dict[str, str]
    """Those that it had when it came to its node. Equal ones are shared between pods."""

    @property
    def runtime_name(self) -> str:
        """``name_namespace(uid)``, as runtimes name pods."""
        return f"{self.name}_{self.namespace}({self.uid})"


def identity_of(pod: Object) -> PodIdentity:
    labels = _shared(tuple(labels_of(pod).items()))
    return PodIdentity(namespace_of(pod), name_of(pod), uid_of(pod), pod["spec"]["nodeName"], labels)


@lru_cache(maxsize=limits.SHARED_POD_PARTS)
def _shared(labels: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(labels)
