"""Settings as data: a field of a specification says in its declaration all there is to know about it.

A specification is a frozen dataclass whose fields are declared with `setting`. A field whose default is such a dataclass itself is a group
of settings, a map in JSON. A field declared without `setting` is for code alone: no option and no file knows it. A rule over several
settings belongs in ``__post_init__``, where it raises `SettingError`.

From the declarations follow the options of `up` with their help and completion, the JSON that is handed to the server's process, kept on
disk and published by the running server, the ``cluster:`` block of scenarios, and what is refused while a cluster runs.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass, replace
from functools import reduce
from typing import NamedTuple, TypeVar

import orjson

from svcsim.cluster.values import Value
from svcsim.meta.types import Json, Object

_NONE = "none"
T = TypeVar("T")
Spec = TypeVar("Spec")


class SettingError(ValueError):
    """A setting that isn't one, or a value that isn't one of its; the message names it, in one line."""


class Setting(NamedTuple):
    """One setting. `settings` fills in where it stands; the rest is its declaration's."""

    value: Value[Json]
    help: str
    json: str
    """Its name in JSON; derived from the field's unless given."""
    formerly: str
    """Its name in files that older versions have kept, outside of all groups."""
    flag: str
    """The option of `up`; settings without one are for scenarios and tests."""
    variable: str
    """The environment variable that may say its default for clusters that are made with `up`."""
    metavar: str
    shown_default: str | None
    """What to call the default in help, where its value doesn't say enough; empty where there is nothing to say."""
    fixed: bool
    """Whether it is decided for good when a cluster is made."""
    kept: bool
    """Whether the next start goes by it too."""
    in_scenario: bool
    """Whether a scenario's ``cluster:`` block knows it."""
    running_as: str
    """How to say that a cluster has another value than the one asked for, with ``{}`` for the one it has."""
    changed_with: str
    """The command that changes it while the cluster runs; without one, the cluster has to be stopped."""
    satisfied: Callable[[Json, Json], bool]
    """Whether a request (first) is met by what a cluster has."""
    replaces: tuple[str, ...]
    """The settings with which it makes one decision: asking for it alone puts them back to their defaults, whatever was kept of them."""
    revocable: bool
    """Whether the word ``none`` as an option takes back what was kept of it."""
    needs: str
    """The setting of its group without which it means nothing."""
    default: Json = None
    path: tuple[str, ...] = ()
    """The fields that lead to it."""
    json_path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How code calls it: ``nodes``, or ``group.setting``."""
        return ".".join(self.path)

    @property
    def leader(self) -> str:
        """The name of the setting it needs; empty where it needs none."""
        return ".".join((*self.path[:-1], self.needs)) if self.needs else ""

    @property
    def default_text(self) -> str:
        """The default as people write it; empty where there is nothing to say."""
        if self.shown_default is not None:
            return self.shown_default
        value = self.value.to_json(self.default)
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None or value == [] else str(value)

    def of(self, spec: object) -> Json:
        """Its value in a specification."""
        return reduce(getattr, self.path, spec)

    def from_option(self, given: Json) -> Json:
        """What the command line says. Raises `SettingError`."""
        if self.revocable and given in (_NONE, [_NONE]):
            return self.default
        said = given[0] if isinstance(given, list) and len(given) == 1 else given  # a list only to the parser of the command line
        return self._read(self.value.from_option, given, self.flag, said)

    def from_variable(self, given: str) -> Json:
        """What its environment variable says. Raises `SettingError`."""
        return self._read(self.value.from_option, given, f"${self.variable}")

    def from_json(self, given: Json) -> Json:
        """What a file says. Raises `SettingError`."""
        return self._read(self.value.from_json, given, ".".join(self.json_path))

    def _read(self, reader: Callable[[Json], Json], given: Json, label: str, said: Json = None) -> Json:
        try:
            return reader(given)
        except ValueError:
            said = given if said is None else said
            shown = str(said) if type(said) is int else orjson.dumps(said, default=str).decode()  # orjson knows 64 bits
            raise SettingError(self.value.refusal.format(label=label, name=label.removeprefix("--"), value=shown)) from None


def setting(  # noqa: PLR0913 - all there is to say about a setting, each by its name
    default: T,
    value: Value[T],
    *,
    help: str,  # noqa: A002 - what it is called everywhere
    json: str = "",
    formerly: str = "",
    flag: str = "",
    variable: str = "",
    metavar: str = "",
    shown_default: str | None = None,
    fixed: bool = False,
    kept: bool = True,
    in_scenario: bool = False,
    running_as: str = "",
    changed_with: str = "",
    satisfied: Callable[[T, T], bool] = operator.eq,
    replaces: tuple[str, ...] = (),
    revocable: bool = False,
    needs: str = "",
) -> T:
    """Declare a field of a specification (see `Setting`)."""
    declared = Setting(
        value=value,
        help=help,
        json=json,
        formerly=formerly,
        flag=flag,
        variable=variable,
        metavar=metavar,
        shown_default=shown_default,
        fixed=fixed,
        kept=kept,
        in_scenario=in_scenario,
        running_as=running_as or f"with another {flag}",
        changed_with=changed_with,
        satisfied=satisfied,
        replaces=replaces,
        revocable=revocable,
        needs=needs,
    )
    found: T = field(default=default, metadata={"setting": declared})
    return found


def settings(spec: type | object) -> tuple[Setting, ...]:
    """All settings of a specification in the order they are declared, those of groups included."""
    return tuple(_settings(spec, (), ()))


def _settings(spec: Json, path: tuple[str, ...], json_path: tuple[str, ...]) -> Iterable[Setting]:
    for one in fields(spec):
        declared: Setting | None = one.metadata.get("setting")
        if declared is not None:
            where = (*json_path, declared.json or _camel(one.name))
            yield declared._replace(default=one.default, path=(*path, one.name), json_path=where)
        elif one.default is not MISSING and is_dataclass(one.default):
            yield from _settings(one.default, (*path, one.name), (*json_path, _camel(one.name)))


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def changed(spec: Spec, values: Mapping[str, Json]) -> Spec:
    """A specification with some of its settings changed, by name."""
    own: dict[str, Json] = {}
    groups: dict[str, dict[str, Json]] = {}
    for name, value in values.items():
        first, _, rest = name.partition(".")
        if rest:
            groups.setdefault(first, {})[rest] = value
        else:
            own[first] = value
    own |= {first: changed(getattr(spec, first), inner) for first, inner in groups.items()}
    return replace(spec, **own)  # type: ignore[type-var]  # every specification is a dataclass, which can't be said of a type variable


def asked_again(kept: Spec, asked: Mapping[str, Json]) -> Spec:
    """What was kept of an earlier start, with what is asked for this time. What is taken back takes along what means nothing without it.

    Raises `SettingError` where something is asked for that means nothing without something else.
    """
    known = {one.name: one for one in settings(kept)}
    replaced = {name: known[name].default for one in asked for name in known[one].replaces}
    revoked = [name for name, value in asked.items() if known[name].revocable and value == known[name].default]
    alone = {one.name: one.default for one in known.values() if one.leader in revoked}
    wanted = changed(kept, {**replaced, **alone, **asked})
    for one in (known[name] for name in asked):
        leader = known.get(one.leader)
        if leader is not None and leader.of(wanted) == leader.default and one.of(wanted) != one.default:
            raise SettingError(f"{one.flag} needs {leader.flag}, without which it means nothing")
    return wanted


def to_json(spec: object, chosen: Callable[[Setting], bool] = lambda _: True) -> Object:
    """The settings of a specification, or those that are chosen, as JSON."""
    found: Object = {}
    for one in settings(spec):
        if chosen(one):
            *groups, last = one.json_path
            place = reduce(lambda outer, name: outer.setdefault(name, {}), groups, found)
            place[last] = one.value.to_json(one.of(spec))
    return found


def from_json(spec_class: type[Spec], given: Json) -> Spec:
    """The specification that JSON holds; what it doesn't say is as by default. Raises `SettingError`."""
    known = {one.json_path: one for one in settings(spec_class)}
    former = {(one.formerly,): one for one in known.values() if one.formerly}
    groups = {path[:length] for path in known for length in range(1, len(path))}
    values: dict[str, Json] = {}
    former_values: dict[str, Json] = {}

    def read(block: Json, prefix: tuple[str, ...]) -> None:
        if not isinstance(block, dict):
            raise SettingError(f"{'.'.join(prefix) or 'the settings'}: expected a map")
        for key, value in block.items():
            path = (*prefix, key)
            if path in known:
                values[known[path].name] = known[path].from_json(value)
            elif path in former:
                former_values[former[path].name] = former[path].from_json(value)
            elif path in groups:
                read(value, path)
            else:
                raise SettingError(f"unknown setting {orjson.dumps('.'.join(path)).decode()}")

    read(given, ())
    return changed(spec_class(), {**former_values, **values})
