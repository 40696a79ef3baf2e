"""The PV protection controller: a deleted volume is removed once no claim is bound to it."""

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import get_path
from svcsim.meta.protection import protected


class VolumeProtection(Controller):
    """Puts a finalizer on volumes, and takes it off those that are deleted and not bound."""

    def __init__(self, context: ControllerContext) -> None:
        self._finalizer = context.dialect.key("pv-protection")
        self._api = context.client.resource("v1", "persistentvolumes")
        self._volumes = context.informers.cache("v1", "persistentvolumes")
        super().__init__("PV protection", context.clock, (Source(self._volumes, itself),))

    async def reconcile(self, key: ObjectKey) -> None:
        volume = self._volumes.get(key.name)
        if volume is None:
            return
        changed = protected(volume, self._finalizer, is_used=get_path(volume, "status.phase") == "Bound")
        if changed is not None:
            await self._api.update(changed)
