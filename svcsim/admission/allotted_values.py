"""Values that each belong to one service at most: addresses, ports on nodes.

What stored services have is known from the lister. What a request under way was given is claimed until that request is over: by then its
service is stored and in the lister, or nothing came of it and the value is free again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from svcsim.meta import errors
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.registry.lister import Lister
from svcsim.registry.options import Caller
from svcsim.storage.contract import Envelope


@dataclass(slots=True)
class _Claim:
    """A value that is about to be a service's."""

    holder: ObjectKey
    requests: int = 0
    """Requests for that service under way which were given the value."""


class AllottedValues:
    """The services that have each address or port: those stored under an index of the lister, and those being claimed.

    ``known`` says what a service with a damaged record has; None if that isn't known.
    """

    def __init__(self, services: Lister, index: str, known: Callable[[Envelope], list[str] | None]) -> None:
        self._services = services
        self._index = index
        self._known = known
        self._claims: dict[str, _Claim] = {}

    def taken(self, value: str, asking: ObjectKey) -> bool:
        """Whether another service has the value, or is about to."""
        claim = self._claims.get(value)
        if claim is not None and claim.holder != asking and self._holds(claim):
            return True
        if any(object_key(service) != asking for service in self._services.by(self._index, value)):
            return True
        return any(holder != asking and value in (known or ()) for holder, known in self._damaged())

    def check_all_known(self, what: str, field: str) -> None:
        """Raises 500 where a damaged service may have any value."""
        unknown = [f"{holder.namespace}/{holder.name}" for holder, known in self._damaged() if known is None]
        if unknown:
            why = f"nobody knows which one the damaged service {unknown[0]} has; name a {field} that it doesn't have"
            raise errors.StatusError(500, "InternalError", f"Internal error occurred: failed to allocate a {what}: {why}")

    def _damaged(self) -> list[tuple[ObjectKey, list[str] | None]]:
        """The services whose records are damaged, and what each of them has, where that is known."""
        damaged = self._services.damaged
        return [(holder, None if envelope is None else self._known(envelope)) for holder, envelope in damaged.items()]

    async def surely_taken(self, value: str, asking: ObjectKey) -> bool:
        """Whether another service has the value, for a refusal, which must not rest on a write that may yet fail."""
        if not self.taken(value, asking):
            return False
        await self._services.settled()
        return self.taken(value, asking)

    def claim(self, value: str, holder: ObjectKey, caller: Caller) -> None:
        """Keep a value that isn't taken from all others until the request is over."""
        claim = self._claims.get(value)
        if claim is None or claim.holder != holder:
            claim = self._claims[value] = _Claim(holder)
        claim.requests += 1
        caller.on_finish.append(partial(self._release, value, claim))

    def _release(self, value: str, claim: _Claim) -> None:
        claim.requests -= 1
        if self._claims.get(value) is claim and not self._holds(claim):
            del self._claims[value]

    def _holds(self, claim: _Claim) -> bool:
        # A request that was given up (its client went away) may have left a write behind.
        return claim.requests > 0 or self._services.pending(*claim.holder)
