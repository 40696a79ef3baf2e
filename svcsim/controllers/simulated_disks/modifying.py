"""The modifier of simulated disks: gives them the attributes of another VolumeAttributesClass, where a claim names one."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.simulated_disks.claim_status import write_status
from svcsim.controllers.simulated_disks.underway import Underway
from svcsim.meta.attachments import driver_of
from svcsim.meta.claims import attributes_class, volume_of
from svcsim.meta.growth import told, with_conditions
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import get_path, is_terminating, name_of, uid_of
from svcsim.meta.pods import phase_of
from svcsim.meta.simulated_disks import DRIVER, RESIZING, failure
from svcsim.meta.types import Object

_AT_IT, _WRONG = "ModifyingVolume", "ModifyVolumeError"
_CONDITIONS = (_AT_IT, _WRONG)


class DiskModifier(Controller):
    """Its keys are claims."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._claims_api = context.client.resource("v1", "persistentvolumeclaims")
        self._volumes_api = context.client.resource("v1", "persistentvolumes")
        self._claims = context.informers.cache("v1", "persistentvolumeclaims", _by_wish)
        self._volumes = context.informers.cache("v1", "persistentvolumes")
        self._classes = context.informers.cache(f"{context.dialect.group('storage')}/v1", "volumeattributesclasses")
        self._underway = Underway(context.clock, context.chance)
        sources = (Source(self._claims, self._changed), Source(self._volumes), Source(self._classes, self._class_changed))
        super().__init__("disk modifier", context.clock, sources)

    def _changed(self, change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(claim)
        if change == "DELETED":
            self._underway.forget(key)
            return ()
        return (key,) if _by_wish(claim) else ()

    def _class_changed(self, _change: str, attributes: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return [object_key(claim) for claim in self._claims.find(_by_wish, name_of(attributes))]

    async def reconcile(self, key: ObjectKey) -> None:
        claim = self._claims.get(key.name, key.namespace)
        if claim is None or not _by_wish(claim):
            return
        volume = self._volumes.get(volume_of(claim))
        if volume is None or driver_of(volume) != DRIVER or get_path(volume, "spec.claimRef.uid") != uid_of(claim):
            return
        target = attributes_class(claim)
        if why := self._unfit(target):
            await self._pend(claim, target, why)
            return
        if _progress(claim) != {"targetVolumeAttributesClassName": target, "status": "InProgress"}:
            self._underway.forget(key)
            self._events.normal(claim, "VolumeModify", f"external resizer is modifying volume {name_of(volume)} with vac {target}")
            conditions = [told(_AT_IT, self.clock.timestamp())]
            await write_status(self._claims_api, claim, with_conditions(_at(claim, target, "InProgress"), conditions, _CONDITIONS))
            return
        wait_s, _ = self._underway.wait_s(key, target, RESIZING)
        if wait_s > 0:
            self.queue.add_after(key, wait_s)
        elif why := failure("modify", claim, volume):
            message = f"rpc error: code = Internal desc = {why}"
            self._events.warning(claim, "VolumeModifyFailed", message)
            self.queue.add_after(key, self._underway.failed(key))
        else:
            await self._modify(key, claim, volume, target)

    def _unfit(self, target: str) -> str:
        attributes = self._classes.get(target)
        if attributes is None:
            return f'VAC "{target}" does not exist'
        driver = attributes.get("driverName")
        return "" if driver == DRIVER else f'VAC "{target}" is of driver {driver}, and the volume of {DRIVER}'

    async def _pend(self, claim: Object, target: str, why: str) -> None:
        if _progress(claim) != {"targetVolumeAttributesClassName": target, "status": "Pending"}:
            self._events.warning(claim, "VolumeModifyFailed", why)
            await write_status(self._claims_api, claim, _at(claim, target, "Pending"))

    async def _modify(self, key: ObjectKey, claim: Object, volume: Object, target: str) -> None:
        if attributes_class(volume) != target:
            await self._volumes_api.update({**volume, "spec": {**volume["spec"], "volumeAttributesClassName": target}})
        status = {**claim["status"], "currentVolumeAttributesClassName": target}
        status.pop("modifyVolumeStatus", None)
        self._underway.forget(key)
        message = f"external resizer modified volume {name_of(volume)} with vac {target} successfully"
        self._events.normal(claim, "VolumeModifySuccessful", message)
        await write_status(self._claims_api, claim, with_conditions(status, [], _CONDITIONS))


def _progress(claim: Object) -> Object:
    return get_path(claim, "status.modifyVolumeStatus") or {}


def _at(claim: Object, target: str, status: str) -> Object:
    return {**claim["status"], "modifyVolumeStatus": {"targetVolumeAttributesClassName": target, "status": status}}


def _by_wish(claim: Object) -> list[str]:
    """An indexer: claims by the attributes that they name and don't have."""
    wanted, has = attributes_class(claim), get_path(claim, "status.currentVolumeAttributesClassName") or ""
    return [wanted] if wanted and wanted != has and phase_of(claim) == "Bound" and not is_terminating(claim) else []
