"""The volume binder: gives claims their volumes, keeps both sides' word of it, and sees to volumes whose claims are gone.

A claim and a volume name each other, in two separate writes; either may have been created by a user. So there are two plans, for a claim
and for a volume, and if only one of the two writes was made, because the controller ended in between, the other plan completes it. There is
one worker: each decision has to see the one before it.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.volume_binder import forms
from svcsim.controllers.volume_binder.claim_plan import plan_claim
from svcsim.controllers.volume_binder.notice import Notice
from svcsim.controllers.volume_binder.view import UNSAID, View
from svcsim.controllers.volume_binder.volume_plan import OVER, VolumePlan, plan_volume
from svcsim.meta.claims import StorageKeys, bound_volume, claim_key, claim_ref, volume_of
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.types import Object


class VolumeBinder(Controller):
    """Keys with a namespace are claims, those without are volumes."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._keys = StorageKeys.of(context.dialect)
        self._claims_api = context.client.resource("v1", "persistentvolumeclaims")
        self._volumes_api = context.client.resource("v1", "persistentvolumes")
        self._view = View(context, self._keys)
        self._said: dict[ObjectKey, tuple[str, Notice]] = {}
        """What was told last of a claim that waits, and of which life of it: it isn't told again for nothing."""
        self._recycled_at: dict[ObjectKey, float] = {}
        sources = (
            Source(self._view.claims, self._claim_changed),
            Source(self._view.volumes, self._volume_changed),
            Source(self._view.classes, self._class_changed),
            Source(self._view.pods),
        )
        super().__init__("volume binder", context.clock, sources, workers=1)

    # --- what is to be looked at ---

    def _claim_changed(self, change: str, claim: Object, before: Object | None) -> Iterable[ObjectKey]:
        if change == "DELETED":
            self._said.pop(object_key(claim), None)
        else:
            yield object_key(claim)
        names = (volume_of(claim), volume_of(before) if before is not None else "")
        yield from (ObjectKey("", name) for name in dict.fromkeys(names) if name)
        if change != "MODIFIED":
            yield from (object_key(volume) for volume in self._view.volumes_for(claim))

    def _volume_changed(self, change: str, volume: Object, before: Object | None) -> Iterable[ObjectKey]:
        if change == "DELETED":
            self._recycled_at.pop(object_key(volume), None)
        else:
            yield object_key(volume)
        references = (claim_ref(volume), claim_ref(before) if before is not None else None)
        yield from dict.fromkeys(claim_key(reference) for reference in references if reference is not None)
        yield from (object_key(claim) for claim in self._view.claims.find(self._view.by_volume, name_of(volume)))
        if references[0] is None and change != "DELETED":
            yield from self._wishing(self._keys.class_of(volume))

    def _class_changed(self, change: str, storage_class: Object, _before: Object | None) -> Iterable[ObjectKey]:
        yield from self._wishing(name_of(storage_class))
        if change != "DELETED" and self._view.is_default(storage_class):
            yield from self._wishing(UNSAID)

    def _wishing(self, storage_class: str) -> Iterable[ObjectKey]:
        return [object_key(claim) for claim in self._view.claims.find(self._view.by_wish, storage_class)]

    async def reconcile(self, key: ObjectKey) -> None:
        if key.namespace:
            claim = self._view.newest_claims.get(key.name, key.namespace)
            if claim is not None:
                await self._see_to_claim(key, claim)
        else:
            volume = self._view.newest_volumes.get(key.name)
            if volume is not None:
                await self._see_to_volume(key, volume)

    # --- claims ---

    async def _see_to_claim(self, key: ObjectKey, claim: Object) -> None:
        plan = plan_claim(claim, self._view, self._keys)
        if plan.notice is not None:
            self._say(key, claim, plan.notice)
        if plan.volume is not None:
            await self._bind(claim, plan.volume)
            self._said.pop(key, None)
            return
        if plan.storage_class:
            await self._write_claim(forms.with_class(claim, plan.storage_class))
            return
        if plan.provisioner:
            claim = await self._write_claim(forms.for_provisioner(claim, plan.provisioner, self._keys)) or claim
        await self._write_claim_status(forms.claim_in_phase(claim, plan.phase, None))

    def _say(self, key: ObjectKey, claim: Object, notice: Notice) -> None:
        if self._said.get(key) != (uid_of(claim), notice):
            self._said[key] = (uid_of(claim), notice)
            self._tell(claim, notice)

    async def _bind(self, claim: Object, volume: Object) -> None:
        """Have both say so, the volume first: a claim whose volume says otherwise would be lost."""
        volume = await self._write_volume(bound_volume(volume, claim, self._keys)) or volume
        volume = await self._write_volume_status(forms.in_phase(volume, "Bound", "")) or volume
        claim = await self._write_claim(forms.bound_claim(claim, volume, self._keys)) or claim
        await self._write_claim_status(forms.claim_in_phase(claim, "Bound", volume))

    # --- volumes ---

    async def _see_to_volume(self, key: ObjectKey, volume: Object) -> None:
        claim = await self._claim_for(volume)
        plan = plan_volume(volume, claim, self._keys)
        if plan.notice is not None:
            self._tell(volume, plan.notice)
        if plan.claim_notice is not None and claim is not None:
            self._say(object_key(claim), claim, plan.claim_notice)
        if plan.look_at_claim and claim is not None:
            self.queue.add(object_key(claim))
        if plan.unbind:
            volume = await self._write_volume(forms.free_volume(volume, self._keys)) or volume
        if plan.phase:
            volume = await self._write_volume_status(forms.in_phase(volume, plan.phase, plan.message)) or volume
        if plan.delete or plan.recycle:
            await self._reclaim(key, volume, plan)

    async def _claim_for(self, volume: Object) -> Object | None:
        """The claim it names. Before a volume is released the server is asked: the cache may not have seen the claim yet."""
        reference = claim_ref(volume)
        if reference is None:
            return None
        namespace, name = claim_key(reference)
        known, uid = self._view.newest_claims.get(name, namespace), reference.get("uid")
        if not uid or (known is not None and uid_of(known) == uid) or (volume.get("status") or {}).get("phase") in OVER:
            return known
        return await self._claims_api.within(namespace).find(name)

    async def _reclaim(self, key: ObjectKey, volume: Object, plan: VolumePlan) -> None:
        """Let go of it, or make it as new, which takes a while."""
        ready_at = self._recycled_at.setdefault(key, self.clock.now() + limits.RECLAIMING_S)
        if self.clock.now() < ready_at:
            self.queue.add_after(key, ready_at - self.clock.now())
            return
        if plan.delete:
            await self._volumes_api.delete(name_of(volume), uid=uid_of(volume))
            return
        del self._recycled_at[key]
        self._tell(volume, Notice("Normal", "VolumeRecycled", "Volume recycled"))
        freed = forms.free_volume(volume, self._keys)
        volume = await self._write_volume(freed) or volume
        await self._write_volume_status(forms.in_phase(volume, "Available", ""))

    # --- writing ---

    def _tell(self, about: Object, notice: Notice) -> None:
        say = self._events.normal if notice.kind == "Normal" else self._events.warning
        say(about, notice.reason, notice.message)

    async def _write_claim(self, claim: Object | None) -> Object | None:
        if claim is None:
            return None
        return self._view.newest_claims.wrote(await self._claims_api.within(claim["metadata"]["namespace"]).update(claim))

    async def _write_claim_status(self, claim: Object | None) -> None:
        if claim is not None:
            self._view.newest_claims.wrote(await self._claims_api.within(claim["metadata"]["namespace"]).update(claim, "status"))

    async def _write_volume(self, volume: Object | None) -> Object | None:
        return None if volume is None else self._view.newest_volumes.wrote(await self._volumes_api.update(volume))

    async def _write_volume_status(self, volume: Object | None) -> Object | None:
        return None if volume is None else self._view.newest_volumes.wrote(await self._volumes_api.update(volume, "status"))
