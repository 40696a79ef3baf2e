"""Texts that mean something to the function they are given to: a span, a moment, a pattern.

Where such a text is written down in an expression, that it means nothing is known before anything is evaluated.
"""

from collections.abc import Callable, Mapping

from svcsim.schema.cel.conversions import READ
from svcsim.schema.cel.trees import Call, Text
from svcsim.schema.patterns import wrong_with


def wrong_literal(call: Call) -> Text | None:
    """The argument of a call that means nothing to the function; None where it does, or isn't known yet."""
    is_right = _READ.get((call.function, call.member))
    literal = call.arguments[-1] if call.arguments else None
    return literal if is_right is not None and isinstance(literal, Text) and not is_right(literal.value) else None


def _is_read(read: Callable[[str], object]) -> Callable[[str], bool]:
    def is_right(text: str) -> bool:
        try:
            read(text)
        except (ValueError, OverflowError):
            return False
        return True

    return is_right


_READ: Mapping[tuple[str, bool], Callable[[str], bool]] = {
    ("duration", False): _is_read(READ["duration"]),
    ("timestamp", False): _is_read(READ["timestamp"]),
    ("matches", True): lambda pattern: not wrong_with(pattern),
}
"""By the name of a function, and whether it is a member."""
