"""What pods ask for and nodes have: amounts by resource name, in whole numbers that can be added and compared.

CPU counts in thousandths, everything else in its own unit (bytes, pieces); what doesn't divide is rounded up, as a request can't be
given less than it asks for.
"""

from functools import lru_cache
from typing import TypeAlias

from svcsim import limits
from svcsim.meta.pods import is_sidecar
from svcsim.meta.quantity import of
from svcsim.meta.types import Object

Amounts: TypeAlias = dict[str, int]
"""By resource name."""

Requests: TypeAlias = tuple[tuple[str, int], ...]
"""Amounts that don't change, so that pods of one template can share them."""

_COUNTED_AS: Amounts = {"cpu": 100, "memory": 200 * 1024 * 1024}
"""What a container that asks for nothing counts as when nodes are scored, so that such containers are spread too."""


def amounts(quantities: Object | None) -> Amounts:
    """The amounts that a map of quantities (``requests``, ``allocatable``) spells."""
    return {name: amount(name, text) for name, text in (quantities or {}).items()}


@lru_cache(maxsize=limits.PARSED_AMOUNTS)
def amount(name: str, text: str | float) -> int:
    """One quantity, in the unit its resource is counted in."""
    quantity = of(text)
    return quantity.millis() if name == "cpu" else quantity.value()


def pod_requests(spec: Object, defaults: Amounts | None = None) -> Requests:
    """What a pod takes on its node. A container that doesn't ask for what is in ``defaults`` is taken to ask for that.

    Its containers run beside each other, so they add up. Init containers run before them, one after another: the largest counts, if it
    is larger than all the rest. One that restarts always goes on running and adds to what comes after it.
    """
    total: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _requests(container, defaults))
    beside: Amounts = {}
    before: Amounts = {}
    for container in spec.get("initContainers") or ():
        wanted = _requests(container, defaults)
        if is_sidecar(container):
            _add(beside, wanted)
            _raise_to(before, beside)
        else:
            _add(wanted, beside)
            _raise_to(before, wanted)
    _add(total, beside)
    _raise_to(total, before)
    overall = (spec.get("resources") or {}).get("requests")
    if overall:
        total.update(amounts(overall))
    _add(total, amounts(spec.get("overhead")))
    return tuple((name, value) for name, value in sorted(total.items()) if value)


def scoring_requests(spec: Object) -> tuple[int, int]:
    """CPU (thousandths) and memory (bytes) a pod counts as when nodes are scored."""
    asked = dict(pod_requests(spec, _COUNTED_AS))
    return asked.get("cpu", 0), asked.get("memory", 0)


def _requests(container: Object, defaults: Amounts | None = None) -> Amounts:
    asked = amounts((container.get("resources") or {}).get("requests"))
    return {**defaults, **asked} if defaults else asked


def _add(total: Amounts, more: Amounts) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise_to(total: Amounts, least: Amounts) -> None:
    for name, value in least.items():
        if value > total.get(name, 0):
            total[name] = value
