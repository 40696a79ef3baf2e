"""What came of a run: the raw material of every report."""

from dataclasses import dataclass, field
from typing import TypeAlias

from svcsim.scenario.expectations import Failure
from svcsim.scenario.load import Mistake, Position
from svcsim.scenario.model import Scenario
from svcsim.scenario.timeline import Timeline

HELD, FAILED, SKIPPED, BROKEN, WRONG = "held", "failed", "skipped", "broken", "wrong"
"""A case held or failed or was skipped; broken means that svcsim itself failed, wrong that a file can't be run."""

EXIT_HELD, EXIT_FAILED, EXIT_WRONG_FILE, EXIT_BROKEN, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
EXIT_SIGNALLED = 128
"""And on top the number of the signal that ended it: 143 after SIGTERM, as shells tell it."""


@dataclass(slots=True)
class Case:
    """One step, or the closing of a run."""

    id: str
    position: Position
    outcome: str = HELD
    failure: Failure | None = None
    cluster_s: float = 0.0
    wall_s: float = 0.0
    looked_at: list[str] = field(default_factory=list)
    """What `catch` printed."""


@dataclass(slots=True)
class Result:
    """One run of one scenario."""

    scenario: Scenario
    timeline: Timeline
    start_s: float = 0.0
    """The cluster's time when it began."""
    cases: list[Case] = field(default_factory=list)
    journal_hash: str = ""
    """Empty where the journal isn't this run's alone, or time was not virtual: then no two are the same."""
    revision: int = 0
    cluster_s: float = 0.0
    wall_s: float = 0.0
    error: str = ""
    """How svcsim itself failed."""
    where: tuple[str, ...] = ()
    """The options that say on which cluster that is up; none for one of its own."""

    @property
    def outcome(self) -> str:
        """The outcome of the whole run: the worst of its cases."""
        if self.error:
            return BROKEN
        return FAILED if any(case.outcome == FAILED for case in self.cases) else HELD

    @property
    def exit_code(self) -> int:
        """What the command exits with for this run alone."""
        return {HELD: EXIT_HELD, FAILED: EXIT_FAILED, BROKEN: EXIT_BROKEN}[self.outcome]


@dataclass(frozen=True, slots=True)
class WrongFile:
    """A file that can't be run: what a report has in the place of its runs."""

    file: str
    mistakes: list[Mistake]
    manifests: tuple[str, ...] = ()
    """The files it would read."""


Outcome: TypeAlias = Result | WrongFile


class RunInterruptedError(Exception):
    """The user cut a run short; holds what there is of it."""

    def __init__(self, result: Result) -> None:
        super().__init__("interrupted")
        self.result = result
