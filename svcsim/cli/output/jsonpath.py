"""JSONPath templates as kubectl knows them: text with ``{expressions}`` in it.

An expression walks from the object along a path (`svcsim.meta.jsonpath`); ``{range}`` … ``{end}`` repeats what stands between for each
result. A template is parsed once (`svcsim.meta.jsonpath_parser`).
"""

from svcsim.cli.failure import CommandError
from svcsim.meta.jsonpath import find
from svcsim.meta.jsonpath_parser import JsonPathError, Range, Template, parse, relaxed
from svcsim.meta.types import Json
from svcsim.printing.values import compact_json, plain

__all__ = ["JsonPathError", "Template", "find", "parse", "relaxed", "render", "results", "values"]


def render(template: Template, value: Json, *, strict: bool = False) -> str:
    """The text a template comes to."""
    return "".join(_text(found) for found in results(template, value, strict=strict))


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


def values(template: Template, value: Json) -> list[Json]:
    """All that a template finds; what it can't be asked of this value ends the command."""
    try:
        return [item for group in results(template, value) for item in group]
    except JsonPathError as error:
        raise CommandError(str(error)) from error


def _text(found: list[Json]) -> str:
    return " ".join(compact_json(item) if isinstance(item, dict | list) else plain(item) for item in found)
