"""Which objects an expectation looks at, and how each of them stands, kept up to date entry by entry."""

from dataclasses import dataclass, field
from typing import NamedTuple

from svcsim.meta.objects import labels_of
from svcsim.meta.types import Json, Key, Object
from svcsim.meta.wait_condition import ConditionError, WaitCondition, read_condition
from svcsim.scenario.body import Body
from svcsim.scenario.expressions import Expression, Expressions, Unknown
from svcsim.scenario.journal import Entry, Journal
from svcsim.scenario.matching import Difference, differences, shorten
from svcsim.scenario.model import Values
from svcsim.scenario.secret_values import KIND as SECRET
from svcsim.scenario.secret_values import masked, told

_SHOWN = 5
"""Objects a failure tells about."""


class Verdict(NamedTuple):
    """How one object stands: it holds, it doesn't, or a field that is asked for isn't there yet."""

    holds: bool
    known: bool


HOLDS, FAILS, NOT_YET = Verdict(True, True), Verdict(False, True), Verdict(False, False)


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection as the file has it, with everything put in and compiled."""

    kind: str
    api_version: str
    name: str
    namespace: str
    labels: dict[str, str]
    where: Expression | None
    match: Object | None
    expressions: Expressions
    values: Values
    awaited: WaitCondition | None = None
    """What is waited for, where that is told of each object in the words of `wait`."""

    @classmethod
    def read(cls, subject: Object, expressions: Expressions, values: Values) -> "Selection":
        """From the map in the file, after its ``${…}`` have been filled."""
        where = subject.get("where")
        return cls(
            kind=subject["kind"],
            api_version=subject.get("apiVersion", ""),
            name=subject.get("name", ""),
            namespace=subject.get("namespace", ""),
            labels=subject.get("labels") or {},
            where=None if where is None else expressions.compile(_text(where)),
            match=subject.get("match"),
            expressions=expressions,
            values=values,
            awaited=read_condition(subject["for"]) if "for" in subject else None,
        )

    @property
    def ages(self) -> bool:
        """Whether the passing of time alone can change how an object stands."""
        return self.where is not None and self.where.mentions("age")

    def selects(self, key: Key, body: Body) -> bool:
        """Whether an object is one of those looked at, as far as that can be told without decoding it."""
        return (
            body.kind == self.kind
            and (not self.name or key.name == self.name)
            and (not self.namespace or key.namespace == self.namespace)
            and (not self.api_version or body.api_version == self.api_version)
        )

    def is_labelled(self, obj: Object) -> bool:
        """Whether one that it selects has the labels that are asked for."""
        return not self.labels or self.labels.items() <= labels_of(obj).items()

    def judge(self, obj: Object) -> Verdict:
        """How an object stands. Raises `NeitherError`."""
        if self.match is not None and differences(self.match, obj):
            return FAILS
        if self.awaited is not None and not self._is_as_awaited(self.awaited, obj):
            return FAILS
        if self.where is None:
            return HOLDS
        holds = self.expressions.holds(self.where, self.values.scope(), obj)
        if isinstance(holds, Unknown):
            return NOT_YET
        return HOLDS if holds else FAILS

    @staticmethod
    def _is_as_awaited(awaited: WaitCondition, obj: Object) -> bool:
        try:
            return awaited.holds(obj)
        except ConditionError:
            return False

    def explain(self, obj: Object) -> str:
        """Why an object does not hold: what differs, or the fields the expression looks at."""
        if self.match is not None and (found := differences(self.match, obj)):
            return "; ".join(self._told(difference) for difference in found[:_SHOWN])
        if self.awaited is not None and (standing := self._standing(self.awaited, obj)):
            return standing
        if self.where is None:
            return "is there"
        held = self.expressions.evaluate(self.where, self.values.scope(), obj)
        seen = [f"{path} is {_at(obj, path, self.kind)}" for path in self.where.paths()]
        if isinstance(held, Unknown):
            seen.append(held.reason)
        return ", ".join(seen) or ("holds" if held is True else "does not hold")

    def _standing(self, awaited: WaitCondition, obj: Object) -> str:
        """How an object stands in what is waited for; nothing where that is as it should be, and no word of what is secret."""
        try:
            if awaited.holds(obj):
                return ""
            return "is not as it is waited for" if self.kind == SECRET else awaited.standing(obj)
        except ConditionError as error:
            return str(error)

    def _told(self, difference: Difference) -> str:
        path, wanted, actual = difference
        return str(Difference(path, told(self.kind, path, wanted), told(self.kind, path, actual)))

    def __str__(self) -> str:
        """As a reader would say it: ``Pod default/web-1 with app=web where …``."""
        name = f"{self.namespace}/{self.name}" if self.namespace and self.name else self.name or self.namespace
        parts = [f"{self.kind} {name}".rstrip()]
        if self.labels:
            parts.append("with " + ",".join(f"{key}={value}" for key, value in self.labels.items()))
        if self.awaited is not None:
            parts.append(f"for {self.awaited.text}")
        if self.where is not None:
            parts.append(f"where {self.where.text}")
        if self.match is not None:
            shown = masked({"kind": self.kind, "match": self.match})["match"]
            parts.append(f"like {shorten(shown)}")
        return " ".join(parts)


@dataclass(slots=True)
class Tracker:
    """How each selected object stands, as of the newest entry."""

    selection: Selection
    verdicts: dict[Key, Verdict] = field(default_factory=dict)
    bodies: dict[Key, Body] = field(default_factory=dict)
    holding: int = 0
    judged: set[Key] = field(default_factory=set)
    """The objects that could be judged once. One that is recreated under the same name counts as another."""
    was_judged: bool = False
    """Whether there was one that could be judged."""
    broken: set[Key] = field(default_factory=set)
    """The objects that fail, or can no longer be judged."""

    def start(self, journal: Journal) -> None:
        for key, body in journal.objects(self.selection.kind):
            if self.selection.selects(key, body):
                obj = body.decode()
                if self.selection.is_labelled(obj):
                    self._put(key, body, obj)

    def see(self, entry: Entry) -> bool:
        """Take up an entry; whether it concerns a selected object."""
        known = entry.key in self.verdicts
        if entry.type != "DELETED" and self.selection.selects(entry.key, entry.body) and self.selection.is_labelled(entry.object):
            self._put(entry.key, entry.body, entry.object)
            return True
        if known and entry.body.kind == self.selection.kind:
            self.holding -= self.verdicts.pop(entry.key).holds
            self.broken.discard(entry.key)
            if entry.type == "DELETED":
                self.judged.discard(entry.key)
            del self.bodies[entry.key]
        return known

    def refresh(self) -> None:
        """Judge every object again, because time has passed."""
        for key, body in list(self.bodies.items()):
            self._put(key, body, body.decode())

    def explain(self, *, holding: bool) -> list[str]:
        """The first few objects that hold, or that don't, and why."""
        alike = [key for key, verdict in self.verdicts.items() if verdict.holds == holding]
        lines = [
            f"{key.namespace + '/' if key.namespace else ''}{key.name}: {self.selection.explain(self.bodies[key].decode())}"
            for key in alike[:_SHOWN]
        ]
        return lines + ([f"and {len(alike) - _SHOWN} more"] if len(alike) > _SHOWN else [])

    def _put(self, key: Key, body: Body, obj: Object) -> None:
        before = self.verdicts.get(key)
        verdict = self.selection.judge(obj)
        self.holding += verdict.holds - (before.holds if before is not None else 0)
        if verdict == FAILS or (not verdict.known and key in self.judged):
            self.broken.add(key)
        else:
            self.broken.discard(key)
        if verdict.known:
            self.judged.add(key)
            self.was_judged = True
        self.verdicts[key] = verdict
        self.bodies[key] = body


def _text(where: Json) -> str:
    return where if isinstance(where, str) else "true" if where else "false"


def _at(obj: Object, path: str, kind: str) -> str:
    value: Json = {**obj, "object": obj}
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return "not there"
        value = value[name]
    return shorten(told(kind, path, value))
