"""A validation rule as a text, by which it is known again."""

from svcsim.meta.codec import encode_sorted
from svcsim.meta.types import Object


def as_text(declared: Object) -> str:
    return encode_sorted(declared).decode()
