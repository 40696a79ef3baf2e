"""Bringing an object of a kind through what a write does to it, and looking at what comes out."""

import copy
from typing import Any

from svcsim.apply.reset_fields import FieldFilter
from svcsim.chance import Chance
from svcsim.dialect import KUBERNETES, Dialect
from svcsim.kinds.all import CATALOGUE
from svcsim.meta.errors import FieldError
from svcsim.meta.times import format_time
from svcsim.meta.types import GroupVersion
from svcsim.registry.kind import Context, Kind
from svcsim.registry.resource import Resource
from svcsim.registry.runtime_config import RuntimeConfig
from svcsim.registry.write_steps import set_initial_status
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.virtual import START_S

Object = dict[str, Any]

CATALOGUED = tuple(entry.load() for entry in CATALOGUE)
"""All kinds in all their versions, in the order of the catalogue."""
KINDS = tuple(
    kind
    for kind, entry in zip(CATALOGUED, CATALOGUE, strict=True)
    if RuntimeConfig().serves(GroupVersion(entry.group.base, entry.group.version), kind.plural, anyway=entry.served)
)
"""Those that a cluster serves where nothing else is asked for."""
BY_NAME = {kind.name: kind for kind in reversed(KINDS)}
"""By name; of several versions or groups, the first."""


def context(dialect: Dialect = KUBERNETES, later_s: float = 0.0) -> Context:
    now = START_S + later_s
    return Context(dialect, now, format_time(now), Chance(1))


def ago(seconds: float) -> str:
    """A time stamp that long before the context's time."""
    return format_time(START_S - seconds)


def filled(kind: Kind, obj: Object, ctx: Context | None = None) -> Object:
    """An object with its kind's defaults."""
    compiled = compile_struct(object_struct(kind.schema))
    read, unknown = compiled.decode(copy.deepcopy(obj))
    assert unknown == []
    compiled.default(read)
    kind.strategy.fill(read, ctx or context())
    return read


def created(kind: Kind, obj: Object, ctx: Context | None = None) -> Object:
    """An object as a create would store it."""
    read = filled(kind, obj, ctx)
    if kind.status is not None:
        resource = Resource(kind, GroupVersion(kind.group.name(KUBERNETES), kind.group.version), KUBERNETES)
        set_initial_status(kind.status, resource, read, ctx or context())
    kind.strategy.create(read, ctx or context())
    return read


def texts(findings: list[FieldError]) -> list[str]:
    return [f"{finding.path}: {finding.message}" for finding in findings]


def findings(kind: Kind, obj: Object, ctx: Context | None = None) -> list[str]:
    """What is wrong with a new object, its metadata aside."""
    ready = created(kind, obj, ctx)
    found = compile_struct(object_struct(kind.schema)).validate(ready)
    for rule in (*kind.strategy.rules, *kind.strategy.create_rules):
        found += rule(ready, ctx or context())
    return texts(found)


def warned(kind: Kind, obj: Object, ctx: Context | None = None) -> list[str]:
    """What a client is warned of that creates an object."""
    told: list[str] = []
    ready = created(kind, obj, ctx)
    for rule in kind.strategy.create_rules:
        list(rule(ready, (ctx or context())._replace(warnings=told)))
    return [*told, *(text for warnings in kind.strategy.warnings for text in warnings(ready))]


def change_findings(kind: Kind, before: Object, after: Object, subresource: str = "") -> list[str]:
    """What is wrong with an update from one state to another."""
    old, new = created(kind, before), created(kind, after)
    rules = kind.strategy.update_rules
    if subresource:
        through = next(sub for sub in kind.subresources if sub.name == subresource)
        assert through.update_rules is not None
        rules = through.update_rules
    return texts([finding for rule in rules for finding in rule(new, old, context())])


def status_findings(kind: Kind, before: Object, after: Object) -> list[str]:
    """What is wrong with a status that is written through its subresource."""
    assert kind.status is not None
    old, new = filled(kind, before), filled(kind, after)
    rules = kind.status.subresource.update_rules or ()
    found = compile_struct(object_struct(kind.schema)).validate(new)
    return texts([*found, *(finding for rule in rules for finding in rule(new, old, context()))])


def row(kind: Kind, obj: Object, *, wide: bool = False) -> dict[str, Any]:
    """What a table shows of an object, by column."""
    return {column.name: column.value(obj, context()) for column in kind.columns if wide or column.priority == 0}


def restored(kind: Kind, subresource: str, sent: Object, old: Object) -> Object:
    """What is stored of an object that is sent to a subresource."""
    window = next(sub for sub in kind.subresources if sub.name == subresource)
    return FieldFilter.of(window.writes, window.resets).restored(sent, old)
