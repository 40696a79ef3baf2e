"""From numbers to what the metrics API tells: quantities; and what a machine uses besides its pods."""

from collections.abc import Mapping
from fractions import Fraction

from svcsim.meta import quantity
from svcsim.meta.quantity import Amount, Format
from svcsim.meta.types import Object

_KIBIBYTE = 1024
_OWN_SHARES = {"cpu": 0.015, "memory": 0.03}
"""What the system of a machine uses by itself, by resource, as a share of the machine."""
_OWN_JITTER = 0.2


def as_quantities(usage: Mapping[str, float]) -> dict[str, str]:
    """Processors in millionths, memory in whole KiB, as finely as anybody looks."""
    return {resource: str(_memory(amount) if resource == "memory" else _fine(amount)) for resource, amount in usage.items()}


def _memory(amount: float) -> Amount:
    return Amount(Fraction(round(amount / _KIBIBYTE) * _KIBIBYTE), Format.BINARY)


def _fine(amount: float) -> Amount:
    return Amount(Fraction(round(amount * 10**6), 10**6))


def machine_usage(capacity: Object, pods: Mapping[str, float], chance: float) -> dict[str, float]:
    """What a machine uses whose pods use so much: a little more than those, and never more than it has."""
    found: dict[str, float] = {}
    for resource, share in _OWN_SHARES.items():
        whole = float(quantity.of(capacity[resource])) if resource in capacity else 0.0
        found[resource] = min(whole * share * (1 + _OWN_JITTER * chance) + pods.get(resource, 0.0), whole)
    return found
