"""The API server's note since when it has written down the use of tokens in Secrets: a config map in the system's namespace.

Without it nobody could tell a token that was never used from one whose use nobody saw. Made anew it says a later day, which keeps tokens
longer, so it is safe to delete.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.times import format_day, parse_day
from svcsim.meta.types import Object

SINCE = "since"


class LegacyTokenTracking(Controller):
    """Makes the config map where it is missing, and mends it where it says no day."""

    def __init__(self, context: ControllerContext) -> None:
        dialect = context.dialect
        self._key = ObjectKey(dialect.system_namespace, dialect.token_tracking_config_map)
        self._api = context.client.resource("v1", "configmaps", dialect.system_namespace)
        self._maps = context.informers.cache("v1", "configmaps")
        self._made_at: float | None = None
        super().__init__("legacy token tracking", context.clock, (Source(self._maps, self._of_change),), workers=1)

    async def prepare(self) -> None:
        self.queue.add(self._key)

    def _of_change(self, _change: str, config_map: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return (self._key,) if object_key(config_map) == self._key else ()

    async def reconcile(self, key: ObjectKey) -> None:
        present = self._maps.get(key.name, key.namespace)
        if present is None:
            await self._make()
        elif parse_day((present.get("data") or {}).get(SINCE) or "") is None:
            data = {**(present.get("data") or {}), SINCE: format_day(self.clock.now())}
            await self._api.update({**present, "data": data})

    async def _make(self) -> None:
        """Not at once again: whoever deletes it again and again isn't in for a race."""
        now = self.clock.now()
        again_at = now if self._made_at is None else self._made_at + limits.TOKEN_TRACKING_MADE_AGAIN_S
        if now < again_at:
            self.queue.add_after(self._key, again_at - now)
            return
        metadata = {"name": self._key.name, "namespace": self._key.namespace}
        try:
            await self._api.create({"metadata": metadata, "data": {SINCE: format_day(now)}})
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise
        self._made_at = now
