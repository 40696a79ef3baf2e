"""What makes a PriorityLevelConfiguration right: limits that fit its type, queues that can be dealt, and the fixed ones as they were."""

import math
from collections.abc import Iterator
from typing import Final

from svcsim.kinds.flowcontrol.fixed import EXEMPT, FIXED_LEVELS
from svcsim.kinds.shared.checks import in_range
from svcsim.kinds.shared.words import LIMIT_RESPONSE, PRIORITY_LEVEL_TYPE
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_MAX_QUEUES: Final = 10_000_000
_HASH_BITS: Final = 60
_PERCENT: Final = in_range(0, 100)


def priority_level_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with the spec of a PriorityLevelConfiguration."""
    name, spec = obj["metadata"].get("name") or "", obj.get("spec") or {}
    kind = spec.get("type") or ""
    if (name == EXEMPT) != (kind == "Exempt"):
        yield invalid_value("spec.type", kind, f"type must be 'Exempt' if and only if name is '{EXEMPT}'")
    if kind == "Exempt":
        yield from _exempt_rules(spec)
    elif kind == "Limited":
        yield from _limited_rules(spec)
    else:
        yield unsupported("spec.type", kind, PRIORITY_LEVEL_TYPE.values)
    yield from _fixed_rules(name, spec)


def _fixed_rules(name: str, spec: Object) -> Iterator[FieldError]:
    fixed = FIXED_LEVELS.get(name)
    if fixed is None:
        return
    free = ("exempt",) if name == EXEMPT else ()
    same = all(same_json(spec.get(field), fixed.get(field)) for field in {**spec, **fixed} if field not in free)
    if not same:
        but = " except the 'spec.exempt' field" if free else ""
        yield invalid_value("spec", spec, f"spec of '{name}'{but} must equal the fixed value")


def _exempt_rules(spec: Object) -> Iterator[FieldError]:
    if spec.get("limited") is not None:
        yield forbidden_field("spec.limited", "must be nil if the type is not Limited")
    exempt = spec.get("exempt")
    if exempt is not None:
        yield from _not_negative(exempt.get("nominalConcurrencyShares") or 0, "spec.exempt.nominalConcurrencyShares")
        yield from _PERCENT(exempt.get("lendablePercent") or 0, "spec.exempt.lendablePercent")


def _limited_rules(spec: Object) -> Iterator[FieldError]:
    if spec.get("exempt") is not None:
        yield forbidden_field("spec.exempt", "must be nil if the type is Limited")
    limited, path = spec.get("limited"), "spec.limited"
    if limited is None:
        yield required(path, "must not be empty when type is Limited")
        return
    yield from _not_negative(limited.get("nominalConcurrencyShares") or 0, f"{path}.nominalConcurrencyShares")
    yield from _response_rules(limited.get("limitResponse") or {}, f"{path}.limitResponse")
    yield from _PERCENT(limited.get("lendablePercent") or 0, f"{path}.lendablePercent")
    borrowed = limited.get("borrowingLimitPercent")
    if borrowed is not None and borrowed < 0:
        yield invalid_value(f"{path}.borrowingLimitPercent", borrowed, "if specified, must be a non-negative integer")


def _response_rules(response: Object, path: str) -> Iterator[FieldError]:
    kind, queuing = response.get("type") or "", response.get("queuing")
    if kind == "Reject":
        if queuing is not None:
            yield forbidden_field(f"{path}.queuing", "must be nil if limited.limitResponse.type is not Limited")
    elif kind != "Queue":
        yield unsupported(f"{path}.type", kind, LIMIT_RESPONSE.values)
    elif queuing is None:
        yield required(f"{path}.queuing", "must not be empty if limited.limitResponse.type is Limited")
    else:
        yield from _queuing_rules(queuing, f"{path}.queuing")


def _queuing_rules(queuing: Object, path: str) -> Iterator[FieldError]:
    queues, hand, length = [queuing.get(name) or 0 for name in ("queues", "handSize", "queueLengthLimit")]
    if length <= 0:
        yield invalid_value(f"{path}.queueLengthLimit", length, "must be positive")
    if queues <= 0:
        yield invalid_value(f"{path}.queues", queues, "must be positive")
    elif queues > _MAX_QUEUES:
        yield invalid_value(f"{path}.queues", queues, f"must not be greater than {_MAX_QUEUES}")
    if hand <= 0:
        yield invalid_value(f"{path}.handSize", hand, "must be positive")
    elif hand > queues:
        yield invalid_value(f"{path}.handSize", hand, f"should not be greater than queues ({queues})")
    elif math.ceil(math.log2(queues) * hand) > _HASH_BITS:
        detail = f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {_HASH_BITS}"
        yield invalid_value(f"{path}.handSize", hand, detail)


def _not_negative(value: int, path: str) -> Iterator[FieldError]:
    if value < 0:
        yield invalid_value(path, value, "must be a non-negative integer")
