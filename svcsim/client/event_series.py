"""Events of the newer form that happen again: a series, of which the beginning and the end are written, and now and then how it goes on."""

from collections import OrderedDict
from dataclasses import dataclass

from svcsim import limits
from svcsim.client.event_correlation import Correlated, EventKey, remember


@dataclass(slots=True)
class _Series:
    message: str
    last_s: float
    written_s: float
    times: int = 1
    written_times: int = 1


class EventSeries:
    """The series of one component, by what happens to which object, whatever is said of it."""

    def __init__(self) -> None:
        self._known: OrderedDict[EventKey, _Series] = OrderedDict()

    def observe(self, key: EventKey, now_s: float) -> Correlated | None:
        """What to write of what is reported now: an event, or that it has become a series; None of what only makes it longer."""
        whatever = key.whatever_is_said
        series = self._known.get(whatever)
        if series is None or now_s - series.last_s > limits.EVENT_SERIES_S:
            remember(self._known, whatever, _Series(key.message, now_s, now_s), limits.EVENT_OBJECTS_REMEMBERED)
            return Correlated(whatever, key.message, 1)
        series.times += 1
        series.last_s = now_s
        if series.times > 2:
            return None
        return self._written(whatever, series, now_s)

    def due(self, now_s: float) -> list[tuple[Correlated, float]]:
        """Series that are longer than was written, and are over, or were written long ago; each with when it happened last."""
        found = []
        for key, series in self._known.items():
            is_over = now_s - series.last_s >= limits.EVENT_SERIES_S
            if series.times > series.written_times and (is_over or now_s - series.written_s >= limits.EVENT_SERIES_REFRESH_S):
                found.append((self._written(key, series, now_s), series.last_s))
        return found

    def wait_s(self, now_s: float) -> float | None:
        """How long it is until one may be due; None where none will."""
        waits = [
            min(series.last_s + limits.EVENT_SERIES_S, series.written_s + limits.EVENT_SERIES_REFRESH_S) - now_s
            for series in self._known.values()
            if series.times > series.written_times
        ]
        return max(0.0, min(waits)) if waits else None

    def forget(self, key: EventKey) -> None:
        """The event is not there any more: it is counted from the beginning."""
        series = self._known.get(key)
        if series is not None:
            series.times = series.written_times = 1

    @staticmethod
    def _written(key: EventKey, series: _Series, now_s: float) -> Correlated:
        series.written_s, series.written_times = now_s, series.times
        return Correlated(key, series.message, series.times)
