"""Where the values of ``vars`` come from: the file, then the environment, then the command line, the last one winning."""

import os
from collections.abc import Mapping, Sequence

from svcsim.meta import yaml_scalars
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.scenario.suggestions import suggest

PREFIX = "SVCSIM_VAR_"


class VariableError(Exception):
    """A ``--var`` that can't be used."""


def parse(pairs: Sequence[str]) -> dict[str, str]:
    """``["n=50"]`` as a map. Raises `VariableError`."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise VariableError(f"--var takes NAME=VALUE, not {pair!r}")
        found[name] = value
    return found


def overrides(declared: Object, given: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The replacements that concern a scenario which declares these variables. Raises `VariableError`."""
    found = {name: environment[PREFIX + name.upper()] for name in declared if PREFIX + name.upper() in environment}
    for name, text in found.items():
        if any("\udc80" <= char <= "\udcff" for char in text):
            raise VariableError(f"{PREFIX}{name.upper()} is not valid UTF-8")
    found.update((name, value) for name, value in given.items() if name in declared)
    return found


def resolve(declared: Object, replacements: Mapping[str, str], row: Object | None) -> Object:
    """The values of one run. A matrix row goes before the file's values and after the replacements.

    A replacement is text where the file has text. Raises `VariableError`.
    """
    values: Object = {**declared, **(row or {})}
    for name, text in replacements.items():
        values[name] = text if isinstance(declared[name], str) and isinstance(values[name], str) else _value(name, text)
    return values


def as_text(value: Json) -> str:
    """A value as it is given in a replacement."""
    return value if isinstance(value, str) else encode(value).decode()


def unknown(given: Mapping[str, str], declared: Sequence[str]) -> str:
    """What to say of a ``--var`` that no scenario has; empty if there is none."""
    for name in given:
        if name not in declared:
            return f"--var {name}: no scenario has such a variable{suggest(name, declared)}"
    return ""


def _value(name: str, text: str) -> Json:
    """What YAML makes of a scalar; a map or a list is in JSON."""
    if not text.startswith(("{", "[")):
        return yaml_scalars.resolve(text)
    try:
        return decode_json(text.encode())
    except StatusError as error:
        raise VariableError(f"--var {name} takes JSON here, and {text!r} is none") from error
