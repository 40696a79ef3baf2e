"""CEL by which devices are selected: whether an expression can be compiled, whether it says yes or no, and whether it costs too much.

What there is of a device has types, all but the values of its attributes.
"""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, too_long
from svcsim.schema.cel.overloads import Overloads
from svcsim.schema.cel.programs import CompileError, typed
from svcsim.schema.cel.spelling import nesting, too_long_to_compile
from svcsim.schema.cel.value_types import BOOL, DYN, TEXT, map_type, object_type

_EXPRESSION_BYTES = 10 * 1024
_LOOPS = 3
"""Loops within loops that stay below the limit of costs, where each goes over the 32 attributes and capacities of a device."""
_BY_NAME = map_type(TEXT, map_type(TEXT, DYN))
_DEVICE = object_type({"driver": TEXT, "attributes": _BY_NAME, "capacity": _BY_NAME, "allowMultipleAllocations": BOOL})
_OVERLOADS = Overloads(binding=True)


def device_expression_rules(text: str, path: str) -> Iterator[FieldError]:
    """What is wrong with an expression about a device."""
    if len(text.encode()) > _EXPRESSION_BYTES:
        yield too_long(path, _EXPRESSION_BYTES)
        return
    why = too_long_to_compile(text)
    if why:
        yield invalid_value(path, text, f"compilation failed: {why}")
        return
    try:
        result = typed(text, {"device": _DEVICE}, _OVERLOADS)
    except CompileError as error:
        yield invalid_value(path, text, f"compilation failed: {error}")
        return
    if result not in (BOOL, DYN):
        yield invalid_value(path, text, f"must evaluate to bool or the unknown type, not {result}")
    elif nesting(text) > _LOOPS:
        yield forbidden_field(path, "too complex, exceeds cost limit")
