"""The ``cluster:`` block of a scenario: those settings of a cluster that are marked for it, in the words of the format."""

from functools import reduce
from pathlib import Path

from svcsim.cluster.admission_spec import PluginNames
from svcsim.cluster.settings import Setting, settings
from svcsim.cluster.values import (
    Boolean,
    Choice,
    FilePath,
    FilesOrNames,
    Integer,
    Nullable,
    SomeOfAll,
    String,
    StringList,
    UniqueNames,
    Value,
    Words,
)
from svcsim.meta.types import Json, Object
from svcsim.scenario.shapes import Either, Field, Flag, ListOf, Number, PluginName, SettingOf, SettingsFile, Shape, Struct, Text


def cluster_block(spec: type) -> Struct:
    """The shape of the block for a specification."""
    return Struct("a cluster", _fields([one for one in settings(spec) if one.in_scenario], ()), later={"snapshot": ""})


def with_whole_paths(spec: type, block: Object, directory: Path) -> Object:
    """The block of a scenario in that directory, with paths as settings have them."""
    for one in settings(spec):
        *groups, last = one.json_path
        place = reduce(lambda outer, name: outer.get(name) or {}, groups, block)
        if not one.in_scenario or last not in place:
            continue
        if isinstance(one.value, FilePath):
            place[last] = str((directory / place[last]).absolute())
        elif isinstance(one.value, FilesOrNames):
            place[last] = [one.value.meant(given, directory) for given in place[last]]
    return block


def _fields(found: list[Setting], prefix: tuple[str, ...]) -> tuple[Field, ...]:
    """The settings below a place; those of a group together, where the first of them stands."""
    below: dict[str, list[Setting]] = {}
    for one in found:
        below.setdefault(one.json_path[len(prefix)], []).append(one)
    fields: list[Field] = []
    for name, some in below.items():
        path = (*prefix, name)
        if some[0].json_path == path:
            fields.append(Field(name, _shape(some[0], some[0].value), _doc(some[0])))
        else:
            fields.append(Field(name, Struct(".".join(path), _fields(some, path)), f"Settings of {name}"))
    return tuple(fields)


def _shape(one: Setting, value: Value[Json]) -> Shape:
    match value:
        case Nullable():
            return _shape(one, value.inner)
        case Choice():
            return Text(value.choices)
        case Integer():
            return Number(value.minimum, maximum=value.maximum)
        case Boolean():
            return Flag()
        case String():
            return Text(empty=True)
        case Words():
            return Either(SettingOf(one), ListOf(Text(value.choices)))
        case FilePath():
            return SettingsFile()
        case PluginNames():
            return ListOf(PluginName(), empty=True)
        case StringList() | FilesOrNames():
            return ListOf(Text(), empty=not isinstance(value, SomeOfAll | UniqueNames))
        case _:
            return SettingOf(one)


def _doc(one: Setting) -> str:
    return f"{one.help.rstrip('.')}; {one.default_text} by default" if one.default_text else one.help.rstrip(".")
