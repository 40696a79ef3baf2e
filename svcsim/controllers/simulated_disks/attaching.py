"""The attacher of simulated disks: has them attached to nodes as VolumeAttachments say, and detached again, which takes a while."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.simulated_disks.underway import Underway
from svcsim.meta.attachments import attached_volume, attacher_finalizer, is_attached
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import finalizers_of, is_terminating, uid_of
from svcsim.meta.simulated_disks import ATTACHING, DETACHING, DRIVER, failure
from svcsim.meta.types import Object

FINALIZER = attacher_finalizer(DRIVER)


class DiskAttacher(Controller):
    """Acts on the VolumeAttachments that name its driver."""

    def __init__(self, context: ControllerContext) -> None:
        storage = f"{context.dialect.group('storage')}/v1"
        self._api = context.client.resource(storage, "volumeattachments")
        self._attachments = context.informers.cache(storage, "volumeattachments")
        self._volumes = context.informers.cache("v1", "persistentvolumes")
        self._underway = Underway(context.clock, context.chance)
        super().__init__("disk attacher", context.clock, (Source(self._attachments, self._changed), Source(self._volumes)))

    def _changed(self, change: str, attachment: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(attachment)
        if change == "DELETED":
            self._underway.forget(key)
            return ()
        return (key,) if attachment["spec"]["attacher"] == DRIVER else ()

    async def reconcile(self, key: ObjectKey) -> None:
        attachment = self._attachments.get(key.name)
        if attachment is None:
            return
        if is_terminating(attachment):
            await self._detach(key, attachment)
        elif FINALIZER not in finalizers_of(attachment):
            await self._set_finalizers(attachment, [*finalizers_of(attachment), FINALIZER])
        elif not is_attached(attachment):
            await self._attach(key, attachment)

    async def _attach(self, key: ObjectKey, attachment: Object) -> None:
        wait_s, _ = self._underway.wait_s(key, f"attach {uid_of(attachment)}", ATTACHING)
        if wait_s > 0:
            self.queue.add_after(key, wait_s)
        elif why := failure("attach", self._volume(attachment)):
            await self._report(key, attachment, "attachError", why)
        else:
            await self._set_status(attachment, {"attached": True})

    async def _detach(self, key: ObjectKey, attachment: Object) -> None:
        if FINALIZER not in finalizers_of(attachment):
            return
        wait_s, _ = self._underway.wait_s(key, f"detach {uid_of(attachment)}", DETACHING)
        if is_attached(attachment) and wait_s > 0:
            self.queue.add_after(key, wait_s)
        elif is_attached(attachment) and (why := failure("detach", self._volume(attachment))):
            await self._report(key, attachment, "detachError", why)
        else:
            if is_attached(attachment):
                attachment = await self._set_status(attachment, {"attached": False})
            await self._set_finalizers(attachment, [name for name in finalizers_of(attachment) if name != FINALIZER])

    def _volume(self, attachment: Object) -> Object | None:
        named = attached_volume(attachment)
        return self._volumes.get(named[0]) if named else None

    async def _report(self, key: ObjectKey, attachment: Object, field: str, why: str) -> None:
        error = {"time": self.clock.timestamp(), "message": f"rpc error: code = Internal desc = {why}"[:1024]}
        self.queue.add_after(key, self._underway.failed(key))
        await self._set_status(attachment, {"attached": is_attached(attachment), field: error})

    async def _set_status(self, attachment: Object, status: Object) -> Object:
        return await self._api.update({**attachment, "status": status}, "status")

    async def _set_finalizers(self, attachment: Object, finalizers: list[str]) -> None:
        await self._api.update({**attachment, "metadata": {**attachment["metadata"], "finalizers": finalizers}})
