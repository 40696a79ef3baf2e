"""JSON patch (RFC 6902): a list of operations, all of which apply or none.

In one thing it is what Kubernetes takes for it: ``replace`` puts into a map what isn't there yet.

The document is never changed. Containers on the way to a change are copied once, the first time one is written to; everything else is
shared between the document and the result.
"""

from collections.abc import Callable
from typing import NamedTuple

from svcsim import limits
from svcsim.meta import codec
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.objects import copy_json, deep_equal
from svcsim.meta.types import Json

MEMBERS = ("op", "path", "from", "value")
"""What an operation is made of."""

_MOST_DOUBLINGS = 16
"""More than what may be copied has room for."""
_ITEMS_A_STEP = 64
"""Items of a list that make room for another in about the time that looking at one value takes."""


class RejectedError(Exception):
    """A patch doesn't apply; the message says why. What a server tells of it is less: see `errors.rejected_patch`."""


class FailedTestError(RejectedError):
    """The document isn't what the patch is for."""


class Operation(NamedTuple):
    """One step of a patch, its pointers taken apart."""

    op: str
    path: tuple[str, ...]
    pointer: str
    """``path`` as it was spelled."""
    source: tuple[str, ...] = ()
    """What ``from`` points to, for ``move`` and ``copy``."""
    value: Json = None


def apply(document: Json, patch: Json) -> Json:
    """The document after the patch: 400 for what is no patch, 413 for a patch too long, `RejectedError` for one that doesn't apply."""
    result = _Document(document)
    for operation in parse(patch):
        try:
            _APPLY[operation.op](result, operation)
        except _MissingError as missing:
            raise RejectedError(f"{operation.op} operation does not apply: doc is missing path: {operation.pointer}: {missing}") from None
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
    source = _parse_pointer(item.get("from"), "from", index) if name in {"move", "copy"} else ()
    return Operation(name, path, item["path"], source, item.get("value"))


def _parse_pointer(pointer: Json, member: str, index: int) -> tuple[str, ...]:
    if not isinstance(pointer, str) or (pointer and pointer[0] != "/"):
        raise bad_request(f"error decoding patch: operation {index} needs a {member} that is a JSON pointer")
    if "~" in pointer.replace("~0", "").replace("~1", ""):
        raise bad_request(f"error decoding patch: operation {index}: in {member} a ~ stands for nothing but ~0 and ~1")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


class _MissingError(Exception):
    """A pointer points to nothing."""


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
        value = self.root
        for part in path:
            value = _child(value, part)
        return value

    def writable(self, path: tuple[str, ...]) -> Json:
        """The container at a path; it and all around it are this document's own from now on."""
        self.root = container = self._own(self.root)
        for part in path:
            own = self._own(_child(container, part))
            if isinstance(container, list):
                container[_index(container, part)] = own
            else:
                container[part] = own
            container = own
        return container

    def _own(self, container: Json) -> Json:
        if id(container) in self._owned or not isinstance(container, dict | list):
            return container
        self.step(len(container))
        own = container.copy()
        self._owned[id(own)] = own
        return own


def _add(document: _Document, operation: Operation) -> None:
    _put(document, operation.path, operation.value)


def _remove(document: _Document, operation: Operation) -> None:
    _take(document, operation.path)


def _replace(document: _Document, operation: Operation) -> None:
    if not operation.path:
        document.root = operation.value
        return
    parent, part = document.writable(operation.path[:-1]), operation.path[-1]
    if not isinstance(parent, dict):
        _child(parent, part)
    _check_levels(document, operation.path, operation.value)
    parent[_index(parent, part) if isinstance(parent, list) else part] = operation.value


def _move(document: _Document, operation: Operation) -> None:
    if operation.path == operation.source:
        document.read(operation.source)
        return
    if operation.path[: len(operation.source)] == operation.source:
        raise RejectedError(f"move operation does not apply: {operation.pointer} lies inside of what is moved")
    _put(document, operation.path, _take(document, operation.source))


def _copy(document: _Document, operation: Operation) -> None:
    value = document.read(operation.source)
    document.copied_bytes += len(codec.encode(value))
    if document.copied_bytes > limits.JSON_PATCH_COPIED_BYTES:
        raise RejectedError(
            "Unable to complete the copy, the accumulated size increase of copy is "
            f"{document.copied_bytes}, exceeding the limit {limits.JSON_PATCH_COPIED_BYTES}"
        )
    _put(document, operation.path, copy_json(value))


def _test(document: _Document, operation: Operation) -> None:
    """What isn't there is null."""
    document.step(codec.extent(operation.value)[1])
    found = document.read(operation.path[:-1])
    if operation.path:
        found = found.get(operation.path[-1]) if isinstance(found, dict) else _child(found, operation.path[-1])
    if not deep_equal(found, operation.value):
        raise FailedTestError(f"testing value {operation.pointer} failed: test failed")


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
    elif isinstance(parent, dict):
        parent[part] = value
    else:
        raise _MissingError("missing value")


def _take(document: _Document, path: tuple[str, ...]) -> Json:
    if not path:
        taken, document.root = document.root, None
        return taken
    parent, part = document.writable(path[:-1]), path[-1]
    taken = _child(parent, part)
    if isinstance(parent, list):
        document.step(len(parent) // _ITEMS_A_STEP)
    del parent[_index(parent, part) if isinstance(parent, list) else part]
    return taken


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
    raise _MissingError(f"Unable to access invalid index: {part}: invalid index referenced")


def _check_levels(document: _Document, path: tuple[str, ...], value: Json) -> None:
    levels, values = codec.extent(value)
    document.step(values)
    if len(path) + levels > limits.OBJECT_LEVELS:
        raise RejectedError(f"exceeded max depth: at most {limits.OBJECT_LEVELS} levels of nesting")
