"""Regular expressions of schemas: RE2's, as other implementations understand them, whose time is bounded by the text's length.

The CEL library brings RE2; Python's own expressions differ, and can be made to take for ever.
"""

import json
from collections.abc import Callable

from cel_expr_python import cel

from svcsim.schema.cel.beyond_ascii import has_many

_ENVIRONMENT = cel.NewEnv(variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})
_ANY = _ENVIRONMENT.compile("text.matches(pattern)")
"""Asks for whatever pattern it is given."""


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text. What is no pattern matches everything: it was refused where it was declared."""
    try:
        program = None if has_many(pattern) else _ENVIRONMENT.compile(f"text.matches({json.dumps(pattern, ensure_ascii=False)})")
    except RuntimeError:  # expressions in CEL may not be as long as patterns
        program = None
    if program is None:
        return lambda text: _ANY.eval(data={"text": text, "pattern": pattern}).plain_value() is not False
    return lambda text: program.eval(data={"text": text}).plain_value() is not False


def wrong_with(pattern: str) -> str:
    """Why it is no regular expression; empty for one."""
    result = _ANY.eval(data={"text": "", "pattern": pattern})
    return "" if result.type() == cel.Type.BOOL else str(result.plain_value()).partition(": ")[2]
