"""The provisioner of simulated disks: makes volumes for the claims that name it, and deletes those whose claims are gone.

It is what in other clusters runs beside a storage driver. It knows nothing of how claims and volumes find each other: it makes a volume
that names a claim, and lets go of one that is released.
"""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.simulated_disks.disk import DiskWords, file_system, new_volume, volume_name
from svcsim.controllers.simulated_disks.originals import DataSource, NoOriginalError, WhatThereIs, is_for_populators, original
from svcsim.controllers.simulated_disks.populators import Populators
from svcsim.controllers.simulated_disks.underway import Underway
from svcsim.controllers.simulated_disks.zones import NoZoneError, PossibleZones, possible_zones
from svcsim.meta.attachments import attached_volume
from svcsim.meta.claims import volume_of, waits_for_consumer
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import annotations_of, finalizers_of, get_path, is_terminating, name_of, namespace_of, uid_of
from svcsim.meta.simulated_disks import DELETING, DRIVER, FAILS, as_clone, failure, provisioning_pace
from svcsim.meta.types import Object
from svcsim.meta.volume_matching import selects


class DiskProvisioner(Controller):
    """Keys with a namespace are claims, those without are volumes."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._words = DiskWords.of(context.dialect)
        self._dialect = context.dialect
        self._zone = context.dialect.key("zone", "topology")
        storage = f"{context.dialect.group('storage')}/v1"
        self._claims_api = context.client.resource("v1", "persistentvolumeclaims")
        self._volumes_api = context.client.resource("v1", "persistentvolumes")
        self._claims = context.informers.cache("v1", "persistentvolumeclaims", self._by_class)
        self._volumes = context.informers.cache("v1", "persistentvolumes")
        self._classes = context.informers.cache(storage, "storageclasses")
        self._nodes = context.informers.cache("v1", "nodes")
        self._attachments = context.informers.cache(storage, "volumeattachments", attached_volume)
        self._there = WhatThereIs(self._claims.get, self._volumes.get)
        self._populators = Populators(context.client, context.served_types, context.dialect)
        self._underway = Underway(context.clock, context.chance)
        sources = (
            Source(self._claims, self._claim_changed),
            Source(self._volumes, self._volume_changed),
            Source(self._classes, self._class_changed),
            Source(self._nodes),
            Source(self._attachments, _let_go),
        )
        super().__init__("disk provisioner", context.clock, sources)

    def _claim_changed(self, change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(claim)
        if change == "DELETED":
            self._underway.forget(key)
        return (key,) if change != "DELETED" and self._is_asked(claim) else ()

    def _is_asked(self, claim: Object) -> bool:
        return self._words.keys.provisioner_of(claim) == DRIVER and not volume_of(claim) and not is_terminating(claim)

    def _by_class(self, claim: Object) -> list[str]:
        """An indexer: claims a volume is to be made for, by their class."""
        return [self._words.keys.class_of(claim)] if self._is_asked(claim) else []

    def _class_changed(self, _change: str, storage_class: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return [object_key(claim) for claim in self._claims.find(self._by_class, name_of(storage_class))]

    def _volume_changed(self, change: str, volume: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(volume)
        if change == "DELETED":
            self._underway.forget(key)
        return (key,) if change != "DELETED" and self._is_to_go(volume) else ()

    def _is_to_go(self, volume: Object) -> bool:
        """A volume that was made here, whose claim is gone, and that nobody wants to keep, or that is being deleted."""
        ours = annotations_of(volume).get(self._words.keys.provisioned_by) == DRIVER
        return ours and get_path(volume, "status.phase") in ("Released", "Failed") and self._is_deletable(volume)

    def _is_deletable(self, volume: Object) -> bool:
        return bool(get_path(volume, "spec.persistentVolumeReclaimPolicy") == "Delete" or is_terminating(volume))

    async def reconcile(self, key: ObjectKey) -> None:
        if key.namespace:
            claim = self._claims.get(key.name, key.namespace)
            if claim is not None and self._is_asked(claim):
                await self._provision(key, claim)
        else:
            volume = self._volumes.get(key.name)
            if volume is not None and self._is_to_go(volume):
                await self._delete(key, volume)

    # --- making ---

    async def _provision(self, key: ObjectKey, claim: Object) -> None:
        storage_class = self._classes.get(self._words.keys.class_of(claim))
        node_name = annotations_of(claim).get(self._words.keys.selected_node) or ""
        if storage_class is None or self._volumes.get(volume_name(claim)) is not None:
            return
        if waits_for_consumer(storage_class) and not node_name:
            return
        try:
            wait_s, is_new = self._underway.wait_s(key, uid_of(claim), provisioning_pace(storage_class.get("parameters") or {}))
        except ValueError as error:
            self._fail(key, claim, storage_class, f"rpc error: code = InvalidArgument desc = {error}")
            return
        if is_new:
            message = f'External provisioner is provisioning volume for claim "{namespace_of(claim)}/{name_of(claim)}"'
            self._events.normal(claim, "Provisioning", message)
        if wait_s > 0:
            self.queue.add_after(key, wait_s)
            return
        await self._make(key, claim, storage_class, node_name)

    async def _make(self, key: ObjectKey, claim: Object, storage_class: Object, node_name: str) -> None:
        source = DataSource.of(claim)
        if source is not None and is_for_populators(source, self._dialect):
            await self._leave_to_populators(claim, source)
            return
        if selects(claim):  # among volumes that are there: what is made for it would be none of them
            self._fail(key, claim, storage_class, "claim Selector is not supported")
            return
        try:
            copied = original(claim, self._there)
            files = file_system(storage_class, self._words)
        except (NoOriginalError, ValueError) as error:
            self._fail(key, claim, storage_class, str(error))
            return
        why = failure("provision", claim) or (storage_class.get("parameters") or {}).get(FAILS) or ""
        zones, nodes = PossibleZones(self._zone, []), self._nodes.all()
        if node_name:
            nodes = [node for node in nodes if name_of(node) == node_name]
            if not nodes:
                self._events.warning(claim, "ProvisioningFailed", f'failed to get target node: node "{node_name}" not found')
                await self._choose_again(key, claim)
                return
        try:
            zones = possible_zones(self._zone, nodes, storage_class, uid_of(claim))
        except NoZoneError as error:
            why = why or str(error)
        if why:
            self._tell(claim, storage_class, f"rpc error: code = ResourceExhausted desc = {why}")
            if node_name:
                await self._choose_again(key, claim)
            else:
                self._try_again(key)
            return
        volume = new_volume(claim, storage_class, files, zones, self._words)
        try:
            made = await self._volumes_api.create(volume if copied is None else as_clone(volume, copied))
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise
            return
        self._events.normal(claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name_of(made)}")

    async def _leave_to_populators(self, claim: Object, source: DataSource) -> None:
        """Whoever fills volumes from such objects makes the volume; that somebody does is more than is known."""
        self._events.normal(claim, "Provisioning", "Assuming an external populator will provision the volume")
        if not await self._populators.has_one_for(source.group, source.kind):
            message = "The datasource for this PVC does not match any registered VolumePopulator"
            self._events.warning(claim, "UnrecognizedDataSourceKind", message)

    def _fail(self, key: ObjectKey, claim: Object, storage_class: Object, error: str) -> None:
        self._tell(claim, storage_class, error)
        self._try_again(key)

    def _tell(self, claim: Object, storage_class: Object, error: str) -> None:
        message = f'failed to provision volume with StorageClass "{name_of(storage_class)}": {error}'
        self._events.warning(claim, "ProvisioningFailed", message)

    def _try_again(self, key: ObjectKey) -> None:
        self.queue.add_after(key, self._underway.failed(key))

    async def _choose_again(self, key: ObjectKey, claim: Object) -> None:
        """The node that was chosen is gone, or there is no room for the disk: let the scheduler choose, which may be another one."""
        annotations = {name: value for name, value in annotations_of(claim).items() if name != self._words.keys.selected_node}
        await self._claims_api.within(namespace_of(claim)).update({**claim, "metadata": {**claim["metadata"], "annotations": annotations}})
        self._underway.forget(key)

    # --- deleting ---

    async def _delete(self, key: ObjectKey, volume: Object) -> None:
        attached = self._attachments.find(attached_volume, name_of(volume))
        if attached:
            node = attached[0]["spec"]["nodeName"]
            self._events.warning(volume, "VolumeFailedDelete", f"persistentvolume {name_of(volume)} is still attached to node {node}")
            return  # it is looked at again when that has ended
        wait_s, _ = self._underway.wait_s(key, uid_of(volume), DELETING)
        if wait_s > 0:
            self.queue.add_after(key, wait_s)
            return
        why = failure("delete", volume)
        if why:
            self._events.warning(volume, "VolumeFailedDelete", f"rpc error: code = Internal desc = {why}")
            self.queue.add_after(key, self._underway.failed(key))
            return
        if not is_terminating(volume):
            volume = await self._volumes_api.delete(name_of(volume), uid=uid_of(volume))
        finalizers = [name for name in finalizers_of(volume) if name != self._words.finalizer]
        if finalizers != finalizers_of(volume):
            await self._volumes_api.update({**volume, "metadata": {**volume["metadata"], "finalizers": finalizers}})


def _let_go(change: str, attachment: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return [ObjectKey("", name) for name in attached_volume(attachment)] if change == "DELETED" else ()
