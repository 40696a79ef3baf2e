"""CEL by which devices are selected: whether an expression can be compiled, whether it says yes or no, and whether it costs too much.

What there is of a device has types, all but the values of its attributes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from cel_expr_python import cel

from svcsim import limits
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, too_long
from svcsim.schema.cel.library import FINDING, compiling_environment
from svcsim.schema.cel.mistakes import at_offset, told, type_name
from svcsim.schema.cel.spelling import nesting, too_long_to_compile, without_strings

_EXPRESSION_BYTES = 10 * 1024
_LOOPS = 3
"""Loops within loops that stay below the limit of costs, where each goes over the 32 attributes and capacities of a device."""
_BY_NAME = cel.Type.Map(cel.Type.STRING, cel.Type.Map(cel.Type.STRING, cel.Type.DYN))
_FIELDS = {"driver": cel.Type.STRING, "attributes": _BY_NAME, "capacity": _BY_NAME, "allowMultipleAllocations": cel.Type.BOOL}
_HAS = re.compile(r"(?<![\w.])has\s*\(\s*device\s*\.")
_OF_DEVICE = re.compile(r"(?<![\w.])device\s*\.\s*\??([A-Za-z_]\w*)")


def device_expression_rules(text: str, path: str) -> Iterator[FieldError]:
    """What is wrong with an expression about a device."""
    if len(text.encode()) > _EXPRESSION_BYTES:
        yield too_long(path, _EXPRESSION_BYTES)
        return
    why = too_long_to_compile(text)
    if why:
        yield invalid_value(path, text, f"compilation failed: {why}")
        return
    for found in _OF_DEVICE.finditer(without_strings(text)):
        if found[1] not in _FIELDS:
            mistake = at_offset(text, found.start(1) - 1, f"undefined field '{found[1]}'")
            yield invalid_value(path, text, f"compilation failed: {mistake}")
            return
    try:
        program = _environment(typed=not _HAS.search(without_strings(text))).compile(text)
    except RuntimeError as error:  # what the library raises for whatever it can't compile
        yield invalid_value(path, text, f"compilation failed: {told(str(error))}")
        return
    result = type_name(program.return_type().name())
    if result not in ("bool", "dyn"):
        yield invalid_value(path, text, f"must evaluate to bool or the unknown type, not {result}")
    elif nesting(text) > _LOOPS:
        yield forbidden_field(path, "too complex, exceeds cost limit")


@lru_cache(limits.DEVICE_ENVIRONMENTS)
def _environment(*, typed: bool) -> cel.Env:
    """With the types of fields, which are variables of their own then: whether one is there can't be asked of a variable."""
    fields = {f"device.{name}": kind for name, kind in _FIELDS.items()} if typed else {}
    return compiling_environment({"device": cel.Type.DYN, **fields}, FINDING)
