"""Which pod it is that containers belong to: what never changes of it."""

from typing import NamedTuple

from svcsim.meta.objects import labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class PodIdentity(NamedTuple):
    """Names of a pod, and of the node that it is on."""

    namespace: str
    name: str
    uid: str
    node_name: str
    labels: dict[str, str]
    """Those that it had when it came to its node."""

    @property
    def runtime_name(self) -> str:
        """``name_namespace(uid)``, as runtimes name pods."""
        return f"{self.name}_{self.namespace}({self.uid})"


def identity_of(pod: Object) -> PodIdentity:
    return PodIdentity(namespace_of(pod), name_of(pod), uid_of(pod), pod["spec"]["nodeName"], labels_of(pod))
