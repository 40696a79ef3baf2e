"""Chance: the only place that asks the machine for any. Seeded, a run is the same run, byte for byte, on every machine."""

import random
from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar

T = TypeVar("T")

NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and no look-alikes, so that generated names spell nothing."""
_UID_FREE = ~(0xF000 << 64) & ~(0xC000 << 48)
"""The bits of a UID that chance gives."""
_UID_VERSION = (0x4000 << 64) | (0x8000 << 48)
"""The others: they say that it is one of that kind."""


class Chance:
    """Everything random in a cluster: seeded, it gives the same again.

    Components take a `fork` each, so that one that draws more doesn't change what another draws.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self.seed = random.SystemRandom().getrandbits(48) if seed is None else seed

    @cached_property
    def _random(self) -> random.Random:
        """Made when something is drawn: there are many forks from which nothing ever is."""
        return random.Random(f"svcsim/{self.seed}")  # noqa: S311 - nothing secret comes from here

    def fork(self, name: str) -> "Chance":
        """A stream of its own that follows from this seed and the name alone."""
        return Chance(f"{self.seed}/{name}")

    def uid(self) -> str:
        text = f"{self._random.getrandbits(128) & _UID_FREE | _UID_VERSION:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def suffix(self, length: int = 5) -> str:
        """What ``generateName`` and controllers append to a name."""
        return "".join(self._random.choices(NAME_ALPHABET, k=length))

    def uniform(self, low: float, high: float) -> float:
        """A number between the two, all alike likely."""
        return self._random.uniform(low, high)

    def integer(self, low: int, high: int) -> int:
        """A whole number between the two, both included."""
        return self._random.randint(low, high)

    def exponential(self, mean: float) -> float:
        """The gap to the next of events that come independently, ``mean`` apart on average."""
        return self._random.expovariate(1.0 / mean) if mean > 0 else 0.0

    def choice(self, options: Sequence[T]) -> T:
        return self._random.choice(options)
