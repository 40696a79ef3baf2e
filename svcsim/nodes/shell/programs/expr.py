"""``expr``, which works something out of its arguments."""

import re

from svcsim import limits
from svcsim.nodes.shell.arithmetic import SumError, joined, number_of
from svcsim.nodes.shell.process import Process
from svcsim.nodes.shell.programs.simulated import SimulatedProgram

_EXPR_RANKS = {
    "|": 1, "&": 2, "=": 3, "==": 3, "!=": 3, "<": 3, ">": 3, "<=": 3, ">=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5,
}  # fmt: skip


_WRONG = 2


_WHOLE = re.compile(r"-?\d{1,19}")


class _WrongError(Exception):
    """What ``expr`` can't work out."""


async def expr(process: Process) -> int:
    """``expr 1 + 2``: succeeds where that is something else than nothing and 0."""
    words = list(process.args)
    try:
        value = _ranked(words, 1) if len(words) <= limits.SHELL_LEVELS * 4 else _refused("too many arguments")
        if words:
            _refused("syntax error")
    except (_WrongError, SumError) as error:
        await process.complain(str(error))
        return _WRONG
    await process.say(f"{value}\n")
    return int(value in {"", "0"})


def _refused(why: str) -> str:
    raise _WrongError(why)


def _ranked(words: list[str], least: int) -> str:
    value = _single(words)
    while words and _EXPR_RANKS.get(words[0], 0) >= least:
        operator = words.pop(0)
        value = _joined(operator, value, _ranked(words, _EXPR_RANKS[operator] + 1))
    return value


def _single(words: list[str]) -> str:
    if not words:
        return _refused("syntax error")
    word = words.pop(0)
    if word == "length" and words:
        return str(len(words.pop(0)))
    if word == "substr" and len(words) >= 3:
        text, start, size = words.pop(0), number_of(words.pop(0)), number_of(words.pop(0))
        return text[start - 1 : start - 1 + size] if start > 0 and size > 0 else ""
    if word != "(":
        return word
    value = _ranked(words, 1)
    if not words or words.pop(0) != ")":
        return _refused("syntax error")
    return value


def _joined(operator: str, left: str, right: str) -> str:
    is_nothing = left in {"", "0"}
    if operator == "|":
        return (right or "0") if is_nothing else left
    if operator == "&":
        return "0" if is_nothing or right in {"", "0"} else left
    are_numbers = _WHOLE.fullmatch(left) is not None and _WHOLE.fullmatch(right) is not None
    if _EXPR_RANKS[operator] == _EXPR_RANKS["="]:
        sign = "==" if operator == "=" else operator
        one, other = (int(left), int(right)) if are_numbers else ((left > right) - (left < right), 0)
        return str(joined(sign, one, other))
    if not are_numbers:
        return _refused("non-integer argument")
    return str(joined(operator, int(left), int(right)))


EXPR: dict[str, SimulatedProgram] = {
    "expr": SimulatedProgram(expr),
}
