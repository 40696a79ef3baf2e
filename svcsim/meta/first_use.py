"""Making something when it is first needed, because mostly it never is."""

from collections.abc import Callable, Iterator, Mapping
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


class MadeAtFirstLook(Mapping[str, T]):
    """Things whose names are known, those of a mapping, each made at the first look. ``make`` raises `KeyError` for another name."""

    __slots__ = ("_made", "_names")

    def __init__(self, names: Mapping[str, object], make: Callable[[str], T]) -> None:
        self._names = names
        self._made = MadeByName(make)

    def __getitem__(self, name: str) -> T:
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def at_first_use(make: Callable[[], T]) -> Callable[[], T]:
    """What gives the thing: it is made when it is first asked for, and again only if that failed."""
    made: list[T] = []

    def given() -> T:
        if not made:
            made.append(make())
        return made[0]

    return given
