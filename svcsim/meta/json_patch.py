"""JSON patch (RFC 6902): a list of operations, all of which apply or none.

In one thing it is what Kubernetes takes for it: ``replace`` puts into a map what isn't there yet.

The document is never changed. Containers on the way to a change are copied once, the first time one is written to; everything else is
shared between the document and the result.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from svcsim import limits
from svcsim.meta import codec
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.objects import copy_json, deep_equal
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

MEMBERS = ("op", "path", "from", "value")
"""What an operation is made of."""

_MOST_DOUBLINGS = 16
"""More than what may be copied has room for."""
_ITEMS_A_STEP = 64
"""Items of a list that make room for another in about the time that looking at one value takes."""

_NUMBER = re.compile("[+-]?[0-9]+")


class RejectedError(Exception):
    """A patch doesn't apply; the message says why. What a server tells of it is less: see `errors.rejected_patch`."""


class FailedTestError(RejectedError):
    """The document isn't what the patch is for."""


class Pointer(NamedTuple):
    """A JSON pointer, taken apart."""

    path: tuple[str, ...]
    spelled: str


_ROOT = Pointer((), "")


class Operation(NamedTuple):
    """One step of a patch."""

    op: str
    to: Pointer
    """``path``."""
    source: Pointer
    """``from``, for ``move`` and ``copy``."""
    value: Json = None


def apply(document: Json, patch: Json) -> Json:
    """The document after the patch: 400 for what is no patch, 413 for a patch too long, `RejectedError` for one that doesn't apply."""
    result = _Document(document)
    for operation in parse(patch):
        _APPLY[operation.op](result, operation)
    return result.root


def parse(patch: Json) -> list[Operation]:
    """The operations of a patch."""
    if not isinstance(patch, list):
        raise bad_request(f"error decoding patch: json: cannot unmarshal {_kind(patch)} into Go value of type []handlers.jsonPatchOp")
    if len(patch) > limits.JSON_PATCH_OPERATIONS:
        message = f"The allowed maximum operations in a JSON patch is {limits.JSON_PATCH_OPERATIONS}, got {len(patch)}"
        raise StatusError(413, "RequestEntityTooLarge", message)
    return [_parse_operation(item, index) for index, item in enumerate(patch)]


def growth(patch: Json) -> int:
    """How many times as long a document and its patch may be together after it: each copy may double them."""
    copies = sum(isinstance(item, dict) and item.get("op") == "copy" for item in patch) if isinstance(patch, list) else 0
    return 1 << min(copies, _MOST_DOUBLINGS)


def _kind(value: Json) -> str:
    kinds: dict[type, str] = {dict: "object", str: "string", bool: "bool", type(None): "null"}
    return kinds.get(type(value), "number")


def _parse_operation(item: Json, index: int) -> Operation:
    if not isinstance(item, dict):
        raise bad_request(f"error decoding patch: operation {index} is not a map")
    name = item.get("op")
    if not isinstance(name, str) or name not in _APPLY:
        raise RejectedError(f"Unexpected kind: {name if isinstance(name, str) else 'unknown'}")
    if name in {"add", "replace", "test"} and "value" not in item:
        raise bad_request(f"error decoding patch: operation {index}, {name}, has no value")
    path = _parse_pointer(item.get("path"), "path", index)
    source = _parse_pointer(item.get("from"), "from", index) if name in {"move", "copy"} else _ROOT
    return Operation(name, path, source, item.get("value"))


def _parse_pointer(pointer: Json, member: str, index: int) -> Pointer:
    if not isinstance(pointer, str) or (pointer and pointer[0] != "/"):
        raise bad_request(f"error decoding patch: operation {index} needs a {member} that is a JSON pointer")
    if "~" in pointer.replace("~0", "").replace("~1", ""):
        raise bad_request(f"error decoding patch: operation {index}: in {member} a ~ stands for nothing but ~0 and ~1")
    return Pointer(tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]), pointer)


class _NowhereError(Exception):
    """There is no map or list in which something could be that a pointer points to."""


class _MissingError(Exception):
    """There is, but what the pointer points to isn't in it; the message says why."""


class _Words(NamedTuple):
    """How it is told that a pointer of an operation points to nothing."""

    nowhere: str
    missing: str

    @contextmanager
    def telling(self, pointer: Pointer) -> Iterator[None]:
        """Tell it of that pointer."""
        try:
            yield
        except _NowhereError:
            raise RejectedError(self.nowhere.format(pointer.spelled)) from None
        except _MissingError as why:
            raise RejectedError(self.missing.format(pointer.spelled, why=why, key=pointer.path[-1])) from None


_ADD = _Words('add operation does not apply: doc is missing path: "{}": missing value', "error in add for path: '{}': {why}")
_REMOVE = _Words('remove operation does not apply: doc is missing path: "{}": missing value', "error in remove for path: '{}': {why}")
_REPLACE = _Words(
    "replace operation does not apply: doc is missing path: {}: missing value",
    "replace operation does not apply: doc is missing key: {}: missing value",
)
_TEST = _Words("test operation does not apply: is missing path: {}: missing value", "error in test for path: '{}': {why}")
_MOVE_FROM = _Words("move operation does not apply: doc is missing from path: {}: missing value", "error in move for path: '{key}': {why}")
_MOVE_TO = _Words(
    "move operation does not apply: doc is missing destination path: {}: missing value", "error in move for path: '{}': {why}"
)
_COPY_FROM = _Words("copy operation does not apply: doc is missing from path: {}: missing value", "error in copy for from: '{}': {why}")
_COPY_TO = _Words(
    "copy operation does not apply: doc is missing destination path: {}: missing value", "error while adding value during copy: {why}"
)


class _Document:
    """A document that is being patched."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self.copied_bytes = 0
        self.steps = 0
        self._owned: dict[int, Json] = {}
        """Containers made here, which may be written to, by identity."""

    def step(self, values: int) -> None:
        """So many values more have been looked at, or moved."""
        self.steps += values
        if self.steps > limits.JSON_PATCH_STEPS:
            raise StatusError(413, "RequestEntityTooLarge", "The operations of the JSON patch together go through too much of the object")

    def read(self, path: tuple[str, ...]) -> Json:
        return _child(self.container(path[:-1]), path[-1]) if path else self.root

    def container(self, path: tuple[str, ...]) -> Json:
        """The map or list at a path."""
        value = self.root
        for part in path:
            value = _step(value, part)
        return _container(value)

    def writable(self, path: tuple[str, ...]) -> Json:
        """The map or list at a path, which may be changed: it and all around it are copied into this document first."""
        self.root = container = self._own(self.root)
        for part in path:
            own = self._own(_step(container, part))
            if isinstance(container, list):
                container[_index(container, part)] = own
            else:
                container[part] = own
            container = own
        return _container(container)

    def _own(self, container: Json) -> Json:
        if id(container) in self._owned or not isinstance(container, dict | list):
            return container
        self.step(len(container))
        own = container.copy()
        self._owned[id(own)] = own
        return own


def _add(document: _Document, operation: Operation) -> None:
    with _ADD.telling(operation.to):
        _put(document, operation.to.path, operation.value)


def _remove(document: _Document, operation: Operation) -> None:
    with _REMOVE.telling(operation.to):
        _take(document, operation.to.path)


def _replace(document: _Document, operation: Operation) -> None:
    path = operation.to.path
    if not path:
        document.root = operation.value
        return
    with _REPLACE.telling(operation.to):
        parent, part = document.writable(path[:-1]), path[-1]
        place = _index(parent, part) if isinstance(parent, list) else part
    _check_levels(document, path, operation.value)
    parent[place] = operation.value


def _move(document: _Document, operation: Operation) -> None:
    path, source = operation.to.path, operation.source.path
    if len(path) > len(source) and path[: len(source)] == source:
        raise RejectedError(f"move operation does not apply: {operation.to.spelled} lies inside of what is moved")
    with _MOVE_FROM.telling(operation.source):
        value = _take(document, source)
    with _MOVE_TO.telling(operation.to):
        _put(document, path, value)


def _copy(document: _Document, operation: Operation) -> None:
    with _COPY_FROM.telling(operation.source):
        value = document.read(operation.source.path)
    document.copied_bytes += len(codec.encode(value))
    if document.copied_bytes > limits.JSON_PATCH_COPIED_BYTES:
        raise RejectedError(
            "Unable to complete the copy, the accumulated size increase of copy is "
            f"{document.copied_bytes}, exceeding the limit {limits.JSON_PATCH_COPIED_BYTES}"
        )
    with _COPY_TO.telling(operation.to):
        _put(document, operation.to.path, copy_json(value))


def _test(document: _Document, operation: Operation) -> None:
    """What isn't there is null."""
    document.step(codec.extent(operation.value)[1])
    found, path = document.root, operation.to.path
    if path:
        with _TEST.telling(operation.to):
            parent = document.container(path[:-1])
            found = parent.get(path[-1]) if isinstance(parent, dict) else _child(parent, path[-1])
    if not deep_equal(found, operation.value):
        raise FailedTestError(f"testing value {operation.to.spelled} failed: test failed")


_APPLY: dict[str, Callable[[_Document, Operation], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _put(document: _Document, path: tuple[str, ...], value: Json) -> None:
    _check_levels(document, path, value)
    if not path:
        document.root = value
        return
    parent, part = document.writable(path[:-1]), path[-1]
    if isinstance(parent, list):
        document.step(len(parent) // _ITEMS_A_STEP)
        parent.insert(len(parent) if part == "-" else _index(parent, part, past_end=True), value)
    else:
        parent[part] = value


def _take(document: _Document, path: tuple[str, ...]) -> Json:
    if not path:
        taken, document.root = document.root, None
        return taken
    parent, part = document.writable(path[:-1]), path[-1]
    if isinstance(parent, list):
        document.step(len(parent) // _ITEMS_A_STEP)
        return parent.pop(_index(parent, part))
    if part not in parent:
        raise _MissingError(f"Unable to remove nonexistent key: {part}: missing value")
    return parent.pop(part)


def _step(value: Json, part: str) -> Json:
    """One step on the way to what a pointer points to."""
    try:
        return _child(value, part)
    except _MissingError:
        raise _NowhereError from None


def _container(value: Json) -> Json:
    if not isinstance(value, dict | list):
        raise _NowhereError
    return value


def _child(container: Json, part: str) -> Json:
    if isinstance(container, list):
        return container[_index(container, part)]
    if isinstance(container, dict) and part in container:
        return container[part]
    raise _MissingError("missing value")


def _index(items: list[Json], part: str, *, past_end: bool = False) -> int:
    """The index a pointer's part spells; just past the end only where something is added."""
    if part.isascii() and part.isdecimal() and (part == "0" or part[0] != "0") and len(part) < 10:
        index = int(part)
        if index < len(items) + past_end:
            return index
    if _NUMBER.fullmatch(part):
        raise _MissingError(f"Unable to access invalid index: {part}: invalid index referenced")
    why = f"strconv.Atoi: parsing {quoted(part)}: invalid syntax"
    raise _MissingError(f"value was not a proper array index: '{part}': {why}" if past_end else why)


def _check_levels(document: _Document, path: tuple[str, ...], value: Json) -> None:
    levels, values = codec.extent(value)
    document.step(values)
    if len(path) + levels > limits.OBJECT_LEVELS:
        raise RejectedError(f"exceeded max depth: at most {limits.OBJECT_LEVELS} levels of nesting")
