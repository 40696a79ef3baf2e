"""The token controller: Secrets that are to hold a token of a service account do, and go when their account does.

To get a token that doesn't expire, users create a Secret of that type that names the account in an annotation; its content is filled in
here. Such a token is valid only while the Secret holds it, so removing it from the Secret is the way to get another one.
"""

import base64
from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import annotations_of, is_terminating, name_of, namespace_of, uid_of
from svcsim.meta.types import Object

Sign: TypeAlias = Callable[[str, str, str, str], str]
"""The token of an account: its namespace, the Secret's name, the account's name and UID."""


class ServiceAccountTokenController(Controller):
    """A key is an account, there or not."""

    def __init__(self, context: ControllerContext, *, ca_pem: str, sign: Sign) -> None:
        self._type = context.dialect.key("service-account-token")
        self._name_key = context.dialect.key("service-account.name")
        self._uid_key = context.dialect.key("service-account.uid")
        self._ca_pem = ca_pem
        self._sign = sign
        self._accounts_api = context.client.resource("v1", "serviceaccounts")
        self._secrets_api = context.client.resource("v1", "secrets")
        self._accounts = context.informers.cache("v1", "serviceaccounts")
        self._secrets = context.informers.cache("v1", "secrets", self._account_of)
        self._deleted: dict[ObjectKey, list[str]] = {}
        """Deleted secrets, by account, until the account no longer lists them."""
        sources = (Source(self._secrets, self._account_of_change), Source(self._accounts, itself))
        super().__init__("service-account token controller", context.clock, sources)

    async def reconcile(self, key: ObjectKey) -> None:
        secrets = [secret for secret in self._secrets.find(self._account_of, "/".join(key)) if not is_terminating(secret)]
        deleted = self._deleted.get(key, ())
        if not secrets and not deleted:
            return
        account = await self._account(key)
        for secret in secrets:
            if account is None or annotations_of(secret).get(self._uid_key, uid_of(account)) != uid_of(account):
                await self._secrets_api.within(key.namespace).delete(name_of(secret), uid=uid_of(secret))
            else:
                await self._fill(secret, account)
        if account is not None and deleted:
            await self._forget(account, [name for name in deleted if self._secrets.get(name, key.namespace) is None])
        self._deleted.pop(key, None)

    async def _account(self, key: ObjectKey) -> Object | None:
        """As it is now: what is only new to this process would be taken for gone."""
        try:
            return await self._accounts_api.within(key.namespace).get(key.name)
        except StatusError as error:
            if error.reason != "NotFound":
                raise
            return None

    async def _fill(self, secret: Object, account: Object) -> None:
        namespace, name = namespace_of(secret), name_of(secret)
        data = secret.get("data") or {}
        wanted = {"namespace": _encoded(namespace)}
        if self._ca_pem:
            wanted["ca.crt"] = _encoded(self._ca_pem)
        if not data.get("token"):
            wanted["token"] = _encoded(self._sign(namespace, name, name_of(account), uid_of(account)))
        missing = {key: value for key, value in wanted.items() if data.get(key) != value}
        if secret.get("immutable") or (not missing and self._uid_key in annotations_of(secret)):
            return
        metadata = {
            "uid": uid_of(secret),
            "resourceVersion": secret["metadata"]["resourceVersion"],
            "annotations": {self._uid_key: uid_of(account)},
        }
        await self._secrets_api.within(namespace).patch(name, {"metadata": metadata, **({"data": missing} if missing else {})})

    async def _forget(self, account: Object, names: list[str]) -> None:
        """Remove deleted secrets from the list of an account."""
        listed = account.get("secrets") or []
        left = [one for one in listed if one.get("name") not in names]
        if left != listed:
            await self._accounts_api.within(namespace_of(account)).update({**account, "secrets": left})

    def _account_of(self, secret: Object) -> Iterable[str]:
        """An indexer: the account whose token a Secret is to hold."""
        name = annotations_of(secret).get(self._name_key)
        return (f"{namespace_of(secret)}/{name}",) if name and secret.get("type") == self._type else ()

    def _account_of_change(self, change: str, secret: Object, _before: Object | None) -> Iterable[ObjectKey]:
        for account in self._account_of(secret):
            namespace, _, name = account.partition("/")
            key = ObjectKey(namespace, name)
            if change == "DELETED":
                self._deleted.setdefault(key, []).append(name_of(secret))
            yield key


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
