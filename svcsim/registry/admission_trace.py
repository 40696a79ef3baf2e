"""The trace of a request through admission: what was called, what each step changed, warned of and refused, and how long it took.

It is kept for a dry run whose client asks for it, and travels with the request's `Caller`. The change of a step is shown as a JSON patch,
so that it can be read and tried; if all of it is too long, the later steps only say that something was changed.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.json_changes import changes
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Json, Object
from svcsim.wall import stopwatch

AskedType = Literal["plugin", "webhook", "policy"]
Phase = Literal["mutating", "validating"]


@dataclass(slots=True)
class Step:
    """One who was asked: a plugin, or a webhook or policy that a plugin asked."""

    type: AskedType
    name: str
    phase: Phase = "mutating"
    round: int = 0
    """1 where the mutating plugins were asked for the second time."""
    took_s: float = 0.0
    changed: bool = False
    changes: list[Json] = field(default_factory=list)
    """The operations of a JSON patch; none if there is no room left for them."""
    warnings: list[str] = field(default_factory=list)
    refusal: StatusError | None = None
    ignored: str = ""
    """Why it failed, where its failure policy lets the request through."""
    passed_over: str = ""
    """Why it wasn't asked after all."""
    steps: "list[Step]" = field(default_factory=list)

    def leave_out(self, condition: str) -> None:
        """It wasn't asked after all, since a condition of its own doesn't hold."""
        self.passed_over = f'its condition "{condition}" doesn\'t hold'

    def as_json(self) -> Object:
        told: Object = {
            "type": self.type,
            "name": self.name,
            "phase": self.phase,
            "round": self.round,
            "result": self._result(),
            "seconds": round(self.took_s, 6),
        }
        if self.changes:
            told["changes"] = self.changes
        if self.warnings:
            told["warnings"] = self.warnings
        if self.refusal is not None:
            told["refusal"] = self.refusal.status()
        if why := self.ignored or self.passed_over:
            told["why"] = why
        if self.steps:
            told["steps"] = [step.as_json() for step in self.steps]
        return told

    def _result(self) -> str:
        if self.refusal is not None:
            return "refused"
        if self.passed_over:
            return "not asked"
        if self.ignored:
            return "failed"
        if self.changed:
            return "changed"
        return "warned" if self.warnings else "let through"


class _Caller(Protocol):
    """The caller, as far as it matters here."""

    warnings: list[str]


class Seen(Protocol):
    """A request as those see it who are asked about it."""

    @property
    def caller(self) -> _Caller: ...

    @property
    def obj(self) -> Object | None: ...

    @property
    def size_bytes(self) -> int: ...


class AdmissionTrace:
    """The steps of one request, in their order: while they are kept, nobody is asked beside another."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._to_come: list[tuple[Phase, str]] = []
        self._open: list[Step] = []
        self._pass: tuple[Phase, int] = ("mutating", 0)
        self.room_bytes = limits.ADMISSION_TRACE_BYTES
        """For changes that are told."""

    def plan(self, mutating: tuple[str, ...], validating: tuple[str, ...]) -> None:
        """These plugins are going to be asked, if none refuses. A write that is tried again begins anew."""
        self.steps.clear()
        self.enter("mutating")
        self._to_come = [("mutating", name) for name in mutating]
        self._to_come += [("validating", name) for name in validating]

    def enter(self, phase: Phase, round_: int = 0) -> None:
        """From now on it is this pass."""
        self._pass = phase, round_

    def begin(self, type_: AskedType, name: str) -> Step:
        """A step within what is asked already."""
        step = Step(type_, name, *self._pass)
        (self._open[-1].steps if self._open else self.steps).append(step)
        return step

    @asynccontextmanager
    async def step(self, type_: AskedType, name: str, seen: Seen) -> AsyncIterator[Step]:
        """While this lasts a plugin, webhook or policy is called; a `StatusError` is a refusal."""
        step = self.begin(type_, name)
        if not self._open and (step.phase, step.name) in self._to_come:
            self._to_come.remove((step.phase, step.name))
        self._open.append(step)
        warned, before = len(seen.caller.warnings), None
        if step.phase == "mutating":
            before = await aside(seen.size_bytes, copy_json, seen.obj)
        started = stopwatch()
        try:
            yield step
        except StatusError as error:
            step.refusal = error
            raise
        finally:
            step.took_s = stopwatch() - started
            step.warnings = seen.caller.warnings[warned:]
            self._open.pop()
            if step.phase == "mutating":
                await aside(seen.size_bytes, self._note_changes, step, before, seen.obj)

    def _note_changes(self, step: Step, before: Json, after: Json) -> None:
        found = changes(before, after)
        step.changed = bool(found)
        size_bytes = len(encode(found))
        if found and size_bytes <= self.room_bytes:
            self.room_bytes -= size_bytes
            step.changes = copy_json(found)  # what others change in it is not this step's

    def warnings(self) -> frozenset[str]:
        """What any step warned of."""
        return frozenset(text for step in self.steps for text in step.warnings)

    def as_json(self) -> Object:
        told: Object = {"steps": [step.as_json() for step in self.steps]}
        if self._to_come:
            told["notAsked"] = [{"phase": phase, "name": name} for phase, name in self._to_come]
        return told
