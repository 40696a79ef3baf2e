"""From ``-o FORMAT`` to something that prints objects.

Each printer takes one object or list at a time; printing several separates them as the format wants it. Tables are not printed here but
in `svcsim.cli.output.table`, because the server makes them.
"""

from pathlib import Path
from typing import NamedTuple, Protocol

from svcsim.cli.failure import CommandError
from svcsim.meta.objects import gvk_of, is_list, name_of, unmanaged
from svcsim.meta.types import Object
from svcsim.printing import values
from svcsim.printing.tabs import Sink, TabWriter, escape

GET_FORMATS = (
    "json", "yaml", "name", "go-template", "go-template-file", "template", "templatefile",
    "jsonpath", "jsonpath-as-json", "jsonpath-file", "custom-columns", "custom-columns-file", "wide",
)  # fmt: skip
FORMATS = GET_FORMATS[:10]
"""What commands other than ``get`` know."""


_ANY_CASE = ("json", "yaml", "name")
"""May be spelled in capitals."""


class Printer(Protocol):
    """Prints objects, one after the other."""

    def print(self, obj: Object, out: Sink) -> None:
        """Print one object, or one list."""
        ...


class Templating(NamedTuple):
    """What flags say about templates, beside ``-o``."""

    template: str = ""
    """``--template``: used where ``-o`` names a format and no template; alone it is a Go template."""
    strict: bool = False
    """``--allow-missing-template-keys=false``."""


NO_TEMPLATE = Templating()


def make_printer(
    output: str,
    *,
    show_managed_fields: bool = False,
    no_headers: bool = False,
    formats: tuple[str, ...] = FORMATS,
    templating: Templating = NO_TEMPLATE,
) -> Printer:
    """The printer for ``-o``. Raises `CommandError` for what it doesn't know."""
    name, equals, argument = output.partition("=")
    name = name.lower() if name.lower() in _ANY_CASE and not equals else name
    if name not in formats or name == "wide":
        raise CommandError(
            f'unable to match a printer suitable for the output format "{output}", allowed formats are: {",".join(sorted(formats))}'
        )
    if name in ("json", "yaml"):
        plain: Printer = JsonPrinter() if name == "json" else YamlPrinter()
        return plain if show_managed_fields else WithoutManagedFields(plain)
    if name == "name":
        return NamePrinter()
    if "template" in name or "jsonpath" in name:
        return _templated(name, argument or templating.template, strict=templating.strict)
    from svcsim.cli.output.custom_columns import CustomColumnsPrinter

    if not argument:
        raise CommandError("custom-columns format specified but no custom columns given")
    if name == "custom-columns-file":
        return CustomColumnsPrinter.from_file(_file(argument), no_headers=no_headers)
    return CustomColumnsPrinter.from_spec(argument, no_headers=no_headers)


def _templated(name: str, template: str, *, strict: bool) -> Printer:
    if not template:
        raise CommandError("template format specified but no template given")
    if name.endswith("file"):
        template = _file(template)
    if name.startswith("jsonpath"):
        return JsonPathPrinter(template, as_json=name == "jsonpath-as-json", strict=strict)
    from svcsim.cli.output.gotemplate_printer import GoTemplatePrinter

    return GoTemplatePrinter(template, strict=strict)


def _file(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise CommandError(f"error reading --template {path}, open {path}: {(error.strerror or str(error)).lower()}") from error


class JsonPrinter:
    """Indented JSON, one document after the other. ``typed`` keeps the order of fields, as kubectl does for kinds it knows."""

    def __init__(self, *, typed: bool = False) -> None:
        self._typed = typed

    def print(self, obj: Object, out: Sink) -> None:
        out.write(values.indented_json(obj, in_order=self._typed) + "\n")


class YamlPrinter:
    """YAML; from the second document on a line ``---`` stands before each."""

    def __init__(self) -> None:
        self._printed = 0

    def print(self, obj: Object, out: Sink) -> None:
        from svcsim.meta.codec import encode_yaml

        self._printed += 1
        out.write(("---\n" if self._printed > 1 else "") + encode_yaml(obj).decode())


class NamePrinter:
    """``pod/web``, and what was done to it where that is to be said: ``pod/web created``."""

    def __init__(self, operation: str = "", *, short: bool = False) -> None:
        self._operation = "" if short or not operation else f" {operation}"

    def print(self, obj: Object, out: Sink) -> None:
        """Print an object's name, or one line for each in a list."""
        if is_list(obj):
            for item in obj.get("items") or []:
                self.print(item, out)
            return
        gvk = gvk_of(obj)
        kind = f"{gvk.kind.lower()}.{gvk.group}" if gvk.group else gvk.kind.lower()
        out.write(f"{kind}/{name_of(obj)}{self._operation}\n")


class JsonPathPrinter:
    """What a JSONPath template finds, without a line end of its own."""

    def __init__(self, template: str, *, as_json: bool = False, strict: bool = False) -> None:
        from svcsim.cli.output import jsonpath

        self._source = template
        self._as_json = as_json
        self._strict = strict
        self._jsonpath = jsonpath
        try:
            self._template = jsonpath.parse(template)
        except jsonpath.JsonPathError as error:
            raise CommandError(f"error parsing jsonpath {template}, {error}") from error

    def print(self, obj: Object, out: Sink) -> None:
        """Print what the template finds in the object."""
        try:
            if not self._as_json:
                out.write(self._jsonpath.render(self._template, obj, strict=self._strict))
                return
            found = self._jsonpath.results(self._template, obj, strict=self._strict)
        except self._jsonpath.JsonPathError as error:
            raise CommandError(self._failure(error, obj)) from error
        for group in found:
            out.write(values.indented_json(group) + "\n")

    def _failure(self, error: Exception, obj: Object) -> str:
        """What is wrong, and what it was wrong with."""
        from svcsim.meta.gotemplate.formatting import source_text

        return (
            f"error executing jsonpath {values.quote(self._source)}: Error executing template: {error}. "
            f"Printing more information for debugging the template:\n\ttemplate was:\n\t\t{self._source}\n"
            f"\tobject given to jsonpath engine was:\n\t\t{source_text(obj)}"
        )


class WithoutManagedFields:
    """Leaves out who owns which field, which hardly anybody wants to read."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer

    def print(self, obj: Object, out: Sink) -> None:
        """Print the object without ``metadata.managedFields``."""
        if is_list(obj):
            obj = {**obj, "items": [unmanaged(item) for item in obj.get("items") or []]}
        self._printer.print(unmanaged(obj), out)


def print_columns(header: list[str], rows: list[list[str]], out: Sink, *, no_headers: bool = False) -> None:
    """A plain table that no server made."""
    tabs = TabWriter(out)
    if not no_headers:
        tabs.line(header)
    for row in rows:
        tabs.line([escape(cell) for cell in row])
    tabs.flush()
