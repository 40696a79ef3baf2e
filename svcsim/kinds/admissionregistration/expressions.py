"""What expressions in webhook configurations and admission policies may use, and have to come to."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from svcsim.meta.types import Json

BOOL, STRING, STRING_OR_NULL, LIST, MAP = ("bool",), ("string",), ("string", "null_type"), ("list",), ("map",)
"""What expressions may have to come to."""
_EXPRESSIONS = ("expression", "messageExpression", "valueExpression")
"""The fields that hold them."""


class Scope(NamedTuple):
    """What expressions can use beside the request and its objects."""

    params: bool = False
    authorizer: bool = True
    variables: AbstractSet[str] = frozenset()
    constructs: bool = False
    """Whether they may construct objects and operations of patches."""
    stored: AbstractSet[str] = frozenset()
    """Expressions that were there before: what is kept may go on using what it could use when it was stored."""


def stored_expressions(value: Json) -> frozenset[str]:
    """All expressions in a part of an object, as they are compared with those of a change."""
    return frozenset(_all_expressions(value))


def _all_expressions(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            if name in _EXPRESSIONS and isinstance(item, str):
                yield from (item, item.strip())
            else:
                yield from _all_expressions(item)
    elif isinstance(value, list):
        for item in value:
            yield from _all_expressions(item)
