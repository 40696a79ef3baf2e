"""What becomes of what a component reports about objects, before any of it is written: as Kubernetes' recorders correlate events.

Nobody reads two hundred events that say the same of two hundred pods, and each is a write. So what is said again of an object is counted,
what is said in ever other words of the same object for the same reason is combined, and of what is said of one object in the older form no
more is written than a burst, with slow refill. What isn't written is counted all the same, and seen with the next that is.

In the newer form, which names an action, what is said again makes a series whatever its words are. That it is one is written at once, how
long it has become when it is over, or now and then while it goes on (`svcsim.client.event_series`).
"""

from collections import OrderedDict
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim import limits
from svcsim.meta.token_bucket import Allowance, TokenBucket
from svcsim.meta.types import Object

K = TypeVar("K")
V = TypeVar("V")

COMBINED = "(combined from similar events): "
_Whole: TypeAlias = tuple[str, ...]
"""What an event is about, but for the part of it."""
_Reason: TypeAlias = tuple[str, str, str, str]
"""The part of it, and type, reason and action."""
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


class _Told:
    """One event: how often it has happened, and under which name it was written, if it was."""

    __slots__ = ("message", "name", "times")

    def __init__(self, message: str) -> None:
        self.message = message
        self.times = 0
        self.name: str | None = None


class _Similar:
    """What has been said of one object for one reason."""

    __slots__ = ("last_s", "messages", "told")

    def __init__(self, now_s: float) -> None:
        self.last_s = now_s
        self.messages: tuple[str, ...] = ()
        """The last different ones; nearly always one."""
        self.told: list[_Told] = []

    def is_too_much(self, message: str, now_s: float) -> bool:
        """Whether so much else has been said, each not long after the other, that this is no event of its own."""
        if now_s - self.last_s > limits.EVENTS_SIMILAR_S:
            self.messages = ()
        self.last_s = now_s
        if message not in self.messages:
            self.messages += (message,)
        if len(self.messages) < limits.EVENTS_SIMILAR:
            return False
        self.messages = self.messages[1:]
        return True

    def find(self, message: str) -> _Told | None:
        return next((told for told in self.told if told.message == message), None)


class _SaidOf:
    """What has been said of one object, by the part of it, and by type, reason and action.

    There is one for each pod, in the node that runs it and in the scheduler, so it is kept small.
    """

    __slots__ = ("bucket", "similar")

    def __init__(self, now_s: float) -> None:
        self.bucket = TokenBucket(_ALLOWED, now_s)
        self.similar: dict[_Reason, _Similar] = {}

    def similar_to(self, key: EventKey, now_s: float) -> _Similar:
        """What is known of the reason, from now on if it is new; the oldest of too many is forgotten."""
        reason = _reason(key)
        similar = self.similar.get(reason)
        if similar is None:
            similar = self.similar[reason] = _Similar(now_s)
            if len(self.similar) > limits.EVENTS_OF_AN_OBJECT_REMEMBERED:
                del self.similar[next(iter(self.similar))]
        return similar

    def note(self, key: EventKey, now_s: float) -> _Told:
        """The event, as it is known or from now on; the oldest of too many of the object's is forgotten."""
        similar = self.similar_to(key, now_s)
        told = similar.find(key.message)
        if told is None:
            if sum([len(one.told) for one in self.similar.values()]) >= limits.EVENTS_OF_AN_OBJECT_REMEMBERED:
                del next(one.told for one in self.similar.values() if one.told)[0]
            told = _Told(key.message)
            similar.told.append(told)
        return told


class Correlator:
    """Correlates the events of one component that are of the older form, and remembers the names of all that were written."""

    def __init__(self, objects: int) -> None:
        """What was said of so many objects is remembered."""
        self._limit = objects
        self._said: OrderedDict[_Whole, _SaidOf] = OrderedDict()

    def observe(self, key: EventKey, now_s: float) -> Correlated | None:
        """What to write of what is reported now; None where nothing is."""
        said = self._of(key, now_s)
        message = key.message
        if said.similar_to(key, now_s).is_too_much(message, now_s):
            message = f"{COMBINED}{message}"
            key = key.whatever_is_said
        told = said.note(key, now_s)
        told.times += 1
        return Correlated(key, message, told.times) if said.bucket.take(now_s) else None

    def forget(self, key: EventKey) -> None:
        """The event is not there any more: it is counted from the beginning."""
        if (told := self._told(key)) is not None:
            told.times = 1

    def name_of(self, key: EventKey) -> str | None:
        """The name under which an event was written; None of one that wasn't, or was too long ago."""
        told = self._told(key)
        return None if told is None else told.name

    def named(self, key: EventKey, name: str, now_s: float) -> None:
        """An event was written."""
        said = self._of(key, now_s) if key.action else self._said.get(_whole(key.about))
        if said is not None:  # else the object is gone
            said.note(key, now_s).name = name

    def let_go(self, about: Involved) -> None:
        """An object is gone: nothing is said of it again."""
        self._said.pop(_whole(about), None)

    def _of(self, key: EventKey, now_s: float) -> _SaidOf:
        whole = _whole(key.about)
        said = self._said.get(whole)
        if said is None:
            said = _SaidOf(now_s)
        remember(self._said, whole, said, self._limit)
        return said

    def _told(self, key: EventKey) -> _Told | None:
        said = self._said.get(_whole(key.about))
        similar = None if said is None else said.similar.get(_reason(key))
        return None if similar is None else similar.find(key.message)


def _whole(about: Involved) -> _Whole:
    return about[:-1]


def _reason(key: EventKey) -> _Reason:
    return (key.about.field_path, key.type, key.reason, key.action)


def remember(known: "OrderedDict[K, V]", key: K, value: V, limit: int) -> None:
    """Note what is known of an event, and forget what was noted the longest ago of more than so many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > limit:
        known.popitem(last=False)
