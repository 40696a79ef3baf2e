"""Regular expressions of schemas: RE2's, as other implementations understand them, whose time is bounded by the text's length.

The CEL library brings RE2; Python's own expressions differ, and can be made to take for ever.
"""

import json
from collections.abc import Callable
from functools import lru_cache

from cel_expr_python import cel

from svcsim import limits


@lru_cache(limits.RULE_ENVIRONMENTS)
def _environment() -> cel.Env:
    return cel.NewEnv(variables={"text": cel.Type.STRING})


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text. What is no pattern matches everything: it was refused where it was declared."""
    program = _environment().compile(f"text.matches({json.dumps(pattern, ensure_ascii=False)})")
    return lambda text: program.eval(data={"text": text}).plain_value() is not False


def wrong_with(pattern: str) -> str:
    """Why it is no regular expression; empty for one."""
    program = _environment().compile(f"text.matches({json.dumps(pattern, ensure_ascii=False)})")
    result = program.eval(data={"text": ""})
    return "" if result.type() == cel.Type.BOOL else str(result.plain_value()).partition(": ")[2]
