"""What becomes of what a component reports about objects, before any of it is written: as Kubernetes' recorders correlate events.

Nobody reads two hundred events that say the same of two hundred pods, and each is a write. So what is said again of an object is counted,
what is said in ever other words of the same object for the same reason is combined, and of what is said of one object in the older form no
more is written than a burst, with slow refill. What isn't written is counted all the same, and seen with the next that is.

In the newer form, which names an action, what is said again makes a series whatever its words are. That it is one is written at once, how
long it has become when it is over, or now and then while it goes on (`svcsim.client.event_series`).
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim import limits
from svcsim.meta.token_bucket import Allowance, TokenBucket
from svcsim.meta.types import Object

K = TypeVar("K")
V = TypeVar("V")

COMBINED = "(combined from similar events): "
_Whole: TypeAlias = tuple[str, ...]
"""What an event is about, but for the part of it."""
_ALLOWED = Allowance(1 / limits.EVENT_REFILL_S, limits.EVENTS_OF_AN_OBJECT)


class Involved(NamedTuple):
    """The object that an event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str
    field_path: str

    @classmethod
    def of(cls, about: Object, field_path: str) -> "Involved":
        """An object, or a part of it."""
        meta = about["metadata"]
        namespace, uid = meta.get("namespace", ""), meta.get("uid", "")
        return cls(about.get("apiVersion", ""), about.get("kind", ""), namespace, meta["name"], uid, field_path)


class EventKey(NamedTuple):
    """What makes two events the same one."""

    about: Involved
    type: str
    reason: str
    message: str
    """Empty where it doesn't matter what is said."""
    action: str
    """What was tried; empty for an event of the older form."""

    @property
    def whatever_is_said(self) -> "EventKey":
        return self._replace(message="")


class Correlated(NamedTuple):
    """What is to be written."""

    key: EventKey
    message: str
    times: int
    """How often it has happened."""


@dataclass(slots=True)
class _Similar:
    """What has been said of one object for one reason."""

    last_s: float
    messages: dict[str, None] = field(default_factory=dict)


class _SaidOf:
    """What has been said of one object."""

    __slots__ = ("bucket", "names", "similar", "times")

    def __init__(self, now_s: float) -> None:
        self.bucket = TokenBucket(_ALLOWED, now_s)
        self.similar: dict[EventKey, _Similar] = {}
        self.times: dict[EventKey, int] = {}
        self.names: dict[EventKey, str] = {}


class Correlator:
    """Correlates the events of one component that are of the older form, and remembers the names of all that were written."""

    def __init__(self, objects: int) -> None:
        """What was said of so many objects is remembered."""
        self._limit = objects
        self._said: OrderedDict[_Whole, _SaidOf] = OrderedDict()

    def observe(self, key: EventKey, now_s: float) -> Correlated | None:
        """What to write of what is reported now; None where nothing is."""
        said = self._of(key, now_s)
        whatever = key.whatever_is_said
        is_combined = _is_combined(said, whatever, key.message, now_s)
        message = f"{COMBINED}{key.message}" if is_combined else key.message
        key = whatever if is_combined else key
        times = said.times.get(key, 0) + 1
        _keep(said.times, key, times)
        return Correlated(key, message, times) if said.bucket.take(now_s) else None

    def forget(self, key: EventKey) -> None:
        """The event is not there any more: it is counted from the beginning."""
        if (said := self._said.get(key.about[:-1])) is not None:
            said.times[key] = 1

    def name_of(self, key: EventKey) -> str | None:
        """The name under which an event was written; None of one that wasn't, or was too long ago."""
        said = self._said.get(key.about[:-1])
        return None if said is None else said.names.get(key)

    def named(self, key: EventKey, name: str, now_s: float) -> None:
        """An event was written."""
        said = self._of(key, now_s) if key.action else self._said.get(key.about[:-1])
        if said is not None:  # else the object is gone
            _keep(said.names, key, name)

    def let_go(self, about: Involved) -> None:
        """An object is gone: nothing is said of it again."""
        self._said.pop(about[:-1], None)

    def _of(self, key: EventKey, now_s: float) -> _SaidOf:
        whole = key.about[:-1]
        said = self._said.get(whole)
        if said is None:
            said = _SaidOf(now_s)
        remember(self._said, whole, said, self._limit)
        return said


def _is_combined(said: _SaidOf, whatever: EventKey, message: str, now_s: float) -> bool:
    """Whether so much else has been said of the same that this is no event of its own."""
    similar = said.similar.get(whatever)
    if similar is None or now_s - similar.last_s > limits.EVENTS_SIMILAR_S:
        similar = _Similar(now_s)
        _keep(said.similar, whatever, similar)
    similar.last_s = now_s
    similar.messages[message] = None
    if len(similar.messages) < limits.EVENTS_SIMILAR:
        return False
    del similar.messages[next(iter(similar.messages))]
    return True


def _keep(known: dict[EventKey, V], key: EventKey, value: V) -> None:
    """Note something of one object, and forget the oldest of too much."""
    known[key] = value
    if len(known) > limits.EVENTS_OF_AN_OBJECT_REMEMBERED:
        del known[next(iter(known))]


def remember(known: "OrderedDict[K, V]", key: K, value: V, limit: int) -> None:
    """Note what is known of an event, and forget what was noted the longest ago of more than so many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > limit:
        known.popitem(last=False)
