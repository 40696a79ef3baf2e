"""Paths by which rules name the field that they find fault with: ``.spec.replicas``, ``.labels['app']``."""

import re
from collections.abc import Iterator

from svcsim.schema.types import Structural

_TOKEN = re.compile(r"[.\[\]]|'(?:\\.|[^'\\])*'|(?:[^.\[\]'\\]|\\.)+|.", re.DOTALL)
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_END = "unexpected end of JSON path"
_NOWHERE = "does not refer to a valid field"


class FieldPathError(Exception):
    """A path that leads nowhere; the text says why."""


def resolved(path: str, node: Structural) -> str:
    """A path as it stands in errors, behind that of a value of the node. Raises `FieldPathError`."""
    tokens = iter(_TOKEN.findall(path))
    told = ""
    for token in tokens:
        if token == ".":
            name = _next(tokens)
        elif token == "[":
            name = _quoted(tokens)
        else:
            raise FieldPathError(f"expected [ or . but got: {token}")
        node, step = _below(node, name)
        told += step
    return told


def _next(tokens: Iterator[str]) -> str:
    token = next(tokens, None)
    if token is None:
        raise FieldPathError(_END)
    return token


def _quoted(tokens: Iterator[str]) -> str:
    quoted = _next(tokens)
    if not _QUOTED.fullmatch(quoted):
        raise FieldPathError(f"expected single quoted string but got {quoted}")
    closing = _next(tokens)
    if closing != "]":
        raise FieldPathError(f"expected ] but got {closing}")
    return _ESCAPED.sub(r"\1", quoted[1:-1])


def _below(node: Structural, name: str) -> tuple[Structural, str]:
    if node.properties:
        if name in node.properties:
            return node.properties[name], f".{name}"
    elif node.additional is not None:
        return node.additional, f"[{name}]"
    raise FieldPathError(_NOWHERE)
