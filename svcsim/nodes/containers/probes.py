"""What the probes of a container find, and what follows from it.

No container runs, so a probe finds what its container's command line lets it find: a command that plainly fails (``false``, ``exit 1``, a
sleep longer than the timeout) fails, one that looks for a file finds it while the container's own script has it there, and everything else
succeeds, as requests to ports do, but for those to a server that sickens, and to a port by a name that its container has none of. After a
command of a client in the container, what that has left decides (`Found`). Annotations name probes that fail, for as long as they stand
there.

Where the container's script is run by the simulated shell, and it, its traps or its hook may have files come and go in a way that its
command line doesn't tell, a probe's command is run in the container each time (`Check.runs`).

What can't change isn't looked at again: a container whose probes succeed costs nothing once it is ready.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from svcsim.meta.times import format_duration
from svcsim.meta.types import Object
from svcsim.nodes.containers.programs import FOREVER, Program, read_program
from svcsim.nodes.containers.scripts import only_command
from svcsim.nodes.images.base_image import exec_error, is_missing
from svcsim.nodes.shell.tree import NOT_FOUND

STARTUP, READINESS, LIVENESS = "Startup", "Readiness", "Liveness"
PROBES_THAT_FAIL = (READINESS.lower(), LIVENESS.lower(), STARTUP.lower())
"""Their names in the annotation."""
_FIRST_S = 0.1
"""How long the first probe takes to be made and answered."""
_TESTS: dict[tuple[str, ...], str] = {(name, flag): "" for name in ("test", "[") for flag in ("-f", "-e", "-s")}
_LOOKS: dict[tuple[str, ...], str] = {("cat",): "cat: can't open '{}'", ("ls",): "ls: {}", ("stat",): "stat: can't stat '{}'", **_TESTS}
"""Commands that fail where the file isn't there that they are given, and what they say of it then, if anything."""


class Check(NamedTuple):
    """What a probe does, as far as it matters here."""

    failure: str | None = None
    """What it says if it fails, for want of its file or always; None if it never does."""
    refusal: str = ""
    """What it says if the annotation has it fail."""
    edges: tuple[tuple[float, bool], ...] = ()
    """When what it looks for comes and goes, in seconds after the container's start; empty where it always finds the same."""
    dials: tuple[str, int] | None = None
    """The host and the port that it connects to, and does nothing else; the pod itself, where the host is empty."""
    error: str = ""
    """Why it can't be made; then it counts neither as a success nor as a failure."""
    runs: bool = False
    """Whether it is run each time in what the container's own script has left (`Found`): only that tells what it finds."""

    def finds(self, since_s: float) -> str | None:
        """What is wrong so many seconds after the container's start; None if nothing is."""
        if not self.edges:
            return self.failure
        there = False
        for moment, comes in self.edges:
            if moment > since_s:
                break
            there = comes
        return None if there else self.failure

    def is_the_same(self, since_s: float, until_s: float) -> bool:
        """Whether what it looks for neither came nor went between two moments."""
        change_s = self.changes_after_s(since_s)
        return change_s is None or change_s > until_s

    def changes_after_s(self, since_s: float) -> float | None:
        """When it may next find something else."""
        return next((moment for moment, _ in self.edges if moment > since_s), None)


class Found(NamedTuple):
    """What probes of a container, by their kinds, find since a client's command has made a difference: what is wrong, or None."""

    at: float
    wrong: Mapping[str, str | None]

    def then(self, later: "Found") -> "Found":
        """With another difference that was made later."""
        return Found(later.at, {**self.wrong, **later.wrong})


NOTHING_FOUND = Found(0.0, {})


class Probe(NamedTuple):
    """A probe as the pod's spec has it."""

    kind: str
    delay_s: float
    period_s: float
    failure_threshold: int
    success_threshold: int
    check: Check
    grace_s: float
    """How long its container has to end when the probe has it killed."""

    def run_each_time(self) -> "Probe":
        """The same, of a container that may change at any time what it finds."""
        return self._replace(check=self.check._replace(edges=(), runs=True))

    def told(self, wrong: str, address: str) -> str:
        """What is said of what is wrong. ``address`` is the pod's."""
        if self.check.error:
            return f"{self.kind} probe errored and resulted in unknown state: {wrong}"
        if self.check.dials is not None:
            host, port = self.check.dials[0] or address, self.check.dials[1]
            wrong = f"dial tcp {f'[{host}]' if ':' in host else host}:{port}: connect: connection refused"
        return f"{self.kind} probe failed: {wrong}"


@dataclass(slots=True)
class Probing:
    """A probe at work on one run of a container. Times are seconds since the epoch."""

    probe: Probe
    holds: bool
    """What counts: a readiness probe fails until it has succeeded, a liveness probe succeeds until it has failed."""
    next_at: float | None
    """When it is made next; None if it would find the same for ever."""
    last: bool | None = None
    in_a_row: int = 0

    def make(self, now: float, started_at: float, failing: Sequence[str], found: Found = NOTHING_FOUND) -> str | None:
        """Make the probe; gives what is wrong, or None."""
        check, kind = self.probe.check, self.probe.kind
        if check.error:
            self.next_at = now + self.probe.period_s
            return check.error
        if kind.lower() in failing:
            wrong: str | None = check.refusal
        elif kind in found.wrong and check.is_the_same(found.at - started_at, now - started_at):
            wrong = found.wrong[kind]
        else:
            wrong = check.finds(now - started_at)
        succeeds = wrong is None
        self.in_a_row = self.in_a_row + 1 if self.last is succeeds else 1
        self.last = succeeds
        if self.in_a_row >= (self.probe.success_threshold if succeeds else self.probe.failure_threshold):
            self.holds = succeeds
        if succeeds and self.holds:
            self.rest(now, started_at)
        else:
            self.next_at = now + self.probe.period_s
        return wrong

    def rest(self, now: float, started_at: float) -> None:
        """All is well: it need not be made before it may find something else."""
        if self.probe.check.runs:
            self.next_at = now + self.probe.period_s
            return
        change_s = self.probe.check.changes_after_s(now - started_at)
        self.next_at = None if change_s is None else self._tick(started_at + change_s, now)

    def wake(self, now: float) -> None:
        """It may find something else from now on."""
        if self.next_at is None or self.next_at > now + self.probe.period_s:
            self.next_at = now + self.probe.period_s

    def _tick(self, moment: float, now: float) -> float:
        """The first time it is made at or after a moment, made now and then every period.

        That is never now, though it may be a hair's breadth before the moment: sums of seconds since the epoch are rounded.
        """
        return now + max(math.ceil((moment - now) / self.probe.period_s), 1) * self.probe.period_s


def failing_probes(text: str) -> tuple[str, ...]:
    """The probes that an annotation has fail; names that are none are among them."""
    return tuple(name for word in text.split(",") if (name := word.strip().lower())) if text else ()


def begin_probing(probe: Probe, started_at: float, now: float, failing: Sequence[str]) -> Probing:
    """From now on, but not before its delay since the container's start is over."""
    lives = probe.kind == LIVENESS
    known = probe.check.failure is None and not probe.check.error and not probe.check.runs
    idle = lives and known and probe.kind.lower() not in failing
    return Probing(probe, holds=lives, next_at=None if idle else max(started_at + probe.delay_s, now) + _FIRST_S)


def ready_after(seconds: float, readiness: Probe | None, grace_s: float) -> Probe:
    """Has a container be ready so long after its start: by its own readiness probe, which fails until then, or by one in its place."""
    if readiness is None:
        return Probe(READINESS, max(seconds - _FIRST_S, 0.0), _FIRST_S, 1, 1, Check(), grace_s)
    check = readiness.check
    return readiness._replace(check=check._replace(failure=check.failure or check.refusal, edges=((seconds, True),)))


def read_probe(kind: str, container: Object, program: Program, grace_s: float) -> Probe | None:
    """The probe of that kind that a container has. ``grace_s`` is the pod's; a probe may have one of its own."""
    given = container.get(f"{kind.lower()}Probe")
    if given is None:
        return None
    return Probe(
        kind=kind,
        delay_s=float(given.get("initialDelaySeconds") or 0),
        period_s=float(given.get("periodSeconds") or 10),
        failure_threshold=given.get("failureThreshold") or 3,
        success_threshold=given.get("successThreshold") or 1,
        check=_read_check(given, container, program),
        grace_s=float(given.get("terminationGracePeriodSeconds") or grace_s),
    )


def _read_check(given: Object, container: Object, program: Program) -> Check:
    asked = (given.get("httpGet") or given.get("tcpSocket") or {}).get("port") or 0
    port = _number(asked, container)
    if port is None:
        return Check(error=f'strconv.Atoi: parsing "{asked}": invalid syntax')
    if "httpGet" in given:
        if program.healthy_s is not None and _asks_for_health(given["httpGet"].get("path") or "/"):
            return Check(refused_with(500), refused_with(503), ((0.0, True), (program.healthy_s, False)))
        return Check(refusal=refused_with(503))
    if "tcpSocket" in given:
        return Check(refusal="connection refused", dials=(given["tcpSocket"].get("host") or "", port))
    if "grpc" in given:
        return Check(refusal='service unhealthy (responded with "NOT_SERVING")')
    command = tuple((given.get("exec") or {}).get("command") or ())
    if command and is_missing(command[0], container.get("image") or ""):
        return Check(error=exec_error(command[0]))
    path, complaint = _looked_for(command)
    edges = tuple((moment, comes) for moment, name, comes in program.files if name == path)
    if edges:
        return Check(complaint, edges=edges)
    return Check(failure=_failure(command, timeout_of(given)))


def _number(port: int | str, container: Object) -> int | None:
    """The number of a port of a container that may be called by its name; None where it has none of that name."""
    named = (one["containerPort"] for one in container.get("ports") or () if one.get("name") == port)
    return next(named, int(port) if isinstance(port, int) or port.isdecimal() else None)


def _asks_for_health(path: str) -> bool:
    """Whether a request leads there, perhaps by being sent on within its server."""
    asked = urlsplit(path)
    to = parse_qs(asked.query).get("loc", [""])[0] if asked.path == "/redirect" else asked.path
    return to == "/healthz"


def _looked_for(command: Sequence[str]) -> tuple[str, str]:
    """The file a command looks for, empty if it does something else, and what it says where that isn't there."""
    words = only_command(command)
    words = words[:-1] if words[:1] == ("[",) and words[-1] == "]" else words
    says = _LOOKS.get((words[0].rpartition("/")[2], *words[1:-1])) if len(words) > 1 else None
    if says is None:
        return "", ""
    return words[-1], f"{says.format(words[-1])}: {NOT_FOUND}\n" if says else ""


def _failure(command: tuple[str, ...], timeout_s: float) -> str | None:
    """What a command says that fails; None for one that succeeds, or that isn't understood."""
    program = read_program("", command, ()) if command else FOREVER
    if program.slept_s > timeout_s:
        return timed_out(command, timeout_s)
    return "".join(f"{line}\n" for _, line in program.lines) if program.exit_code else None


def timeout_of(given: Object) -> float:
    """How many seconds a probe waits for what it asks."""
    return float(given.get("timeoutSeconds") or 1)


def timed_out(command: Sequence[str], timeout_s: float) -> str:
    """What a probe says whose command took too long."""
    return f'command timed out: "{" ".join(command)}" timed out after {format_duration(timeout_s)}'


def refused_with(status: int) -> str:
    """What a probe says that was answered so over HTTP."""
    return f"HTTP probe failed with statuscode: {status}"
