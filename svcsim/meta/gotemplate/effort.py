"""How much a template may do where others wait for it: what its functions are given and make, and how many steps it takes.

A template of a few lines can double a text sixty times, or nest loops. In a terminal only its author waits for it, so it may do so; one
that is part of a cluster is stopped.
"""

from svcsim import limits
from svcsim.meta.types import Json

_STEP, _ITEM = 100, 10
"""What a step counts, and an item of a list or a map, where a letter counts 1: about as long as it takes."""


TOO_MUCH = "that is more work than a template may make"


class Effort:
    """What is left of it to one template."""

    def __init__(self) -> None:
        self._left = limits.TEMPLATE_WORK

    def step(self, items: int) -> bool:
        """Whether it may take one more step, at so many items."""
        self._left -= _STEP + items * _ITEM
        return self._left >= 0

    def on(self, value: Json) -> bool:
        """Whether it may work on a value, which may hold the same value many times."""
        waiting = [(value, 0)]
        while waiting and self._left >= 0:
            one, level = waiting.pop()
            if level > limits.TEMPLATE_NESTING:
                return False
            if isinstance(one, str):
                self._left -= _ITEM + len(one)
            elif isinstance(one, dict):
                self._left -= _ITEM * (1 + len(one)) + sum(map(len, one))
                waiting += [(inner, level + 1) for inner in one.values()]
            elif isinstance(one, list):
                self._left -= _ITEM * (1 + len(one))
                waiting += [(inner, level + 1) for inner in one]
            elif isinstance(one, int):
                self._left -= one.bit_length() // 8
        return self._left >= 0
