"""The effort of a first process: none of it goes on for ever, nor is much work even where it would.

One that goes round and round without a pause takes time for that, more and more. And where a loop is far behind, because nobody has looked
at what it does for long, turns are left out in which it would only have counted on: what it would say is older than what its log keeps.
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
    """Work of a first process."""

    target: Callable[[], float] = float
    """Up to which moment it is run."""
    skip: Callable[[float], object] = float
    """Leaves so many seconds out."""
    endless: bool = False
    """Whether it is known that it never ends."""
    spells: int = 0
    """How often it has worked on without letting time pass."""
    napping: Callable[[float], Awaitable[None]] | None = None
    """Lets so many seconds pass, unless it is asked to end meanwhile."""
    heard: Callable[[], str] = str
    """The name of a signal that has come in by now."""
    last: _Turn | None = None
    usual: _Turn | None = None
    asked: bool = False
    """Whether others were asked in this turn of a loop."""
    alike: int = 0
    """How many turns in a row that asked others have come to nothing new."""

    async def step(self, world: World) -> None:
        self.steps += 1
        if self.steps % limits.SHELL_STEPS_A_TURN == 0:
            await world.turn()
        if self.steps >= limits.FIRST_PROCESS_STEPS:
            self.spells += 1
            longer = max(self.spells - limits.FIRST_PROCESS_SPELLS, 0)
            await Work.rest(self, world, min(limits.FIRST_PROCESS_SPELL_S * 2 ** min(longer, 30), limits.FIRST_PROCESS_SPELL_LONGEST_S))

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

    def loop_begins(self, loop: WhileClause, *, stops_at_failures: bool) -> None:
        self.endless = self.endless or (not stops_at_failures and not self.deadlines and is_endless(loop))

    def follows_for_ever(self) -> None:
        self.endless = self.endless or not self.deadlines

    def heard_signal(self) -> str:
        return self.heard()

    def asks_others(self) -> None:
        self.asked = True

    @property
    def idle_s(self) -> float:
        """How much later than it goes on it may be looked at: what waits for others long since is looked at less and less often."""
        if self.usual is None or self.alike < _ALIKE:
            return 0.0
        return min((self.alike - _ALIKE) * self.usual.at, limits.FIRST_PROCESS_IDLE_S)

    def puzzled(self, why: str) -> None:
        raise PuzzledError(why)

    def turn_ended(self, variables: dict[str, str], world: World) -> None:
        this = _Turn(world.now(), {name: int(value) for name, value in variables.items() if _NUMBER.fullmatch(value)})
        took = this.since(self.last) if self.last is not None else None
        self.last = this
        is_alike = self.asked and took is not None and took == self.usual and not any(took.numbers.values())
        self.alike, self.asked = self.alike + 1 if is_alike else 0, False
        if took is None or took != self.usual or took.at <= 0 or self.deadlines:
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
