"""What an expression has made, as JSON: moments, spans and bytes are texts there, and other types have no form at all.

Addresses, amounts and the like are texts while an expression is evaluated, and whom it may ask about access is a map. So which values are
of such types is told by the expression, as far as its types are known.
"""

from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.types import Json
from svcsim.schema.cel.checker import checked
from svcsim.schema.cel.constructions import as_maps
from svcsim.schema.cel.functions import AUTHORIZER, DECISION, GROUP_CHECK, OPAQUE, PATH_CHECK, RESOURCE_CHECK
from svcsim.schema.cel.programs import CompileError, parsed
from svcsim.schema.cel.request_types import ASKED_AUTHORIZER, NAMESPACE, OF_STORED, REQUEST
from svcsim.schema.cel.requests import NAMES
from svcsim.schema.cel.value_types import DYN, ValueType
from svcsim.schema.cel.written_out import shortened

_FORMLESS = frozenset(kind.name() for kind in (*OPAQUE, AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION))
_SCOPE = {**dict.fromkeys(NAMES, DYN), "namespaceObject": NAMESPACE, "request": REQUEST, "authorizer": ASKED_AUTHORIZER}
_SAFE = 2**53 - 1
"""The largest number that every reader of JSON knows exactly."""


class NoJsonError(Exception):
    """A value that JSON has no form for; the text says of what type."""


@lru_cache(limits.CEL_REQUEST_PROGRAMS)
def formless(text: str) -> str:
    """The type of a value that an expression writes into what it constructs, and that JSON has no form for; empty where there is none."""
    made = as_maps(text)
    try:
        written = checked(parsed(made.text, NAMES, OF_STORED.parser), _SCOPE, OF_STORED, made.types).written
    except CompileError:  # with variables written into it, it may still be evaluated
        return ""
    return next((name for kind in written for name in _names(kind) if name in _FORMLESS), "")


def _names(kind: ValueType) -> Iterator[str]:
    yield kind.name
    for part in kind.of:
        yield from _names(part)


def as_json(value: object) -> Json:
    """A value that an expression has come to, as it is. Raises `NoJsonError`."""
    return _Writing(exact=False).of(value)


def as_exact_json(value: object) -> Json:
    """The value of an expression as JSON, with numbers as texts if not every JSON reader would read them exactly."""
    return _Writing(exact=True).of(value)


class _Writing(NamedTuple):
    exact: bool

    def of(self, value: object) -> Json:
        match value:
            case dict():
                return {_key(key): self.of(item) for key, item in value.items()}
            case list():
                return [self.of(item) for item in value]
            case None | bool() | str():
                return value
            case float():
                if not isfinite(value):
                    raise NoJsonError(f"double {value}")
                return value
            case int():
                return str(int(value)) if self.exact and abs(value) > _SAFE else int(value)
            case datetime():
                return shortened(value.isoformat().replace("+00:00", "Z"))
            case timedelta():
                return _seconds(value)
            case bytes() | bytearray():
                return b64encode(value).decode()
        raise NoJsonError(type(value).__name__.lower())


def _seconds(span: timedelta) -> str:
    whole, rest = divmod(abs(span) // timedelta(microseconds=1), 1_000_000)
    text = f"{whole}.{rest:06}".rstrip("0").rstrip(".")
    return f"{'-' if span < timedelta() else ''}{text}s"


def _key(key: object) -> str:
    """The text of a key: maps may have numbers and booleans as keys, objects only texts."""
    if isinstance(key, bool):
        return str(key).lower()
    return str(key)
