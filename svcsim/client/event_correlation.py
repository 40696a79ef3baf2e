"""What becomes of what a component reports about objects, before any of it is written: as Kubernetes' recorders correlate events.

Nobody reads two hundred events that say the same of two hundred pods, and each is a write. So what is said again of an object is counted,
what is said in ever other words of the same object for the same reason is combined, and of what is said of one object in the older form no
more is written than a burst, with slow refill. What isn't written is counted all the same, and seen with the next that is.

In the newer form, which names an action, what is said again makes a series whatever its words are. That it is one is written at once, how
long it has become when it is over, or now and then while it goes on (`svcsim.client.event_series`).
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from svcsim import limits
from svcsim.meta.token_bucket import Allowance, TokenBucket
from svcsim.meta.types import Object

K = TypeVar("K")
V = TypeVar("V")

COMBINED = "(combined from similar events): "
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


class Correlator:
    """Correlates the events of one component that are of the older form."""

    def __init__(self, limit: int = limits.EVENTS_REMEMBERED) -> None:
        """So many events are remembered."""
        self._limit = limit
        self._similar: OrderedDict[EventKey, _Similar] = OrderedDict()
        self._times: OrderedDict[EventKey, int] = OrderedDict()
        self._buckets: OrderedDict[tuple[str, ...], TokenBucket] = OrderedDict()

    def observe(self, key: EventKey, now_s: float) -> Correlated | None:
        """What to write of what is reported now; None where nothing is."""
        whatever = key.whatever_is_said
        is_combined = self._is_combined(whatever, key.message, now_s)
        message = f"{COMBINED}{key.message}" if is_combined else key.message
        key = whatever if is_combined else key
        times = self._times.get(key, 0) + 1
        remember(self._times, key, times, self._limit)
        about = key.about[:-1]  # the whole object
        bucket = self._buckets.get(about) or TokenBucket(_ALLOWED, now_s)
        remember(self._buckets, about, bucket, self._limit)
        return Correlated(key, message, times) if bucket.take(now_s) else None

    def forget(self, key: EventKey) -> None:
        """The event is not there any more: it is counted from the beginning."""
        self._times[key] = 1

    def _is_combined(self, whatever: EventKey, message: str, now_s: float) -> bool:
        """Whether so much else has been said of the same that this is no event of its own."""
        similar = self._similar.get(whatever)
        if similar is None or now_s - similar.last_s > limits.EVENTS_SIMILAR_S:
            similar = _Similar(now_s)
        similar.last_s = now_s
        similar.messages[message] = None
        remember(self._similar, whatever, similar, self._limit)
        if len(similar.messages) < limits.EVENTS_SIMILAR:
            return False
        del similar.messages[next(iter(similar.messages))]
        return True


class EventMemory:
    """What is remembered of events that were written: by one component, or, within one bound, by many that report of different objects."""

    def __init__(self, limit: int = limits.EVENTS_REMEMBERED) -> None:
        """So many events are remembered."""
        self.correlator = Correlator(limit)
        self._names: OrderedDict[EventKey, str] = OrderedDict()
        self._limit = limit

    def name_of(self, key: EventKey) -> str | None:
        """The name under which an event was written; None of one that wasn't, or was the longest ago."""
        return self._names.get(key)

    def named(self, key: EventKey, name: str) -> None:
        """An event was written."""
        remember(self._names, key, name, self._limit)


def remember(known: "OrderedDict[K, V]", key: K, value: V, limit: int) -> None:
    """Note what is known of an event, and forget what was noted the longest ago of more than so many."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > limit:
        known.popitem(last=False)
