"""Client configurations ("kubeconfigs") as files: how one is read, and what its entries come to.

Everybody reads them by this: commands, for the cluster they talk to (`svcsim.client.kubeconfig`), and the server, whose webhooks are
configured in this format (`svcsim.outbound.client_configuration`). Relative paths are relative to the file they stand in. Our own files are
written as JSON, which is YAML too and spares commands the import of yaml.
"""

import base64
import binascii
import os
from pathlib import Path

import orjson

from svcsim.meta import files
from svcsim.meta.types import Json, Object

_FILE_FIELDS = {
    "clusters": ("cluster", ("certificate-authority",)),
    "users": ("user", ("client-certificate", "client-key", "tokenFile")),
}
SECTIONS = {"clusters": "cluster", "users": "user", "contexts": "context"}


class KubeconfigError(Exception):
    """A client configuration that can't be used; the message says why."""


def empty() -> Object:
    """A configuration that names nothing."""
    return {"apiVersion": "v1", "kind": "Config", "current-context": "", "clusters": [], "contexts": [], "users": [], "preferences": {}}


def read_file(path: Path) -> Object | None:
    """One file as it stands; None if there is none."""
    try:
        content = files.read_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KubeconfigError(f'error loading config file "{path}": {error.strerror or error}') from error
    if not content.strip():
        return empty()
    try:
        config = orjson.loads(content)
    except orjson.JSONDecodeError:
        config = _read_yaml(path, content)
        if config is None:  # nothing but comments
            return empty()
    if not isinstance(config, dict) or not all(_is_section(config.get(section), inner) for section, inner in SECTIONS.items()):
        raise KubeconfigError(f'error loading config file "{path}": not a client configuration')
    return config


def _is_section(entries: Json, inner: str) -> bool:
    """Whether it is what a section may be: a list of names, each with a map; or nothing."""
    if entries is None:
        return True
    return isinstance(entries, list) and all(isinstance(entry, dict) and isinstance(entry.get(inner) or {}, dict) for entry in entries)


def find_entry(config: Object, section: str, name: str) -> Object | None:
    """What stands under a name in a section; None if there is no such entry."""
    for entry in config.get(section) or []:
        if entry.get("name") == name:
            return entry.get(SECTIONS[section]) or {}
    return None


def resolve_paths(config: Object, directory: Path) -> None:
    """Have the paths in a configuration be relative to the directory of its file."""
    for section, (inner, names) in _FILE_FIELDS.items():
        for entry in config.get(section) or []:
            content = entry.get(inner) or {}
            for name in names:
                if content.get(name):
                    content[name] = str(directory / content[name])
    for entry in config.get("users") or []:
        plugin = (entry.get("user") or {}).get("exec")
        if isinstance(plugin, dict) and isinstance(plugin.get("command"), str) and os.sep in plugin["command"]:
            # Others are sought on the PATH, so this one has to stay a path, also where the file is said to be in ".".
            plugin["command"] = str(directory.absolute() / plugin["command"])


def read_content(entry: Object, name: str) -> bytes | None:
    """What stands inline as ``name-data``, or in the file ``name``; the former wins."""
    inline = entry.get(f"{name}-data")
    if inline:
        try:
            return base64.b64decode(inline, validate=True)
        except (binascii.Error, ValueError) as error:
            raise KubeconfigError(f"{name}-data is not base64: {error}") from error
    if not entry.get(name):
        return None
    try:
        return files.read_file(Path(entry[name]))
    except OSError as error:
        raise KubeconfigError(f"unable to read {name} {entry[name]}: {error.strerror or error}") from error


def read_token(user: Object) -> str:
    """What stands in a user's ``tokenFile``; empty where there is none."""
    if not user.get("tokenFile"):
        return ""
    try:
        return files.read_file(Path(user["tokenFile"])).decode().strip()
    except OSError as error:
        raise KubeconfigError(f"unable to read tokenFile {user['tokenFile']}: {error.strerror or error}") from error


def _read_yaml(path: Path, content: bytes) -> Json:
    import yaml  # noqa: PLC0415 - slow to import, and our own files are JSON

    try:
        return yaml.safe_load(content)
    except yaml.YAMLError as error:
        where = f"yaml: line {error.problem_mark.line + 1}: " if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark else ""
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else str(error).splitlines()[0]
        raise KubeconfigError(f'error loading config file "{path}": {where}{problem}') from error
