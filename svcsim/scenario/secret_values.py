"""What reports show of Secrets: that there are values, and which keys they have, but never the values.

A run's journal has them all, as the cluster does: expectations may ask about them, and the hash over the journal's lines tells whether two
runs were the same. That stays in memory. What is printed, or written to a report, others get to see: a build server keeps it for years.
"""

from urllib.parse import unquote

from svcsim.meta.types import Json, Object

KIND = "Secret"
HIDDEN = "***"
_COLLECTION = "secrets"
"""What paths of requests call them."""
_VALUES = ("data", "stringData")
_ANNOTATIONS = "annotations"
"""Where client-side apply keeps the whole object as it was applied."""


def masked(value: Json) -> Json:
    """A value in which no Secret shows what it holds: an object, or the arguments of an action that has one in it or asks for one."""
    if isinstance(value, list):
        return [masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("kind") == KIND or _COLLECTION in unquote(str(value.get("path", "")).partition("?")[0]).split("/"):
        return _hidden(value)
    return {name: masked(item) for name, item in value.items()}


def told(kind: str, path: str, value: Json) -> Json:
    """A value at a path of an object of that kind, as it may be shown."""
    if kind != KIND or value is None:
        return value
    inside = path.removeprefix("object").removeprefix(".")
    if inside.startswith((*_VALUES, f"metadata.{_ANNOTATIONS}")):
        return _keys(value)
    return _hidden(value)


def _hidden(value: Json) -> Json:
    """All of a map below which a Secret's values may stand, however it is put: as an object, a patch, a list of operations."""
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    if not isinstance(value, dict):
        return value
    found: Object = {}
    operates = "op" in value and "path" in value
    for name, item in value.items():
        found[name] = _keys(item) if name in (*_VALUES, _ANNOTATIONS) or (operates and name == "value") else _hidden(item)
    return found


def _keys(value: Json) -> Json:
    """A map with its keys, and no value."""
    return dict.fromkeys(value, HIDDEN) if isinstance(value, dict) else HIDDEN
