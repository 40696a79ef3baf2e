"""Making something when it is first needed, because mostly it never is."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class MadeByName(dict[str, T]):
    """Things by name, each made when it is first looked up (``these[name]``)."""

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> T:
        made = self[name] = self._make(name)
        return made


def at_first_use(make: Callable[[], T]) -> Callable[[], T]:
    """What gives the thing: it is made when it is first asked for, and again only if that failed."""
    made: list[T] = []

    def given() -> T:
        if not made:
            made.append(make())
        return made[0]

    return given
