"""What commands that change objects have in common: their flags, and how they tell what they did."""

from svcsim.cli.flags import Flag, switch
from svcsim.cli.output.printers import JsonPrinter, NamePrinter, Printer, Templating, WithoutManagedFields, make_printer
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.write_options import DRY_RUN_SUFFIX, dry_run
from svcsim.meta.types import Object
from svcsim.printing.values import sorted_keys

OUTPUT_FLAG = Flag("output", doc="The output format: yaml, json, name, jsonpath=…, go-template=….", short="o",
                   choices=(
                       "yaml", "json", "name", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=", "go-template=", "go-template-file=",
                   ))  # fmt: skip
TEMPLATE_FLAGS = (
    Flag("template", doc="A template, or the file that holds one, where -o names none; a Go template without -o."),
    switch(
        "allow-missing-template-keys", "Print nothing for fields of templates that aren't there; otherwise they are errors.", default=True
    ),
)
"""For `templating`."""
PRINT_FLAGS = (OUTPUT_FLAG, switch("show-managed-fields", "Also print metadata.managedFields."), *TEMPLATE_FLAGS)
"""For `object_printer`."""


def output_format(call: Call) -> str:
    """What ``-o`` asks for; a template alone asks for Go templates."""
    output = call.options.text("output")
    return "go-template" if not output and call.options.text("template") else output


def templating(call: Call) -> Templating:
    """What the flags say about templates."""
    return Templating(call.options.text("template"), strict=not call.options.on("allow-missing-template-keys"))


def object_printer(call: Call, *, typed: bool) -> Printer:
    """The printer for ``-o``. ``typed``: of a kind kubectl knows, whose fields keep their order."""
    output, managed = output_format(call), call.options.on("show-managed-fields")
    if typed and output.lower() == "json":
        return JsonPrinter(typed=True) if managed else WithoutManagedFields(JsonPrinter(typed=True))
    return make_printer(output, show_managed_fields=managed, templating=templating(call))


class Reporter:
    """Tells what was done: ``pod/web created``, or with ``-o`` the objects. ``together`` prints several as one list, at the end."""

    def __init__(self, call: Call, dry: str | None = None, *, together: bool = False, typed: bool = False) -> None:
        self._call = call
        self._out = call.session.out
        self._output = output_format(call)
        self._dry = dry_run(call) if dry is None else dry
        self._together = together
        self._objects: list[Object] = []
        named = self._output.lower() in ("", "name")
        self._printer = None if named else object_printer(call, typed=typed)

    def done(self, obj: Object, operation: str) -> None:
        """An object was created, changed, or found to be as it should."""
        if self._printer is None:
            NamePrinter(operation + DRY_RUN_SUFFIX[self._dry], short=bool(self._output)).print(obj, self._out)
        elif self._together:
            self._objects.append(obj)
        else:
            self._printer.print(obj, self._out)

    def finish(self) -> None:
        """Print what was kept to be printed together."""
        if self._printer is None or not self._objects:
            return
        if len(self._objects) == 1:
            self._printer.print(self._objects[0], self._out)
            return
        items = self._objects
        if self._output.lower() == "json":
            items = [sorted_keys(item) for item in items]  # the list is a kind kubectl knows, the items are any
        whole = {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}
        object_printer(self._call, typed=True).print(whole, self._out)
