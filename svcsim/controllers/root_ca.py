"""The root-CA controller: every namespace has a config map with the certificate authority by which pods can know the API server."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating, namespace_of
from svcsim.meta.types import Object

_DESCRIPTION = "The certificate authority that vouches for this cluster's API server"


class RootCaController(Controller):
    """Makes the config map where it is missing, and mends it where it was changed."""

    def __init__(self, context: ControllerContext, *, ca_pem: str) -> None:
        self._name = context.dialect.root_ca_config_map
        self._description_key = context.dialect.key("description")
        self._data = {"ca.crt": ca_pem}
        self._maps_api = context.client.resource("v1", "configmaps")
        self._namespaces = context.informers.cache("v1", "namespaces")
        self._maps = context.informers.cache("v1", "configmaps")
        super().__init__("root-CA controller", context.clock, (Source(self._namespaces, itself), Source(self._maps, _namespace)))

    async def reconcile(self, key: ObjectKey) -> None:
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


def _namespace(_change: str, config_map: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return (ObjectKey("", namespace_of(config_map)),)
