"""``perl``, as far as people count digits of pi with it: ``perl -Mbignum=bpi -wle 'print bpi(2000)'``."""

import re
from collections.abc import Sequence

from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.simulated import SimulatedProgram

_TAKES_S = 5.0
_MOST_DIGITS = 20_000
_PRINTS = re.compile(r"\s*print\s+bpi\s*\(\s*(\d{1,5})\s*\)\s*;?\s*")


def _is_understood(args: Sequence[str]) -> bool:
    """Whether it does what is simulated here, when it is called so."""
    return _digits(args) is not None


def _digits(args: Sequence[str]) -> int | None:
    if len(args) != 3 or args[0] != "-Mbignum=bpi" or re.fullmatch(r"-w?l?e", args[1]) is None:
        return None
    found = _PRINTS.fullmatch(args[2])
    return min(int(found[1]), _MOST_DIGITS) if found else None


async def perl(process: Process) -> int:
    digits = _digits(process.args)
    if digits is None:
        raise Usage("only print bpi(DIGITS) is simulated here")
    await process.work.rest(process.world, _TAKES_S)
    await process.say(f"{pi(digits)}{chr(10) if 'l' in process.args[1] else ''}")
    return 0


def pi(digits: int) -> str:
    """So many digits of pi, the one before the point among them; the last one is rounded."""
    guard = 10
    one: int = 10 ** (max(digits, 1) - 1 + guard)
    found = (4 * (4 * _arctan_of_inverse(5, one) - _arctan_of_inverse(239, one)) + 5 * 10 ** (guard - 1)) // 10**guard
    # Python is shy of writing out long numbers at once.
    text = ""
    while found >= 10**1000:
        found, rest = divmod(found, 10**1000)
        text = f"{rest:01000d}{text}"
    text = f"{found}{text}"
    return f"{text[0]}.{text[1:]}" if len(text) > 1 else text


def _arctan_of_inverse(number: int, one: int) -> int:
    """The series for the arc tangent of 1/number, in units of 1/one."""
    power = total = one // number
    divisor, sign = 1, 1
    while power:
        power //= number * number
        divisor, sign = divisor + 2, -sign
        total += sign * (power // divisor)
    return total


PERL: dict[str, SimulatedProgram] = {
    "perl": SimulatedProgram(perl, takes_s=_TAKES_S, image="perl", understands=_is_understood, foreseen="always"),
}
