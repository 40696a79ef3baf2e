"""What the API server reads and writes in its own name, for those of its parts that decide about requests."""

from svcsim.client.api import Client
from svcsim.cluster import identities
from svcsim.cluster.later import Later
from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.core import decode_record
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.writes import Patcher
from svcsim.storage.contract import Key


class Loopback:
    """The API server as a client of itself."""

    def __init__(self, later: Later, dialect: Dialect) -> None:
        self._later = later
        self._dialect = dialect

    def client(self) -> Client:
        """For what a request waits for: it gives way to nobody."""
        return self._later.clients.api_server(gives_way=False)

    async def find(self, plural: str, namespace: str, name: str) -> Object | None:
        """An object of the core group, as it is now."""
        current = self._later.registry.core.latest(Key(plural, namespace, name))
        return None if current is None else decode_record(current)

    async def slices_of(self, namespace: str, service: str) -> list[Object]:
        """A service's EndpointSlices."""
        slices = self._later.clients.api_server().resource(f"{self._dialect.group('discovery')}/v1", "endpointslices", namespace)
        return await slices.list_all(label_selector=f"{self._dialect.key('service-name')}={service}")

    async def label_secret(self, namespace: str, name: str, key: str, value: str) -> None:
        """While a request waits for it."""
        secrets = self.client().resource("v1", "secrets", namespace)
        await secrets.patch(name, {"metadata": {"labels": {key: value}}})

    async def make_namespace(self, name: str) -> None:
        """While a request waits for it."""
        namespaces = self.client().resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    async def patch_status(
        self, api_version: str, plural: str, namespace: str, name: str, change: Patcher, *, dry_run: bool = False
    ) -> Object:
        """Write the status of an object."""
        registry = self._later.registry
        resource = registry.core.scheme.find(GroupVersion.parse(api_version), plural)
        assert resource is not None, f"{plural} are asked for where there are some"
        caller = Caller(identities.API_SERVER, self._dialect.api_server, dry_run)
        target = Target(resource, namespace, name, resource.windows["status"])
        return decode_record(await registry.patch(target, change, caller, WriteOptions()))
