"""JSONPath templates as kubectl knows them: text with ``{expressions}`` in it.

An expression walks from the object along a path (`svcsim.meta.jsonpath`); ``{range}`` … ``{end}`` repeats what stands between for each
result. A template is parsed once (`svcsim.meta.jsonpath_parser`).
"""

from svcsim.cli.failure import CommandError
from svcsim.meta.jsonpath import find, results
from svcsim.meta.jsonpath_parser import JsonPathError, Template, parse, relaxed
from svcsim.meta.types import Json
from svcsim.printing.values import compact_json, plain

__all__ = ["JsonPathError", "Template", "find", "parse", "relaxed", "render", "results", "values"]


def render(template: Template, value: Json, *, strict: bool = False) -> str:
    """The text a template comes to."""
    return "".join(_text(found) for found in results(template, value, strict=strict))


def values(template: Template, value: Json) -> list[Json]:
    """All that a template finds; what it can't be asked of this value ends the command."""
    try:
        return [item for group in results(template, value) for item in group]
    except JsonPathError as error:
        raise CommandError(str(error)) from error


def _text(found: list[Json]) -> str:
    return " ".join(compact_json(item) if isinstance(item, dict | list) else plain(item) for item in found)
