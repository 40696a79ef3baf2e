"""What is looked at: a pod under a policy, and how findings name its parts."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from svcsim.dialect import Dialect
from svcsim.meta.errors import FieldError
from svcsim.meta.objects import annotations_of
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.types import Json, Object

MUST, MAY, NOT_ROOT = "MustRunAs", "MayRunAs", "MustRunAsNonRoot"
"""Rules of policies about who processes are. Any other is RunAsAny, which asks for nothing."""
ALL = "*"


class Case(NamedTuple):
    """A pod, and the policy that may let it in."""

    pod: Object
    policy: Object
    dialect: Dialect

    @property
    def rules(self) -> Object:
        """The policy's ``spec``."""
        spec: Object = self.policy["spec"]
        return spec

    @property
    def spec(self) -> Object:
        """The pod's."""
        spec: Object = self.pod["spec"]
        return spec

    @property
    def context(self) -> Object:
        """The pod's security context, to be read."""
        return context_of(self.spec)

    @property
    def annotations(self) -> dict[str, str]:
        """The pod's, to be read."""
        return annotations_of(self.pod)

    def containers(self) -> Iterator[tuple[str, Object]]:
        """All of the pod, with their paths."""
        for kind in CONTAINERS:
            for index, container in enumerate(self.spec.get(kind) or ()):
                yield f"spec.{kind}[{index}]", container

    def effective(self, container: Object, name: str) -> Any:
        """What a container is run with: its own value, or else the pod's."""
        own = context_of(container).get(name)
        return self.context.get(name) if own is None else own

    def annotate(self, key: str, value: str) -> None:
        """Set an annotation of the pod."""
        self.pod["metadata"]["annotations"] = {**self.annotations, key: value}


PodCheck: TypeAlias = Callable[[Case], Iterator[FieldError]]
"""What of a pod the policy doesn't let in."""
ContainerCheck: TypeAlias = Callable[[Case, Object, str], Iterator[FieldError]]
"""What of a container it doesn't, under a path."""
PodDefault: TypeAlias = Callable[[Case], None]
"""Fills in what the pod doesn't say, as the policy says."""
ContainerDefault: TypeAlias = Callable[[Case, Object], None]
"""Fills in what a container doesn't say, as the policy says."""


def ranges_of(listed: Iterable[Object] | None) -> list[tuple[int, int]]:
    """The first and the last of each range that a policy lists."""
    return [(one.get("min") or 0, one.get("max") or 0) for one in listed or ()]


def context_of(container_or_spec: Object) -> Object:
    context: Object = container_or_spec.get("securityContext") or {}
    return context


def set_in_context(container_or_spec: Object, name: str, value: Json) -> None:
    """Set a field of a security context, which there may not be yet."""
    container_or_spec["securityContext"] = {**context_of(container_or_spec), name: value}
