"""Whether a field is there, asked of whatever it may be asked of.

Kubernetes' CEL says of a null, a number or a text that it has no field: ``has(oldObject.spec)`` is false where ``oldObject`` is null, and
``oldObject.?spec`` is an optional value without one. The CEL library here gives up on such a question. It is rare and can't be told from
the expression, so that the library is asked first; if it gives up for that, the same expression is asked once more with these questions
in the form of functions that are written in Python. So is what is taken of such a value, which Kubernetes names: ``no such key: spec``.
"""

from collections.abc import Collection
from typing import Final

from cel_expr_python import cel

from svcsim.schema.cel.crossings import OPTIONAL_FIELDS, SELECT, Optional, gives_optional
from svcsim.schema.cel.functions import Function
from svcsim.schema.cel.trees import Call, Loop, Name, Selected, Text, Tree, mapped

_HAS, _FIELD = "@has", "@field"
_GIVEN_UP: Final = ("Applying SELECT to non-message type", *(f"No matching overloads found : {name}" for name in OPTIONAL_FIELDS))
_NONE: Final = Optional(())
_NAMES: Final = {str: "string", float: "double"}
"""CEL's names of types, if they differ from Python's."""


def gave_up(message: str) -> bool:
    """Whether the library says that it can't tell because something may have no fields."""
    return any(words in message for words in _GIVEN_UP)


def in_optional_values(tree: Tree) -> Tree:
    """What is taken of an optional value by an index is optional itself, as it is by a field's name."""
    if isinstance(tree, Call) and tree.function == "_[_]" and gives_optional(tree.arguments[0]):
        return tree._replace(function="_[?_]")
    return tree


def tolerant(tree: Tree, variables: Collection[str]) -> Tree:
    """An expression about these variables in which such questions are asked of anything."""
    known = {*variables, tree.item, tree.second, tree.name} if isinstance(tree, Loop) else variables
    tree = mapped(tree, lambda one: tolerant(one, known))
    if isinstance(tree, Selected) and tree.asked:
        return Call(_HAS, (tree.of, Text(tree.name)), at=tree.at)
    if isinstance(tree, Selected) and gives_optional(tree.of):
        return Call(SELECT, (tree.of, Text(tree.name)), at=tree.at)
    if isinstance(tree, Selected) and _is_value(tree.of, variables):
        return Call(_FIELD, (tree.of, Text(tree.name)), at=tree.at)
    if isinstance(tree, Call) and tree.function in OPTIONAL_FIELDS:
        return Call(SELECT, tree.arguments, at=tree.at)
    return tree


def _is_value(tree: Tree, variables: Collection[str]) -> bool:
    """Whether this is a value, and not the beginning of a type's name."""
    if isinstance(tree, Selected):
        return _is_value(tree.of, variables)
    return not isinstance(tree, Name) or tree.name in variables


def _has(value: object, name: str) -> bool:
    if isinstance(value, list):
        raise ValueError("unsupported index type 'string' in list")  # noqa: TRY004 - said in CEL's words, by `CallError`
    if isinstance(value, Optional):
        return any(_has(one, name) for one in value.values)
    return isinstance(value, dict) and name in value


def _select(value: object, key: object) -> Optional:
    if isinstance(value, Optional):
        return _select(value.values[0], key) if value.values else _NONE
    if isinstance(value, dict):
        found = [one for known, one in value.items() if known == key and isinstance(known, bool) == isinstance(key, bool)]
        return Optional(tuple(found))
    if isinstance(value, list):
        if not isinstance(key, int) or isinstance(key, bool):
            raise ValueError(f"unsupported index type '{_NAMES.get(type(key), type(key).__name__)}' in list")  # noqa: TRY004 - as above
        return Optional((value[key],)) if 0 <= key < len(value) else _NONE
    return _NONE


def _field(value: object, name: str) -> object:
    if isinstance(value, dict) and name in value:
        return value[name]
    raise LookupError(f"no such key: {name}")


PRESENCE = (
    Function(_FIELD, cel.Type.DYN, (cel.Type.DYN, cel.Type.STRING), _field, member=False),
    Function(_HAS, cel.Type.BOOL, (cel.Type.DYN, cel.Type.STRING), _has, member=False),
    Function(SELECT, cel.Type.DYN, (cel.Type.DYN, cel.Type.DYN), _select, member=False),
)
"""What is asked in Python: see `tolerant`."""
