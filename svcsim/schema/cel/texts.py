"""Places in texts and in lists, and the parts between places, as CEL's library of Go has them.

The CEL library at hand has none of some of them, and of others another idea of where a text ends, or of what is said of places beyond: it
refuses a part that goes up to the end, and makes one part of a text without letters that is cut between all letters.
"""

from svcsim.meta.types import Json


def index_of(text: str, wanted: str, start: int = 0) -> int:
    """Where a text stands first from a place on. Nothing at all stands wherever it is looked for."""
    if not wanted:
        return start
    _check(text, start)
    return text.find(wanted, start)


def last_index_of(text: str, wanted: str, start: int | None = None) -> int:
    """Where a text stands last, up to a place."""
    if start is None:
        return text.rfind(wanted)
    if not wanted:
        return start
    _check(text, start)
    return text.rfind(wanted, 0, start + len(wanted))


def index_of_item(items: list[Json], wanted: Json) -> int:
    """Where an item stands first."""
    return next((index for index, item in enumerate(items) if item == wanted), -1)


def last_index_of_item(items: list[Json], wanted: Json) -> int:
    """Where an item stands last."""
    return next((index for index in reversed(range(len(items))) if items[index] == wanted), -1)


def char_at(text: str, place: int) -> str:
    """The letter at a place; at the text's end there is none."""
    _check(text, place)
    return text[place : place + 1]


def substring(text: str, start: int, end: int | None = None) -> str:
    """The part from one place to another, which may be the text's end."""
    if end is None:
        end = max(len(text), start)
    if start > end:
        raise ValueError(f"invalid substring range. start: {start}, end: {end}")
    _check(text, start)
    _check(text, end)
    return text[start:end]


def split(text: str, separator: str, limit: int = -1) -> list[str]:
    """The parts between separators, or all letters. Where there may be only so many, the last has all that is left."""
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1)
    if 0 < limit < len(text):
        return [*text[: limit - 1], text[limit - 1 :]]
    return list(text)


def _check(text: str, place: int) -> None:
    if not 0 <= place <= len(text):
        raise ValueError(f"index out of range: {place}")
