"""What `up` takes for granted: the settings that a user wants every new cluster to have.

``$SVCSIM_HOME/settings.json`` is a map of settings by the names that scenarios and ``svcsim clusters -o json`` have for them, such as
``{"dialect": "kubernetes", "nodes": 5}``. A setting's environment variable goes before it, an option of `up` before both, and a cluster
that was made before stays what it is. Scenarios know nothing of either: they mean the same on every machine.
"""

import os
from pathlib import Path
from typing import TypeVar

import orjson

from svcsim.cli.failure import CommandError
from svcsim.cli.shared import state
from svcsim.cluster.settings import SettingError, changed, from_json, settings
from svcsim.meta.types import Json, Object

Spec = TypeVar("Spec")


def settings_file() -> Path:
    return state.home() / "settings.json"


def user_defaults(spec: type[Spec], kept: Spec | None) -> Spec:
    """What a cluster is started with where the command line says nothing: as the last time, else as the user wants it."""
    wanted = _from_environment(spec, _from_file(spec))
    if kept is None:
        return wanted
    return changed(kept, {one.name: one.of(wanted) for one in settings(spec) if not one.kept})


def _from_file(spec: type[Spec]) -> Spec:
    path = settings_file()
    content = _content(path)
    if content is None:
        return spec()
    try:
        return from_json(spec, content)
    except SettingError as error:
        raise CommandError(f"{path}: {error}") from error


def _content(path: Path) -> Object | None:
    content = state.read_own(path)
    if content is None:
        return None
    try:
        found: Json = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise CommandError(f"{path}: not JSON: {error}; correct it or delete it") from error
    return found  # type: ignore[no-any-return]  # what isn't a map is refused with the settings


def _from_environment(spec: type[Spec], before: Spec) -> Spec:
    said: dict[str, Json] = {}
    for one in settings(spec):
        text = os.environ.get(one.variable, "") if one.variable else ""
        if text:
            try:
                said[one.name] = one.from_variable(text)
            except SettingError as error:
                raise CommandError(str(error)) from error
    return changed(before, said)
