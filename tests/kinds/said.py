"""What a declaration says, as words: its attributes one by one, and functions by their names and what they were made of."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, NoneType
from typing import Any

from svcsim.meta.found_before import FoundBefore
from svcsim.registry.kind import Group, Kind
from svcsim.schema.checks import Condition


def attributes(thing: object, *others: str, **usual: object) -> Iterator[tuple[str, str]]:
    """What a dataclass or a named tuple says, in the order of its class, but for ``others``, which have a form of their own.

    Left out is what is empty, unless something else is there by default, and what is as ``usual``. Every other attribute is there, also
    one that comes later.
    """
    for name, default in _defaults(thing):
        value = getattr(thing, name)
        empty = not value and (default is dataclasses.MISSING or value == default)
        if not empty and name not in others and not (name in usual and usual[name] == value):
            yield name, said(value)


def _defaults(thing: object) -> Iterator[tuple[str, object]]:
    """Names of attributes, and what each is if nothing is said."""
    if dataclasses.is_dataclass(thing):
        for field in [one for one in dataclasses.fields(thing) if one.name != "derived"]:  # what follows is no declaration
            made = field.default_factory
            yield field.name, field.default if made is dataclasses.MISSING else made()
    elif isinstance(thing, tuple):
        defaults: Mapping[str, object] = getattr(thing, "_field_defaults", {})
        yield from ((name, defaults.get(name, dataclasses.MISSING)) for name in getattr(thing, "_fields", ()))


def said(value: object) -> str:
    """A value in words. What has no words yet is an error, lest a fact be lost."""
    words = next((words for types, words in WORDS if isinstance(value, types)), None)
    if words is None:
        raise TypeError(f"no words for {value!r}")
    return words(value)


def _function(function: FunctionType) -> str:
    """``name``, or ``maker(argument=value)`` for one that another function made."""
    name = function.__qualname__.partition(".<locals>")[0]
    made_of = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    arguments = [f"{free}={said(cell.cell_contents)}" for free, cell in made_of]
    return f"{name}({', '.join(arguments)})" if arguments else name


def group_version(group: Group) -> str:
    """As in ``apiVersion``; a star stands where a dialect has its suffix."""
    return f"{group.base}{'.*' if group.suffixed else ''}/{group.version}".lstrip("/")


WORDS: tuple[tuple[tuple[type, ...], Callable[[Any], str]], ...] = (
    ((bool, NoneType), {True: "yes", False: "no", None: "none"}.__getitem__),
    ((str,), lambda value: value or '""'),
    ((int, float), json.dumps),
    ((Group,), group_version),
    ((Kind,), lambda value: f"{group_version(value.group)} {value.name}"),
    ((tuple, list), lambda value: " ".join(map(said, value)) or "none"),
    ((Mapping,), lambda value: " ".join(f"{key}={said(inner)}" for key, inner in value.items()) or "none"),
    ((FunctionType,), _function),
    ((FoundBefore,), lambda value: said(value.find)),
    ((Condition,), lambda value: said(value.told)),
)
"""The first that fits."""
