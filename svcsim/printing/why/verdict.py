"""What explainers are made of: what has to be read to explain an object, the facts that come of it, and the verdict on them.

An explainer is two pure functions: from an object to what is wanted beside it, and from the object and these facts to a verdict.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.events import last_seen
from svcsim.meta.objects import uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

_AHEAD_S = 1.0
"""Times are shown in whole seconds."""


class Wanted(NamedTuple):
    """An object or a collection that is to be read."""

    name: str
    """What the facts know it by."""
    path: str
    query: Mapping[str, str | int] = {}


class Facts(NamedTuple):
    """What is known beside the object."""

    now: float
    dialect: Dialect
    events: list[Object]
    """About the object, oldest first."""
    found: Mapping[str, list[Object]]
    """What was wanted, by its name; nothing under a name that may not be read, and an empty list where nothing is there."""
    way: str = ""
    """The flags by which svcsim's commands find the cluster, with a space before each."""

    def all(self, name: str) -> list[Object]:
        """What was found under a name; nothing where it may not be read."""
        return self.found.get(name, [])

    def one(self, name: str) -> Object | None:
        """The object that was found under a name."""
        return next(iter(self.all(name)), None)

    def is_missing(self, name: str) -> bool:
        """Whether it was looked for, and isn't there."""
        return name in self.found and not self.found[name]

    def past(self, told: str | None) -> float | None:
        """A recorded time, unless it lies in the future: then the clock has been set back since, and the time means nothing by it."""
        at = parse_time(told) if told else self.now
        return at if told and at <= self.now + _AHEAD_S else None

    def event(self, *reasons: str, until: Sequence[str] = ()) -> str:
        """The message of the last event of one of these reasons; empty where there was none, or one of ``until`` has been since."""
        last = next((event for event in reversed(self.events) if event.get("reason") in (*reasons, *until)), None)
        return str(last.get("message", "")) if last is not None and last.get("reason") in reasons else ""

    def last_events(self, *reasons: str, until: Sequence[str] = ()) -> list[str]:
        """The messages of the events of these reasons that were seen last, in the same second; none if one of ``until`` has been since."""
        if not self.event(*reasons, until=until):
            return []
        found = [event for event in self.events if event.get("reason") in reasons]
        messages = (str(event.get("message", "")) for event in found if last_seen(event) == last_seen(found[-1]))
        return list(dict.fromkeys(messages))


class Coming(NamedTuple):
    """Something that happens next."""

    text: str
    at: float | None = None
    """When, by the cluster's time, where that can be known."""


class Verdict(NamedTuple):
    """How an object is, and why."""

    state: str
    """What follows its name in a sentence: ``is ready``."""
    fine: bool = False
    because: tuple[str, ...] = ()
    """Sentences."""
    then: tuple[Coming, ...] = ()
    below: tuple[Object, ...] = ()
    """The related objects that caused the state."""


class Explainer(NamedTuple):
    """How a kind is explained."""

    explain: Callable[[Object, Facts], Verdict]
    wanted: Callable[[Object, Dialect], Iterable[Wanted]] = lambda _obj, _dialect: ()


def controlled(objects: Iterable[Object], owner: Object) -> list[Object]:
    """The objects that an object controls."""
    uid = uid_of(owner)
    return [
        one
        for one in objects
        if any(ref.get("controller") and ref.get("uid") == uid for ref in (one.get("metadata") or {}).get("ownerReferences") or ())
    ]


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 pod``, ``3 pods``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def do(number: int, of_one: str, of_several: str) -> str:
    """``is`` or ``are``, ``has`` or ``have``."""
    return of_one if number == 1 else of_several


def sentence(text: str) -> str:
    """What others wrote, as a sentence of its own."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?" else f"{text}."
