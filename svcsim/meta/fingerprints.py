"""Short names for what an object holds: the same on every machine, different where the content is, and spelling nothing."""

import hashlib

import orjson

from svcsim.chance import NAME_ALPHABET
from svcsim.meta.types import Json

_CHARS = 10


def fingerprint(value: Json, collisions: int = 0) -> str:
    """A value's short name. ``collisions`` gives another one for each time that it was taken by something else."""
    content = orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + (str(collisions).encode() if collisions else b"")
    digest = hashlib.sha256(content).digest()
    return "".join(NAME_ALPHABET[byte % len(NAME_ALPHABET)] for byte in digest[:_CHARS])
