"""The arithmetic of a rollout: how many pods each ReplicaSet should have next. Nothing here knows how sizes are put into practice.

A rolling update goes in steps. The new set grows as far as ``maxSurge`` allows; then old sets shrink, first by what never got ready, then
as far as ``maxUnavailable`` allows. Each step waits for what the one before has set off.
"""

from typing import NamedTuple

from svcsim.controllers.deployment import keys
from svcsim.controllers.deployment.sets import active, counted, number_at, oldest_first, others, wanted
from svcsim.dialect import Dialect
from svcsim.meta.objects import name_of
from svcsim.meta.shares import share
from svcsim.meta.types import Object

Sizes = dict[str, int]
"""Wanted numbers of pods by the names of sets; what isn't named stays as it is, what is named is marked with the deployment's size."""


class Fences(NamedTuple):
    """What a rolling update may do: ``surge`` pods more than wanted, ``unavailable`` fewer."""

    surge: int
    unavailable: int


def fences(deployment: Object) -> Fences:
    """The deployment's ``maxSurge`` and ``maxUnavailable`` as numbers of pods; none for a Recreate."""
    strategy = deployment["spec"].get("strategy") or {}
    if strategy.get("type") == "Recreate":
        return Fences(0, 0)
    rolling = strategy.get("rollingUpdate") or {}
    replicas = wanted(deployment)
    surge = share(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = share(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    if surge == 0 and unavailable == 0:
        unavailable = 1  # rounding must not bring a rollout to a standstill
    return Fences(surge, min(unavailable, replicas))


def new_set_size(deployment: Object, sets: list[Object], present: int) -> int:
    """How large the new set may be now. ``sets`` are all there are; ``present`` is what the new one has."""
    replicas = wanted(deployment)
    if (deployment["spec"].get("strategy") or {}).get("type") == "Recreate":
        return replicas
    room = replicas + fences(deployment).surge - sum(map(wanted, sets))
    if room <= 0:
        return present
    return present + min(room, replicas - present)


def grow_new(deployment: Object, new: Object, sets: list[Object]) -> Sizes:
    """The rolling update's first step: the new set towards its full size."""
    replicas, present = wanted(deployment), wanted(new)
    size = replicas if present > replicas else new_set_size(deployment, sets, present)
    return {name_of(new): size} if size != present else {}


def shrink_old(deployment: Object, new: Object, sets: list[Object]) -> Sizes:
    """The rolling update's second step: old sets towards nothing, as far as enough pods stay available."""
    old = oldest_first(active(others(sets, new)))
    least = wanted(deployment) - fences(deployment).unavailable
    new_unavailable = wanted(new) - counted(new, "availableReplicas")
    room = sum(map(wanted, sets)) - least - new_unavailable
    if not old or room <= 0:
        return {}
    sizes: Sizes = {}
    for item in old:  # what isn't available serves nobody
        useless = min(room, wanted(item) - counted(item, "availableReplicas"))
        if useless > 0:
            sizes[name_of(item)] = wanted(item) - useless
            room -= useless
    # A set that was just scaled down may not have reported that yet: at most its desired number of pods counts.
    spare = sum(min(counted(item, "availableReplicas"), wanted(item)) for item in sets) - least
    for item in old:
        have = sizes.get(name_of(item), wanted(item))
        less = min(have, spare)
        if less > 0:
            sizes[name_of(item)] = have - less
            spare -= less
    return sizes


def scale(deployment: Object, new: Object | None, sets: list[Object], dialect: Dialect) -> Sizes:
    """Sizes for a deployment whose own size has changed, or that is paused: sets keep their proportions."""
    replicas = wanted(deployment)
    old = others(sets, new)
    running = active(sets)
    if len(running) <= 1:
        latest = new if new is not None else next(iter(oldest_first(old)[::-1]), None)
        only = running[0] if running else latest
        return {} if only is None else {name_of(only): replicas}
    if new is not None and _is_saturated(deployment, new, dialect):
        return {name_of(item): 0 for item in active(old)}
    if (deployment["spec"].get("strategy") or {}).get("type") == "Recreate":
        return {}
    return _in_proportion(deployment, running, dialect)


def _in_proportion(deployment: Object, running: list[Object], dialect: Dialect) -> Sizes:
    maximum = wanted(deployment) + fences(deployment).surge if wanted(deployment) else 0
    change = maximum - sum(map(wanted, running))
    newest_first = oldest_first(running)[::-1]
    ordered = sorted(newest_first if change > 0 else newest_first[::-1], key=lambda item: -wanted(item))
    sizes: Sizes = {}
    spread = 0
    for item in ordered:
        share = _proportion(deployment, item, dialect)
        left = change - spread
        share = min(share, left) if change > 0 else max(share, left)
        spread += share
        sizes[name_of(item)] = max(wanted(item) + share, 0)
    largest = name_of(ordered[0])
    sizes[largest] = max(sizes[largest] + change - spread, 0)
    return sizes


def _proportion(deployment: Object, item: Object, dialect: Dialect) -> int:
    """How much a set grows or shrinks to keep its part of the deployment."""
    replicas, size = wanted(deployment), wanted(item)
    if replicas == 0:
        return -size
    before = number_at(item, keys.max_replicas(dialect)) or counted(deployment, "replicas")
    if not before:
        return 0
    exact = size * (replicas + fences(deployment).surge) / before
    return int(exact + 0.5) - size


def _is_saturated(deployment: Object, new: Object, dialect: Dialect) -> bool:
    replicas = wanted(deployment)
    return (
        wanted(new) == replicas
        and number_at(new, keys.desired_replicas(dialect)) == replicas
        and counted(new, "availableReplicas") == replicas
    )
