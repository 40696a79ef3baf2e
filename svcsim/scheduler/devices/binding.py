"""Having the claims of a pod given devices and reserved for it before it is bound, and taking that back where it failed."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from svcsim.client.api import Collection
from svcsim.client.controller import ControllerContext
from svcsim.client.retry import retry_on_conflict
from svcsim.meta.device_claims import allocation_of, is_reserved_for, pod_user, shown, users_of
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import finalizers_of, is_terminating, uid_of
from svcsim.meta.types import Object
from svcsim.scheduler.devices.claimants import Claimants
from svcsim.scheduler.devices.known import KnownDevices
from svcsim.scheduler.devices.pod_devices import look_at_devices
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.turns import Turn, at_once


class DevicesError(Exception):
    """The claims of a pod can't be given devices as was decided."""


class _Decided(NamedTuple):
    """A claim of a pod that was placed, and what it is to be given."""

    key: ObjectKey
    uid: str
    allocation: Object | None
    """None where it has its devices."""


class DeviceBinding:
    """Between a pod's being placed and its being bound."""

    def __init__(
        self,
        context: ControllerContext,
        known: KnownDevices,
        claimants: Claimants,
        wake: Callable[[str], None],
        wake_all: Callable[[], None],
    ) -> None:
        """``wake`` brings back a pod, ``wake_all`` all those that no devices were found for."""
        self._claims = context.client.resource(known.keys.api_version, "resourceclaims")
        self._known = known
        self._claimants = claimants
        self._wake = wake
        self._wake_all = wake_all
        self._decided: dict[str, list[_Decided]] = {}
        known.slices.add_handler(self._others_changed)
        known.classes.add_handler(self._others_changed)
        known.claims.add_handler(self._claim_changed)

    # --- deciding ---

    def reserve(self, pod: PodInfo, node: NodeInfo) -> bool:
        """Assume a pod's devices on a node, if it has claims; False if they are no longer available there."""
        if not pod.devices:
            return True
        devices = look_at_devices(pod, self._known)
        if isinstance(devices, str) or devices.unreachable(node):
            return False
        at_once(devices.select(Turn()))
        found = devices.allocate(node)
        if isinstance(found, str):
            return False
        given = {uid_of(one.claim): one.allocation for one in found}
        for one in found:
            self._known.promise(one.claim, one.allocation)
        self._decided[pod.key] = [
            _Decided(ObjectKey(pod.namespace, used.claim), uid_of(claim), given.get(uid_of(claim)))
            for used in {one.claim: one for one in pod.devices if one.claim}.values()
            if (claim := self._known.claim(pod.namespace, used.claim)) is not None
        ]
        return True

    def release(self, key: str) -> None:
        """A pod is bound, or won't be: what was counted on is as others see it."""
        promised = [one.key for one in self._decided.pop(key, ()) if one.allocation is not None]
        freed = [claim for claim in promised if self._known.take_back(claim)]
        if freed:
            self._wake_all()  # no claim tells of that

    def forget_all(self) -> None:
        """Nothing is in progress any longer."""
        for key in list(self._decided):
            self.release(key)

    # --- having it done ---

    async def write(self, pod: PodInfo) -> None:
        """Write what was decided. Raises `DevicesError`, and as requests do."""
        for one in self._decided.get(pod.key, ()):
            await self._write(pod, one)

    async def _write(self, pod: PodInfo, decided: _Decided) -> None:
        try:
            claim = await retry_on_conflict(partial(self._written, pod, decided))
        except StatusError as error:
            if error.code in {404, 409}:
                raise
            what = "reservation" if decided.allocation is None else "allocation and reservation"
            raise DevicesError(f"add {what} to claim {'/'.join(decided.key)}: {error.message}") from error
        self._known.wrote_claim(claim)
        if decided.allocation is not None:
            self._known.take_back(decided.key)

    async def _written(self, pod: PodInfo, decided: _Decided) -> Object:
        claims = self._claims.within(decided.key.namespace)
        claim = await claims.get(decided.key.name)
        if uid_of(claim) != decided.uid or is_terminating(claim):
            raise DevicesError(f"claim {shown(claim)} got deleted in the meantime")
        status: Object = {}
        if decided.allocation is not None:
            if allocation_of(claim) is not None:
                raise DevicesError(f"claim {shown(claim)} got allocated elsewhere in the meantime")
            claim = await self._protected(claims, claim)
            status["allocation"] = decided.allocation
        elif allocation_of(claim) is None:
            raise DevicesError(f"claim {shown(claim)} got deallocated in the meantime")
        if not is_reserved_for(claim, pod.uid):
            status["reservedFor"] = [*users_of(claim), pod_user(pod.name, pod.uid)]
        return await _patched(claims, claim, status) if status else claim

    async def _protected(self, claims: Collection, claim: Object) -> Object:
        """A claim with the finalizer of those that have devices."""
        finalizers, protection = finalizers_of(claim), self._known.keys.protection
        if protection in finalizers:
            return claim
        metadata = {"resourceVersion": claim["metadata"]["resourceVersion"], "finalizers": [*finalizers, protection]}
        return await claims.patch(claim["metadata"]["name"], {"metadata": metadata})

    async def unreserve(self, pod: PodInfo) -> None:
        """A pod couldn't be bound: it uses its claims no longer, which keep their devices until something needs them elsewhere."""
        decided = self._decided.get(pod.key, [])
        self.release(pod.key)
        for one in decided:
            await retry_on_conflict(partial(self._unreserve, one, pod.uid))

    async def _unreserve(self, decided: _Decided, pod_uid: str) -> None:
        claims = self._claims.within(decided.key.namespace)
        claim = await claims.find(decided.key.name)
        if claim is not None and uid_of(claim) == decided.uid and is_reserved_for(claim, pod_uid):
            left = [user for user in users_of(claim) if user.get("uid") != pod_uid]
            self._known.wrote_claim(await _patched(claims, claim, {"reservedFor": left or None}))

    async def give_back(self, claim: Object, pod: PodInfo) -> None:
        """Take the devices from a claim that keeps a pod from nodes, unless somebody else has come to use it."""
        claims = self._claims.within(pod.namespace)
        current = await claims.find(claim["metadata"]["name"])
        if current is None or uid_of(current) != uid_of(claim) or any(one.get("uid") != pod.uid for one in users_of(current)):
            return
        self._known.wrote_claim(await _patched(claims, current, {"allocation": None, "reservedFor": None, "devices": None}))

    # --- what happens meanwhile ---

    def _others_changed(self, _change: str, _obj: Object, _before: Object | None) -> None:
        """A slice that goes may complete a pool, too."""
        self._wake_all()

    def _claim_changed(self, change: str, claim: Object, before: Object | None) -> None:
        """What concerns those who wait with the claim; and devices that are free again, which concern all."""
        for pod in self._claimants.of(shown(claim)):
            if pod not in self._decided:
                self._wake(pod)
        had = claim if change == "DELETED" else before
        if had is not None and allocation_of(had) is not None and (change == "DELETED" or allocation_of(claim) is None):
            self._wake_all()


async def _patched(claims: Collection, claim: Object, status: Object) -> Object:
    """A claim with these fields in its status, unless it has changed meanwhile."""
    metadata = {"resourceVersion": claim["metadata"]["resourceVersion"]}
    return await claims.patch(claim["metadata"]["name"], {"metadata": metadata, "status": status}, subresource="status")
