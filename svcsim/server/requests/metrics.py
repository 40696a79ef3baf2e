"""Request metrics, and the page that shows them in Prometheus' text format.

Counting one request is a dict look-up and a few additions; nothing is kept but numbers.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from svcsim import limits
from svcsim.meta.metric_families import escaped

_OTHER = ("other", "", "", 0)
BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Upper bounds of the latency histogram, in seconds."""

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Stats = Callable[[], Mapping[str, float]]
"""Numbers of the moment by metric name (store revision, sizes, commit batches); names ending in ``_total`` are counters."""


class Series:
    """Latencies of one kind of request."""

    __slots__ = ("buckets", "count", "sum_s")

    def __init__(self) -> None:
        self.count = 0
        self.sum_s = 0.0
        self.buckets = [0] * (len(BUCKETS_S) + 1)

    def add(self, seconds: float) -> None:
        self.count += 1
        self.sum_s += seconds
        self.buckets[bisect_left(BUCKETS_S, seconds)] += 1


class Metrics:
    """Counts what the pipeline serves."""

    def __init__(self, is_served: Callable[[str, str], bool]) -> None:
        """``is_served`` says whether a group has a resource: clients may name anything, and only existing resources get a series."""
        self._is_served = is_served
        self._series: dict[tuple[str, str, str, int], Series] = {}
        self.watchers: dict[str, int] = {}
        """Open watches by resource type."""

    def observe(self, verb: str, group: str, resource: str, code: int, seconds: float) -> None:
        key = (verb, group, resource, code)
        series = self._series.get(key)
        if series is None:
            if resource and not self._is_served(group, resource):
                key = (verb, "", "", code)
            if key not in self._series and len(self._series) >= limits.METRIC_SERIES:
                key = _OTHER
            series = self._series.setdefault(key, Series())
        series.add(seconds)

    def render(self, stats: Mapping[str, float], more: Sequence[str] = ()) -> bytes:
        lines: list[str] = []
        self._render_totals(lines)
        self._render_durations(lines)
        lines += ["# HELP apiserver_registered_watchers Open watches.", "# TYPE apiserver_registered_watchers gauge"]
        lines += [f'apiserver_registered_watchers{{resource="{resource}"}} {count}' for resource, count in self.watchers.items()]
        for name, value in stats.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# TYPE {name} {kind}", f"{name} {_number(value)}"]
        lines += more
        return ("\n".join(lines) + "\n").encode()

    def _render_totals(self, lines: list[str]) -> None:
        name = "apiserver_request_total"
        lines += [f"# HELP {name} Requests answered, by verb, resource and HTTP code.", f"# TYPE {name} counter"]
        for (verb, group, resource, code), series in self._series.items():
            lines.append(f'{name}{{{_labels(verb, group, resource)},code="{code}"}} {series.count}')

    def _render_durations(self, lines: list[str]) -> None:
        name = "apiserver_request_duration_seconds"
        lines += [f"# HELP {name} Seconds until an answer began, by verb and resource.", f"# TYPE {name} histogram"]
        for (verb, group, resource), series in self._by_resource().items():
            labels = _labels(verb, group, resource)
            below = 0
            for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), series.buckets, strict=True):
                below += count
                lines.append(f'{name}_bucket{{{labels},le="{bound}"}} {below}')
            lines.append(f"{name}_sum{{{labels}}} {_number(series.sum_s)}")
            lines.append(f"{name}_count{{{labels}}} {series.count}")

    def _by_resource(self) -> dict[tuple[str, str, str], Series]:
        merged: dict[tuple[str, str, str], Series] = {}
        for (verb, group, resource, _), series in self._series.items():
            whole = merged.setdefault((verb, group, resource), Series())
            whole.count += series.count
            whole.sum_s += series.sum_s
            whole.buckets = [a + b for a, b in zip(whole.buckets, series.buckets, strict=True)]
        return merged


def _labels(verb: str, group: str, resource: str) -> str:
    return ",".join(f'{name}="{escaped(value)}"' for name, value in (("verb", verb), ("group", group), ("resource", resource)))


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
