"""What commands that change objects have in common: their flags, and how they tell what they did."""

from svcsim.cli.flags import Call, Flag, switch
from svcsim.cli.output.printers import JsonPrinter, NamePrinter, Printer, WithoutManagedFields, make_printer
from svcsim.cli.shared.write_options import DRY_RUN_SUFFIX, dry_run
from svcsim.meta.types import Object
from svcsim.printing.values import sorted_keys

OUTPUT_FLAG = Flag("output", doc="The output format: yaml, json, name, jsonpath=….", short="o",
                   choices=("yaml", "json", "name", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="))  # fmt: skip
MANAGED_FIELDS_FLAG = switch("show-managed-fields", "Also print metadata.managedFields.")


def object_printer(call: Call, *, typed: bool) -> Printer:
    """The printer for ``-o``. ``typed``: of a kind kubectl knows, whose fields keep their order."""
    output, managed = call.options.text("output"), call.options.on("show-managed-fields")
    if typed and output == "json":
        return JsonPrinter(typed=True) if managed else WithoutManagedFields(JsonPrinter(typed=True))
    return make_printer(output, show_managed_fields=managed)


class Reporter:
    """Tells what was done: ``pod/web created``, or with ``-o`` the objects. ``together`` prints several as one list, at the end."""

    def __init__(self, call: Call, dry: str | None = None, *, together: bool = False, typed: bool = False) -> None:
        self._call = call
        self._out = call.session.out
        self._output = call.options.text("output")
        self._dry = dry_run(call) if dry is None else dry
        self._together = together
        self._objects: list[Object] = []
        named = self._output in ("", "name")
        self._printer = None if named else object_printer(call, typed=typed)

    def done(self, obj: Object, operation: str) -> None:
        """An object was created, changed, or found to be as it should."""
        if self._printer is None:
            NamePrinter(operation + DRY_RUN_SUFFIX[self._dry], short=self._output == "name").print(obj, self._out)
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
        if self._output == "json":
            items = [sorted_keys(item) for item in items]  # the list is a kind kubectl knows, the items are any
        whole = {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}
        object_printer(self._call, typed=True).print(whole, self._out)
