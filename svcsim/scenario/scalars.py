"""What is wrong with a single value of a scenario file, in words.

A value is obeyed or refused, never ignored: a run doesn't guess what an empty name, a false `all` or a share of nothing could mean. Values
are checked when a file is read, before anything runs; those that are known only later (``${saved…}``) are checked then.
"""

import difflib
import math
import re
from collections.abc import Callable

from svcsim.cluster.settings import Setting, SettingError
from svcsim.cluster.values import Timestamp
from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.names import path_segment
from svcsim.meta.times import parse_duration
from svcsim.meta.types import Json
from svcsim.meta.wait_condition import CONDITION, FORMS, JSONPATH, ConditionError, read_condition
from svcsim.scenario import interpolation
from svcsim.scenario.shapes import (
    Flag,
    KindAndName,
    LabelValue,
    ManifestPath,
    Moment,
    Name,
    Number,
    Rate,
    Selector,
    SettingOf,
    Shape,
    Span,
    Text,
    UrlPath,
    WaitFor,
)

_RATE = re.compile(r"(\d+(?:\.\d+)?)/(ms|s|m|h)\Z")


def wrong(value: Json, shape: Shape) -> str:
    """What is wrong with a scalar; nothing if it fits."""
    match shape:
        case LabelValue() if value is None:
            return ""
        case Text():
            return _wrong_text(value, shape) or _wrong_words(str(value), shape)
        case Number():
            return _wrong_number(value, shape)
        case Flag(only_true):
            return _wrong_flag(value, only_true=only_true)
        case Span():
            return _wrong_span(value, shape)
        case Moment():
            return "" if _is_moment(value) else f"expected a time in 1970 or later, such as 2026-01-01T00:00:00Z, not {describe(value)}"
        case Rate():
            return "" if _is_rate(value) else f"expected a rate such as 50/s, not {describe(value)}"
        case SettingOf(setting):
            return _wrong_setting(value, setting)
        case ManifestPath():
            return "" if isinstance(value, str) and value else f"expected the path of a file, not {describe(value)}"
        case _:
            raise AssertionError(f"no scalar: {shape}")


def describe(value: Json) -> str:
    """A value as a message names it."""
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return f"the string {value!r}" if isinstance(value, str) else f"{interpolation.as_text(value)}"


def _wrong_text(value: Json, shape: Text) -> str:
    choices, later = shape.choices, shape.later
    if isinstance(value, str) and value in later:
        return f"{value!r} is not supported yet; known: {', '.join(choices)}"
    if choices and value not in choices:
        if hint := dict(shape.hints).get(str(value)):
            return f"{value!r} is none of {', '.join(choices)}; {hint}"
        close = difflib.get_close_matches(str(value), [*choices, *later], n=1) if len(choices) > 1 else []
        return f"{value!r} is none of {', '.join(choices)}" + (f"; did you mean {close[0]!r}?" if close else "")
    if isinstance(value, dict | list) or value is None:
        return f"expected a string, not {describe(value)}"
    if not isinstance(value, str):
        return f"expected a string, not {describe(value)}; put it in quotes"
    return "expected a string, not an empty one" if not (value or shape.empty or isinstance(shape, LabelValue)) else ""


def _wrong_words(text: str, shape: Text) -> str:
    """What is wrong with a string that has to be of some form."""
    rule = next((rule for kind, rule in _FORMS if isinstance(shape, kind)), None)
    return rule(text) if rule is not None else ""


def _wrong_name(name: str) -> str:
    if "*" in name:
        return f"{name!r} is one name, in which * stands for nothing; select several by labels or where"
    findings = path_segment(name)
    return f"{name!r} can't be a name: it {findings[0]}" if findings else ""


def _wrong_selector(text: str) -> str:
    try:
        asks = not parse_labels(text).empty
    except StatusError as error:
        return f"{text!r} is no label selector: {error.message}"
    return "" if asks else f"{text!r} asks for nothing, so everything would be selected"


def _wrong_path(path: str) -> str:
    return "" if path.startswith("/") else f"expected a path that begins with /, not {path!r}"


def _wrong_kind_and_name(text: str) -> str:
    """A lone pattern may stand for both."""
    kind, slash, name = text.partition("/")
    fits = kind and name and "/" not in name if slash else "*" in kind
    return "" if fits else f"expected kind/name, such as pod/web-1, not {text!r}"


def _wrong_wait(text: str) -> str:
    try:
        read_condition(text)
    except ConditionError as error:
        known = text.startswith((CONDITION, JSONPATH))
        return f"{text!r}: {error}" if known else f"{text!r} is none of {FORMS}"
    return f"{text!r} names no condition" if text == CONDITION else ""


_FORMS: tuple[tuple[type[Text], Callable[[str], str]], ...] = (
    (Name, _wrong_name),
    (Selector, _wrong_selector),
    (UrlPath, _wrong_path),
    (KindAndName, _wrong_kind_and_name),
    (WaitFor, _wrong_wait),
)


def _wrong_number(value: Json, shape: Number) -> str:
    wanted = "a number" if shape.fraction else "a whole number"
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and not shape.fraction):
        return f"expected {wanted}, not {describe(value)}"
    if not math.isfinite(value):
        return f"expected {wanted}, not {value}"
    low, high = shape.minimum, shape.maximum
    too_low = low is not None and (value <= low if shape.above else value < low)
    if not too_low and (high is None or value <= high):
        return ""
    return f"expected {wanted}{bounds(shape)}, not {value}"


def bounds(shape: Number) -> str:
    """`` from 1 to 5``, `` of 1 or more``, `` above 0 up to 100``: how a message goes on after ``a number``."""
    low, high = shape.minimum, shape.maximum
    if low is None:
        return "" if high is None else f" of {high:g} or less"
    if shape.above:
        return f" above {low:g}" + ("" if high is None else f" up to {high:g}")
    return f" of {low:g} or more" if high is None else f" from {low:g} to {high:g}"


def _wrong_flag(value: Json, *, only_true: bool) -> str:
    if not isinstance(value, bool):
        return f"expected {'true' if only_true else 'true or false'}, not {describe(value)}"
    return "it can only be true: leave it out instead" if only_true and not value else ""


def _wrong_span(value: Json, shape: Span) -> str:
    seconds = _span(value)
    if seconds is None:
        return f"expected a duration such as 30s or 1h30m, not {describe(value)}"
    if shape.above and seconds == 0:
        return "expected a duration longer than 0"
    if shape.whole and not seconds.is_integer():
        return f"expected whole seconds, such as 30s, not {describe(value)}"
    return ""


def _span(value: Json) -> float | None:
    """The seconds of a span of time; None if it isn't one."""
    try:
        seconds = parse_duration(value) if isinstance(value, str) else -1.0
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def _is_moment(value: Json) -> bool:
    try:
        Timestamp().from_json(value)
    except ValueError:
        return False
    return True


def _is_rate(value: Json) -> bool:
    found = _RATE.match(value) if isinstance(value, str) else None
    return found is not None and float(found.group(1)) > 0


def _wrong_setting(value: Json, setting: Setting) -> str:
    try:
        setting.from_json(value)
    except SettingError as error:
        return str(error)
    return ""
