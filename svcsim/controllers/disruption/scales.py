"""How many pods those who control pods want: ReplicaSets as their Deployments say, everything else as its scale subresource does."""

from collections.abc import Iterable

from svcsim.client.api import Client, Collection
from svcsim.client.cache import Cache
from svcsim.client.discovery import ServedTypes
from svcsim.controllers.disruption.plan import Scale
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import controller_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class UnknownScaleError(Exception):
    """The size of what controls a pod can't be known."""


class Scales:
    """Finds the scales of pods' controllers."""

    def __init__(self, client: Client, served_types: ServedTypes, sets: Cache, deployments: Cache) -> None:
        self._client = client
        self._served_types = served_types
        self._sets = sets
        self._deployments = deployments

    async def of(self, pods: Iterable[Object]) -> dict[str, Scale]:
        """The scales by the UIDs of the pods' controllers; of pods that have none, none. Raises `UnknownScaleError`."""
        found: dict[str, Scale] = {}
        for pod in pods:
            reference = controller_of(pod)
            if reference is None or reference["uid"] in found:
                continue
            scale = self._of_set(reference, namespace_of(pod)) or await self._by_subresource(reference, namespace_of(pod))
            if scale is None:
                raise UnknownScaleError(f'found no controllers for pod "{name_of(pod)}"')
            found[reference["uid"]] = scale
        return found

    def _of_set(self, reference: Object, namespace: str) -> Scale | None:
        """What a ReplicaSet's Deployment wants: between two revisions, each of its sets wants only a part of that."""
        owner = _referred(self._sets, reference, "ReplicaSet", namespace)
        if owner is None:
            return None
        above = controller_of(owner)
        deployment = None if above is None else _referred(self._deployments, above, "Deployment", namespace)
        if deployment is not None:
            return _wanted(deployment)
        return None if above is not None and _is(above, "Deployment") else _wanted(owner)

    async def _by_subresource(self, reference: Object, namespace: str) -> Scale | None:
        group = reference["apiVersion"].rpartition("/")[0]
        served = (await self._served_types.current()).resources
        resource = next((one for one in served if (one.kind, one.group) == (reference["kind"], group)), None)
        if resource is None:
            raise UnknownScaleError(f'no matches for kind "{reference["kind"]}" in version "{reference["apiVersion"]}"')
        collection = self._client.resource(resource.api_version, resource.plural, namespace if resource.namespaced else "")
        try:
            scale = await collection.get(reference["name"], "scale")
        except StatusError as error:
            if error.code != 404:
                raise
            if await _is_there(collection, reference):
                what = f"{resource.plural}.{group}" if group else resource.plural
                raise UnknownScaleError(f"{what} does not implement the scale subresource") from None
            return None
        if uid_of(scale) != reference["uid"]:
            return None
        return Scale(uid_of(scale), (scale.get("spec") or {}).get("replicas") or 0)


async def _is_there(collection: Collection, reference: Object) -> bool:
    found = await collection.find(reference["name"])
    return found is not None and bool(uid_of(found) == reference["uid"])


def _is(reference: Object, kind: str) -> bool:
    return bool(reference["kind"] == kind and reference["apiVersion"].startswith("apps/"))


def _referred(cache: Cache, reference: Object, kind: str, namespace: str) -> Object | None:
    """What a reference is about, if it is of that kind and there."""
    found = cache.get(reference["name"], namespace) if _is(reference, kind) else None
    return found if found is not None and uid_of(found) == reference["uid"] else None


def _wanted(owner: Object) -> Scale:
    return Scale(uid_of(owner), owner["spec"].get("replicas", 1))
