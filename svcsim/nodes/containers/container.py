"""One container of a simulated pod: what is known of it at each moment.

How it gets from one stage to the next stands in `stages.py`, and what a status says of it in `container_status.py`.
"""

from dataclasses import dataclass
from math import inf
from typing import Literal, Protocol

from svcsim.meta.types import Object
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.probes import NOTHING_FOUND, Found, Probing
from svcsim.nodes.containers.said import Spoken
from svcsim.nodes.containers.stage_names import PlayedStage, StageName

_HOOKED: frozenset[StageName] = frozenset({"post-start", "post-start failed"})
_ENDING: frozenset[StageName] = frozenset({"killing", "replacing"})
_RUNNING: frozenset[StageName] = frozenset[StageName]({"running", "probing"}) | _ENDING | _HOOKED
_STARTING: frozenset[StageName] = frozenset({"pulling", "pulled", "creating", "created"})
_SETTLING: frozenset[StageName] = frozenset[StageName]({"idle"}) | _STARTING | _HOOKED
ENDING_S = 0.05
"""How long after what it did last a process is gone."""
POST_START_ERROR, RUN_ERROR, CRASH_BACK_OFF = "PostStartHookError", "RunContainerError", "CrashLoopBackOff"
"""What a container waits for between two starts."""

NOT_PULLED_FOR_S = (0.0, 0.0)


class RunProcess(Spoken, Protocol):
    """A container's process, as far as it was run."""

    exit_code: int
    message: str
    """What it has written into its file for that."""
    endless: bool
    """Whether it is known that it never ends."""

    @property
    def ended_s(self) -> float | None:
        """How long it ran; None for one that runs."""
        ...


@dataclass(slots=True)
class Container:
    """A container at one moment. Times are seconds since the epoch."""

    spec: ContainerSpec
    stage: StageName = "idle"
    next_stage: PlayedStage | Literal[""] = ""
    due: float | None = None
    """When the next stage begins; None if nothing comes of itself."""
    waiting_reason: str = ""
    waiting_message: str = ""
    started_at: float = 0.0
    finished_at: float = 0.0
    exit_code: int = 0
    exit_reason: str = ""
    message: str = ""
    """What it left behind when it ended."""
    restarts: int = 0
    failures: int = 0
    """Failed pulls or crashes in a row: what a back-off grows with."""
    last: Object | None = None
    """The state it was in before the last restart."""
    started: bool = False
    ready: bool = False
    pulled_for_s: tuple[float, float] = NOT_PULLED_FOR_S
    """How long the pull takes that is under way, without and with the waiting."""
    pulls: str = ""
    """The image that was pulled last: its own, or that of a volume."""
    pull_error: str = ""
    """Why the last pull failed."""
    failed_pull: str = ""
    """The image of which that was."""
    hook_error: str = ""
    """Why its hook failed when it was started last."""
    probings: tuple[Probing, ...] = ()
    """The probes at work on it while it runs."""
    found: Found = NOTHING_FOUND
    """What probes find since a client's command was last at work in this run of it."""
    killed: bool = False
    """Whether a probe has had it ended."""
    goes_straight_on: bool = False
    """Whether it has ended, and is being started again in one go: its node tells of neither before that is done."""
    takes_all_along: bool = False
    """Whether it has ended so that all containers are started again."""
    replaced_by: ContainerSpec | None = None
    """What it will be once the process is gone that is being ended, or that ends when it has done what it is for."""
    surprising: bool = False
    """Whether its process has to be run to know how it ends."""
    process: RunProcess | None = None
    """That process, once it is being run."""
    asked_at: float | None = None
    """When that was, or will be, asked to end."""
    hook_at: float = 0.0
    """When its hook was called before that."""
    hook_goes_on: bool = False
    """Whether that is at work, and only running it tells how long, and how it ends."""
    stop_takes_s: float = 0.0
    """How long it takes to end once it is asked to, if that is known."""

    @property
    def ends_s(self) -> float | None:
        """How long its process runs; None for one of which no end is known."""
        if not self.surprising or not self.spec.surprises:
            return self.spec.program.runs_s
        ended_s = None if self.process is None else self.process.ended_s
        return None if ended_s is None else ended_s + ENDING_S

    @property
    def ends_with(self) -> int:
        """The exit code of a process that has come to its own end."""
        return self.process.exit_code if self.surprising and self.spec.surprises and self.process else self.spec.program.exit_code

    @property
    def wanted(self) -> ContainerSpec:
        """What the pod says of it."""
        return self.replaced_by or self.spec

    @property
    def begun(self) -> bool:
        """Whether anything has been done for it."""
        return self.stage != "idle"

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self.stage in _RUNNING

    @property
    def hooked(self) -> bool:
        """Whether its process is there and doesn't count as running, because its hook hasn't come to a good end."""
        return self.stage in _HOOKED

    @property
    def ending(self) -> bool:
        """Whether it alone was asked to end, and will be started anew, or not, when it has."""
        return self.stage in _ENDING

    @property
    def probed_at(self) -> float:
        """When one of its probes is made next; never, as far as is known."""
        return min((one.next_at for one in self.probings if one.next_at is not None), default=inf)

    def is_looked_into(self, now: float) -> bool:
        """Whether a probe is due that is run in it."""
        return self.running and any(one.probe.check.runs and one.next_at is not None and one.next_at <= now for one in self.probings)

    @property
    def has_run(self) -> bool:
        """Whether it counts, or has counted, as running."""
        return self.started_at > 0 and (self.last is not None or not self.hooked)

    @property
    def ended(self) -> bool:
        """Whether its process is gone, and nothing starts it again."""
        return self.stage in {"exited", "stopped"} and self.due is None

    @property
    def settling(self) -> bool:
        """Whether it is still on its way to its first start."""
        return self.stage in _SETTLING

    @property
    def being_started(self) -> bool:
        """Whether the node is at work on its first start, which nothing has gone wrong with yet."""
        return self.settling and self.begun and not self.waiting_reason

    @property
    def is_starting(self) -> bool:
        """Whether the node is at work on its first start, or starts it again in one go, and has nothing to tell before that is done."""
        return (self.goes_straight_on or self.stage in _STARTING) and not self.waiting_reason

    @property
    def initialized(self) -> bool:
        """Of an init container: whether it does, or has done, what it is for."""
        return self.started if self.spec.sidecar else self.ended and self.exit_code == 0

    def goes_wrong(self) -> bool:
        """Whether it ended, and not well."""
        return self.ended and self.exit_code != 0
