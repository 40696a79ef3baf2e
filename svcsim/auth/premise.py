"""The premises of a decision about a sender, so that the same request needn't be judged again.

Most requests come from a client that has just made another. A decision with a premise is the same for the same request, for as long as the
premise holds; one without a premise is only for the request it was made for. So nothing is ever revoked: the cache of decisions checks the
premise each time.
"""

from typing import Protocol


class Premise(Protocol):
    """Something that an answer rests on."""

    def holds(self) -> bool:
        """Whether it still does. Where it does not, nothing is said: the question has to be asked anew."""
        ...


class Always:
    """The answer follows from the question alone."""

    def holds(self) -> bool:
        return True


class UntilChanged:
    """The decision depends on state that stays the same until its owner reports a change."""

    __slots__ = ("_changed",)

    def __init__(self) -> None:
        self._changed = False

    def holds(self) -> bool:
        return not self._changed

    def fall(self) -> None:
        """What it rests on isn't as it was."""
        self._changed = True


ALWAYS = Always()
