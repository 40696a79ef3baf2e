"""The bootstrap signer: cluster-info is signed by every token that may, and by no other."""

from collections.abc import Iterable

from svcsim.auth.bootstrap_tokens import has_expired, texts
from svcsim.auth.detached_signature import signature
from svcsim.client.controller import Controller, ControllerContext, Source, StreamSource
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

CLUSTER_INFO = "cluster-info"
_PREFIX = "jws-kubeconfig-"


class BootstrapSigner(Controller):
    def __init__(self, context: ControllerContext, *, secrets_selector: str) -> None:
        space = context.dialect.public_namespace
        self._key = ObjectKey(space, CLUSTER_INFO)
        self._api = context.client.resource("v1", "configmaps", space)
        self._secrets = context.informers.of("v1", "secrets", field_selector=secrets_selector).cache
        selector = f"metadata.name={CLUSTER_INFO},metadata.namespace={space}"
        maps = StreamSource(context.informers.of("v1", "configmaps", field_selector=selector), self)
        super().__init__("bootstrap signer", context.clock, (Source(self._secrets, self._signed), maps), workers=1)

    def _signed(self, _change: str, _obj: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return (self._key,)

    def seen(self, key: ObjectKey, _obj: Object) -> None:
        """Cluster-info has changed."""
        self.queue.add(key)

    def gone(self, _key: ObjectKey, _uid: str) -> None:
        """There is nothing to be signed."""

    async def reconcile(self, key: ObjectKey) -> None:
        present = await self._api.find(key.name)
        if present is None:
            return
        data = present.get("data") or {}
        wanted = {name: value for name, value in data.items() if not name.startswith(_PREFIX)}
        if "kubeconfig" in data:
            wanted |= self._signatures(data["kubeconfig"])
        if wanted != data:
            await self._api.update({**present, "data": wanted})

    def _signatures(self, payload: str) -> dict[str, str]:
        found: dict[str, str] = {}
        now = self.clock.now()
        for secret in self._secrets.all():
            token = texts(secret)
            token_id, token_secret = token.get("token-id", ""), token.get("token-secret", "")
            named = bool(token_id and token_secret) and name_of(secret) == f"bootstrap-token-{token_id}"
            if not named or is_terminating(secret) or token.get("usage-bootstrap-signing") != "true" or has_expired(token, now):
                continue
            found[f"{_PREFIX}{token_id}"] = signature(payload, token_id, token_secret)
            if token.get("expiration"):
                self.queue.add_after(self._key, parse_time(token["expiration"]) - now)
        return found
