"""CEL in webhook configurations and admission policies: whether an expression can be compiled, and what it comes to.

The variables and functions that such expressions have are declared here, and nothing is evaluated. Requests and namespaces have types of
their own in other implementations; here whatever is selected from them may be of any type, so that where only such a value decides what an
expression comes to, it is let pass.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional

from svcsim import limits
from svcsim.kinds.admissionregistration.constructions import as_maps
from svcsim.meta.errors import FieldError, invalid_value

BOOL, STRING, STRING_OR_NULL, LIST, MAP = ("bool",), ("string",), ("string", "null_type"), ("list",), ("map",)
"""What expressions may have to come to."""

_BOOL, _INT, _TEXT, _ANY = cel.Type.BOOL, cel.Type.INT, cel.Type.STRING, cel.Type.DYN
_LIST = cel.Type.List(_ANY)
_MEMBERS: tuple[tuple[cel.Type, str], ...] = (
    (_BOOL, "isSorted/list isLessThan/any,any isGreaterThan/any,any allowed/any errored/any isCanonical/any isUnspecified/any"),
    (_BOOL, "isLoopback/any isLinkLocalMulticast/any isLinkLocalUnicast/any isGlobalUnicast/any containsIP/any,any containsCIDR/any,any"),
    (_BOOL, "isInteger/any"),
    (_INT, "indexOf/list,any indexOf/text,text indexOf/text,text,int lastIndexOf/list,any lastIndexOf/text,text"),
    (_INT, "lastIndexOf/text,text,int compareTo/any,any asInteger/any sign/any major/any minor/any patch/any family/any prefixLength/any"),
    (_TEXT, "find/text,text getScheme/any getHost/any getHostname/any getPort/any getEscapedPath/any reason/any error/any"),
    (_TEXT, "charAt/text,int join/list join/list,text lowerAscii/text upperAscii/text trim/text reverse/text format/text,list"),
    (_TEXT, "replace/text,text,text replace/text,text,text,int substring/text,int substring/text,int,int"),
    (_LIST, "findAll/text,text findAll/text,text,int split/text,text split/text,text,int"),
    (_ANY, "sum/list min/list max/list add/any,any sub/any,any asApproximateFloat/any getQuery/any masked/any ip/any validate/any,text"),
    (_ANY, "path/any,text group/any,text serviceAccount/any,text,text resource/any,text subresource/any,text namespace/any,text"),
    (_ANY, "name/any,text check/any,text fieldSelector/any,text labelSelector/any,text"),
)
_FUNCTIONS: tuple[tuple[cel.Type, str], ...] = (
    (_BOOL, "isURL/text isQuantity/text isIP/text isCIDR/text isSemver/text isSemver/text,bool ip.isCanonical/text"),
    (_BOOL, "sets.contains/list,list sets.equivalent/list,list sets.intersects/list,list"),
    (_TEXT, "strings.quote/text jsonpatch.escapeKey/text"),
    (_ANY, "url/text quantity/text ip/text cidr/text semver/text semver/text,bool format.named/text format.dns1123Label/"),
)
_PARAMETERS = {"list": _LIST, "any": _ANY, "text": _TEXT, "int": _INT, "bool": _BOOL}
_UNTYPED = re.compile(r"(?<![\w.])(request|namespaceObject|variables)\b")
_VARIABLE = re.compile(r"(?<![\w.])variables\.\??([A-Za-z_]\w*)")


class Scope(NamedTuple):
    """What expressions can use beside the request and its objects."""

    params: bool = False
    authorizer: bool = True
    variables: AbstractSet[str] = frozenset()
    constructs: bool = False
    """Whether they may construct objects and operations of patches."""


def expression_rules(text: str, path: str, scope: Scope, results: tuple[str, ...] = ()) -> Iterator[FieldError]:
    """What is wrong with an expression that has to come to one of these types, or to anything."""
    try:
        program = _environment(scope.params, scope.authorizer).compile(as_maps(text) if scope.constructs else text)
    except RuntimeError as error:  # what the library raises for whatever it can't compile
        yield invalid_value(path, text, f"compilation failed: {_told(str(error))}")
        return
    result = _type_name(program.return_type().name())
    for found in _VARIABLE.finditer(text):
        if found[1] not in scope.variables:
            mistake = _at(text, found.start(1) - 1, f"undefined field '{found[1]}'")
            yield invalid_value(path, text, f"compilation failed: {mistake}")
    if not results or result.partition("(")[0] in results or (result == "dyn" and _UNTYPED.search(text)):
        return
    wanted = results[0] if len(results) == 1 else f"one of [{' '.join(results)}]"
    yield invalid_value(path, text, f"must evaluate to {wanted} but got {result}")


def _type_name(name: str) -> str:
    """A type as CEL spells it: ``list(string)``."""
    return "null_type" if name == "NULL" else name.lower().replace("<", "(").replace(">", ")")


def _told(error: str) -> str:
    """The library's own words, without how it classifies them."""
    return error.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")


def _at(text: str, offset: int, what: str) -> str:
    """As the library tells of a mistake: its place, and the line with a mark below."""
    line = text[:offset].count("\n")
    column = offset - (text.rfind("\n", 0, offset) + 1)
    shown = text.split("\n")[line]
    return f"ERROR: <input>:{line + 1}:{column + 1}: {what}\n | {shown}\n | {'.' * column}^"


@lru_cache(limits.CEL_ENVIRONMENTS)
def _environment(params: bool, authorizer: bool) -> cel.Env:
    names = ["object", "oldObject", "request", "namespaceObject", "variables"]
    names += [name for name, there in (("params", params), ("authorizer", authorizer)) if there]
    return cel.NewEnv(
        variables=dict.fromkeys(names, _ANY),
        extensions=[ext_optional.ExtOptional(), ext_bindings.ExtBindings(), ext_math.ExtMath(), ext_encoders.ExtEncoders()],
        functions=_declared(),
    )


def _declared() -> list[cel.FunctionDecl]:
    """All functions, each with its overloads."""
    overloads: dict[str, list[cel.Overload]] = {}
    for table, is_member in ((_MEMBERS, True), (_FUNCTIONS, False)):
        for returns, functions in table:
            for function in functions.split():
                name, _, parameters = function.partition("/")
                types = [_PARAMETERS[parameter] for parameter in parameters.split(",") if parameter]
                key = f"{'member' if is_member else 'global'}_{function.replace('/', '_').replace(',', '_')}"
                overload = cel.Overload(key, return_type=returns, parameters=types, is_member=is_member)
                overloads.setdefault(name, []).append(overload)
    return [cel.FunctionDecl(name, found) for name, found in overloads.items()]
