"""Whether an object looks as it is meant to, and what differs if not.

Maps match as subsets. Lists of maps match by their merge key (``name``, ``type``, …), every other list as an unordered subset.
``{$exact: value}`` asks for the whole value. Null asks for nothing to be there.
"""

from typing import NamedTuple

import orjson

from svcsim.meta.types import Json

MERGE_KEYS = ("name", "type", "key", "ip", "containerPort", "port", "mountPath", "devicePath", "topologyKey", "uid", "id")
"""Fields lists of maps are keyed by, the usual ones first."""
EXACT = "$exact"
_SHOWN_CHARS = 200
_BEFORE_DIFFERENCE_CHARS = 40


class Difference(NamedTuple):
    """One place where an object is not as it is meant to be. ``actual`` is None where there is nothing."""

    path: str
    wanted: Json
    actual: Json

    def __str__(self) -> str:
        """``status.phase: wanted "Running", is "Pending"``."""
        return f"{self.path or 'the value'}: {contrast(self.wanted, self.actual)}"


def differences(wanted: Json, actual: Json, path: str = "") -> list[Difference]:
    """All places where ``actual`` is not as ``wanted`` says; nothing if it matches."""
    if isinstance(wanted, dict):
        if set(wanted) == {EXACT}:
            return [] if _equal(wanted[EXACT], actual) else [Difference(path, wanted[EXACT], actual)]
        if not isinstance(actual, dict):
            return [Difference(path, wanted, actual)]
        found: list[Difference] = []
        for key, value in wanted.items():
            found += differences(value, actual.get(key), f"{path}.{key}" if path else key)
        return found
    if isinstance(wanted, list):
        if not isinstance(actual, list):
            return [Difference(path, wanted, actual)]
        return _list_differences(wanted, actual, path)
    return [] if _equal(wanted, actual) else [Difference(path, wanted, actual)]


def _list_differences(wanted: list[Json], actual: list[Json], path: str) -> list[Difference]:
    key = _merge_key(wanted)
    if key is not None:
        found: list[Difference] = []
        for item in wanted:
            at = f"{path}[{key}={item[key]}]"
            same = [other for other in actual if isinstance(other, dict) and other.get(key) == item[key]]
            found += differences(item, same[0], at) if same else [Difference(at, item, None)]
        return found
    left = list(actual)
    missing: list[Difference] = []
    for index, item in enumerate(wanted):
        match = next((position for position, other in enumerate(left) if not differences(item, other)), None)
        if match is None:
            missing.append(Difference(f"{path}[{index}]", item, None))
        else:
            left.pop(match)
    return missing


def _merge_key(items: list[Json]) -> str | None:
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    return next((key for key in MERGE_KEYS if all(isinstance(item.get(key), str | int) for item in items)), None)


def _equal(wanted: Json, actual: Json) -> bool:
    """Equal as JSON: true is not 1, but 1 is 1.0."""
    if isinstance(wanted, bool) or isinstance(actual, bool):
        return wanted is actual
    if isinstance(wanted, dict) and isinstance(actual, dict):
        return wanted.keys() == actual.keys() and all(_equal(value, actual[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(actual, list):
        return len(wanted) == len(actual) and all(_equal(one, other) for one, other in zip(wanted, actual, strict=True))
    return bool(wanted == actual)


def fits(pattern: str, text: str) -> bool:
    """Whether a text is as a pattern says, in which ``*`` stands for anything, and everything else for itself."""
    first, *others = pattern.split("*")
    if not others:
        return text == first
    *within, last = others
    at = len(first)
    if not text.startswith(first):
        return False
    for part in within:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last) and len(text) - len(last) >= at


def contrast(wanted: Json, actual: Json) -> str:
    """``wanted "Running", is "Pending"``; of long values that begin alike what stands around the first difference."""
    texts = _shown(wanted), _shown(actual)
    alike = next((at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), min(map(len, texts)))
    if alike < _SHOWN_CHARS - _BEFORE_DIFFERENCE_CHARS:
        return f"wanted {_cut(texts[0])}, is {_cut(texts[1])}"
    one, other = (f"…{_cut(text[alike - _BEFORE_DIFFERENCE_CHARS :])}" for text in texts)
    return f"wanted {one}, is {other}"


def shorten(value: Json) -> str:
    """A value on one line, cut where it gets long."""
    return _cut(_shown(value))


def _shown(value: Json) -> str:
    return "nothing" if value is None else orjson.dumps(value).decode()


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "…"
