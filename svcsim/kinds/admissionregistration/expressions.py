"""What expressions in webhook configurations and admission policies may use, and have to come to."""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

BOOL, STRING, STRING_OR_NULL, LIST, MAP = ("bool",), ("string",), ("string", "null_type"), ("list",), ("map",)
"""What expressions may have to come to."""


class Scope(NamedTuple):
    """What expressions can use beside the request and its objects."""

    params: bool = False
    authorizer: bool = True
    variables: AbstractSet[str] = frozenset()
    constructs: bool = False
    """Whether they may construct objects and operations of patches."""
