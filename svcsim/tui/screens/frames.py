"""Drawing at a steady pace: however often something changes, it is drawn ten times a second at the most, and at once after a pause."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from svcsim import limits
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from textual.timer import Timer

_FRAME_S = 1 / limits.DASHBOARD_FRAMES_PER_S
_AT_ONCE_S = 0.001


class Frames:
    """Calls ``draw`` for a screen whenever something wants it, not too often, and only while the screen can be seen."""

    def __init__(self, screen: Screen[Any], draw: Callable[[], None]) -> None:
        self._screen = screen
        self._draw = draw
        self._next_at = 0.0
        self._timer: Timer | None = None

    def want(self) -> None:
        """Something has changed, or a second has passed. A screen that comes into sight again has to ask for itself."""
        if self._timer is None and self._screen.is_current:
            self._timer = self._screen.set_timer(max(self._next_at - stopwatch(), _AT_ONCE_S), self._frame)

    def _frame(self) -> None:
        self._timer = None
        self._next_at = stopwatch() + _FRAME_S
        if self._screen.is_current and self._screen.is_attached:
            self._draw()
