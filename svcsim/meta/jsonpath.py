"""Walking JSONPath: from a value along fields, indexes, slices, unions, wildcards, filters and recursive descent.

A path is parsed once (`svcsim.meta.jsonpath_parser`), and each kind of node has its function here. Printed columns of custom resources are
such paths, and the templates of the command line are made of them.
"""

from svcsim.meta.jsonpath_parser import (
    Either,
    FieldAccess,
    Filter,
    JsonPathError,
    Node,
    Path,
    Range,
    Recursive,
    Slice,
    Template,
    Text,
    Wildcard,
)
from svcsim.meta.types import Json

_GO_TYPES = {type(None): "<nil>", dict: "map[string]interface {}", list: "[]interface {}", bool: "bool", int: "int64", float: "float64"}


def find(path: Path, value: Json, *, strict: bool = False) -> list[Json]:
    values = [value]
    for node in path:
        values = _step(node, values, strict=strict)
    return values


def results(template: Template, value: Json, *, strict: bool = False) -> list[list[Json]]:
    """What each expression finds, in order; text counts as an expression that finds itself. ``strict``: a field has to be there."""
    found: list[list[Json]] = []
    for part in template:
        if isinstance(part, Range):
            for item in find(part.over, value, strict=strict):
                found += results(part.body, item, strict=strict)
        else:
            found.append(find(part, value, strict=strict))
    return found


def _step(node: Node, values: list[Json], *, strict: bool) -> list[Json]:
    match node:
        case Text(value):
            return [value]
        case FieldAccess(name):
            found = [value[name] for value in values if isinstance(value, dict) and name in value]
            if strict and not found:
                raise JsonPathError(f"{name} is not found")
            return found
        case Wildcard():
            return [child for value in values for child in _children(value)]
        case Recursive():
            return [below for value in values for below in _descend(value)]
        case Slice():
            return [item for value in values if value is not None for item in _slice(node, value)]
        case Either(branches):
            return [found for branch in branches for value in values for found in find(branch, value, strict=strict)]
        case Filter():
            return [item for value in values if value is not None for item in _filter(node, value)]


def _children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    return value if isinstance(value, list) else []


def _descend(value: Json) -> list[Json]:
    children = _children(value)
    return [value, *(below for child in children for below in _descend(child))] if children else []


def _slice(node: Slice, value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise JsonPathError(f"{_GO_TYPES.get(type(value), 'string')} is not array or slice")
    length = len(value)
    start = node.start or 0
    start += length if start < 0 else 0
    end = length if node.end is None else node.end
    end += length if end < 0 or (end == 0 and node.single) else 0
    if start == end:
        return []
    if not 0 <= start < length:
        raise JsonPathError(f"array index out of bounds: index {start}, length {length}")
    if not 0 <= end <= length:
        raise JsonPathError(f"array index out of bounds: index {end - 1}, length {length}")
    if start > end:
        raise JsonPathError(f"starting index {start} is greater than ending index {end}")
    if node.step is not None and node.step <= 0:
        raise JsonPathError("step must be > 0")
    return value[start : end : node.step or 1]


def _filter(node: Filter, value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise JsonPathError(f"{value} is not array or slice and cannot be filtered")
    return [item for item in value if _holds(node, item)]


def _holds(node: Filter, item: Json) -> bool:
    lefts = find(node.left, item)
    if not node.operator:
        return bool(lefts)
    rights = find(node.right, item)
    if not lefts or not rights:
        return False
    if len(lefts) > 1 or len(rights) > 1:
        raise JsonPathError("can only compare one element at a time")
    return _compare(lefts[0], node.operator, rights[0])


def _compare(left: Json, operator: str, right: Json) -> bool:
    if _family(left) != _family(right):
        raise JsonPathError("incompatible types for comparison")
    match operator:
        case "==":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case ">=":
            return bool(left >= right)
    raise JsonPathError(f"unrecognized filter operator {operator}")


def _family(value: Json) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    raise JsonPathError("invalid type for comparison")
