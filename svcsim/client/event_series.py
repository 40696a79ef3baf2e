"""Events of the newer form that happen again: a series, of which the beginning and the end are written, and now and then how it goes on."""

from collections import OrderedDict
from typing import TypeAlias

from svcsim import limits
from svcsim.client.event_correlation import Involved, Reported

_Happening: TypeAlias = tuple[Involved, str, str, str, str]
"""What happens to which part of an object, whatever is said of it: its type, reason and action."""


class Series(Reported):
    """An event of the newer form, which becomes a series if it happens again."""

    __slots__ = ("action", "written_s", "written_times")

    def __init__(self, about: Involved, field_path: str, kind: str, reason: str, message: str, now_s: float, action: str) -> None:
        super().__init__(about, field_path, kind, reason, message, now_s)
        self.action = action
        self.times = 1
        self.is_written(now_s)

    @property
    def happening(self) -> _Happening:
        return self.about, self.field_path, self.type, self.reason, self.action

    @property
    def is_longer(self) -> bool:
        """Whether it is longer than was written."""
        return self.times > self.written_times

    def is_written(self, now_s: float) -> None:
        """How long it is now is being written."""
        self.written_s, self.written_times = now_s, self.times

    def begin_anew(self) -> None:
        super().begin_anew()
        self.written_times = 1


class EventSeries:
    """The series of one component."""

    def __init__(self) -> None:
        self._known: OrderedDict[_Happening, Series] = OrderedDict()

    def observe(self, new: Series) -> Series | None:
        """What to write of what is reported now: an event, or that it has become a series; None of what only makes it longer."""
        happening, now_s = new.happening, new.last_s
        series = self._known.get(happening)
        if series is None or now_s - series.last_s > limits.EVENT_SERIES_S:
            self._known[happening] = new
            self._known.move_to_end(happening)
            if len(self._known) > limits.EVENT_OBJECTS_REMEMBERED:
                self._known.popitem(last=False)
            return new
        series.times += 1
        series.last_s = now_s
        if series.times > 2:
            return None
        series.is_written(now_s)
        return series

    def due(self, now_s: float) -> list[Series]:
        """Series that are longer than was written, and are over, or were written long ago."""
        found = []
        for series in self._known.values():
            is_over = now_s - series.last_s >= limits.EVENT_SERIES_S
            if series.is_longer and (is_over or now_s - series.written_s >= limits.EVENT_SERIES_REFRESH_S):
                series.is_written(now_s)
                found.append(series)
        return found

    def wait_s(self, now_s: float) -> float | None:
        """How long it is until one may be due; None where none will."""
        waits = [
            min(series.last_s + limits.EVENT_SERIES_S, series.written_s + limits.EVENT_SERIES_REFRESH_S) - now_s
            for series in self._known.values()
            if series.is_longer
        ]
        return max(0.0, min(waits)) if waits else None
