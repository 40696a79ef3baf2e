"""What the scheduler knows of devices: what there is, of which classes, who has what; and over that what it has decided itself.

A decision counts as soon as it is made: the next pod must not be promised the same device.
"""

from svcsim.client.cache import Cache
from svcsim.client.informers import Informers
from svcsim.client.latest import Latest
from svcsim.dialect import Dialect
from svcsim.meta.device_claims import DeviceId, DeviceKeys, devices_held
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.types import Object
from svcsim.scheduler.devices.pools import Inventory, Slices, inventory
from svcsim.scheduler.devices.selections import Selections


class KnownDevices:
    """Caches, and what is assumed."""

    def __init__(self, informers: Informers, dialect: Dialect) -> None:
        self.keys = DeviceKeys.of(dialect)
        self.slices = informers.cache(self.keys.api_version, "resourceslices")
        self.classes = informers.cache(self.keys.api_version, "deviceclasses")
        self.claims = informers.cache(self.keys.api_version, "resourceclaims")
        self._newest_claims = Latest(self.claims)
        self._slices = Slices()
        self._inventory: Inventory | None = None
        self.selections = Selections()
        self._held: dict[ObjectKey, tuple[DeviceId, ...]] = {}
        """The devices of claims."""
        self._promised: dict[ObjectKey, tuple[DeviceId, ...]] = {}
        """Devices that claims are about to have."""
        self.taken: dict[DeviceId, int] = {}
        """Devices that claims have or are about to have, and how many of them."""
        self.slices.add_handler(self._slice_changed)
        self.claims.add_handler(self._claim_changed)

    @property
    def sources(self) -> tuple[tuple[str, str, Cache], ...]:
        """What has to be read before anything is decided, as far as it is served: version, plural and cache."""
        version = self.keys.api_version
        return (
            (version, "resourceslices", self.slices),
            (version, "deviceclasses", self.classes),
            (version, "resourceclaims", self.claims),
        )

    # --- looking up ---

    def claim(self, namespace: str, name: str) -> Object | None:
        return self._newest_claims.get(name, namespace)

    def device_class(self, name: str) -> Object | None:
        return self.classes.get(name)

    def inventory(self) -> Inventory:
        """The devices there are."""
        if self._inventory is None:
            self._inventory = inventory(self._slices.of(self.slices.all()))
        return self._inventory

    def is_promised(self, claim: Object) -> bool:
        """Whether a claim is about to be given devices."""
        return object_key(claim) in self._promised

    # --- what was decided ---

    def promise(self, claim: Object, allocation: Object) -> None:
        """Devices count as a claim's from now on."""
        key = object_key(claim)
        self._promised[key] = devices_held({"status": {"allocation": allocation}})
        self._count(self._promised[key], 1)

    def take_back(self, key: ObjectKey) -> bool:
        """A claim is no longer about to be given devices: it has them, or won't. Gives whether it was."""
        promised = self._promised.pop(key, None)
        self._count(promised or (), -1)
        return promised is not None

    def wrote_claim(self, claim: Object) -> Object:
        """A claim as the server gave it back; gives it."""
        self._newest_claims.wrote(claim)
        key = object_key(claim)
        self._hold(key, self._newest_claims.get(key.name, key.namespace))
        return claim

    def _hold(self, key: ObjectKey, claim: Object | None) -> None:
        self._count(self._held.pop(key, ()), -1)
        devices = () if claim is None else devices_held(claim)
        if devices:
            self._held[key] = devices
            self._count(devices, 1)

    def _count(self, devices: tuple[DeviceId, ...], by: int) -> None:
        for device in devices:
            count = self.taken.get(device, 0) + by
            if count:
                self.taken[device] = count
            else:
                self.taken.pop(device, None)

    def _slice_changed(self, _change: str, _slice: Object, _before: Object | None) -> None:
        self._inventory = None

    def _claim_changed(self, change: str, claim: Object, _before: Object | None) -> None:
        key = object_key(claim)
        self._hold(key, None if change == "DELETED" else self._newest_claims.newest(claim))
