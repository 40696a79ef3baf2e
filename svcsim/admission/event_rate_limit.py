"""EventRateLimit: limits the events that are stored in a second: all, in a namespace, by a user or about an object.

Time is the cluster's: advancing its clock fills the buckets, too.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from svcsim.admission.plugin import Rule
from svcsim.clock import Clock
from svcsim.meta.errors import too_many_requests
from svcsim.meta.token_bucket import Allowance, TokenBucket
from svcsim.registry.admission import AdmissionRequest


class EventLimit(NamedTuple):
    """One limit."""

    type: str
    """One of `EVENT_LIMITS`."""
    allowed: Allowance
    keys: int
    """How many buckets are kept; the one that was asked for least lately goes first."""


class EventRateLimit:
    """Refuses events beyond its limits; each limit counts what the others refuse, too."""

    name = "EventRateLimit"
    rules = (Rule(("CREATE", "UPDATE"), ("events",)), Rule(("CREATE", "UPDATE"), ("events",), "events", suffixed=True))

    def __init__(self, event_limits: tuple[EventLimit, ...], clock: Clock) -> None:
        self._limited = tuple(_Limited(one, clock) for one in event_limits)

    async def validate(self, request: AdmissionRequest) -> None:
        if request.dry_run:
            return
        reached = list(dict.fromkeys(why for limited in self._limited if (why := limited.refusal(request))))
        if reached:
            told = ", ".join(reached)
            raise too_many_requests(f"Too many requests: {told if len(reached) == 1 else f'[{told}]'}", 0)


class _Limited:
    """A limit, and what is left of it."""

    def __init__(self, limit: EventLimit, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def refusal(self, request: AdmissionRequest) -> str:
        """What is said of the limit where it is reached; else nothing."""
        key, now_s = EVENT_LIMITS[self._limit.type](request), self._clock.now()
        bucket = self._buckets.pop(key, None) or TokenBucket(self._limit.allowed, now_s)
        self._buckets[key] = bucket
        if len(self._buckets) > self._limit.keys:
            self._buckets.popitem(last=False)
        if bucket.take(now_s):
            return ""
        return f"limit reached on type {self._limit.type} for key {key}"


_SOURCE = ("component", "host")
_ABOUT = ("kind", "namespace", "name", "uid", "apiVersion")


def _source_and_object(request: AdmissionRequest) -> str:
    event = request.obj or {}
    source = event.get("source") or event.get("deprecatedSource") or {}
    told = event.get("involvedObject") or event.get("regarding") or {}
    return "".join([*(source.get(name) or "" for name in _SOURCE), *(told.get(name) or "" for name in _ABOUT)])


EVENT_LIMITS: Final[Mapping[str, Callable[[AdmissionRequest], str]]] = MappingProxyType(
    {
        "Server": lambda _: "",
        "Namespace": lambda request: request.target.namespace,
        "User": lambda request: request.user.name,
        "SourceAndObject": _source_and_object,
    }
)
"""What limits there are, and what they are counted by."""
