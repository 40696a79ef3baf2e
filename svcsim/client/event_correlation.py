"""What becomes of what a component reports about objects, before any of it is written: as Kubernetes' recorders correlate events.

Nobody reads two hundred events that say the same of two hundred pods, and each is a write. So what is said again of an object is counted,
what is said in ever other words of the same object for the same reason is combined, and of what is said of one object in the older form no
more is written than a burst, with slow refill. What isn't written is counted all the same, and seen with the next that is.

In the newer form, which names an action, what is said again makes a series whatever its words are. That it is one is written at once, how
long it has become when it is over, or now and then while it goes on (`svcsim.client.event_series`).
"""

from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.kept import Kept
from svcsim.meta.token_bucket import Allowance, TokenBucket
from svcsim.meta.types import Object

COMBINED = "(combined from similar events): "
_ALLOWED = Allowance(1 / limits.EVENT_REFILL_S, limits.EVENTS_OF_AN_OBJECT)


class Involved(NamedTuple):
    """The object that an event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, about: Object) -> "Involved":
        meta = about["metadata"]
        return cls(about.get("apiVersion", ""), about.get("kind", ""), meta.get("namespace", ""), meta["name"], meta.get("uid", ""))


class Reported:
    """An event, and how often it has happened. There are several for each pod, so it is kept small."""

    __slots__ = ("about", "field_path", "last_s", "message", "moment_ns", "reason", "similar", "times", "type")

    action = ""
    """What was tried; only the newer form tells."""

    def __init__(self, about: Involved, field_path: str, kind: str, reason: str, message: str, now_s: float) -> None:
        self.about = about
        self.field_path = field_path
        """The part of the object; empty where it is about the whole."""
        self.type = kind
        self.reason = reason
        self.message = message
        """What was said when it happened first; empty of one that others are combined in."""
        self.times = 0
        self.last_s = now_s
        """When it happened last."""
        self.moment_ns: int | None = None
        """The moment that its name tells, if it was written (`svcsim.meta.events.event_name`)."""
        self.similar: _Similar | None = None
        """Where more than this has been said for the same reason."""

    def begin_anew(self) -> None:
        """What was written is not there any more: it is counted from the beginning."""
        self.times = 1


Correlated: TypeAlias = tuple[Reported, str]
"""An event, and what is said of it."""


class _Similar:
    """The last different things that have been said of one object for one reason, of which there were several."""

    __slots__ = ("last_s", "messages")

    def __init__(self, first: Reported) -> None:
        self.last_s = first.last_s
        self.messages: tuple[str, ...] = (first.message,)

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


class _SaidOf:
    """What has been said of one object. There is one for each pod, in the node that runs it, so it is kept small."""

    __slots__ = ("bucket", "events")

    def __init__(self, now_s: float) -> None:
        self.bucket = TokenBucket(_ALLOWED, now_s)
        self.events: list[Reported] = []

    def correlated(self, new: Reported) -> Correlated:
        """The event as it is known, or from now on; the oldest of too many of the object's is forgotten."""
        message = new.message
        alike = [one for one in self.events if one.reason == new.reason and one.type == new.type and one.field_path == new.field_path]
        if alike:
            first = alike[0]
            if first.similar is None and first.message != message:
                first.similar = _Similar(first)
            new.similar = first.similar
            if new.similar is not None and new.similar.is_too_much(message, new.last_s):
                new.message, message = "", f"{COMBINED}{message}"
        for one in alike:
            if one.message == new.message:
                one.last_s = new.last_s
                return one, message
        if len(self.events) >= limits.EVENTS_OF_AN_OBJECT_REMEMBERED:
            del self.events[0]
        if self.events:
            new.about = self.events[0].about  # one object for all
        self.events.append(new)
        return new, message


class Correlator:
    """Correlates the events of one component that are of the older form."""

    def __init__(self, objects: int) -> None:
        """What was said of so many objects is remembered: of those of which something was said last."""
        self._said: Kept[Involved, _SaidOf] = Kept(objects)

    def observe(self, new: Reported) -> tuple[Reported | None, str]:
        """What to write of what is reported now; no event where nothing is."""
        said = self._said.of(new.about, lambda: _SaidOf(new.last_s))
        event, message = said.correlated(new)
        event.times += 1
        return (event if said.bucket.take(new.last_s) else None), message

    def let_go(self, about: Involved) -> None:
        """An object is gone: nothing is said of it again."""
        self._said.let_go(about)
