"""Taints of nodes and the tolerations of pods: who may go where, and stay.

The scheduler and the node life cycle ask the same question, so the answer stands here, below both.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from svcsim.meta.types import Object

NO_SCHEDULE = "NoSchedule"
PREFER_NO_SCHEDULE = "PreferNoSchedule"
NO_EXECUTE = "NoExecute"
_FEW_TOLERATIONS = 8
"""So many are asked one after the other, which takes less than putting them in order."""


class Taint(NamedTuple):
    """What keeps pods away from a node."""

    key: str
    value: str
    effect: str


class Toleration(NamedTuple):
    """What lets a pod go to a tainted node, or stay there for a while. Empty ``key`` and ``effect`` stand for any."""

    key: str
    operator: str
    value: str
    effect: str
    seconds: int | None

    def tolerates(self, taint: Taint) -> bool:
        """Whether the taint doesn't matter to the pod."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or (bool(self.key) and self.value == taint.value)


def taints_of(node: Object) -> tuple[Taint, ...]:
    """The taints of a Node."""
    taints = (node.get("spec") or {}).get("taints") or ()
    return tuple(Taint(taint["key"], taint.get("value") or "", taint["effect"]) for taint in taints)


def has_taint(node: Object, key: str) -> bool:
    """Whether a Node has a taint of that key, whatever its value and effect."""
    return any(taint.key == key for taint in taints_of(node))


def tolerations_of(spec: Object) -> tuple[Toleration, ...]:
    """The tolerations in a pod's spec."""
    return tuple(
        Toleration(
            item.get("key") or "",
            item.get("operator") or "Equal",
            item.get("value") or "",
            item.get("effect") or "",
            item.get("tolerationSeconds"),
        )
        for item in spec.get("tolerations") or ()
    )


def tolerance(tolerations: Sequence[Toleration]) -> Callable[[Taint], bool]:
    """Whether any of them tolerates a taint. However many there are, few of them are looked at."""
    if len(tolerations) <= _FEW_TOLERATIONS:
        return lambda taint: any(toleration.tolerates(taint) for toleration in tolerations)
    known = {_tolerated_by(each): None for each in tolerations}
    return lambda taint: any(key in known for key in _tolerating(taint))


def untolerated(taints: Iterable[Taint], tolerated: Callable[[Taint], bool], effects: tuple[str, ...]) -> Taint | None:
    """The first taint of these effects that isn't tolerated."""
    for taint in taints:
        if taint.effect in effects and not tolerated(taint):
            return taint
    return None


def tolerated_s(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> float | None:
    """How many seconds a pod may stay on a node with these ``NoExecute`` taints: 0 is not at all, None for ever."""
    granted: dict[_Key, float] = {}
    for each in tolerations:
        key, seconds = _tolerated_by(each), math.inf if each.seconds is None else max(float(each.seconds), 0.0)
        granted[key] = min(granted.get(key, math.inf), seconds)
    shortest = math.inf
    for taint in taints:
        found = [granted[key] for key in _tolerating(taint) if key in granted]
        if not found:
            return 0.0
        shortest = min(shortest, *found)
    return None if shortest == math.inf else shortest


_Key = tuple[str, str, str | None]
"""Effect, key and value of the taints that are tolerated: empty for any effect or key, None for any value."""


def _tolerated_by(toleration: Toleration) -> _Key:
    return toleration.effect, toleration.key, None if toleration.operator == "Exists" else toleration.value


def _tolerating(taint: Taint) -> list[_Key]:
    """Whatever tolerates the taint; an empty key with a value is no toleration at all."""
    keys: tuple[tuple[str, str | None], ...] = (("", None), (taint.key, None), (taint.key, taint.value))
    return [(effect, key, value) for effect in ("", taint.effect) for key, value in keys]
