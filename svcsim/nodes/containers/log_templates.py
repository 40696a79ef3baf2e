"""What annotations have containers log: lines with places that are filled in, and how often one is written.

``svcsim.dev/log-lines`` has a template a line, which are written in turn, ``svcsim.dev/log-every`` is how long it takes from one line to
the next. That is meant for all containers of a pod but its init containers; as ``worker.svcsim.dev/log-lines`` for the container of that
name alone, whatever it is, and goes before what is meant for all.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import format_micro_time
from svcsim.meta.annotation_places import EVERY, LINES
from svcsim.meta.own_annotations import said_of_container
from svcsim.meta.quoting import quoted
from svcsim.meta.times import format_date, parse_duration
from svcsim.meta.types import Object

LOGGING = (LINES, EVERY)
_USUAL_S = 2.0
_SHORTEST_S, _LONGEST_S = 0.01, 86400.0
_PLACE = re.compile(r"\{\{|\}\}|\{([a-z][a-z-]*)(?::([^{}]*))?\}")
_UNCLOSED = re.compile(r"\{[a-z][a-z-]*(?::[^{}]*)?$")
_RANGE = re.compile(r"(-?\d{1,9})-(-?\d{1,9})")
_MANY = re.compile(r"[1-9]\d?")


class Moment(NamedTuple):
    """What a line is made with: who says it, when, which in a row it is, and what chance it has."""

    at: float
    number: int
    namespace: str
    pod: str
    container: str
    node: str
    dice: Callable[[int], int]
    """Gives a number below the one it is given, another one each time."""


Fill = Callable[[Moment], str]


class LogTemplate(NamedTuple):
    """What a container logs: pieces of text and what is to be filled in, for each of the lines that are written in turn."""

    lines: tuple[tuple[str | Fill, ...], ...]
    every_s: float

    def text(self, moment: Moment) -> str:
        """The line of a moment."""
        pieces = self.lines[(moment.number - 1) % len(self.lines)]
        return "".join(piece if isinstance(piece, str) else piece(moment) for piece in pieces)


def template_of(pod: Object, container: str, *, alone: bool) -> LogTemplate | None:
    """What annotations have a container log; None where they say nothing that can be read.

    What is meant for all isn't meant for a container that stands ``alone``.
    """
    annotations = pod["metadata"].get("annotations")
    if not annotations:
        return None
    lines, every = (said_of_container(annotations, container, name, alone=alone) for name in (LINES, EVERY))
    try:
        return read_template(lines, _every_s(every)) if lines else None
    except ValueError:
        return None


def check_logging(name: str, text: str) -> None:
    """Raises `ValueError` where an annotation about logs can't be read."""
    if name == LINES:
        read_template(text, _USUAL_S)
    else:
        _every_s(text)


def _every_s(text: str) -> float:
    if not text:
        return _USUAL_S
    try:
        found = parse_duration(text)
    except ValueError:
        found = -1.0
    if not _SHORTEST_S <= found <= _LONGEST_S:
        raise ValueError(f"{quoted(text[:80])} is no duration between 10ms and 24h")
    return found


@lru_cache(maxsize=limits.LOG_TEMPLATES)
def read_template(text: str, every_s: float) -> LogTemplate:
    """Raises `ValueError`, which says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ValueError("there is no line in it")
    return LogTemplate(tuple(_read_line(line) for line in lines), every_s)


def _read_line(line: str) -> tuple[str | Fill, ...]:
    pieces: list[str | Fill] = []
    at = 0
    for found in _PLACE.finditer(line):
        pieces.append(_plain(line[at : found.start()]))
        pieces.append(found[0][0] if found[1] is None else _place(found[1], found[2]))
        at = found.end()
    return tuple(piece for piece in (*pieces, _plain(line[at:])) if piece != "")


def _plain(text: str) -> str:
    if (opened := _UNCLOSED.search(text)) is not None:
        raise ValueError(f"{opened[0]} isn't closed by a brace ({{{{ is a brace)")
    return text


def _place(name: str, argument: str | None) -> Fill:
    if argument is None and name in _PLAIN:
        return _PLAIN[name]
    if argument is not None and name in _WITH_ARGUMENT:
        return _WITH_ARGUMENT[name](argument)
    known = [f"{{{one}}}" for one in _PLAIN] + ["{int:1-100}", "{hex:8}", "{pick:a|b}"]
    raise ValueError(f"{{{name}{'' if argument is None else f':{argument}'}}} is none of {', '.join(known)} ({{{{ is a brace)")


def _int(argument: str) -> Fill:
    found = _RANGE.fullmatch(argument)
    if found is None or int(found[1]) > int(found[2]):
        raise ValueError(f"{{int:{argument}}} needs the least and the most, such as {{int:1-100}}")
    least, most = int(found[1]), int(found[2])
    return lambda moment: str(least + moment.dice(most - least + 1))


def _hex(argument: str) -> Fill:
    if not _MANY.fullmatch(argument):
        raise ValueError(f"{{hex:{argument}}} needs how many digits, 1 to 99")
    digits = int(argument)
    return lambda moment: "".join("0123456789abcdef"[moment.dice(16)] for _ in range(digits))


def _pick(argument: str) -> Fill:
    choices = argument.split("|")
    if not any(choices):
        raise ValueError(f"{{pick:{argument}}} needs what to choose from, such as {{pick:a|b}}")
    return lambda moment: choices[moment.dice(len(choices))]


_PLAIN: dict[str, Fill] = {
    "time": lambda moment: format_micro_time(moment.at),
    "date": lambda moment: format_date(moment.at, "%a %b %e %H:%M:%S UTC %Y"),
    "access-time": lambda moment: format_date(moment.at, "%d/%b/%Y:%H:%M:%S +0000"),
    "seconds": lambda moment: f"{moment.at:.3f}",
    "n": lambda moment: str(moment.number),
    "namespace": lambda moment: moment.namespace,
    "pod": lambda moment: moment.pod,
    "container": lambda moment: moment.container,
    "node": lambda moment: moment.node,
}
_WITH_ARGUMENT: dict[str, Callable[[str], Fill]] = {"int": _int, "hex": _hex, "pick": _pick}
