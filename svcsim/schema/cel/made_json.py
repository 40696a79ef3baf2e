"""What an expression has made, as JSON: moments, spans and bytes are texts there."""

from base64 import b64encode
from datetime import datetime, timedelta

from svcsim.meta.types import Json


class NoJsonError(Exception):
    """A value that JSON has no form for; the text says of what type."""


def as_json(value: object) -> Json:
    """A value that an expression has come to. Raises `NoJsonError`."""
    match value:
        case dict():
            return {_key(key): as_json(item) for key, item in value.items()}
        case list():
            return [as_json(item) for item in value]
        case None | bool() | str() | float():
            return value
        case int():
            return int(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case timedelta():
            return f"{value / timedelta(seconds=1):g}s" if value % timedelta(seconds=1) else f"{value // timedelta(seconds=1)}s"
        case bytes() | bytearray():
            return b64encode(value).decode()
    raise NoJsonError(type(value).__name__.lower())


def _key(key: object) -> str:
    """Numbers and truths may be keys of maps, and of objects no more than texts."""
    if isinstance(key, bool):
        return str(key).lower()
    return str(key)
