"""Curves: how a simulated value moves with time, as annotations say it in a few words.

    250m                          always that
    250m ~10%                     that, up to a tenth more or less
    50%                           a share of what is requested
    100m to 900m over 10m         from one value to the other in ten minutes, and then the latter
    100m to 900m every 1h         up and down in the course of an hour
    100m, 500m after 30s          steps: the first, and others from so much time on
    none                          no value at all

Behind any of them may stand ``~10%``, and ``shared`` for a value that several have together. Times are counted from a start that whoever
asks knows; ``every`` goes by the clock itself, so that all are high and low together: it is as at first at midnight, and every so much time
from there.

A curve is a pure function of time, and of a ``noise`` that whoever asks gives it: the same questions have the same answers in every run.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta import quantity
from svcsim.meta.times import parse_duration

JITTER_S = 15.0
"""How long one value of the noise holds."""
_LARGEST = 1e15
_PERCENT = 100.0


class Level(NamedTuple):
    """A value: an amount, or a share of what is requested."""

    amount: float
    relative: bool = False

    def of(self, whole: float) -> float:
        """The value, where so much is requested."""
        return self.amount * whole if self.relative else self.amount


class Ramp(NamedTuple):
    """From one level to another within some seconds."""

    first: Level
    last: Level
    seconds: float

    def at(self, since_s: float, _now: float, whole: float) -> float:
        low, high = self.first.of(whole), self.last.of(whole)
        return low + (high - low) * min(max(since_s / self.seconds, 0.0), 1.0)


class Wave(NamedTuple):
    """From one level to another and back in so many seconds of the clock."""

    first: Level
    last: Level
    seconds: float

    def at(self, _since_s: float, now: float, whole: float) -> float:
        low, high = self.first.of(whole), self.last.of(whole)
        return low + (high - low) * (1 - math.cos(2 * math.pi * (now % self.seconds) / self.seconds)) / 2


class Steps(NamedTuple):
    """Levels, each from so many seconds on."""

    levels: tuple[tuple[float, Level], ...]

    def at(self, since_s: float, _now: float, whole: float) -> float:
        return next((level for begins_s, level in reversed(self.levels) if since_s >= begins_s), self.levels[0][1]).of(whole)


Shape: TypeAlias = Ramp | Wave | Steps


class Curve(NamedTuple):
    """A value over time. Without a shape there is none."""

    shape: Shape | None
    jitter: float = 0.0
    shared: bool = False

    @property
    def relative(self) -> bool:
        """Whether it takes to know what is requested."""
        match self.shape:
            case None:
                return False
            case Steps(levels=levels):
                return any(level.relative for _, level in levels)
            case Ramp(first=first, last=last) | Wave(first=first, last=last):
                return first.relative or last.relative

    def at(self, since_s: float, now: float, noise: float, whole: float = 0.0) -> float:
        """The value so long after the start; ``noise`` is between -1 and 1, ``whole`` what is requested."""
        assert self.shape is not None, "there is no value to ask for"
        return min(max(self.shape.at(since_s, now, whole), 0.0) * (1 + self.jitter * noise), _LARGEST)


class CurveError(ValueError):
    """A text that says no curve; the message says what is wrong with it."""


def noise(now: float, *who: str) -> float:
    """A number between -1 and 1 that follows from whose it is and from the time, and holds for a while."""
    text = "\0".join((*who, str(int(now // JITTER_S))))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big") / 2**47 - 1


Clauses: TypeAlias = Mapping[str, Curve]
"""Curves by what stands before them: the name of a container, or the labels of a series; empty for all the others."""


@lru_cache(maxsize=limits.READ_CURVES)
def read_curves(text: str, *, of_requests: bool = True) -> Clauses:
    """Several curves, with semicolons between them, each with ``NAME =`` before it, or without. Raises `CurveError`.

    Unless they are ``of_requests``, nothing is requested of what they say, and so there are no shares of it.
    """
    if len(text) > limits.CURVES_CHARS:
        raise CurveError(f"it is longer than {limits.CURVES_CHARS} characters")
    found: dict[str, Curve] = {}
    for clause in [one for one in text.split(";") if one.strip()] or [text]:
        name, equals, rest = clause.rpartition("=")
        name = name.strip()
        if equals and not name:
            raise CurveError(f'there is no name before the "=" of "{clause.strip()}"')
        if name in found:
            raise CurveError(f'"{name}" is said twice' if name else "what holds for all is said twice")
        found[name] = _read_curve(rest if equals else clause, _level if of_requests else _amount)
    return found


_ReadLevel: TypeAlias = Callable[[str], Level]


def _read_curve(text: str, level: _ReadLevel) -> Curve:
    words = text.replace(",", " , ").split()
    jitter, shared = 0.0, False
    behind: set[str] = set()
    while words and (words[-1] == "shared" or words[-1].startswith("~")):
        word = words.pop()
        about = word[:1] if word.startswith("~") else word
        if about in behind:
            raise CurveError(f'"{text.strip()}" says twice {"how far it varies (~)" if about == "~" else "that it is shared"}')
        behind.add(about)
        if word == "shared":
            shared = True
        else:
            jitter = _jitter(word)
    if not words:
        raise CurveError(f'"{text.strip()}" says no value')
    if words == ["none"] and behind:
        raise CurveError(f'"{text.strip()}": none is no value, and nothing stands behind it')
    return Curve(_shape(words, text.strip(), level), jitter, shared)


def _shape(words: list[str], text: str, level: _ReadLevel) -> Shape | None:
    match words:
        case ["none"]:
            return None
        case [first, "to", last, "over" | "every" as how, seconds]:
            return (Ramp if how == "over" else Wave)(level(first), level(last), _seconds(seconds))
    return _steps(words, text, level)


def _steps(words: list[str], text: str, level: _ReadLevel) -> Steps:
    parts = " ".join(words).split(" , ")
    if len(parts) > limits.CURVE_STEPS:
        raise CurveError(f"it has more than {limits.CURVE_STEPS} steps")
    levels: list[tuple[float, Level]] = []
    for number, part in enumerate(parts):
        match part.split():
            case [value] if number == 0:
                levels.append((0.0, level(value)))
            case [value, "after", seconds] if number > 0:
                levels.append((_seconds(seconds), level(value)))
            case _:
                raise CurveError(f'"{text}" is none of VALUE, A to B over TIME, A to B every TIME, and VALUE, VALUE after TIME')
    if levels != sorted(levels, key=lambda step: step[0]):
        raise CurveError(f'the steps of "{text}" are not in the order of their times')
    return Steps(tuple(levels))


def _level(word: str) -> Level:
    """An amount, or a share of what is requested."""
    try:
        amount, relative = (float(word[:-1]) / _PERCENT, True) if word.endswith("%") else (float(quantity.parse(word)), False)
    except ValueError:
        raise CurveError(f'"{word}" is neither a quantity, such as 250m or 64Mi, nor a percentage') from None
    return _bounded(word, amount, relative=relative)


def _amount(word: str) -> Level:
    """An amount alone."""
    try:
        amount = float(quantity.parse(word))
    except ValueError:
        share = ": there is nothing requested that it could be a percentage of" if word.endswith("%") else ""
        raise CurveError(f'"{word}" is no quantity, such as 250m or 64Mi{share}') from None
    return _bounded(word, amount)


def _bounded(word: str, amount: float, *, relative: bool = False) -> Level:
    if not 0 <= amount <= _LARGEST:
        raise CurveError(f'"{word}" is not between 0 and {_LARGEST:g}')
    return Level(amount, relative)


def _seconds(word: str) -> float:
    try:
        seconds = parse_duration(word)
    except ValueError:
        raise CurveError(f'"{word}" is no time, such as 30s, 10m or 1h30m') from None
    if seconds <= 0:
        raise CurveError(f'"{word}" is no time above zero')
    return seconds


def _jitter(word: str) -> float:
    try:
        share = float(word[1:].removesuffix("%")) / _PERCENT if word.endswith("%") else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise CurveError(f'"{word}" is not a percentage up to ~100%')
    return share
