"""Prints what a Go template makes of each object."""

from svcsim.cli.failure import CommandError
from svcsim.meta.gotemplate.errors import TemplateError
from svcsim.meta.gotemplate.formatting import default_text
from svcsim.meta.gotemplate.running import as_read_by_go, read, render
from svcsim.meta.types import Object
from svcsim.printing.tabs import Sink
from svcsim.printing.values import compact_json, quote


class GoTemplatePrinter:
    """Adds no line end of its own. ``strict``: a key that isn't there is a mistake."""

    def __init__(self, template: str, *, strict: bool = False) -> None:
        self._source = template
        self._strict = strict
        try:
            self._template = read(template)
        except TemplateError as error:
            raise CommandError(f"error parsing template {template}, {error}") from error

    def print(self, obj: Object, out: Sink) -> None:
        """Print what the template makes of the object; where it breaks off, also what it was given."""
        value = as_read_by_go(obj)
        try:
            render(self._template, value, out.write, strict=self._strict)
        except TemplateError as error:
            out.write(
                f"Error executing template: {error}. Printing more information for debugging the template:\n"
                f"\ttemplate was:\n\t\t{self._source}\n\traw data was:\n\t\t{compact_json(obj)}\n"
                f"\tobject given to template engine was:\n\t\t{default_text(value)}\n\n"
            )
            raise CommandError(f"error executing template {quote(self._source)}: {error}") from error
