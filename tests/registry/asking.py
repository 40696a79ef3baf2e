"""A cluster on virtual time without nodes, and its registry at hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.codec import decode_json
from svcsim.meta.types import GroupVersion, Json, Object, User
from svcsim.registry.listings import Listing
from svcsim.registry.options import Caller, DeleteOptions, ListOptions, Target, WatchOptions, WriteOptions
from svcsim.storage.contract import Record
from tests.virtual import START_S

ADMIN = User("admin", ("system:masters", "system:authenticated"))


class Asking:
    """The registry's verbs, on config maps unless told otherwise."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.registry = cluster.registry

    async def sleep(self, seconds: float) -> None:
        await self.cluster.clock.sleep(seconds)

    def target(self, name: str = "", plural: str = "configmaps", namespace: str = "default", subresource: str = "") -> Target:
        resource = self.registry.core.scheme.find(GroupVersion("", "v1"), plural)
        assert resource is not None
        return Target(resource, namespace if resource.kind.namespaced else "", name, resource.windows[subresource] if subresource else None)

    async def create(self, name: str, plural: str = "configmaps", **fields: Json) -> Object:
        metadata = {"name": name, **fields.pop("metadata", {})}
        sent = {"metadata": metadata, **fields}
        return shown(await self.registry.create(self.target(plural=plural), sent, Caller(ADMIN, "test"), WriteOptions()))

    async def get(self, name: str, plural: str = "configmaps") -> Object:
        return shown(await self.registry.get(self.target(name, plural)))

    async def patch(self, name: str, change: Json, plural: str = "configmaps", **caller: Json) -> Object:
        """Replace top-level fields."""
        return shown(
            await self.registry.patch(
                self.target(name, plural), lambda old: {**old, **change}, Caller(ADMIN, **{"manager": "test", **caller}), WriteOptions()
            )
        )

    async def delete(self, name: str, plural: str = "configmaps", **options: Json) -> Object:
        deletion = await self.registry.delete(self.target(name, plural), Caller(ADMIN), DeleteOptions(**options))
        return shown(deletion.record)

    async def list(self, **options: Json) -> Listing:
        return await self.registry.list(self.target(), ListOptions(**options))

    async def watch(self, **options: Json) -> "Following":
        return Following(await self.registry.watch(self.target(), WatchOptions(**options)))


class Following:
    """A watch's events one after the other."""

    def __init__(self, batches: AsyncIterator[list]) -> None:
        self._batches = batches
        self._ready: list = []

    async def take(self, count: int) -> list:
        while len(self._ready) < count:
            self._ready += await anext(self._batches)
        taken, self._ready = self._ready[:count], self._ready[count:]
        return taken

    async def rest(self) -> list:
        taken, self._ready = self._ready, []
        async for batch in self._batches:
            taken += batch
        return taken

    async def close(self) -> None:
        await self._batches.aclose()


def shown(record: Record) -> Object:
    return decode_json(record.body)


def names(listing: Listing) -> list[str]:
    return [record.key.name for record in listing.records]


@asynccontextmanager
async def asking(**spec: Json) -> AsyncIterator[Asking]:
    async with open_cluster(ClusterSpec(**{"nodes": 0, "seed": 1, "start_s": START_S, **spec})) as cluster:
        yield Asking(cluster)
        assert cluster.failures == []
