"""The resizer of simulated disks: grows them for claims that ask for more; what is on them is then grown by the node."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.simulated_disks.claim_status import write_status
from svcsim.controllers.simulated_disks.disk import whole_gibibytes
from svcsim.controllers.simulated_disks.underway import Underway
from svcsim.meta.attachments import driver_of
from svcsim.meta.claims import mode_of, size_of, volume_of, wanted_size
from svcsim.meta.growth import (
    CONTROLLER_AT_IT,
    CONTROLLER_ERROR,
    NODE_PENDING,
    aimed_at,
    awaits_node,
    growing,
    grown,
    resize_status,
    told,
    with_conditions,
)
from svcsim.meta.growth import RESIZING as RESIZING_CONDITION
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import get_path, is_terminating, name_of, uid_of
from svcsim.meta.pods import phase_of
from svcsim.meta.quantity import parse
from svcsim.meta.simulated_disks import DRIVER, RESIZING, failure
from svcsim.meta.types import Object


class DiskResizer(Controller):
    """Its keys are claims."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._claims_api = context.client.resource("v1", "persistentvolumeclaims")
        self._volumes_api = context.client.resource("v1", "persistentvolumes")
        self._claims = context.informers.cache("v1", "persistentvolumeclaims")
        self._volumes = context.informers.cache("v1", "persistentvolumes")
        self._underway = Underway(context.clock, context.chance)
        super().__init__("disk resizer", context.clock, (Source(self._claims, self._changed), Source(self._volumes)))

    def _changed(self, change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(claim)
        if change == "DELETED":
            self._underway.forget(key)
            return ()
        return (key,) if _is_asked(claim) else ()

    async def reconcile(self, key: ObjectKey) -> None:
        claim = self._claims.get(key.name, key.namespace)
        volume = self._volumes.get(volume_of(claim)) if claim is not None and _is_asked(claim) else None
        if claim is None or volume is None or driver_of(volume) != DRIVER or get_path(volume, "spec.claimRef.uid") != uid_of(claim):
            return
        wanted = str(whole_gibibytes(wanted_size(claim)))
        if resize_status(claim) != CONTROLLER_AT_IT or aimed_at(claim) != wanted:
            self._underway.forget(key)
            self._events.normal(claim, "Resizing", f"External resizer is resizing volume {name_of(volume)}")
            await write_status(self._claims_api, claim, growing(claim, wanted, self.clock.timestamp()))
            return
        wait_s, _ = self._underway.wait_s(key, wanted, RESIZING)
        if wait_s > 0:
            self.queue.add_after(key, wait_s)
        elif why := failure("resize", claim, volume):
            await self._fail(key, claim, volume, why)
        else:
            await self._grow(key, claim, volume, wanted)

    async def _grow(self, key: ObjectKey, claim: Object, volume: Object, wanted: str) -> None:
        if size_of(volume) < parse(wanted):
            capacity = {**volume["spec"]["capacity"], "storage": wanted}
            await self._volumes_api.update({**volume, "spec": {**volume["spec"], "capacity": capacity}})
        if mode_of(volume) == "Block":
            self._events.normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded")
            await write_status(self._claims_api, claim, grown(claim))
        else:
            self._events.normal(claim, "FileSystemResizeRequired", "Require file system resize of volume on node")
            await write_status(self._claims_api, claim, awaits_node(claim, self.clock.timestamp()))
        self._underway.forget(key)

    async def _fail(self, key: ObjectKey, claim: Object, volume: Object, why: str) -> None:
        error = f'resize volume "{name_of(volume)}" by resizer "{DRIVER}" failed: rpc error: code = Internal desc = {why}'
        self._events.warning(claim, "VolumeResizeFailed", error)
        self.queue.add_after(key, self._underway.failed(key))
        now = self.clock.timestamp()
        conditions = [told(RESIZING_CONDITION, now, reason="ResizeStarted"), told(CONTROLLER_ERROR, now, message=error)]
        if not any(one["type"] == CONTROLLER_ERROR and one.get("message") == error for one in claim["status"].get("conditions") or ()):
            await write_status(self._claims_api, claim, with_conditions(claim["status"], conditions))


def _is_asked(claim: Object) -> bool:
    """Whether a claim asks for more than it has, and not yet for what the node is about to give it."""
    if phase_of(claim) != "Bound" or is_terminating(claim):
        return False
    has, wanted = get_path(claim, "status.capacity.storage"), wanted_size(claim)
    if has is None or not parse(has) < wanted:
        return False
    return resize_status(claim) != NODE_PENDING or parse(aimed_at(claim)) < wanted
