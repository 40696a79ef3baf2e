"""Regular expressions of schemas: RE2's, as other implementations understand them, whose time is bounded by the text's length.

The CEL library brings RE2; Python's own expressions differ, and can be made to take for ever.
"""

import json
from collections.abc import Callable
from functools import lru_cache

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.mistakes import told


@lru_cache(limits.RULE_ENVIRONMENTS)
def _environment() -> cel.Env:
    return cel.NewEnv(variables={"text": cel.Type.STRING})


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text. What is no pattern matches everything: it was refused where it was declared."""
    if wrong_with(pattern):
        return lambda _text: True
    program = _environment().compile(_asked(pattern))
    return lambda text: program.eval(data={"text": text}).plain_value() is not False


def wrong_with(pattern: str) -> str:
    """Why it is no regular expression, or none that can be served; empty for one that can."""
    asked = _asked(pattern)
    if len(asked) > limits.PATTERN_CHARS:
        return f"it has {len(pattern)} characters, which is too long: shorten it to less than {limits.PATTERN_CHARS // 2}"
    try:
        program = _environment().compile(asked)
    except RuntimeError as error:  # what the library raises for whatever it can't compile
        return told(str(error))
    result = program.eval(data={"text": ""})
    return "" if result.type() == cel.Type.BOOL else str(result.plain_value()).partition(": ")[2]


def _asked(pattern: str) -> str:
    return f"text.matches({json.dumps(pattern, ensure_ascii=False)})"
