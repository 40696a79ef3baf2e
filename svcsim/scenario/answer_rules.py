"""What a JSON patch takes that a scenario answers with in the place of a webhook: one that fits no object is refused at once."""

from svcsim.meta import json_patch
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.scenario.scalars import describe
from svcsim.scenario.suggestions import suggest

_OPERATIONS: dict[str, tuple[str, ...]] = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("path", "from"),
    "copy": ("path", "from"),
    "test": ("path", "value"),
}
"""What each needs."""
_POINTERS = ("path", "from")


def wrong_operation(operation: Object) -> tuple[str, str] | None:
    """Which field of an operation is wrong, empty where one is missing, and why; None where all is well."""
    name: Json = operation.get("op")
    if "op" not in operation:
        return "", f"an operation needs 'op'{suggest('', _OPERATIONS)}"
    if not isinstance(name, str) or name not in _OPERATIONS:
        return "op", f"{describe(name)} is no operation{suggest(str(name), _OPERATIONS)}"
    needed = _OPERATIONS[name]
    if missing := next((field for field in needed if field not in operation), ""):
        return "", f"the operation {name} needs {missing!r}"
    for field in needed:
        pointer: Json = operation[field]
        if field in _POINTERS and not (isinstance(pointer, str) and pointer.startswith("/")):
            return field, f"{describe(pointer)} is no path: it begins with /, as in /metadata/labels"
    try:
        json_patch.parse([operation])
    except StatusError as error:
        return "path", error.message
    return None
