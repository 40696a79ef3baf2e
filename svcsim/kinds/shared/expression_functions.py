"""CEL in fields of several kinds: the functions that such expressions have, and how mistakes in them are told.

The functions are declared and nothing more, so that expressions can be compiled; nobody evaluates them here.
"""

from cel_expr_python import cel

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


def type_name(name: str) -> str:
    """A type as CEL spells it: ``list(string)``."""
    return "null_type" if name == "NULL" else name.lower().replace("<", "(").replace(">", ")")


def told(error: str) -> str:
    """The library's own words, without how it classifies them."""
    return error.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")


def at_offset(text: str, offset: int, what: str) -> str:
    """As the library tells of a mistake: its place, and the line with a mark below."""
    line = text[:offset].count("\n")
    column = offset - (text.rfind("\n", 0, offset) + 1)
    shown = text.split("\n")[line]
    return f"ERROR: <input>:{line + 1}:{column + 1}: {what}\n | {shown}\n | {'.' * column}^"


def declared_functions() -> list[cel.FunctionDecl]:
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
