"""One description of everything: this server's OpenAPI document of version 2, and what servers behind it say of their own groups.

Of another server's document only the paths of the versions it answers for are taken, and the types that these speak of. Both sides may have
a type of the same name: where it is the same type there is one, else the other's gets a name of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from svcsim.meta.types import GroupVersion, Json, Object

_PREFIX = "#/definitions/"

Own: TypeAlias = Callable[[str], Object | None]
"""This server's type of a name; None where it has none."""


class Additions(NamedTuple):
    """What a document gets from others."""

    paths: Object
    definitions: Object


def additions(own: Own, others: Mapping[GroupVersion, Object]) -> Additions:
    """What comes in from others. What is no document of this version adds nothing."""
    paths: Object = {}
    definitions: Object = {}

    def taken(name: str) -> Json:
        return definitions[name] if name in definitions else own(name)

    for group_version, other in others.items():
        root = f"/apis/{group_version}/"
        found = {path: item for path, item in _map(other, "paths").items() if f"{path}/".startswith(root)}
        theirs = _map(other, "definitions")
        needed = _needed(found, theirs)
        names = {name: _free(name, theirs[name], taken) for name in needed}
        definitions |= {names[name]: _renamed(theirs[name], names) for name in needed}
        paths |= {path: _renamed(item, names) for path, item in found.items()}
    return Additions(paths, definitions)


def _map(document: Object, name: str) -> Object:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _needed(paths: Object, definitions: Object) -> dict[str, None]:
    """The names of the types that paths speak of, and those that these speak of."""
    found: dict[str, None] = {}
    waiting = list(_references(paths))
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in found:
            found[name] = None
            waiting += _references(definitions[name])
    return found


def _references(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            reference = one.get("$ref")
            if isinstance(reference, str) and reference.startswith(_PREFIX):
                yield reference.removeprefix(_PREFIX)
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _free(name: str, definition: Json, taken: Callable[[str], Json]) -> str:
    """The name itself, where it is free or already means the same; else one with a number."""
    free, number = name, 1
    while taken(free) not in (None, definition):
        number += 1
        free = f"{name}_v{number}"
    return free


def _renamed(value: Json, names: Mapping[str, str]) -> Json:
    """The value with its types renamed."""
    if isinstance(value, dict):
        reference = value.get("$ref")
        renamed = {key: _renamed(item, names) for key, item in value.items()}
        if isinstance(reference, str) and reference.startswith(_PREFIX):
            name = reference.removeprefix(_PREFIX)
            renamed["$ref"] = _PREFIX + names.get(name, name)
        return renamed
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value
