"""Series of numbers under one name, told apart by labels, in Prometheus' text format.

Labels may hold what users name, so there is a limit to how many series one family has: what comes later is counted together. A series
whose labels mean nothing any more can be dropped.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Literal

Labels = tuple[str, ...]
_OTHER = "other"


class _Family:
    def __init__(self, name: str, about: str, labels: Labels) -> None:
        self._name = name
        self._about = about
        self._labels = labels

    def _head(self, kind: str) -> list[str]:
        return [f"# HELP {self._name} {self._about}", f"# TYPE {self._name} {kind}"]

    def _told(self, values: Labels) -> str:
        return ",".join(f'{name}="{escaped(value)}"' for name, value in zip(self._labels, values, strict=True))

    def _others(self) -> Labels:
        return (_OTHER,) * len(self._labels)


class CounterFamily(_Family):
    """Numbers that only grow."""

    def __init__(self, name: str, about: str, labels: Labels, *, limit: int) -> None:
        super().__init__(name, about, labels)
        self._limit = limit
        self._series: dict[Labels, int] = {}

    def add(self, *values: str) -> None:
        """One more, of which the labels have these values."""
        if values not in self._series and len(self._series) >= self._limit:
            values = self._others()
        self._series[values] = self._series.get(values, 0) + 1

    def keep(self, wanted: Callable[[Labels], bool]) -> None:
        """Drop the series whose labels aren't wanted."""
        self._series = {values: count for values, count in self._series.items() if wanted(values)}

    def lines(self) -> list[str]:
        """Nothing, where nothing was counted."""
        if not self._series:
            return []
        return [*self._head("counter"), *(f"{self._name}{{{self._told(values)}}} {count}" for values, count in self._series.items())]


class MeasuredFamily(_Family):
    """Numbers that were measured somewhere, as they are told once."""

    def __init__(self, name: str, kind: Literal["counter", "gauge"], about: str, labels: Labels = ()) -> None:
        super().__init__(name, about, labels)
        self._kind = kind
        self._lines: list[str] = []

    def add(self, value: float, *values: str, at_s: float | None = None) -> None:
        """A number, of which the labels have these values, and when it was measured."""
        labels = f"{{{self._told(values)}}}" if values else ""
        number = str(int(value)) if value == int(value) else repr(value)
        self._lines.append(f"{self._name}{labels} {number}" if at_s is None else f"{self._name}{labels} {number} {round(at_s * 1000)}")

    def lines(self) -> list[str]:
        """Nothing, where nothing was measured."""
        return [*self._head(self._kind), *self._lines] if self._lines else []


class _Observed:
    __slots__ = ("buckets", "sum_s")

    def __init__(self, buckets: int) -> None:
        self.buckets = [0] * buckets
        self.sum_s = 0.0


class HistogramFamily(_Family):
    """How long something took."""

    def __init__(self, name: str, about: str, labels: Labels, buckets_s: tuple[float, ...], *, limit: int) -> None:
        """``buckets_s`` are the upper bounds of what is told apart."""
        super().__init__(name, about, labels)
        self._limit = limit
        self._buckets_s = buckets_s
        self._series: dict[Labels, _Observed] = {}

    def add(self, seconds: float, *values: str) -> None:
        """One more, of which the labels have these values."""
        series = self._series.get(values)
        if series is None:
            if len(self._series) >= self._limit:
                values = self._others()
            series = self._series.setdefault(values, _Observed(len(self._buckets_s) + 1))
        series.buckets[bisect_left(self._buckets_s, seconds)] += 1
        series.sum_s += seconds

    def keep(self, wanted: Callable[[Labels], bool]) -> None:
        """Drop the series whose labels aren't wanted."""
        self._series = {values: series for values, series in self._series.items() if wanted(values)}

    def lines(self) -> list[str]:
        """Nothing, where nothing was counted."""
        lines = self._head("histogram") if self._series else []
        for values, series in self._series.items():
            told, below = self._told(values), 0
            for bound, count in zip((*map(_bound, self._buckets_s), "+Inf"), series.buckets, strict=True):
                below += count
                lines.append(f'{self._name}_bucket{{{told},le="{bound}"}} {below}')
            lines += [f"{self._name}_sum{{{told}}} {series.sum_s:.9g}", f"{self._name}_count{{{told}}} {below}"]
        return lines


def _bound(seconds: float) -> str:
    return f"{seconds:g}"


def escaped(value: str) -> str:
    """A label's value as it stands between quotes."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
