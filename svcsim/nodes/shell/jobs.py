"""Background jobs of a shell, and the builtin ``wait``."""

from collections.abc import Sequence
from itertools import count

from svcsim import limits
from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.exit_codes import MISUSE, NOT_FOUND
from svcsim.nodes.shell.expansion import ExpansionError
from svcsim.nodes.shell.process import Job, Usage, Work, World
from svcsim.nodes.shell.signals import TERM, exit_code_of

_LATEST = ("%", "%%", "%+")


class Jobs:
    """The background jobs that one shell has started. A subshell begins without any."""

    def __init__(self, world: World, work: Work) -> None:
        self._world = world
        self._work = work
        self._by_pid: dict[str, Job] = {}
        """By their process ids as words, the latest last."""

    def add(self, ends_at: float, status: int) -> Job:
        """Record a job that ends then with this exit code. Raises `ExpansionError` if too many are running."""
        now = self._world.now()
        self._forget_finished(now)
        if len(self._by_pid) >= limits.SHELL_JOBS or len(self._work.jobs) >= limits.SHELL_JOBS:
            raise ExpansionError("Cannot fork")
        taken = {job.number for job in self._by_pid.values() if job.runs(now)}
        number = next(number for number in count(1) if number not in taken)
        job = Job(self._work.new_pid(), number, ends_at, status)
        self._by_pid[str(job.pid)] = self._work.jobs[str(job.pid)] = job
        return job

    def _forget_finished(self, now: float) -> None:
        """Make room where there are too many, but keep the latest: ``wait`` asks for its exit code."""
        latest = next(reversed(self._by_pid.values()), None)
        if len(self._by_pid) >= limits.SHELL_JOBS:
            self._by_pid = {pid: job for pid, job in self._by_pid.items() if job.runs(now) or job is latest}
        if len(self._work.jobs) >= limits.SHELL_JOBS:
            self._work.jobs = {pid: job for pid, job in self._work.jobs.items() if job.runs(now)}

    def named(self, job_id: str) -> Job | None:
        """The job that a job id (``%1``, ``%%``) names, or None."""
        return next((job for job in reversed(self._by_pid.values()) if job_id in _LATEST or job_id == f"%{job.number}"), None)

    async def wait(self, pid: str) -> int:
        """Wait for a job, or for all of them if ``pid`` is empty; returns its exit code. SIGTERM interrupts the wait."""
        if pid and pid not in self._by_pid:
            return NOT_FOUND
        waited = [self._by_pid[pid]] if pid else list(self._by_pid.values())
        if not waited:
            return 0
        left_s = max(job.ends_at for job in waited) - self._world.now()
        if left_s > 0:
            await self._work.nap(self._world, left_s)
        if any(job.runs(self._world.now()) for job in waited):
            return exit_code_of(TERM)
        return waited[0].status if pid else 0


def sleep_as_job(args: Sequence[str], now: float) -> tuple[float, int]:
    """When a ``sleep`` that is started now ends, and its exit code."""
    try:
        return now + sleep_seconds(args), 0
    except Usage:
        return now, MISUSE
