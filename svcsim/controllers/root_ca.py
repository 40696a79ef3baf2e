"""The root-CA controller: every namespace has a config map with the certificate authority by which pods can know the API server."""

from svcsim.client.api import Client
from svcsim.client.cache import Cache, ObjectKey
from svcsim.client.controller import ControlLoop
from svcsim.client.events import EventRecorder
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import is_terminating, namespace_of
from svcsim.meta.types import Object

_DESCRIPTION = "The certificate authority that vouches for this cluster's API server"


class RootCaController:
    """Makes the config map where it is missing, and mends it where it was changed."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        chance: Chance,
        dialect: Dialect,
        events: EventRecorder,  # noqa: ARG002 - every controller is made alike
        *,
        ca_pem: str,
    ) -> None:
        self._name = dialect.root_ca_config_map
        self._description_key = dialect.key("description")
        self._data = {"ca.crt": ca_pem}
        self._maps_api = client.resource("v1", "configmaps")
        self._namespaces = Cache(client.resource("v1", "namespaces"), clock, chance.fork("namespaces"))
        self._maps = Cache(self._maps_api, clock, chance.fork("maps"), field_selector=f"metadata.name={self._name}")
        self._loop = ControlLoop("root-CA controller", clock, self._reconcile, (self._namespaces, self._maps))
        self._namespaces.add_handler(self._loop.enqueuing())
        self._maps.add_handler(lambda _change, obj, _before: self._loop.queue.add(ObjectKey("", namespace_of(obj))))

    async def run(self) -> None:
        """Work until cancelled."""
        await self._loop.run()

    async def _reconcile(self, key: ObjectKey) -> None:
        namespace = self._namespaces.get(key.name)
        if namespace is None or is_terminating(namespace):
            return
        maps = self._maps_api.within(key.name)
        present = self._maps.get(self._name, key.name)
        if present is not None:
            if present.get("data") != self._data:
                await maps.update({**present, "data": self._data})
            return
        try:
            await maps.create(self._new(key.name))
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise

    def _new(self, namespace: str) -> Object:
        metadata = {"name": self._name, "namespace": namespace, "annotations": {self._description_key: _DESCRIPTION}}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": self._data}
