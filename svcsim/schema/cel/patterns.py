"""Regular expressions of schemas: RE2's, as other implementations understand them, whose time is bounded by the text's length.

The CEL library brings RE2; Python's own expressions differ, and can be made to take for ever.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from cel_expr_python import cel


class _Matching(NamedTuple):
    environment: cel.Env
    any: cel.Expression
    """Asks for whatever pattern it is given."""


@lru_cache(1)
def _matching() -> _Matching:
    environment = cel.NewEnv(variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})
    return _Matching(environment, environment.compile("text.matches(pattern)"))


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text. What is no pattern matches everything: it was refused where it was declared."""
    matching = _matching()
    try:
        program = matching.environment.compile(f"text.matches({json.dumps(pattern, ensure_ascii=False)})")
    except RuntimeError:  # expressions in CEL may not be as long as patterns
        return lambda text: matching.any.eval(data={"text": text, "pattern": pattern}).plain_value() is not False
    return lambda text: program.eval(data={"text": text}).plain_value() is not False


def wrong_with(pattern: str) -> str:
    """Why it is no regular expression; empty for one."""
    result = _matching().any.eval(data={"text": "", "pattern": pattern})
    return "" if result.type() == cel.Type.BOOL else str(result.plain_value()).partition(": ")[2]
