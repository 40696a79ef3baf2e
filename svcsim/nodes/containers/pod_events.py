"""What is to be reported of a pod as events: what has happened, and what is known to happen when its moment comes."""

from typing import NamedTuple

from svcsim.nodes.containers.container import Container


class Report(NamedTuple):
    """An event to be reported. ``kind`` is Normal or Warning."""

    kind: str
    reason: str
    message: str
    field_path: str


class PodEvents:
    """Collects events until somebody takes them. Times are seconds since the epoch."""

    __slots__ = ("_reports", "later")

    def __init__(self) -> None:
        self._reports: tuple[Report, ...] = ()
        self.later: tuple[tuple[float, Report], ...] = ()
        """What is to be reported when its moment has come."""

    def take(self) -> tuple[Report, ...]:
        """What there is to report, once."""
        reports, self._reports = self._reports, ()
        return reports

    def normal(self, reason: str, message: str) -> None:
        """Something happened to the pod."""
        self._reports += (Report("Normal", reason, message, ""),)

    def warn(self, reason: str, message: str) -> None:
        """Something went wrong with the pod."""
        self._reports += (Report("Warning", reason, message, ""),)

    def say(self, container: Container, kind: str, reason: str, message: str) -> None:
        """Something happened to a container."""
        self._reports += (Report(kind, reason, message, container.spec.field_path),)

    def warn_at(self, moment: float, container: Container, reason: str, message: str) -> None:
        """Something will have gone wrong with a container at a moment."""
        self.later += ((moment, Report("Warning", reason, message, container.spec.field_path)),)

    def take_back(self, container: Container, reason: str) -> None:
        """What was to be reported of a container for a reason isn't so."""
        about = (reason, container.spec.field_path)
        self.later = tuple(one for one in self.later if (one[1].reason, one[1].field_path) != about)

    def come_due(self, now: float) -> None:
        """Report what has come due."""
        self._reports += tuple(report for moment, report in self.later if moment <= now)
        self.later = tuple(one for one in self.later if one[0] > now)
