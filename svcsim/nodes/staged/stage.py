"""What a stage is: on which objects it is played, when, and what it does. All of it is decided from the object as it is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeAlias

from svcsim.chance import Chance
from svcsim.meta.codec import encode
from svcsim.meta.gotemplate.nodes import GoTemplate
from svcsim.meta.jq.errors import JqError, SpentError
from svcsim.meta.jq.query import Query
from svcsim.meta.mistakes import INVALID_REASON, mistake
from svcsim.meta.objects import annotations_of
from svcsim.meta.own_annotations import own_keys
from svcsim.meta.quoting import quoted
from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.behaviour import UnreadableError, duration_s

INVALID_DELAY_REASON = "InvalidDelay"


class ObjectKind(NamedTuple):
    """The kind of the objects a stage is for."""

    api_version: str
    kind: str

    @property
    def words(self) -> str:
        """As messages tell it."""
        return f"{self.kind} of {self.api_version}"


POD = ObjectKind("v1", "Pod")
NODE = ObjectKind("v1", "Node")


class StageRequirement(NamedTuple):
    """What has to be found in an object: ``operator`` is In, NotIn, Exists, DoesNotExist, or True for a query that has to hold."""

    query: Query
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, obj: Object) -> bool:
        """Whether the object has it. A query that breaks off has found nothing."""
        found = self.query.results(obj) or []
        match self.operator:
            case "In":
                return any(_spelled(one) in self.values for one in found)
            case "NotIn":
                return not any(_spelled(one) in self.values for one in found)
            case "Exists":
                return any(one is not None for one in found)
            case "DoesNotExist":
                return all(one is None for one in found)
        return bool(found) and all(one is not None and one is not False for one in found)

    def spent(self, obj: Object) -> str:
        """By which limit its query is ended on an object, as messages tell it behind the words; empty where it isn't."""
        try:
            self.query.found(obj)
        except SpentError as error:
            return f" ({error})"
        except JqError:
            pass
        return ""

    @property
    def words(self) -> str:
        """What it asks for, as messages tell it behind ``needs``."""
        asked = self.query.text.strip()
        match self.operator:
            case "In" | "NotIn":
                return f"{asked} to be {'' if self.operator == 'In' else 'none of '}{' or '.join(self.values)}"
            case "Exists" | "DoesNotExist":
                return f"{'something' if self.operator == 'Exists' else 'nothing'} at {asked}"
        return asked


def _spelled(value: Json) -> str | None:
    """A value as selectors spell it; None for what they know no spelling of."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None


class TimeMistake(NamedTuple):
    """What is no time where one was to be found."""

    annotation: str
    """The annotation of ours that holds it; empty where it comes from elsewhere."""
    why: str


def _seconds(found: Json, now: float) -> float:
    """What a query has found, as a time from now on. Raises `UnreadableError`."""
    if isinstance(found, str):
        try:
            return parse_time(found) - now
        except ValueError:
            return duration_s(found)
    return duration_s("" if isinstance(found, bool) or not isinstance(found, int | float) else str(found))


def _without(obj: Object, key: str) -> Object:
    return {**obj, "metadata": {**obj["metadata"], "annotations": {k: text for k, text in annotations_of(obj).items() if k != key}}}


class SaidAmount(NamedTuple):
    """A time or a weight: as it stands in the stage, or as a query finds it in the object."""

    value: float | None = None
    query: Query | None = None

    def timed(self, now: Callable[[], float]) -> "SaidAmount":
        """The same, its query by this clock."""
        return self if self.query is None else self._replace(query=self.query.timed(now))

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same for all objects."""
        return self.value is not None and self.query is None

    def seconds(self, obj: Object, now: float) -> float | None:
        """As a time from now on: the query may find a duration, or a moment. None where nothing is said.

        What it finds that is neither counts for nothing; an annotation that holds it, as if it weren't there.
        """
        found = self.time_found(obj)
        if found == "":
            return None
        return self.value if found is None else _seconds(found, now)

    def time_found(self, obj: Object) -> Json:
        """The duration or the moment that its query finds; empty where that says that there is none, None where nothing is found."""
        found = self._found(obj)
        if found in (None, ""):
            return found
        try:
            _seconds(found, 0.0)
        except UnreadableError:
            key = self._annotation(obj, found)
            return self.time_found(_without(obj, key)) if key else None
        return found

    def mistake(self, obj: Object) -> TimeMistake | None:
        """What the query finds that is neither a duration nor a moment; None where there is nothing wrong."""
        try:
            found = next(iter(self.query.found(obj)), None) if self.query is not None else None
        except SpentError as error:
            return TimeMistake("", f"{error}; it counts for nothing")
        except JqError:
            found = None
        if found in (None, ""):
            return None
        try:
            _seconds(found, 0.0)
        except UnreadableError as error:
            shown = found if isinstance(found, str) else encode(found).decode()
            return TimeMistake(self._annotation(obj, found), f"{quoted(shown[:80])} {error}; it counts for nothing")
        return None

    def _annotation(self, obj: Object, found: Json) -> str:
        """The annotation of ours that what the query has found is the value of; empty if it isn't of one that the query names."""
        named = own_keys(self.query.text) if self.query is not None else ()
        return next((key for key in named if annotations_of(obj).get(key) == found), "")

    def whole(self, obj: Object) -> int | None:
        """As a weight. None where the query finds what is none."""
        found = self._found(obj)
        if found is None:
            return None if self.value is None else int(self.value)
        try:
            return int(found) if isinstance(found, str | int | float) else None
        except (ValueError, OverflowError):
            return None

    def _found(self, obj: Object) -> Json:
        results = self.query.results(obj) if self.query is not None else None
        return results[0] if results else None


class Patch(NamedTuple):
    """A change of the object: what the template makes is merged into ``root``, or into all of it, of the resource or a subresource."""

    template: GoTemplate
    root: str = ""
    subresource: str = ""
    form: str = ""
    """json, merge or strategic; empty for what the kind knows."""
    splits: bool = False
    """Whether it is the whole object that is patched, its status by itself."""
    as_user: str = ""
    """In whose name it is sent; empty for that of all stages."""


class Applied(NamedTuple):
    """Another object, of whatever kind, that is applied: the template makes all of it."""

    template: GoTemplate
    as_user: str = ""
    """In whose name; empty for that of all stages."""


class StageEvent(NamedTuple):
    """An event about the object. The message is a template."""

    type: str
    reason: str
    message: GoTemplate


class Finalizers(NamedTuple):
    """What becomes of the object's finalizers."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    empty: bool = False

    def changed(self, current: Sequence[str]) -> list[str]:
        """The finalizers after it."""
        kept = [] if self.empty else [one for one in current if one not in self.remove]
        return [*kept, *(one for one in self.add if one not in kept)]


class Step(NamedTuple):
    """One thing a stage does; one of them is set, or several that are done in this order."""

    event: StageEvent | None = None
    finalizers: Finalizers | None = None
    delete: bool = False
    patch: Patch | None = None
    apply: Applied | None = None


class StageMistake(NamedTuple):
    """What counts for nothing, as an event tells it."""

    reason: str
    message: str


class Stage(NamedTuple):
    """One stage in the lives of objects of a kind."""

    name: str
    of: ObjectKind
    steps: tuple[Step, ...]
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    object_name: str = ""
    namespace: str = ""
    requirements: tuple[StageRequirement, ...] = ()
    weight: SaidAmount = SaidAmount(0)
    delay: SaidAmount = SaidAmount()
    jitter: SaidAmount = SaidAmount()
    jitter_shortens: bool = False
    """Whether a jitter below the delay takes its place, as in kwok; else it counts for nothing."""
    immediate: bool = False
    """Whether what follows is looked for without waiting for the change to come back."""
    following: tuple[str, ...] = ()
    """The stages of which one comes next, if one can be."""

    @property
    def asks_for(self) -> Iterator[str]:
        """The annotations of ours that it names: matching them, in queries and in templates."""
        queries = (*(one.query for one in self.requirements), self.weight.query, self.delay.query, self.jitter.query)
        templates = (
            *(step.event.message for step in self.steps if step.event),
            *(step.patch.template for step in self.steps if step.patch),
            *(step.apply.template for step in self.steps if step.apply),
        )
        for text in (*self.annotations, *(query.text for query in queries if query is not None), *(one.text for one in templates)):
            yield from own_keys(text)

    def timed(self, now: Callable[[], float]) -> "Stage":
        """The same, its queries by this clock."""
        return self._replace(
            requirements=tuple(one._replace(query=one.query.timed(now)) for one in self.requirements),
            weight=self.weight.timed(now),
            delay=self.delay.timed(now),
            jitter=self.jitter.timed(now),
        )

    @property
    def deletes(self) -> bool:
        """Whether its objects are deleted."""
        return any(step.delete for step in self.steps)

    def matches(self, obj: Object) -> bool:
        """Whether it can be played on an object as it is."""
        return next(self.unmet(obj), None) is None

    def unmet(self, obj: Object) -> Iterator[str]:
        """What it needs that an object doesn't have as it is, in words: nothing where it matches."""
        yield from self.unlike(obj)
        for requirement in self.requirements:
            if not requirement.holds(obj):
                yield requirement.words + requirement.spent(obj)

    def unlike(self, obj: Object) -> Iterator[str]:
        """By what an object is none of those it is about, in words."""
        metadata = obj["metadata"]
        if self.object_name and not fnmatchcase(metadata["name"], self.object_name):
            yield f"the name {self.object_name}"
        if self.namespace and not fnmatchcase(metadata.get("namespace") or "", self.namespace):
            yield f"the namespace {self.namespace}"
        if self.labels:
            yield from _unmet("label", metadata.get("labels") or {}, self.labels)
        if self.annotations:
            yield from _unmet("annotation", annotations_of(obj), self.annotations)

    def delay_s(self, obj: Object, now: float, chance: Chance) -> float:
        """After how long it is played, as chance has it between the delay and the jitter, which is the longest."""
        delay = self.delay.seconds(obj, now)
        if delay is None:
            return 0.0
        jitter = self.jitter.seconds(obj, now)
        if jitter is None or (jitter < delay and not self.jitter_shortens):
            return max(delay, 0.0)
        return max(chance.uniform(delay, jitter) if jitter > delay else jitter, 0.0)

    def times_found(self, obj: Object) -> tuple[Json, Json]:
        """What queries find in an object that say how long it waits: the delay, and the jitter."""
        return self.delay.time_found(obj), self.jitter.time_found(obj)

    def delay_mistakes(self, obj: Object) -> Iterator[StageMistake]:
        """What counts for nothing of that which says how long an object waits for it."""
        for name, said in (("delay", self.delay), ("jitter", self.jitter)):
            wrong = said.mistake(obj)
            if wrong is not None and wrong.annotation:
                yield StageMistake(INVALID_REASON, mistake(wrong.annotation, wrong.why))
            elif wrong is not None and said.query is not None:
                yield StageMistake(INVALID_DELAY_REASON, f"Stage {self.name}: its {name} is what {said.query.text} finds, and {wrong.why}")


def _unmet(noun: str, held: Mapping[str, str], wanted: Mapping[str, str]) -> Iterator[str]:
    return (f"the {noun} {key}={value}" for key, value in wanted.items() if held.get(key) != value)


Candidates: TypeAlias = tuple[tuple[Stage, int | None], ...]
"""The stages that match an object, each with its weight: None where that can't be told."""


def candidates(stages: Iterable[Stage], obj: Object) -> Candidates:
    """Those of the stages that can be played on an object as it is."""
    return tuple((stage, stage.weight.whole(obj)) for stage in stages if stage.matches(obj))


def drawn(among: Candidates, chance: Chance) -> Stage | None:
    """The stage that comes next: one by chance, by their weights. None if there is none.

    Where some weigh something, those that weigh nothing don't count. Those whose weight can't be told count only where all are so.
    """
    if len(among) <= 1:
        return next((stage for stage, _ in among), None)
    weighed = [(stage, max(weight, 0)) for stage, weight in among if weight is not None]
    total = sum(weight for _, weight in weighed)
    if not total:
        alike = [stage for stage, _ in weighed] or [stage for stage, _ in among]
        return alike[chance.integer(0, len(alike) - 1)]
    left = chance.integer(1, total)
    for stage, weight in weighed:
        left -= weight
        if left <= 0:
            return stage
    return weighed[-1][0]
