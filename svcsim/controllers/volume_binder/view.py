"""What the binder knows of claims, volumes, classes and pods, and how it finds them."""

from collections.abc import Iterable

from svcsim.client.controller import ControllerContext
from svcsim.client.latest import Latest
from svcsim.meta.claims import StorageKeys, claim_key, claim_ref, claims_of, default_class_marks, volume_of
from svcsim.meta.objects import annotations_of, metadata_of, name_of, namespace_of
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object


class View:
    """Caches with their indexes, and over them what the binder has written itself."""

    def __init__(self, context: ControllerContext, keys: StorageKeys) -> None:
        self._keys = keys
        self._marks = default_class_marks(context.dialect)
        informers = context.informers
        self.claims = informers.cache("v1", "persistentvolumeclaims", self.by_wish, self.by_volume)
        self.volumes = informers.cache("v1", "persistentvolumes", self.by_offer, by_claim)
        self.classes = informers.cache(f"{context.dialect.group('storage')}/v1", "storageclasses")
        self.pods = informers.cache("v1", "pods", claims_of)
        self.newest_claims = Latest(self.claims)
        self.newest_volumes = Latest(self.volumes)

    # --- indexes ---

    def by_wish(self, claim: Object) -> list[str]:
        """Claims that are still to be bound, by their class; those that name none also under ``?``."""
        if self._keys.bind_completed in annotations_of(claim):
            return []
        named = self._keys.class_of(claim)
        return [named] if self._keys.names_class(claim) else [named, UNSAID]

    def by_volume(self, claim: Object) -> list[str]:
        """Claims by the volume they name."""
        name = volume_of(claim)
        return [name] if name else []

    def by_offer(self, volume: Object) -> list[str]:
        """Volumes that name no claim, by their class."""
        return [self._keys.class_of(volume)] if claim_ref(volume) is None else []

    # --- what a plan asks ---

    def volume(self, name: str) -> Object | None:
        return self.newest_volumes.get(name)

    def volumes_for(self, claim: Object) -> Iterable[Object]:
        found = self.volumes.find(by_claim, f"{namespace_of(claim)}/{name_of(claim)}")
        return [self.newest_volumes.newest(volume) for volume in found]

    def free_volumes(self, storage_class: str) -> Iterable[Object]:
        return (self.newest_volumes.newest(volume) for volume in self.volumes.find(self.by_offer, storage_class))

    def storage_class(self, name: str) -> Object | None:
        return self.classes.get(name)

    def default_class(self) -> Object | None:
        """The newest of those that are marked; of those as new as each other the first by name."""
        marked = [one for one in self.classes.all() if self.is_default(one)]
        return min(marked, key=lambda one: (-parse_time(metadata_of(one)["creationTimestamp"]), name_of(one)), default=None)

    def is_default(self, storage_class: Object) -> bool:
        return any(annotations_of(storage_class).get(mark) == "true" for mark in self._marks)

    def waiting_pods(self, claim: Object) -> list[str]:
        pods = self.pods.find(claims_of, f"{namespace_of(claim)}/{name_of(claim)}")
        return [name_of(pod) for pod in pods if not node_of(pod) and not is_finished(pod)]


UNSAID = "?"
"""Stands for no class at all; no class can be called so."""


def by_claim(volume: Object) -> list[str]:
    """An indexer: volumes by the claim they name."""
    reference = claim_ref(volume)
    return ["/".join(claim_key(reference))] if reference is not None else []
