"""How long a job waits before it makes pods again after some have failed: 10 s, 20 s, 40 s, at most 10 minutes after the last failure."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim import limits
from svcsim.client.backoff import backoff_s
from svcsim.controllers.job.pods import failures_before, finished_at, ignored_before
from svcsim.controllers.job.words import Words
from svcsim.meta.types import Object


class FailureRecord(NamedTuple):
    """Failures since the last success."""

    failures: int = 0
    last_at: float = 0.0

    def after(self, succeeded: Iterable[Object], failed: Iterable[Object]) -> "FailureRecord":
        """The record once these pods are in it, too."""
        success_at = max(map(finished_at, succeeded), default=0.0)
        failed_at = [at for pod in failed if (at := finished_at(pod)) > success_at]
        known = self.failures if self.last_at > success_at else 0
        return FailureRecord(known + len(failed_at), max(self.last_at, *failed_at)) if failed_at else FailureRecord(known, self.last_at)

    def remaining_s(self, now: float) -> float:
        """Seconds until pods may be made; none or less if they may be now."""
        return _left_s(self.last_at, self.failures, now) if self.failures else 0.0


def index_remaining_s(failed: Object, words: Words, now: float) -> float:
    """Seconds until an index is tried again whose last pod failed."""
    return _left_s(finished_at(failed), failures_before(failed, words) + ignored_before(failed, words) + 1, now)


def _left_s(last_at: float, failures: int, now: float) -> float:
    """The remaining back-off. After the clock was set back, a failure in its future causes none."""
    return last_at + backoff_s(failures, limits.JOB_BACKOFF_FIRST_S, limits.JOB_BACKOFF_LONGEST_S) - now if last_at <= now else 0.0
