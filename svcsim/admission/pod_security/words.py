"""How findings name what they are about, as Kubernetes' users know it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object


class Finding(NamedTuple):
    """Why a pod isn't let in at a level."""

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


Check: TypeAlias = Callable[[Object, Object], Finding | None]
"""What is wrong with a pod, given its metadata and its spec."""


def quoted_all(names: Iterable[str]) -> str:
    """``"a", "b"``."""
    return ", ".join(f'"{name}"' for name in names)


def counted(names: list[str], singular: str, plural: str) -> str:
    """``container "a"``, ``containers "a", "b"``."""
    return f"{singular if len(names) == 1 else plural} {quoted_all(names)}"


def containers(names: list[str]) -> str:
    return counted(names, "container", "containers")


def context_of(container_or_spec: Object) -> Object:
    context: Object = container_or_spec.get("securityContext") or {}
    return context


def setters(spec: Object, wrong: Callable[[Object], bool]) -> list[str]:
    """Who has a security context that is wrong: ``pod``, ``container "a"``."""
    found = ["pod"] if wrong(context_of(spec)) else []
    names = [container["name"] for container in containers_of(spec) if wrong(context_of(container))]
    return [*found, containers(names)] if names else found


def names_of(spec: Object, wrong: Callable[[Object], object]) -> list[str]:
    """The containers that are."""
    return [container["name"] for container in containers_of(spec) if wrong(container)]
