"""What was asked for lately, as much as there is room for: the rest is made anew when it is asked for again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Things by key. The one that was asked for the longest ago makes room for others."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[K, V] = OrderedDict()

    def of(self, key: K, make: Callable[[], V]) -> V:
        """One of them; made where it isn't kept."""
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
            if len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found

    def let_go(self, key: K) -> None:
        """Nobody will ask for that one again."""
        self._kept.pop(key, None)

    def clear(self) -> None:
        """What they were made from is not so any more."""
        self._kept.clear()
