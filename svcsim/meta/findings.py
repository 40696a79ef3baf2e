"""All errors of an object, as far as they are reported.

An object may have an error in each of its places, and each finding may repeat something long: a list, or all that a schema allows. Together
that could be the square of what was sent, so that errors beyond a certain amount are neither reported nor searched for.
"""

from collections.abc import Callable, Iterable
from typing import Final

from svcsim import limits
from svcsim.meta.errors import FieldError, invalid_value

_MORE: Final = invalid_value("<nil>", "null", "more is wrong than can be told at once; correct the existing errors to learn of the others")

_CAUSE_CHARS: Final = 100
"""The length of the text around a finding in a message."""


class EnoughFoundError(Exception):
    """No more can be told of an object."""


class Findings(list[FieldError]):
    """Findings, up to `limits.FINDINGS_CHARS` and the one that goes beyond. Adding another raises `EnoughFoundError`."""

    def __init__(self) -> None:
        super().__init__()
        self._left_chars = limits.FINDINGS_CHARS

    def append(self, finding: FieldError) -> None:
        if self._left_chars < 0:
            raise EnoughFoundError
        super().append(finding)
        self._left_chars -= len(finding.path) + len(finding.message) + _CAUSE_CHARS

    def extend(self, findings: Iterable[FieldError]) -> None:
        for finding in findings:
            self.append(finding)

    def in_order(self, order: Callable[[FieldError], tuple[int, ...]]) -> list[FieldError]:
        """Sorted by a key; that there are more is told last."""
        return sorted(self, key=lambda finding: (finding is _MORE, order(finding)))


def collected(findings: Iterable[FieldError]) -> Findings:
    """The first of these findings, as many as are reported; the rest isn't computed."""
    return told(lambda found: found.extend(findings))


def told(look: Callable[[Findings], None]) -> Findings:
    """What is found wrong by ``look``, which adds it to the findings that it is given."""
    found = Findings()
    try:
        look(found)
    except EnoughFoundError:
        list.append(found, _MORE)
    return found
