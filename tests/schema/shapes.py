"""A kind made up for these tests, with every sort of field, and random objects of it."""

import base64
import string
from typing import Any

from hypothesis import strategies as st

from svcsim.meta.errors import invalid_value
from svcsim.schema.common import object_struct
from svcsim.schema.types import Bool, Bytes, Field, Float, Int, IntOrString, List, Map, Quantity, Raw, Ref, Str, Struct, Time


def no_gaps(value, path):
    """A struct rule: both ends or neither."""
    if ("from" in value) != ("to" in value):
        yield invalid_value(path, sorted(value), "must have both ends or neither")


def not_forbidden(value, path):
    """A rule of a type."""
    if value == "forbidden":
        yield invalid_value(path, value, "must not be forbidden")


def fill_twin(value):
    """A default that depends on another field."""
    value.setdefault("twin", value.get("name") or "nobody")


PORT = Struct(
    "Port",
    Field(1, "name", Str()),
    Field(2, "port", Int(minimum=1, maximum=65535), required=True),
    Field(3, "protocol", Str(enum=("TCP", "UDP")), default="TCP"),
    Field(4, "target", IntOrString()),
)
HANDLER = Struct("Handler", Field(1, "command", List(Str(), list_type="atomic")), Field(2, "httpPath", Str(rules=(not_forbidden,))))
RANGE = Struct("Range", Field(1, "from", Int()), Field(2, "to", Int()), rules=(no_gaps,))
PART = Struct(
    "Part",
    Field(1, "name", Str(), required=True),
    Field(2, "ports", List(PORT, list_type="map", keys=("port", "protocol"), merge_key="port")),
    Field(3, "limits", Map(Quantity())),
    Field(4, "handler", HANDLER, inline=True),
    Field(5, "ready", Bool(), required=True),
    Field(6, "twin", Str()),
    fill=fill_twin,
)
TREE = Struct(
    "Tree",
    Field(1, "label", Str(), default="leaf"),
    Field(2, "children", Map(Ref(target=lambda: TREE))),
    Field(3, "next", Ref(target=lambda: TREE)),
)
SPEC = Struct(
    "WidgetSpec",
    Field(1, "replicas", Int(minimum=0), "How many", default=1),
    Field(2, "parts", List(PART, list_type="map", keys=("name",), merge_key="name"), "What it is made of", required=True),
    Field(3, "mode", Str(), "How it works", enum=("Fast", "Safe"), default="Safe"),
    Field(4, "tags", List(Str(), list_type="set"), "Words", patch="merge"),
    Field(5, "range", RANGE, default={}),
    Field(6, "tree", TREE),
    Field(7, "since", Time()),
    Field(8, "exactly", Time(micro=True)),
    Field(9, "blob", Bytes()),
    Field(10, "ratio", Float()),
    Field(11, "paused", Bool(), presence=False),
    Field(12, "class", Str(), presence=True, default="standard"),
    Field(13, "extra", Raw()),
    Field(14, "big", Int(bits=64)),
    Field(15, "files", Map(Bytes())),
    Field(16, "groups", Map(List(Str()))),
    Field(17, "strategy", Struct("Strategy", Field(1, "type", Str()), Field(2, "pace", Int())), patch="retainKeys"),
    Field(18, "mounts", List(Struct("Mount", Field(1, "path", Str()), Field(2, "volume", Str())), list_type="map", keys=("path",))),
)
WIDGET = Struct("Widget", Field(2, "spec", SPEC, doc="What is wanted"), Field(3, "status", Map(Str())), doc="A thing for tests")
WHOLE = object_struct(WIDGET)


def widget(**spec: Any) -> dict[str, Any]:
    """A small good widget, with some fields of the spec set."""
    spec.setdefault("parts", [{"name": "a"}])
    return {"kind": "Widget", "apiVersion": "v1", "metadata": {"name": "w"}, "spec": spec}


_WORDS = st.text(string.ascii_letters + "äß-", max_size=5)
_INT32 = st.integers(-(2**31), 2**31 - 1)
_BYTES = st.binary(max_size=5).map(lambda raw: base64.b64encode(raw).decode())
_JSON = st.recursive(
    st.booleans() | st.integers(-100, 100) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=5,
)


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


_TREES = st.recursive(
    _some(label=_WORDS), lambda inner: _some(label=_WORDS, children=st.dictionaries(_WORDS, inner, max_size=2), next=inner)
)
_PORTS = _some(name=_WORDS, port=st.integers(0, 70000), protocol=st.sampled_from(("TCP", "UDP", "X")), target=_INT32 | _WORDS)
_PARTS = _some(
    name=_WORDS,
    ports=st.lists(_PORTS, max_size=3),
    limits=st.dictionaries(_WORDS, st.sampled_from(("100m", "1.5Gi", "1000", "0.5", "1e3")), max_size=2),
    command=st.lists(_WORDS, max_size=2),
    httpPath=_WORDS,
    ready=st.booleans(),
    twin=_WORDS,
)
_SPECS = _some(
    replicas=_INT32,
    parts=st.lists(_PARTS, max_size=3),
    mode=st.sampled_from(("Fast", "Safe", "Odd")),
    tags=st.lists(_WORDS, max_size=3),
    range=_some(**{"from": _INT32, "to": _INT32}),
    tree=_TREES,
    since=st.sampled_from(("2024-02-29T12:00:00Z", "2024-01-01T00:00:00.5+01:00")),
    exactly=st.sampled_from(("2024-02-29T12:00:00.000001Z", "1999-12-31T23:59:59.999999-02:30")),
    blob=_BYTES,
    ratio=st.floats(allow_nan=False, allow_infinity=False),
    paused=st.booleans(),
    extra=_JSON,
    big=st.integers(-(2**63), 2**63 - 1),
    files=st.dictionaries(_WORDS, _BYTES, max_size=2),
    groups=st.dictionaries(_WORDS, st.lists(_WORDS, max_size=2), max_size=2),
    **{"class": _WORDS},
)
_METADATA = _some(name=_WORDS, labels=st.dictionaries(_WORDS, _WORDS, max_size=2), generation=st.integers(0, 2**40))
WIDGETS = _some(
    kind=st.just("Widget"), apiVersion=st.just("v1"), metadata=_METADATA, spec=_SPECS, status=st.dictionaries(_WORDS, _WORDS, max_size=2)
)
"""Random widgets: of the right types, with no regard for rules."""
