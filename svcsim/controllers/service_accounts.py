"""The service-account controller: every namespace has a service account called ``default``."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.names import DEFAULT_SERVICE_ACCOUNT
from svcsim.meta.objects import is_terminating, namespace_of
from svcsim.meta.types import Object


class ServiceAccountController(Controller):
    """Makes the account where it is missing, and again where it is deleted."""

    def __init__(self, context: ControllerContext) -> None:
        self._accounts_api = context.client.resource("v1", "serviceaccounts")
        self._namespaces = context.informers.cache("v1", "namespaces")
        self._accounts = context.informers.cache("v1", "serviceaccounts")
        sources = (Source(self._namespaces, itself), Source(self._accounts, _namespace_of_deleted))
        super().__init__("service-account controller", context.clock, sources)

    async def reconcile(self, key: ObjectKey) -> None:
        namespace = self._namespaces.get(key.name)
        if namespace is None or is_terminating(namespace) or self._accounts.get(DEFAULT_SERVICE_ACCOUNT, key.name) is not None:
            return
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": DEFAULT_SERVICE_ACCOUNT, "namespace": key.name}}
        try:
            await self._accounts_api.within(key.name).create(account)
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise


def _namespace_of_deleted(change: str, account: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return (ObjectKey("", namespace_of(account)),) if change == "DELETED" else ()
