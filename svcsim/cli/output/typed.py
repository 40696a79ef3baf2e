"""Objects of kinds that kubectl knows itself: it prints their fields in declared order, and some of them even if they are empty.

What the server sends is printed as it came, as everywhere; the shapes here are for what a command puts together or reads itself.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from svcsim.meta.types import Json, Object


class Shape(NamedTuple):
    """The order of a kind's fields, the values of those that are always printed, and the shapes of maps and list items within."""

    fields: tuple[str, ...]
    always: Mapping[str, Json] = MappingProxyType({})
    inner: Mapping[str, "Shape"] = MappingProxyType({})


_METADATA = Shape(("name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"))
_REFERENCE = Shape(("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"))
EVENT = Shape(
    (
        "kind", "apiVersion", "metadata", "involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp",
        "count", "type", "eventTime", "series", "action", "related", "reportingComponent", "reportingInstance",
    ),
    {"source": {}, "firstTimestamp": None, "lastTimestamp": None, "eventTime": None, "reportingComponent": "", "reportingInstance": ""},
    {"metadata": _METADATA, "involvedObject": _REFERENCE, "related": _REFERENCE, "source": Shape(("component", "host"))},
)  # fmt: skip
_CLUSTER = Shape(("server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority", "certificate-authority-data"))
_USER = Shape(("client-certificate", "client-certificate-data", "client-key", "client-key-data", "token", "tokenFile", "as"))
CLIENT_CONFIG = Shape(
    ("kind", "apiVersion", "preferences", "clusters", "users", "contexts", "current-context"),
    {"preferences": {}},
    {
        "clusters": Shape(("name", "cluster"), {}, {"cluster": _CLUSTER}),
        "users": Shape(("name", "user"), {}, {"user": _USER}),
        "contexts": Shape(("name", "context"), {}, {"context": Shape(("cluster", "user", "namespace"))}),
    },
)


def shaped(obj: Object, shape: Shape) -> Object:
    """The object with its fields in their order; fields the shape doesn't know come last."""
    whole = {**shape.always, **obj}
    ordered = {name: whole[name] for name in (*shape.fields, *whole) if name in whole}
    return {name: _inner(value, shape.inner.get(name)) for name, value in ordered.items()}


def _inner(value: Json, shape: Shape | None) -> Json:
    if shape is None:
        return value
    if isinstance(value, list):
        return [_inner(item, shape) for item in value]
    return shaped(value, shape) if isinstance(value, dict) else value
