"""The size of what an autoscaler scales: read and written through the ``scale`` subresource of whatever type that is."""

from typing import NamedTuple

from svcsim.client.api import Client, Collection
from svcsim.client.discovery import ServedTypes
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object


class NoScaleError(Exception):
    """The size can't be known; the message says why."""


class FoundScale(NamedTuple):
    """A Scale, and where it is from."""

    collection: Collection
    scale: Object

    @property
    def wanted(self) -> int:
        """How many pods there are to be."""
        return (self.scale.get("spec") or {}).get("replicas") or 0

    @property
    def counted(self) -> int:
        """How many there are."""
        return (self.scale.get("status") or {}).get("replicas") or 0

    @property
    def selector(self) -> str:
        """What selects them."""
        return (self.scale.get("status") or {}).get("selector") or ""

    async def resize(self, replicas: int) -> None:
        """Set the size, unless it has been changed since. Raises `StatusError` and `ConnectionError`."""
        await self.collection.update({**self.scale, "spec": {**(self.scale.get("spec") or {}), "replicas": replicas}}, "scale")


async def find_scale(client: Client, served_types: ServedTypes, reference: Object, namespace: str) -> FoundScale:
    """The Scale of what is referred to, in any version of its API. Raises `NoScaleError`."""
    kind, group = reference["kind"], (reference.get("apiVersion") or "").rpartition("/")[0]
    try:
        served = (await served_types.current()).resources
        mapped = [one for one in served if (one.kind, one.group) == (kind, group)]
        if not mapped:
            raise NoScaleError(f'no matches for kind "{kind}" in group "{group}"')
        refused: StatusError | None = None
        for resource in mapped:
            collection = client.resource(resource.api_version, resource.plural, namespace)
            try:
                return FoundScale(collection, await collection.get(reference["name"], "scale"))
            except StatusError as error:
                refused = refused or error
        assert refused is not None, "every type has been asked"
        raise NoScaleError(refused.message)
    except (StatusError, ConnectionError) as error:
        raise NoScaleError(error.message if isinstance(error, StatusError) else str(error) or "the connection broke off") from error
