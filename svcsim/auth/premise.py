"""What an answer about somebody rests on, so that who asks the same again need not be judged again.

Most requests are of somebody who has just made another. An answer that carries a premise is the same for the same question, for as long as
the premise holds; one that carries none holds for the one request it was given for. So nothing is ever revoked: whoever keeps an answer
asks its premise each time.
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
    """The answer follows from what stays as it is until somebody who sees it change says so."""

    __slots__ = ("_changed",)

    def __init__(self) -> None:
        self._changed = False

    def holds(self) -> bool:
        return not self._changed

    def fall(self) -> None:
        """What it rests on isn't as it was."""
        self._changed = True


ALWAYS = Always()
