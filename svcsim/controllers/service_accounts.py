"""The service-account controller: every namespace has a service account called ``default``."""

from svcsim.client.api import Client
from svcsim.client.cache import Cache, ObjectKey
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import is_terminating, namespace_of
from svcsim.meta.types import Object

NAME = "default"


class ServiceAccountController:
    """Makes the account where it is missing, and again where it is deleted."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:  # noqa: ARG002 - every controller is made alike
        self._accounts_api = client.resource("v1", "serviceaccounts")
        self._namespaces = Cache(client.resource("v1", "namespaces"), clock, chance.fork("namespaces"))
        self._accounts = Cache(self._accounts_api, clock, chance.fork("accounts"), field_selector=f"metadata.name={NAME}")
        self._loop = ControlLoop("service-account controller", clock, self._reconcile, (self._namespaces, self._accounts))
        self._namespaces.add_handler(self._loop.enqueuing())
        self._accounts.add_handler(self._account_changed)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._loop.run()

    def _account_changed(self, change: str, account: Object, _before: Object | None) -> None:
        if change == "DELETED":
            self._loop.queue.add(ObjectKey("", namespace_of(account)))

    async def _reconcile(self, key: ObjectKey) -> None:
        namespace = self._namespaces.get(key.name)
        if namespace is None or is_terminating(namespace) or self._accounts.get(NAME, key.name) is not None:
            return
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": key.name}}
        try:
            await self._accounts_api.within(key.name).create(account)
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise
