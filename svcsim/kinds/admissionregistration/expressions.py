"""What expressions in webhook configurations and admission policies may use, and have to come to."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeAlias

from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context, Rule, UpdateRule

BOOL, STRING, STRING_OR_NULL, OBJECT, OPERATIONS = ("bool",), ("string",), ("string", "null_type"), ("Object",), ("list(JSONPatch)",)
"""What expressions may have to come to."""
Look: TypeAlias = Callable[[Json, frozenset[str]], Iterable[FieldError]]
"""What is wrong with a part of an object, where these expressions were there before, as they are compared with those of a change."""
_EXPRESSIONS = ("expression", "messageExpression", "valueExpression")
"""The fields that hold them."""


class Scope(NamedTuple):
    """What expressions can use beside the request and its objects."""

    params: bool = False
    authorizer: bool = True
    variables: Mapping[str, str] | None = None
    """The expressions of a policy's variables, in their order; None where nobody knows of ``variables``."""
    types: dict[str, object] | None = None
    """What those come to, as far as that has been found out."""
    constructs: bool = False
    """Whether they may construct objects and operations of patches."""
    stored: AbstractSet[str] = frozenset()
    """Expressions that were there before: what is kept may go on using what it could use when it was stored."""


def of_creation(field: str, look: Look) -> Rule:
    """The rule of a creation for a field with expressions."""
    return lambda obj, _context: look(obj.get(field), frozenset())


def of_change(field: str, look: Look) -> UpdateRule:
    """The rule of an update for a field with expressions: stored ones that stay are checked as they were when they were stored."""

    def check(new: Object, old: Object, _context: Context) -> Iterable[FieldError]:
        before, after = old.get(field), new.get(field)
        return () if same_json(after, before) else look(after, frozenset(_all_expressions(before)))

    return check


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
