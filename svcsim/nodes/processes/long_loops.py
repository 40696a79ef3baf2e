"""How much work a first process is, however long it runs.

A process that loops without a pause takes time for that, more and more. And if a loop is far behind, because no client has looked at the
container for long, turns are left out in which it would only have counted on: its output would be older than what its log keeps.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.containers.understanding import is_endless
from svcsim.nodes.shell.process import FOR_EVER_S, Work, World
from svcsim.nodes.shell.syntax import WhileClause

_ALIKE = 10
"""So many turns are waited for one by one."""
_NUMBER = re.compile(r"-?\d{1,15}")


class PuzzledError(Exception):
    """A program can't make use of what it was given: what is run isn't understood, although it looked as if it were."""


class _Turn(NamedTuple):
    """What a loop had come to at the end of a turn."""

    at: float
    numbers: Mapping[str, int]

    def since(self, before: "_Turn") -> "_Turn":
        """How long it took, and by how much it has counted on."""
        there = before.numbers
        return _Turn(round(self.at - before.at, 6), {name: number - there[name] for name, number in self.numbers.items() if name in there})


@dataclass(slots=True)
class FirstWork(Work):
    """The work of a first process, which is never killed for it: whatever goes round without a pause takes time."""

    napping: Callable[[float], Awaitable[None]] | None = None
    """Lets so many seconds pass, unless the process is asked to end meanwhile."""
    piece_steps: int = limits.FIRST_PROCESS_PIECE_STEPS
    spell_s: float = limits.FIRST_PROCESS_SPELL_S
    """The time that a spell of work takes at first."""
    spells: int = 0
    """How often it has worked on without letting time pass."""

    async def step(self, world: World) -> None:
        self.steps += 1
        if self.steps % limits.SHELL_STEPS_A_TURN == 0:
            await world.turn()
        if self.steps >= limits.FIRST_PROCESS_STEPS:
            self.spells += 1
            longer = max(self.spells - limits.FIRST_PROCESS_SPELLS, 0)
            await Work.rest(self, world, min(self.spell_s * 2 ** min(longer, 30), limits.FIRST_PROCESS_SPELL_LONGEST_S))

    async def rest(self, world: World, seconds: float) -> None:
        self.spells = 0
        await Work.rest(self, world, seconds)

    async def nap(self, world: World, seconds: float) -> None:
        if self.napping is None:
            await self.rest(world, seconds)
            return
        await self.rest(world, 0.0)
        if seconds >= FOR_EVER_S:
            self.follows_for_ever()
        await self.in_time(world, seconds, self.napping)


@dataclass(slots=True)
class LoopObserver:
    """Sees which loops of a first process never end, and leaves out turns of a loop that is far behind."""

    target: Callable[[], float]
    """The time up to which the process is run."""
    skip: Callable[[float], None]
    """Leaves so many seconds out."""
    heard: Callable[[], str]
    """The name of a signal that has come in, or an empty string."""
    endless: bool = False
    """Whether the process is known never to end."""
    last: _Turn | None = None
    usual: _Turn | None = None
    """What the last turn took."""
    asked: bool = False
    """Whether others were asked in this turn of a loop."""
    alike: int = 0
    """How many turns in a row that asked others have come to nothing new."""

    def loop_begins(self, loop: WhileClause) -> None:
        self.endless = self.endless or is_endless(loop)

    def never_ends(self) -> None:
        self.endless = True

    def heard_signal(self) -> str:
        return self.heard()

    def asks_others(self) -> None:
        self.asked = True

    def puzzled(self, why: str) -> None:
        raise PuzzledError(why)

    @property
    def idle_s(self) -> float:
        """How much later than it goes on it may be looked at: what waits for others long since is looked at less and less often."""
        if self.usual is None or self.alike < _ALIKE:
            return 0.0
        return min((self.alike - _ALIKE) * self.usual.at, limits.FIRST_PROCESS_IDLE_S)

    def turn_ended(self, variables: dict[str, str], now: float, *, is_limited: bool) -> None:
        this = _Turn(now, {name: int(value) for name, value in variables.items() if _NUMBER.fullmatch(value)})
        took = this.since(self.last) if self.last is not None else None
        self.last = this
        is_alike = self.asked and took is not None and took == self.usual and not any(took.numbers.values())
        self.alike, self.asked = self.alike + 1 if is_alike else 0, False
        if took is None or took != self.usual or took.at <= 0 or is_limited:
            self.usual = took
            return
        if not self.endless and any(took.numbers.values()):
            return  # it may count up to its end
        turns = int((self.target() - this.at) / took.at) - limits.FIRST_PROCESS_TURNS
        if turns > 0:
            for name, more in took.numbers.items():
                variables[name] = str(this.numbers[name] + turns * more)
            self.skip(turns * took.at)
            self.last = None
