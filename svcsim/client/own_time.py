"""How long a piece of work keeps the event loop: what passes while it waits for others isn't its own time."""

from collections.abc import Coroutine, Generator
from typing import Any, Generic, TypeVar

from svcsim.wall import stopwatch

T = TypeVar("T")


class Timed(Generic[T]):
    """A coroutine to be awaited, and the real seconds that its own steps took so far."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self.took_s = 0.0
        self._work = work

    def __await__(self) -> Generator[Any, Any, T]:
        step, given = self._work.send, None
        while True:
            started = stopwatch()
            try:
                waited_for = step(given)
            except StopIteration as end:
                done: T = end.value
                return done
            finally:
                self.took_s += stopwatch() - started
            try:
                given, step = (yield waited_for), self._work.send
            except BaseException as raised:  # noqa: BLE001 - whatever comes is handed on to the work
                given, step = raised, self._work.throw
