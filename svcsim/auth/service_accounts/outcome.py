"""What comes of holding a token against the cluster."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class InvalidTokenError(Exception):
    """The token is one of ours, and no good. The message says why, and nothing of the token itself."""


class Judged(NamedTuple):
    """The warnings and annotations of a valid token."""

    warnings: tuple[str, ...] = ()
    """For the client."""
    notes: Mapping[str, str] = MappingProxyType({})
    """For audit."""


GOOD = Judged()
"""There is nothing to tell."""
