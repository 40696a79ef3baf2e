"""Warnings of formats of text that ask for nothing, as nobody knows them: mistakes in writing, as a rule."""

from collections.abc import Iterator

from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.schema.formats import FORMATS
from svcsim.schema.structural import below

_CHECKED_BY_NOBODY = ("password",)
"""Known all the same."""


def format_warnings(definition: Object) -> Iterator[str]:
    """A warning for each unknown format."""
    return (f"unrecognized format {quoted(form)}" for form in _unrecognized(definition))


def format_warnings_of_change(new: Object, old: Object) -> Iterator[str]:
    """A warning for each unknown format that the update adds."""
    before = _unrecognized(old)
    return (f"unrecognized format {quoted(form)}" for form in _unrecognized(new) if form not in before)


def _unrecognized(definition: Object) -> dict[str, None]:
    found: dict[str, None] = {}
    for version in (definition.get("spec") or {}).get("versions") or ():
        found.update(dict.fromkeys(_of_schema((version.get("schema") or {}).get("openAPIV3Schema") or {})))
    return found


def _of_schema(schema: Object) -> Iterator[str]:
    form = schema.get("format") or ""
    if form and schema.get("type") == "string" and form.replace("-", "") not in FORMATS and form not in _CHECKED_BY_NOBODY:
        yield form
    for part in below(schema):
        yield from _of_schema(part)
