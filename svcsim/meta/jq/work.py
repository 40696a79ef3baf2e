"""How much a query may do and make: whatever is beyond that ends it, and can't be caught in it."""

from collections.abc import Callable

from svcsim import limits
from svcsim.meta.jq.errors import JqError, SpentError
from svcsim.meta.types import Json

_LETTERS_A_STEP = 64
"""Letters, or items that are copied, that count as one step."""
_ITEM_LETTERS = 8
"""An item of a list or a map that is made counts as so many letters."""


class Work:
    """What one query has left for one value, and the clock that it asks."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._steps = limits.JQ_STEPS
        self._letters = limits.JQ_MADE_LETTERS

    def burn(self, steps: int = 1) -> None:
        """Do something."""
        self._steps -= steps
        if self._steps < 0:
            raise SpentError(f"the query takes more than {limits.JQ_STEPS} steps")

    def look(self, *values: Json) -> None:
        """Look at values, not at what is in them."""
        self.burn(1 + sum(len(value) for value in values if isinstance(value, str | list | dict)) // _LETTERS_A_STEP)

    def look_through(self, *values: Json, times: int = 1) -> int:
        """Look at values and at all that is in them, so many times; gives how much that is."""
        waiting = [(value, 0) for value in values]
        seen = 0
        while waiting:
            value, level = waiting.pop()
            seen += 1
            self.burn(times)
            if isinstance(value, str):
                self.burn(len(value) // _LETTERS_A_STEP * times)
            elif isinstance(value, dict | list):
                if level >= limits.OBJECT_LEVELS:
                    raise JqError(f"a value of more than {limits.OBJECT_LEVELS} levels")
                waiting += [(one, level + 1) for one in (value.values() if isinstance(value, dict) else value)]
        return seen

    def make(self, letters: int = 0, items: int = 0) -> None:
        """Make a text, a list or a map, so long."""
        self._letters -= letters + items * _ITEM_LETTERS
        if self._letters < 0:
            raise SpentError(f"the query makes more than {limits.JQ_MADE_LETTERS} letters")

    def made(self, value: Json) -> Json:
        """A value that has been made."""
        if isinstance(value, str):
            self.make(letters=len(value))
        elif isinstance(value, list | dict):
            self.make(items=len(value))
        return value
