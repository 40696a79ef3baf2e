"""What the scheduler knows of storage: claims, volumes, classes, drivers and their room, and over them what it has decided itself.

A decision counts as soon as it is made: the next pod must not be promised the same volume, nor a claim be made for two nodes.
"""

from collections.abc import Iterable

from svcsim.client.cache import Cache
from svcsim.client.informers import Informers
from svcsim.client.latest import Latest
from svcsim.dialect import Dialect
from svcsim.meta.claims import StorageKeys, claim_ref, claims_of, is_for
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import annotations_of, get_path, name_of, namespace_of
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.types import Object
from svcsim.scheduler.volumes.room import Room, counts_room


def _by_class(capacity: Object) -> list[str]:
    """An indexer: the class of which a capacity tells."""
    return [capacity["storageClassName"]]


_ZONE_PREFIXES = ("topology", "failure-domain.beta")


class KnownStorage:
    """Caches, and what is assumed."""

    def __init__(self, informers: Informers, dialect: Dialect) -> None:
        storage = f"{dialect.group('storage')}/v1"
        self._storage = storage
        self.keys = StorageKeys.of(dialect)
        self.zones = {dialect.key(name, prefix): dialect.key(name, "topology") for prefix in _ZONE_PREFIXES for name in ("zone", "region")}
        """Labels of volumes and nodes that say where they are, with what they are called today."""
        self.claims = informers.cache("v1", "persistentvolumeclaims")
        self.volumes = informers.cache("v1", "persistentvolumes", self._by_offer)
        self.classes = informers.cache(storage, "storageclasses")
        self.node_drivers = informers.cache(storage, "csinodes")
        self.drivers = informers.cache(storage, "csidrivers")
        self.capacities = informers.cache(storage, "csistoragecapacities", _by_class)
        self.pods = informers.cache("v1", "pods", claims_of)
        self._newest_claims = Latest(self.claims)
        self._newest_volumes = Latest(self.volumes)
        self._promised: dict[str, ObjectKey] = {}
        """Volumes that claims are about to have."""
        self._nodes: dict[ObjectKey, str] = {}
        """Nodes for which volumes are about to be made for claims."""
        self._users: dict[str, dict[str, str]] = {}
        """By claim, the pods that have been given a node and don't say so yet, and that node."""

    @property
    def sources(self) -> tuple[tuple[str, str, Cache], ...]:
        """What has to be read before anything is decided, as far as it is served: version, plural and cache."""
        return (
            ("v1", "persistentvolumeclaims", self.claims),
            ("v1", "persistentvolumes", self.volumes),
            (self._storage, "storageclasses", self.classes),
            (self._storage, "csinodes", self.node_drivers),
            (self._storage, "csidrivers", self.drivers),
            (self._storage, "csistoragecapacities", self.capacities),
        )

    def _by_offer(self, volume: Object) -> list[str]:
        """An indexer: volumes that may still be given to a claim, by their class."""
        bound = claim_ref(volume) is not None and get_path(volume, "status.phase") != "Available"
        return [] if bound else [self.keys.class_of(volume)]

    # --- looking up ---

    def claim(self, namespace: str, name: str) -> Object | None:
        return self._newest_claims.get(name, namespace)

    def volume(self, name: str) -> Object | None:
        return self._newest_volumes.get(name)

    def storage_class(self, name: str) -> Object | None:
        return self.classes.get(name)

    def offered(self, claim: Object) -> Iterable[Object]:
        """The volumes of a claim's class that nobody has been promised, or that name it."""
        key = ObjectKey(namespace_of(claim), name_of(claim))
        for cached in self.volumes.find(self._by_offer, self.keys.class_of(claim)):
            volume = self._newest_volumes.newest(cached)
            promised = self._promised.get(name_of(volume))
            if promised in (None, key) and (claim_ref(volume) is None or is_for(volume, claim)):
                yield volume

    def node_for(self, claim: Object) -> str:
        """The node for which a volume is being made for a claim; empty while there is none."""
        assumed = self._nodes.get(ObjectKey(namespace_of(claim), name_of(claim)))
        return assumed or annotations_of(claim).get(self.keys.selected_node) or ""

    def users(self, claim: str) -> list[tuple[str, str]]:
        """The pods that are on a node, or about to be, and use a claim; and their nodes."""
        there = (one for one in self.pods.find(claims_of, claim) if node_of(one) and not is_finished(one))
        return [*self._users.get(claim, {}).items(), *((f"{namespace_of(one)}/{name_of(one)}", node_of(one)) for one in there)]

    def room_for_driver(self, node: str, driver: str) -> int | None:
        """How many volumes of a driver a node can have; None for as many as one likes."""
        drivers = get_path(self.node_drivers.get(node), "spec.drivers") or ()
        found: int | None = next((get_path(one, "allocatable.count") for one in drivers if one["name"] == driver), None)
        return found

    def room_for(self, claim: Object) -> Room | None:
        """Where there is room for a claim's volume; None where that isn't counted."""
        name = self.keys.class_of(claim)
        storage_class = self.storage_class(name)
        if storage_class is None or not counts_room(self.drivers.get(storage_class["provisioner"])):
            return None
        return Room(claim, self.capacities.find(_by_class, name))

    @property
    def drivers_count(self) -> bool:
        """Whether any node says what it has of drivers."""
        return bool(len(self.node_drivers))

    # --- what was decided ---

    def promise(self, volume: str, claim: ObjectKey) -> None:
        self._promised[volume] = claim

    def make_for(self, claim: ObjectKey, node: str) -> None:
        self._nodes[claim] = node

    def use(self, claim: str, pod: str, node: str) -> None:
        self._users.setdefault(claim, {})[pod] = node

    def take_back(self, volumes: Iterable[str], claims: Iterable[ObjectKey]) -> None:
        for volume in volumes:
            self._promised.pop(volume, None)
        for claim in claims:
            self._nodes.pop(claim, None)

    def leave(self, claim: str, pod: str) -> None:
        users = self._users.get(claim)
        if users is not None:
            users.pop(pod, None)
            if not users:
                del self._users[claim]

    def wrote_claim(self, claim: Object) -> None:
        self._newest_claims.wrote(claim)

    def wrote_volume(self, volume: Object) -> None:
        self._newest_volumes.wrote(volume)
