"""The quality-of-service class of a pod, which follows from the requests and limits of its containers."""

from collections.abc import Iterator
from functools import lru_cache

from svcsim import limits
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object

_COUNTED = ("cpu", "memory")


def qos_class(spec: Object) -> str:
    """Guaranteed if requests equal limits for cpu and memory everywhere, BestEffort if there are none at all, else Burstable."""
    pod_level = spec.get("resources") or {}
    if pod_level.get("requests") or pod_level.get("limits"):
        holders = [pod_level]
    else:
        holders = [item.get("resources") or {} for item in _containers(spec)]
    guaranteed = True
    any_amounts = False
    for holder in holders:
        requests, limited = _amounts(holder.get("requests")), _amounts(holder.get("limits"))
        any_amounts = any_amounts or bool(requests or limited)
        wanted = {**limited, **requests}
        guaranteed = guaranteed and len(limited) == len(_COUNTED) and all(_are_alike(wanted[name], limited[name]) for name in _COUNTED)
    if not any_amounts:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def _containers(spec: Object) -> Iterator[Object]:
    yield from spec.get("containers") or ()
    yield from spec.get("initContainers") or ()


def _amounts(amounts: Object | None) -> dict[str, str]:
    """The amounts that count, without zeros."""
    return {name: amounts[name] for name in _COUNTED if name in amounts and _is_something(amounts[name])} if amounts else {}


@lru_cache(maxsize=limits.COMPARED_QUANTITIES)
def _is_something(amount: str) -> bool:
    return parse(amount).number > 0


def _are_alike(amount: str, other: str) -> bool:
    return amount == other or parse(amount) == parse(other)
