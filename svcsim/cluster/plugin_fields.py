"""The fields of what configures admission plugins: each reader tells a field that nobody knows, and a value of the wrong type.

What isn't there, or null, is empty; nothing else is.
"""

from collections.abc import Sequence
from typing import Final

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object

KIND: Final = ("apiVersion", "kind")
"""The fields of whatever says what it is."""
_MOST: Final = (1 << 31) - 1


class MalformedError(Exception):
    """Names the field of a plugin's configuration, and says what is wrong with it."""


def malformed(finding: FieldError) -> MalformedError:
    return MalformedError(f"{finding.path}: {finding.message}")


def check_fields(content: Object, known: Sequence[str], path: str = "") -> None:
    """Nothing but what is known. Raises `MalformedError`."""
    for name in content:
        if name not in known:
            raise MalformedError(f"{path or 'it'} has no field {quoted(name)}; it has {', '.join(known)}")


def below(path: str, field: str) -> str:
    """The path of a field; that of a file's own is its name."""
    return f"{path}.{field}" if path else field


def text(content: Object, field: str, path: str = "") -> str:
    """A text; empty where there is none. Raises `MalformedError`."""
    value: Json = content.get(field)
    if not isinstance(value, str | None):
        raise MalformedError(f"{below(path, field)}: it is no text")
    return value or ""


def block(content: Object, field: str, known: Sequence[str]) -> Object:
    """An object with such fields. Raises `MalformedError`."""
    value: Json = content.get(field)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedError(f"{field} is no object")
    check_fields(value, known, field)
    return value


def objects(content: Object, field: str, known: Sequence[str], path: str = "") -> list[Object]:
    """A list of objects with such fields. Raises `MalformedError`."""
    where, found = below(path, field), listed(content, field)
    if found is None or not all(isinstance(one, dict) for one in found):
        raise MalformedError(f"{where}: it is no list of objects")
    for index, one in enumerate(found):
        check_fields(one, known, f"{where}[{index}]")
    return found


def texts(content: Object, field: str, path: str) -> tuple[str, ...]:
    """A list of texts. Raises `MalformedError`."""
    found = listed(content, field)
    if found is None or not all(isinstance(one, str) and one for one in found):
        raise MalformedError(f"{path}.{field}: it is no list of texts")
    return tuple(found)


def whole_number(content: Object, field: str, path: str, least: int) -> int:
    """A number; 0 where there is none. Raises `MalformedError`."""
    value: Json = content.get(field)
    if value is None:
        value = 0
    if type(value) is not int or not least <= value <= _MOST:
        raise malformed(invalid_value(f"{path}.{field}", value, f"must be a whole number between {least} and {_MOST}"))
    return value


def listed(content: Object, field: str) -> list[Json] | None:
    """A list of anything; None where it is something else."""
    value: Json = content.get(field)
    if value is None:
        return []
    return value if isinstance(value, list) else None
