"""What must hold, watched entry by entry.

A watch sees every journal entry and decides: it holds, it is violated, or neither yet. `eventually` holds at the first moment its
condition does. `always` and `never` are violated at the first moment theirs doesn't. A field that is missing means "not yet": it satisfies
nothing, and it violates `always` only for an object that could be judged before. A `where` that is neither true nor false is a mistake of
the scenario, and decides at once.
"""

import asyncio
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from svcsim.clock import Clock
from svcsim.meta.types import Json, Object
from svcsim.scenario.expressions import Expression, Expressions, NeitherError, Unknown
from svcsim.scenario.format import BOUNDS
from svcsim.scenario.journal import Entry, Journal
from svcsim.scenario.matching import fits
from svcsim.scenario.model import Values
from svcsim.scenario.selection import Selection, Tracker

AGE_TICK_S = 1.0
"""How often an expectation that asks for an age is looked at again, in cluster time."""

_COMPARE: dict[str, Callable[[int, float], bool]] = {
    bound: getattr(operator, {"lte": "le", "gte": "ge"}.get(bound, bound)) for bound in BOUNDS
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something did not hold: one sentence, and what difference was left."""

    message: str
    details: list[str] = field(default_factory=list)


class Condition(Protocol):
    """Something about the cluster that is true or not at each moment. What looks at objects raises `NeitherError`."""

    ages: bool

    def start(self, journal: Journal) -> None:
        """Look at what is there."""
        ...

    def see(self, entry: Entry) -> bool:
        """Take up an entry; whether it may have changed anything."""
        ...

    def refresh(self) -> None:
        """Judge again, because time has passed."""
        ...

    def is_met(self) -> bool:
        """Whether it comes to hold: for `eventually`, and for what must `never` be."""
        ...

    def is_kept(self) -> bool:
        """Whether it holds throughout: for `always`."""
        ...

    def was_judged(self) -> bool:
        """Whether there was ever anything to judge."""
        ...

    def left(self, *, met: bool) -> list[str]:
        """What keeps it from being met, or what met it."""
        ...


class CountCondition:
    """So many objects match."""

    def __init__(self, selection: Selection, bounds: dict[str, float]) -> None:
        self.ages = selection.ages
        self._tracker = Tracker(selection)
        self._bounds = bounds
        self.start, self.see, self.refresh = self._tracker.start, self._tracker.see, self._tracker.refresh

    def is_met(self) -> bool:
        """The number is within all bounds."""
        return all(_COMPARE[bound](self._tracker.holding, number) for bound, number in self._bounds.items())

    is_kept = is_met

    def was_judged(self) -> bool:
        """A count is a count from the beginning."""
        return True

    def left(self, *, met: bool) -> list[str]:
        """The number, and the objects that match where there are too many, else those that don't."""
        tracker = self._tracker
        too_many = met or any(self._is_above(bound, number) for bound, number in self._bounds.items())
        shown = tracker.explain(holding=too_many and tracker.holding > 0)
        return [f"{tracker.holding} of {len(tracker.verdicts)} {tracker.selection.kind} objects", *shown]

    def _is_above(self, bound: str, number: float) -> bool:
        """Whether fewer objects might be within a bound."""
        return bound in {"lt", "lte", "eq"} and not _COMPARE[bound](self._tracker.holding, number) and self._tracker.holding >= number

    def __str__(self) -> str:
        """``count of Pod where … eq 3``."""
        return f"count of {self._tracker.selection} {' '.join(f'{bound} {number:g}' for bound, number in self._bounds.items())}"


class ObjectCondition:
    """There is an object that matches; or, for `always`, every selected object keeps matching."""

    def __init__(self, selection: Selection) -> None:
        self.ages = selection.ages
        self._tracker = Tracker(selection)
        self._gone = False
        self.start, self.refresh = self._tracker.start, self._tracker.refresh

    def see(self, entry: Entry) -> bool:
        changed = self._tracker.see(entry)
        if changed:
            self._gone = bool(self._tracker.selection.name) and not self._tracker.verdicts
        return changed

    def is_met(self) -> bool:
        """There is at least one."""
        return self._tracker.holding > 0

    def is_kept(self) -> bool:
        """None of those that could be judged fails, and one asked for by name is not gone."""
        return not self._tracker.broken and not (self._gone and self._tracker.was_judged)

    def was_judged(self) -> bool:
        """There was an object to judge."""
        return self._tracker.was_judged

    def left(self, *, met: bool) -> list[str]:
        """The objects in question, and how they stand."""
        if not self._tracker.verdicts:
            return [f"there is no such {self._tracker.selection.kind}"]
        return self._tracker.explain(holding=met)

    def __str__(self) -> str:
        """As the selection says it."""
        return str(self._tracker.selection)


class WholeCondition(ObjectCondition):
    """All selected objects match, and there is at least one: what `wait` waits for. With ``gone``, none is left."""

    def __init__(self, selection: Selection, *, gone: bool = False) -> None:
        super().__init__(selection)
        self._until_gone = gone

    def is_met(self) -> bool:
        total = len(self._tracker.verdicts)
        return self._tracker.holding == 0 if self._until_gone else 0 < self._tracker.holding == total

    def left(self, *, met: bool) -> list[str]:
        """The objects that keep it from being met."""
        return super().left(met=met or self._until_gone)


class OrderCondition:
    """Moments that come one after the other."""

    ages = False

    def __init__(self, moments: list[Object], expressions: Expressions, values: Values) -> None:
        self._moments = moments
        self._wheres = [expressions.compile(moment["where"]) if "where" in moment else None for moment in moments]
        self._expressions = expressions
        self._values = values
        self._reached = 0

    def start(self, journal: Journal) -> None:
        """What came before does not count."""

    def see(self, entry: Entry) -> bool:
        """Whether the entry is the next moment."""
        if self._reached == len(self._moments):
            return False
        try:
            fits = self._fits(self._moments[self._reached], self._wheres[self._reached], entry)
        except NeitherError as error:
            error.number = self._reached
            raise
        self._reached += fits
        return fits

    def refresh(self) -> None:
        """Time alone changes nothing."""

    def is_met(self) -> bool:
        return self._reached == len(self._moments)

    is_kept = is_met

    def was_judged(self) -> bool:
        """An order can always be judged."""
        return True

    def left(self, *, met: bool) -> list[str]:  # noqa: ARG002 - an order is only ever waited for
        """The moment that did not come."""
        missing = self._moments[self._reached]
        described = ", ".join(f"{key} {value}" for key, value in missing.items())
        return [f"{self._reached} of {len(self._moments)} happened; the next would be {described}"]

    def __str__(self) -> str:
        """``order of A, B``."""
        return f"order of {', then '.join(str(moment.get('reason') or moment.get('kind') or moment.get('on')) for moment in self._moments)}"

    def _fits(self, moment: Object, where: Expression | None, entry: Entry) -> bool:
        kind = entry.body.kind
        about = f"{kind}/{entry.key.name}"
        if moment.get("kind", kind) != kind or moment.get("type", entry.type) != entry.type:
            return False
        if "reason" in moment or "message" in moment:
            if kind != "Event" or entry.type == "DELETED":
                return False
            obj = entry.object
            involved = obj.get("involvedObject") or {}
            about = f"{involved.get('kind', '')}/{involved.get('name', '')}"
            if not fits(moment.get("reason", "*"), obj.get("reason") or ""):
                return False
            if not fits(moment.get("message", "*"), obj.get("message") or ""):
                return False
        if "on" in moment and not fits(str(moment["on"]).lower(), about.lower()):
            return False
        holds = True if where is None else self._expressions.holds(where, self._values.scope(), entry.object)
        return holds if not isinstance(holds, Unknown) else False


AnyCondition: TypeAlias = CountCondition | ObjectCondition | OrderCondition


def read_condition(subject: Json, expressions: Expressions, values: Values) -> AnyCondition:
    """The condition a subject describes, its ``${…}`` filled."""
    if isinstance(subject, list):
        return OrderCondition(subject, expressions, values)
    if "count" in subject:
        counted = subject["count"]
        return CountCondition(Selection.read(counted, expressions, values), {bound: counted[bound] for bound in BOUNDS if bound in counted})
    return ObjectCondition(Selection.read(subject, expressions, values))


class ExpectationWatch:
    """Follows one condition from the moment it is made.

    ``decided`` is done when it is met (eventually), violated (always, never) or found to be none; ``failed`` only in the latter cases.
    ``places`` are those of its expressions in the file, for a mistake in one of them.
    """

    def __init__(self, mode: str, condition: AnyCondition, journal: Journal, clock: Clock, places: Sequence[str] = ()) -> None:
        self.mode = mode
        self.condition = condition
        self.failure: Failure | None = None
        loop = asyncio.get_running_loop()
        self.decided: asyncio.Future[None] = loop.create_future()
        self.failed: asyncio.Future[None] = loop.create_future()
        self._clock = clock
        self._journal = journal
        self._places = places
        self._unsubscribe = journal.subscribe(self._see)
        self._ticking = asyncio.ensure_future(self._tick()) if condition.ages else None
        self._judge(self._start)

    def close(self) -> None:
        self._unsubscribe()
        if self._ticking is not None:
            self._ticking.cancel()

    def verdict(self) -> Failure | None:
        """At the end: why it did not hold, or None."""
        if self.failure is not None:
            return self.failure
        if self.mode in {"eventually", "order"}:
            return None if self.decided.done() else Failure(f"{self.condition}: did not become true", self.condition.left(met=False))
        if self.mode == "always" and not self.condition.was_judged():
            return Failure(f"always {self.condition}: there was never an object to check", self.condition.left(met=False))
        return None

    def _see(self, entry: Entry) -> None:
        if not self.decided.done():
            self._judge(lambda: self.condition.see(entry))

    def _start(self) -> bool:
        self.condition.start(self._journal)
        return True

    def _refresh(self) -> bool:
        self.condition.refresh()
        return True

    def _judge(self, changed: Callable[[], bool]) -> None:
        """Decide, if something has changed."""
        try:
            if changed():
                self._look()
        except NeitherError as error:
            place = self._places[min(error.number, len(self._places) - 1)] if self._places else ""
            self._violated(Failure(f"{place}: {error}" if place else str(error)))

    def _look(self) -> None:
        if self.mode in {"eventually", "order"}:
            if self.condition.is_met():
                self.decided.set_result(None)
        elif self.mode == "always":
            if not self.condition.is_kept():
                self._violated(Failure(f"always {self.condition}: stopped being true", self.condition.left(met=False)))
        elif self.condition.is_met():
            self._violated(Failure(f"never {self.condition}: happened", self.condition.left(met=True)))

    def _violated(self, failure: Failure) -> None:
        self.failure = failure
        self.decided.set_result(None)
        self.failed.set_result(None)

    async def _tick(self) -> None:
        while not self.decided.done():
            await self._clock.sleep(AGE_TICK_S)
            self._judge(self._refresh)
