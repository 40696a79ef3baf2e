"""The token cleaner: bootstrap tokens are deleted when their time is over, by the cluster's clock."""

from svcsim.auth.bootstrap_tokens import has_expired, texts
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.dialect import Dialect
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import revision_of, uid_of
from svcsim.meta.times import parse_time


def of_tokens(dialect: Dialect) -> str:
    """The field selector of the Secrets that hold bootstrap tokens."""
    return f"type={dialect.key('token', 'bootstrap')},metadata.namespace={dialect.system_namespace}"


class TokenCleaner(Controller):
    def __init__(self, context: ControllerContext) -> None:
        self._api = context.client.resource("v1", "secrets", context.dialect.system_namespace)
        self._secrets = context.informers.of("v1", "secrets", field_selector=of_tokens(context.dialect)).cache
        super().__init__("token cleaner", context.clock, (Source(self._secrets, itself),), workers=1)

    async def reconcile(self, key: ObjectKey) -> None:
        secret = self._secrets.get(key.name, key.namespace)
        data = {} if secret is None else texts(secret)
        if secret is None or not data.get("expiration"):
            return
        if has_expired(data, self.clock.now()):
            # by its revision: one that was prolonged a moment ago is to live
            await self._api.delete(key.name, uid=uid_of(secret), resource_version=str(revision_of(secret)))
        else:
            self.queue.add_after(key, parse_time(data["expiration"]) - self.clock.now())
