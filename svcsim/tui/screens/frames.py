"""Drawing at a steady pace: however often something changes, it is drawn ten times a second at the most, and at once after a pause."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

from svcsim import limits
from svcsim.clock import stopwatch

if TYPE_CHECKING:
    from textual.timer import Timer

_FRAME_S = 1 / limits.DASHBOARD_FRAMES_PER_S
_AT_ONCE_S = 0.001


class Frames:
    """Calls ``draw`` for whoever asks, not too often."""

    def __init__(self, pump: MessagePump, draw: Callable[[], None]) -> None:
        self._pump = pump
        self._draw = draw
        self._next_at = 0.0
        self._timer: Timer | None = None
        self.drawn = 0
        """Frames so far."""

    def want(self) -> None:
        """Something has changed."""
        if self._timer is None and self._pump.is_running:
            self._timer = self._pump.set_timer(max(self._next_at - stopwatch(), _AT_ONCE_S), self._frame)

    def _frame(self) -> None:
        self._timer = None
        self._next_at = stopwatch() + _FRAME_S
        self.drawn += 1
        self._draw()
