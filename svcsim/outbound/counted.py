"""How calls went, by whom they were for, as the server's page of metrics shows it."""

from bisect import bisect_left

from svcsim import limits

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the latency histogram, in seconds."""
_OTHER = "other"


class _Series:
    __slots__ = ("buckets", "codes", "sum_s")

    def __init__(self) -> None:
        self.sum_s = 0.0
        self.buckets = [0] * (len(BUCKETS_S) + 1)
        self.codes: dict[str, int] = {}
        """Calls by the status they were answered with; ``error`` for those without an answer."""


class Counted:
    """Counts calls."""

    def __init__(self) -> None:
        self._series: dict[str, _Series] = {}

    def add(self, remote: str, status: int, seconds: float) -> None:
        """One call; ``status`` 0 is one without an answer."""
        if remote not in self._series and len(self._series) >= limits.OUTBOUND_REMOTES:
            remote = _OTHER
        series = self._series.setdefault(remote, _Series())
        code = str(status) if status else "error"
        series.codes[code] = series.codes.get(code, 0) + 1
        series.sum_s += seconds
        series.buckets[bisect_left(BUCKETS_S, seconds)] += 1

    def calls(self, remote: str) -> dict[str, int]:
        """The number of calls to one remote, by code."""
        series = self._series.get(remote)
        return {} if series is None else dict(series.codes)

    def lines(self) -> list[str]:
        """In Prometheus' text format."""
        if not self._series:
            return []
        total, duration = "svcsim_outbound_requests_total", "svcsim_outbound_request_duration_seconds"
        lines = [f"# HELP {total} Calls to servers outside of the cluster, by HTTP code.", f"# TYPE {total} counter"]
        for remote, series in self._series.items():
            lines += [f'{total}{{remote="{remote}",code="{code}"}} {count}' for code, count in series.codes.items()]
        lines += [f"# HELP {duration} Seconds such a call took.", f"# TYPE {duration} histogram"]
        for remote, series in self._series.items():
            below = 0
            for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), series.buckets, strict=True):
                below += count
                lines.append(f'{duration}_bucket{{remote="{remote}",le="{bound}"}} {below}')
            lines.append(f'{duration}_sum{{remote="{remote}"}} {series.sum_s:.6f}')
            lines.append(f'{duration}_count{{remote="{remote}"}} {below}')
        return lines
