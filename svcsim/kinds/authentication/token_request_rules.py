"""What makes a TokenRequest right: for how long a token may be valid."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Json

_MIN_SECONDS = 600
_MAX_SECONDS = 2**32


def lifetime(value: Json, path: str) -> Iterator[FieldError]:
    if value < _MIN_SECONDS:
        yield invalid_value(path, value, "may not specify a duration less than 10 minutes")
    if value > _MAX_SECONDS:
        yield invalid_value(path, value, "may not specify a duration larger than 2^32 seconds")
