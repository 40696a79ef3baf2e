"""Expressions asked of devices: whether one is meant by a selector.

Attributes and amounts are reached by domain and name. A domain of which a device says nothing counts as empty, so that only the name of an
attribute that isn't there is a mistake.
"""

from functools import cached_property, lru_cache
from typing import Final

from svcsim import limits
from svcsim.meta.types import Object
from svcsim.schema.cel.amounts import canonical_amount, canonical_version
from svcsim.schema.cel.crossings import EvaluationError
from svcsim.schema.cel.evaluation import CallCostError
from svcsim.schema.cel.given import Given
from svcsim.schema.cel.library import general_environment
from svcsim.schema.cel.mistakes import reason
from svcsim.schema.cel.overloads import Overloads
from svcsim.schema.cel.programs import CompileError, Program, parsed
from svcsim.schema.cel.trees import Call, Entries, Name, Selected, Text, Tree, mapped

_NAMES: Final = frozenset(("device",))
_OVERLOADS: Final = Overloads(binding=True)
_BY_DOMAIN: Final = ("attributes", "capacity")
_TOO_MUCH: Final = "operation cancelled: actual cost limit exceeded"


class DeviceQuestionError(Exception):
    """An expression comes to nothing for a device; the text says why."""


class AskedDevice:
    """A device as expressions see it, put into the CEL library's form once for all that ask."""

    def __init__(self, driver: str, device: Object) -> None:
        """``device`` is an entry of a ResourceSlice."""
        self._driver = driver
        self._device = device

    def fulfils(self, text: str) -> bool:
        """Whether the device is meant by an expression. Raises `DeviceQuestionError`."""
        try:
            program = _program(text)
        except CompileError as error:
            raise DeviceQuestionError(f"CEL compile error: {error}") from None
        cost = self._given.cost(program.costs)
        if cost.time > limits.CEL_STEP_COST:
            raise DeviceQuestionError(f"CEL runtime error: {_TOO_MUCH}")
        try:
            return self._given.ask(program, cost) is True
        except CallCostError:
            raise DeviceQuestionError(f"CEL runtime error: {_TOO_MUCH}") from None
        except EvaluationError as error:
            raise DeviceQuestionError(f"CEL runtime error: {reason(str(error))}") from None

    @cached_property
    def _given(self) -> Given:
        device = self._device
        attributes: dict[str, object] = {name: _value(one) for name, one in (device.get("attributes") or {}).items()}
        capacity: dict[str, object] = {name: canonical_amount(one["value"]) for name, one in (device.get("capacity") or {}).items()}
        seen = {
            "driver": self._driver,
            "attributes": self._by_domain(attributes),
            "capacity": self._by_domain(capacity),
            "allowMultipleAllocations": bool(device.get("allowMultipleAllocations")),
        }
        return Given(general_environment(_NAMES), {"device": seen})

    def _by_domain(self, values: dict[str, object]) -> dict[str, dict[str, object]]:
        """By domain and name; a name without a domain is in that of the driver."""
        found: dict[str, dict[str, object]] = {}
        for full, value in values.items():
            domain, _slash, name = full.rpartition("/")
            found.setdefault(domain or self._driver, {})[name] = value
        return found


@lru_cache(limits.CEL_DEVICE_PROGRAMS)
def _program(text: str) -> Program:
    return Program(_with_empty_domains(parsed(text, _NAMES, _OVERLOADS.parser)), general_environment(_NAMES))


def _with_empty_domains(tree: Tree) -> Tree:
    """An expression that takes a domain without anything for one that isn't there."""
    tree = mapped(tree, _with_empty_domains)
    whole, domain = _looked_up(tree)
    if not (isinstance(whole, Selected) and whole.name in _BY_DOMAIN and isinstance(whole.of, Name) and whole.of.name == "device"):
        return tree
    return Call("_?_:_", (Call("@in", (domain, whole), at=tree.at), tree, Entries((), at=tree.at)), at=tree.at)


def _looked_up(tree: Tree) -> tuple[Tree | None, Tree]:
    """In what an expression looks, by ``[…]`` or by a dot, and for what; None where it does nothing of the kind."""
    if isinstance(tree, Call) and tree.function == "_[_]":
        whole, key = tree.arguments
        return whole, key
    if isinstance(tree, Selected) and not tree.asked:
        return tree.of, Text(tree.name, at=tree.at)
    return None, tree


def _value(attribute: Object) -> object:
    """The one value, or list of values, of an attribute."""
    ((kind, value),) = attribute.items()
    if kind == "version":
        return canonical_version(value)
    if kind == "versions":
        return [canonical_version(one) for one in value]
    return value
