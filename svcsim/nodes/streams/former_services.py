"""Services as they were when containers were started that are told of them: those that have gone since, or have changed.

The last of them are kept (`limits.FORMER_SERVICES`), in memory: after a new start of the cluster, services are as they are now.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from svcsim import limits
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.meta.indexed import object_key
from svcsim.meta.objects import metadata_of, namespace_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.environment import service_variables


class _Former(NamedTuple):
    service: Object
    until: float


class FormerServices:
    """Those of all namespaces."""

    def __init__(self, informers: Informers, clock: Clock) -> None:
        self._clock = clock
        self._former: deque[_Former] = deque(maxlen=limits.FORMER_SERVICES)
        """Those that were there last stand last."""
        informers.cache("v1", "services").add_handler(self._changed)

    def as_of(self, moment: float, services: Iterable[Object], namespaces: Iterable[str]) -> list[Object]:
        """The services of some namespaces as they were at a moment before now; ``services`` are those that still are."""
        found = {object_key(service): service for service in services}
        for service, until in reversed(self._former):  # the one that stood first after that moment counts
            if until > moment >= _made_at(service) and namespace_of(service) in namespaces:
                found[object_key(service)] = service
        return list(found.values())

    def _changed(self, change: str, service: Object, before: Object | None) -> None:
        if change == "MODIFIED" and before is not None and service_variables(before) != service_variables(service):
            self._former.append(_Former(before, self._clock.now()))
        elif change == "DELETED":
            self._former.append(_Former(service, self._clock.now()))


def _made_at(service: Object) -> float:
    return parse_time(metadata_of(service)["creationTimestamp"])
