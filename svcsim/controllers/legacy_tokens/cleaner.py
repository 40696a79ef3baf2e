"""The cleaner of legacy tokens: Secrets with tokens that nobody has used for a year are marked as invalid, and go after another.

Only those that were made for an account, which so lists them, and that no pod mounts: of one that somebody made by hand nobody knows what
it is for. Whoever still needs a token that is marked takes the label off, and has another year.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.client.controller import Controller, ControllerContext, Periodic, Source
from svcsim.controllers.legacy_tokens.tracking import SINCE
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, is_terminating, labels_of, metadata_of, name_of, namespace_of, revision_of, uid_of
from svcsim.meta.times import format_day, parse_day, parse_time
from svcsim.meta.types import Object

_DAY_S = 86_400.0


class LegacyTokenCleaner(Controller):
    """Looks at all such Secrets once a day."""

    def __init__(self, context: ControllerContext) -> None:
        dialect = context.dialect
        self._type = dialect.key("service-account-token")
        self._name_key, self._uid_key = dialect.key("service-account.name"), dialect.key("service-account.uid")
        words = AccountWords(dialect)
        self._last_used, self._invalid_since = words.last_used, words.invalid_since
        self._tracking_name = dialect.token_tracking_config_map
        self._maps_api = context.client.resource("v1", "configmaps", dialect.system_namespace)
        self._accounts_api = context.client.resource("v1", "serviceaccounts")
        self._pods_api = context.client.resource("v1", "pods")
        self._secrets_api = context.client.resource("v1", "secrets")
        self._secrets = context.informers.cache("v1", "secrets")
        periodic = (Periodic(self._look),)
        super().__init__("legacy token cleaner", context.clock, (Source(self._secrets),), periodic=periodic, workers=0)

    async def _look(self) -> float:
        now = self.clock.now()
        unused = [secret for secret in self._secrets.all() if self._is_unused(secret, now)]
        if unused and await self._has_been_tracked(now):
            mounted: dict[str, set[str]] = {}
            for secret in unused:
                await self._clean(secret, mounted, now)
        return limits.LEGACY_TOKENS_LOOKED_AT_S

    async def _has_been_tracked(self, now: float) -> bool:
        """Whether use has been noted for as long as tokens are kept: the first day isn't counted, which may have begun without."""
        try:
            config_map = await self._maps_api.get(self._tracking_name)
        except StatusError as error:
            if error.reason != "NotFound":
                raise
            return False
        began = parse_day((config_map.get("data") or {}).get(SINCE) or "")
        return began is not None and now >= began + _DAY_S + limits.LEGACY_TOKENS_KEPT_S

    def _is_unused(self, secret: Object, now: float) -> bool:
        """Whether a Secret holds a token that is old enough, and wasn't used for as long, as far as anybody noted."""
        kept_from = now - limits.LEGACY_TOKENS_KEPT_S
        if secret.get("type") != self._type or is_terminating(secret):
            return False
        if parse_time(metadata_of(secret)["creationTimestamp"]) >= kept_from:
            return False
        last_used = labels_of(secret).get(self._last_used)
        if last_used is None:
            return True
        used = parse_day(last_used)
        return used is not None and last_used < format_day(kept_from)

    async def _clean(self, secret: Object, mounted: dict[str, set[str]], now: float) -> None:
        """Mark one, or delete it; ``mounted`` are the Secrets that pods mount, by namespace, as far as they were asked for."""
        namespace, name = namespace_of(secret), name_of(secret)
        if not await self._is_listed(secret):
            return
        if namespace not in mounted:
            pods = await self._pods_api.within(namespace).list_all()
            mounted[namespace] = {one for pod in pods for one in _secrets_of(pod)}
        if name in mounted[namespace]:
            return
        secrets = self._secrets_api.within(namespace)
        invalid_since = labels_of(secret).get(self._invalid_since, "")
        if parse_day(invalid_since) is None:
            metadata = {"uid": uid_of(secret), "labels": {self._invalid_since: format_day(now)}}
            await secrets.patch(name, {"metadata": metadata})
        elif invalid_since < format_day(now - limits.LEGACY_TOKENS_KEPT_S):
            await secrets.delete(name, uid=uid_of(secret), resource_version=str(revision_of(secret)))

    async def _is_listed(self, secret: Object) -> bool:
        """Whether its account is there and lists it."""
        annotations = annotations_of(secret)
        try:
            account = await self._accounts_api.within(namespace_of(secret)).get(annotations.get(self._name_key, ""))
        except StatusError as error:
            if error.reason != "NotFound":
                raise
            return False
        same = annotations.get(self._uid_key, uid_of(account)) == uid_of(account)
        return same and any(one.get("name") == name_of(secret) for one in account.get("secrets") or ())


def _secrets_of(pod: Object) -> Iterable[str]:
    """The Secrets that are mounted as volumes of their own."""
    for volume in pod["spec"].get("volumes") or ():
        if "secret" in volume:
            yield volume["secret"].get("secretName", "")
