"""Objects that mutations construct: ``Object{spec: Object.spec{replicas: 1}}``, ``JSONPatch{op: "add", …}``.

The CEL library can't be told of their types, which are named as they are constructed. As maps they are written down like this:
``{'spec': {'replicas': 1}}``, and so they are evaluated; `svcsim.schema.cel.checker` is told which maps are such objects.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.crossings import gives_optional
from svcsim.schema.cel.functions import Function
from svcsim.schema.cel.trees import Call, Entries, Name, Scalar, Selected, Tree, Written, mapped
from svcsim.schema.cel.value_types import ANY_FIELDS, DYN, TEXT, Known, ValueType
from svcsim.schema.wire import VARINT, tag, varint

_TOKEN = re.compile(
    r"""(?P<text>[rRbB]{0,2}(?:'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))"""
    r"""|(?P<type>(?<![\w.])(?:Object(?:\.\w+)*|JSONPatch)(?=\s*\{))|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<other>.)""",
    re.DOTALL,
)
_NULL = Scalar("null_type", tag(1, VARINT) + varint(0))
_OPENING, _CLOSING = "{[(", "}])"
_OBJECT = "Object"
_OPERATION = ValueType("JSONPatch", fields=Known({**dict.fromkeys(("op", "path", "from"), TEXT), "value": DYN}))


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


OF_PATCHES: Final = (Function("jsonpatch.escapeKey", cel.Type.STRING, (cel.Type.STRING,), _escaped, member=False),)
"""What else mutations may call: a key as it stands in the path of an operation."""


class Constructing(NamedTuple):
    """An expression with maps for what it constructs. Where types stood there are blanks."""

    text: str
    types: Mapping[int, ValueType] = MappingProxyType({})
    """What is constructed, by where its map begins."""
    colons: Mapping[int, int] = MappingProxyType({})
    """Where the author's text has the colon of a field, by where its name stands here: there Kubernetes marks what is wrong with one."""
    quotes: tuple[int, ...] = ()
    """Where the quotes of fields' names stand, which the author's text doesn't have."""

    def as_written(self, at: int) -> int:
        """Where the author's text has what stands here."""
        return self.colons.get(at, at - bisect_left(self.quotes, at))


def as_maps(text: str) -> Constructing:
    """What an expression is compiled as that may construct objects."""
    pieces: list[str] = []
    types: dict[int, ValueType] = {}
    constructing: list[bool] = []
    """For each open bracket, whether it holds the fields of a type."""
    colons: dict[int, int] = {}
    quotes: list[int] = []
    length, made, at_key, named = 0, "", False, -1
    for token in _TOKEN.finditer(text):
        kind, found = token.lastgroup, token[0]
        if kind == "type":
            made = found
            piece = " " * len(found)
        else:
            piece = f"'{found}'" if kind == "name" and at_key else found
            if piece != found:
                quotes += (length, length + len(found) + 1)
                named = length
            elif found == ":" and named >= 0:
                colons[named], named = length - len(quotes), -1
        if kind not in ("type", "space"):
            if found in _OPENING:
                if made:
                    types[length] = _OPERATION if made == _OPERATION.name else ValueType(made, fields=ANY_FIELDS)
                constructing.append(bool(made))
                made = ""
            elif found in _CLOSING and constructing:
                constructing.pop()
            at_key = bool(constructing) and constructing[-1] and found in ("{", ",", "?") and kind == "other" and (found != "?" or at_key)
        pieces.append(piece)
        length += len(piece)
    return Constructing("".join(pieces), types, colons, tuple(quotes))


def settled(tree: Tree, types: Mapping[int, ValueType], optional: AbstractSet[str] = frozenset()) -> Tree:
    """An expression in which the optional values that stand in what it constructs are what they hold, as Kubernetes writes them.

    ``optional`` are the variables that are such values. One that holds nothing is null in an object. In an operation of a patch the whole
    expression comes to nothing.
    """
    if not isinstance(tree, Entries) or tree.at not in types:
        return mapped(tree, lambda one: settled(one, types, optional))
    nothing = None if types[tree.at] == _OPERATION else _NULL

    def value(one: Tree) -> Tree:
        match one:
            case Call("dyn", (of,)):
                return value(of)
            case Selected(Name("variables"), name) if name in optional:
                return _held(one, nothing)
            case Call("_?_:_", (condition, first, other)):
                return one._replace(arguments=(settled(condition, types, optional), value(first), value(other)))
            case Entries() if one.at not in types:
                return one._replace(entries=tuple([each._replace(value=item(each.value, kept=each.optional)) for each in one.entries]))
            case Written():
                return one._replace(items=tuple([item(each, kept=index in one.optional) for index, each in enumerate(one.items)]))
        made = settled(one, types, optional)
        return _held(made, nothing) if gives_optional(one) else made

    def item(one: Tree, *, kept: bool) -> Tree:
        return settled(one, types, optional) if kept else value(one)

    return tree._replace(entries=tuple([one._replace(value=item(one.value, kept=one.optional)) for one in tree.entries]))


def _held(tree: Tree, nothing: Tree | None) -> Tree:
    held = Call("value", (tree,), member=True)
    return held if nothing is None else Call("_?_:_", (Call("hasValue", (tree,), member=True), held, nothing))


@lru_cache(limits.CEL_REQUEST_PROGRAMS)
def misplaced(text: str) -> str:
    """What is said of an object that is constructed as another type than the field it stands in; empty where there is none."""
    within: list[tuple[str, str]] = []
    """For each open bracket, the type that is constructed in it, and the field that comes next."""
    made = key = before = ""
    for token in _TOKEN.finditer(text):
        kind, found = token.lastgroup, token[0]
        if kind == "space":
            continue
        if kind == "type":
            made = found
            around, field = next(((one, name) for one, name in reversed(within) if one), ("", ""))
            if around.startswith(_OBJECT) and made.startswith(_OBJECT) and made != f"{around}.{field}":
                return f'unexpected type name "{made}", expected "{around}.{field}", which matches field name path from root Object type'
        elif found in _OPENING:
            within.append((made if found == "{" else "", ""))
            made = ""
        elif found in _CLOSING and within:
            within.pop()
        elif found == ":" and within and within[-1][0] and before in ("{", ","):
            within[-1] = within[-1][0], key
        elif kind == "name" or found == "?":
            key = found
            continue
        before = found
    return ""
