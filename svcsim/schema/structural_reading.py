"""What is kept of a custom resource that was sent, and what is filled in: pruning and defaults by its schema.

Values keep the form they have: a custom resource's zeros and empty lists may mean something. Numbers alone take the form in which they are
kept (`svcsim.schema.numbers`). Nulls stay where the schema has them nullable, and are nothing elsewhere. An embedded resource keeps its
kind, version and metadata whether its schema names them or not; the metadata are read as any object's.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from svcsim import limits
from svcsim.meta.codec import encode, extent
from svcsim.meta.errors import defaults_too_large
from svcsim.meta.first_use import MadeByName
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Json, Object
from svcsim.schema.derived import derived
from svcsim.schema.numbers import as_kept, kept_integer, kept_number
from svcsim.schema.structural import below, mentioning
from svcsim.schema.types import Structural


class Noting(Protocol):
    """Where unknown fields are noted: `svcsim.schema.decode.Reading`."""

    as_written: bool
    spelled_out: bool

    def note(self, name: str) -> None: ...
    def move(self, since: int, step: str) -> None: ...
    def metadata(self, value: Json) -> Json: ...
    def __len__(self) -> int: ...


Prune: TypeAlias = Callable[[Json, Noting], Json]


class Filling:
    """How much of one object may still be filled in: what a few bytes of it ask for may be far more than can be stored."""

    def __init__(self) -> None:
        self._values = limits.OBJECT_VALUES
        self._size_bytes = limits.OBJECT_BYTES

    def take(self, values: int, size_bytes: int) -> None:
        """So much more is filled in. Raises 413 where that is too much."""
        self._values -= values
        self._size_bytes -= size_bytes
        if self._values < 0 or self._size_bytes < 0:
            raise defaults_too_large(limits.OBJECT_VALUES, limits.OBJECT_BYTES)


Fill: TypeAlias = Callable[[Json, Filling], None]


def _everything(value: Json, _reading: Noting) -> Json:
    """What is kept whatever stands in it."""
    return as_kept(value)


@derived
def pruner(node: Structural) -> Prune:
    """The closure that reads values of a node: a new tree, without what isn't declared."""
    prune_map = _map_pruner(node)
    kept = kept_integer if node.type == "integer" or node.int_or_string else kept_number
    prune_item = pruner(node.items) if node.items is not None else _everything if node.preserve else _prune_undeclared

    def prune(value: Json, reading: Noting) -> Json:
        if type(value) is dict:
            return prune_map(value, reading)
        if type(value) is list:
            return [_inside(f"[{index}]", item, prune_item, reading) for index, item in enumerate(value)]
        return kept(value) if type(value) is float or type(value) is int else value

    return prune


def _read_metadata(value: Json, reading: Noting) -> Json:
    return reading.metadata(value)


def _map_pruner(node: Structural) -> Prune:
    declared = node.properties
    properties = MadeByName(lambda name: (pruner(declared[name]), declared[name].nullable))
    additional = None if node.additional is None else (pruner(node.additional), node.additional.nullable)
    if node.embedded:
        properties |= {"apiVersion": (_everything, False), "kind": (_everything, False), "metadata": (_read_metadata, False)}
    preserve = node.preserve

    def prune(value: Json, reading: Noting) -> Json:
        kept: Object = {}
        for key, item in value.items():
            known = properties.get(key) or (properties[key] if key in declared else additional)
            if known is not None:
                prune_field, nullable = known
                if item is not None or nullable:
                    kept[key] = _inside(f".{key}", item, prune_field, reading)
                elif reading.as_written:
                    kept[key], reading.spelled_out = None, True
            elif preserve:
                kept[key] = item if type(item) is str else as_kept(item)
            else:
                reading.note(key)
        return kept

    return prune


def _inside(step: str, item: Json, prune: Prune, reading: Noting) -> Json:
    """Read what stands one step further in."""
    kind = type(item)
    if kind is str:
        return item
    if kind is not dict and kind is not list:
        return prune(item, reading) if kind is float else kept_number(item) if kind is int else item
    before = len(reading)
    kept = prune(item, reading)
    if len(reading) != before:
        reading.move(before, step)
    return kept


_UNDECLARED = Structural(type="", document={})


def _prune_undeclared(value: Json, reading: Noting) -> Json:
    return pruner(_UNDECLARED)(value, reading)


@derived
def structural_filler(node: Structural) -> Fill | None:
    """The closure that fills in defaults below a value, in place; None if there are none."""
    return _filler(node, mentioning(node.document, "default"))


def _has_below(document: Object, known: frozenset[int]) -> bool:
    return any(id(part) in known for part in below(document))


def _filler(node: Structural, defaulting: frozenset[int]) -> Fill | None:
    """``defaulting`` are the schemas with defaults, at them or below. What a property needs is made when one is first met."""
    if not _has_below(node.document, defaulting):
        return None
    documents: Object = node.document.get("properties") or {}
    constants = tuple(
        (name, child.default, extent(child.default)[1], len(name) + len(encode(child.default)))
        for name, child in [(name, node.properties[name]) for name, document in documents.items() if document.get("default") is not None]
    )
    deeper = frozenset(name for name, document in documents.items() if _has_below(document, defaulting))
    children = MadeByName(lambda name: _filler(node.properties[name], defaulting))
    fill_other = _filler(node.additional, defaulting) if node.additional is not None else None
    fill_item = _filler(node.items, defaulting) if node.items is not None else None

    def fill(value: Json, filling: Filling) -> None:
        if type(value) is dict:
            for name, default, values, size_bytes in constants:
                if name not in value:
                    filling.take(values, size_bytes)
                    value[name] = copy_json(default)
            for name, item in value.items():
                fill_below = children[name] if name in deeper else fill_other if name not in documents else None
                if fill_below is not None:
                    fill_below(item, filling)
        elif type(value) is list and fill_item is not None:
            for item in value:
                fill_item(item, filling)

    return fill
