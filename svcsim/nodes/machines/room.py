"""How much of a resource there is on a node, whether that is enough, and what the node says where it isn't.

As nodes do, all is reckoned in whole numbers: thousandths of a cpu, and what else there is as it is.
"""

from functools import lru_cache

from svcsim import limits
from svcsim.meta.pod_amounts import Quantities
from svcsim.meta.quantity import Amount, of
from svcsim.meta.types import Object

WholeAmounts = dict[str, int]
"""By resource name."""


def whole(amounts: Quantities) -> WholeAmounts:
    """Exact amounts as nodes reckon with them."""
    return {name: _whole(name, amount) for name, amount in amounts.items()}


def allocatable_of(node: Object) -> Object:
    """What a Node says may be asked for altogether; nothing as long as it hasn't said."""
    return (node.get("status") or {}).get("allocatable") or {}


def room(allocatable: Object, name: str) -> int:
    """How much of a resource may be asked for: nothing of what isn't told."""
    return _room(name, str(allocatable.get(name) or 0))


@lru_cache(maxsize=limits.PARSED_QUANTITIES)
def _room(name: str, text: str) -> int:
    return _whole(name, of(text))


def _whole(name: str, amount: Amount) -> int:
    return amount.millis() if name == "cpu" else amount.value()


def shortage(name: str, asked: int, used: int, capacity: int) -> str:
    """What is said of a resource that others use, too; empty where there is enough of it."""
    if asked + used <= capacity:
        return ""
    return f"Node didn't have enough resource: {name}, requested: {asked}, used: {used}, capacity: {capacity}"
