"""YAML to JSON values, event by event.

The parser's events are put together here, on an explicit stack and not by recursion, because everything that makes YAML dangerous is
decided at this point: how deep it nests, how far its aliases expand, which keys stand twice.
"""

import base64
import binascii
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from svcsim import limits
from svcsim.meta import yaml_scalars
from svcsim.meta.errors import StatusError, bad_request, too_many_values
from svcsim.meta.objects import copy_json
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

_TAG = "tag:yaml.org,2002:"
_MERGE = object()
_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}


class YamlDocument(NamedTuple):
    """One document of a stream."""

    value: Json
    line: int
    """Where it begins, counted from 1."""
    duplicates: list[str]
    """One sentence for each key that stands twice in its map."""


class _Node(NamedTuple):
    """A finished value, and what it costs where an alias repeats it."""

    value: Json
    nodes: int
    levels: int


@dataclass(slots=True)
class _Open:
    """A map or list under construction."""

    value: Json
    anchor: str | None
    nodes: int = 1
    levels: int = 0
    key: Json = None
    has_key: bool = False
    seen: set[str] = field(default_factory=set)
    merged: list[Json] = field(default_factory=list)


def read_documents(body: bytes) -> Iterator[YamlDocument]:
    """Each document that isn't empty. Raises a 400 StatusError at the first thing that can't be read."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(f"invalid UTF-8 at byte {error.start}") from None
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                builder = _Builder()
            elif isinstance(event, yaml.DocumentEndEvent):
                if not builder.empty:
                    yield YamlDocument(builder.root, builder.line, builder.duplicates)
            else:
                builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise _unreadable(f"line {_line_told(error)}: {error.problem or error.context}") from None
    except yaml.reader.ReaderError as error:
        raise _unreadable(str(error.reason)) from None


def _line_told(error: yaml.MarkedYAMLError) -> int:
    """The line that Kubernetes tells: counted from 0 where tokens don't fit together, which is where the value before them ends."""
    line: int = error.problem_mark.line if error.problem_mark else 0
    return max(1, line + isinstance(error, yaml.scanner.ScannerError))


class _Builder:
    """Puts the events of one document together."""

    def __init__(self) -> None:
        self.root: Json = None
        self.line = 0
        self.empty = True
        self.duplicates: list[str] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, _Node | None] = {}
        """None while the anchored value is still open."""
        self._nodes = 0
        self._aliased_nodes = 0

    def take(self, event: yaml.Event) -> None:
        """The next event of the document."""
        if isinstance(event, yaml.ScalarEvent):
            self._count(1)
            value = _scalar(event)
            self._close(_Node(value, 1, 0), event.anchor, _line(event), plain_empty=not event.value and event.implicit[0])
        elif isinstance(event, yaml.AliasEvent):
            self._close(self._aliased(event), None, _line(event))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._end(_line(event))

    def _start(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if len(self._open) >= limits.OBJECT_LEVELS:
            raise _too_deep(_line(event))
        self._count(1)
        if not self._open:
            self.line = _line(event)
        if event.anchor:
            self._anchors[event.anchor] = None
        self._open.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor))

    def _end(self, line: int) -> None:
        done = self._open.pop()
        for source in done.merged:
            for key, value in source.items():
                done.value.setdefault(key, value)
        self._close(_Node(done.value, done.nodes, done.levels + 1), done.anchor, line)

    def _aliased(self, event: yaml.AliasEvent) -> _Node:
        line = _line(event)
        if event.anchor not in self._anchors:
            raise _unreadable(f"line {line}: unknown anchor '{event.anchor}' referenced")
        node = self._anchors[event.anchor]
        if node is None:
            raise _unreadable(f"line {line}: anchor '{event.anchor}' value contains itself")
        if len(self._open) + node.levels > limits.OBJECT_LEVELS:
            raise _too_deep(line)
        self._aliased_nodes += node.nodes
        if self._aliased_nodes > limits.YAML_ALIASED_NODES:
            raise _unreadable("document contains excessive aliasing")
        self._count(node.nodes)
        return node._replace(value=copy_json(node.value))

    def _count(self, nodes: int) -> None:
        """So many more values. Keys count too: they are as much work."""
        self._nodes += nodes
        if self._nodes > 2 * limits.OBJECT_VALUES:
            raise too_many_values(limits.OBJECT_VALUES)

    def _close(self, node: _Node, anchor: str | None, line: int, *, plain_empty: bool = False) -> None:
        """A value is finished: it goes into what stands open around it."""
        if anchor:
            self._anchors[anchor] = node  # what is finished stays as it is; an alias copies it
        if not self._open:
            self.root = node.value
            self.line = self.line or line
            self.empty = plain_empty or node.value is None
            return
        parent = self._open[-1]
        parent.nodes += node.nodes
        parent.levels = max(parent.levels, node.levels)
        if isinstance(parent.value, list):
            parent.value.append(_json_number(node.value, line))
        elif parent.has_key:
            self._set(parent, node.value, line)
        else:
            parent.key = node.value if node.value is _MERGE else _key(node.value, line)
            parent.has_key = True

    def _set(self, parent: _Open, value: Json, line: int) -> None:
        parent.has_key = False
        if parent.key is _MERGE:
            sources = value if isinstance(value, list) else [value]
            if not all(isinstance(source, dict) for source in sources):
                raise _unreadable(f"line {line}: map merge requires map or sequence of maps as the value")
            parent.merged.extend(sources)
            return
        if parent.key in parent.seen:
            self.duplicates.append(f"line {line}: key {quoted(parent.key)} already set in map")
        parent.seen.add(parent.key)
        parent.value[parent.key] = _json_number(value, line)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _scalar(event: yaml.ScalarEvent) -> Json:
    tag, text = event.tag, event.value
    if tag is None or tag == "!":
        if not event.implicit[0]:
            return text
        return _MERGE if text == "<<" else yaml_scalars.resolve(text)
    name = tag.removeprefix(_TAG)
    if name == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "replace")
        except binascii.Error:
            raise _unreadable(f"line {_line(event)}: !!binary value contains invalid base64 data") from None
    if name not in _TYPES:
        return text
    value: Json = yaml_scalars.resolve(text)
    if type(value) not in _TYPES[name]:
        raise _unreadable(f"line {_line(event)}: cannot decode `{text}` as a !!{name}")
    return float(value) if name == "float" else value


def _key(value: Json, line: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(_json_number(value, line))
    if value is None:
        return "null"
    raise _unreadable(f"line {line}: a map or a list can't be a key")


def _json_number(value: Json, line: int) -> Json:
    if value is _MERGE:
        return "<<"
    if isinstance(value, float) and not math.isfinite(value):
        raise _unreadable(f"line {line}: {value} is no number JSON has")
    return value


def _unreadable(why: str) -> StatusError:
    return bad_request(f"error converting YAML to JSON: yaml: {why}")


def _too_deep(line: int) -> StatusError:
    return _unreadable(f"line {line}: exceeded max depth: at most {limits.OBJECT_LEVELS} levels of nesting")
