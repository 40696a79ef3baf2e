"""The attach/detach controller: has volumes attached where pods use them, by VolumeAttachments that a driver's attacher acts on.

A volume is detached when no pod on the node uses it, and the node no longer reports it as in use. A silent node can't report that, so there
the volume stays attached for a while, unless the node is marked as out of service.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.controllers.attach_detach.plan import multi_attach_message, plan_attachments
from svcsim.meta.attachments import attached_node, attached_volume, attachment_name, driver_of, is_attached, needs_attaching, unique_name
from svcsim.meta.claims import StorageKeys, claim_key, claim_ref, claims_of, pod_claims, volume_of
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition_is, is_terminating, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_finished, node_of, with_kind
from svcsim.meta.taints import has_taint
from svcsim.meta.types import Object

_NODE: Final = "nodes"
"""Stands in a key for a node, which says in its status what is attached to it; other keys are volumes."""


class AttachDetach(Controller):
    """Volumes that need no attaching are none of its business."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._dialect = context.dialect
        self._keys = StorageKeys.of(context.dialect)
        self._out_of_service = context.dialect.key("out-of-service", "node")
        self._storage = f"{context.dialect.group('storage')}/v1"
        self._attachments_api = context.client.resource(self._storage, "volumeattachments")
        self._nodes_api = context.client.resource("v1", "nodes")
        cache = context.informers.cache
        self._pods = cache("v1", "pods", claims_of)
        self._claims = cache("v1", "persistentvolumeclaims")
        self._volumes = cache("v1", "persistentvolumes")
        self._nodes = cache("v1", "nodes")
        self._drivers = cache(self._storage, "csidrivers")
        self._attachments = cache(self._storage, "volumeattachments", attached_volume, attached_node)
        self._made: dict[str, Object] = {}
        """Attachments that were made and haven't been seen yet: a volume must not be attached twice meanwhile."""
        self._attaching: dict[str, str] = {}
        """Attachments that pods wait for, and what was last told of them."""
        self._refused: dict[str, None] = {}
        """UIDs of pods that were told that a volume is elsewhere."""
        self._unwanted_since: dict[str, float] = {}
        """By attachment."""
        sources = (
            Source(self._claims, self._claim_changed),
            Source(self._volumes, itself),
            Source(self._drivers, self._driver_changed),
            Source(self._attachments, self._attachment_changed),
            Source(self._nodes, self._node_changed),
            Source(self._pods, self._pod_changed),
        )
        super().__init__("attach/detach", context.clock, sources)

    # --- what is to be looked at ---

    def _pod_changed(self, change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
        if not pod["spec"].get("volumes") or not node_of(pod):
            return ()
        if change == "DELETED":
            self._refused.pop(uid_of(pod), None)
        claims = (self._claims.get(used.name, namespace_of(pod)) for used in pod_claims(pod))
        return [ObjectKey("", volume_of(claim)) for claim in claims if claim is not None and volume_of(claim)]

    def _claim_changed(self, _change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return (ObjectKey("", volume_of(claim)),) if volume_of(claim) else ()

    def _driver_changed(self, _change: str, driver: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return [object_key(volume) for volume in self._volumes.all() if driver_of(volume) == name_of(driver)]

    def _attachment_changed(self, change: str, attachment: Object, _before: Object | None) -> Iterable[ObjectKey]:
        if change == "DELETED":
            self._attaching.pop(name_of(attachment), None)
            self._unwanted_since.pop(name_of(attachment), None)
        self._made.pop(name_of(attachment), None)
        yield ObjectKey(_NODE, attached_node(attachment)[0])
        yield from (ObjectKey("", name) for name in attached_volume(attachment))

    def _node_changed(self, change: str, node: Object, _before: Object | None) -> Iterable[ObjectKey]:
        if change == "ADDED" and (node.get("status") or {}).get("volumesAttached"):
            yield ObjectKey(_NODE, name_of(node))
        if self._unwanted_since:
            attachments = self._attachments.find(attached_node, name_of(node))
            yield from (ObjectKey("", name) for attachment in attachments for name in attached_volume(attachment))

    async def reconcile(self, key: ObjectKey) -> None:
        if key.namespace == _NODE:
            await self._report(key.name)
        else:
            await self._see_to(key.name)

    # --- volumes ---

    async def _see_to(self, name: str) -> None:
        volume = self._volumes.get(name)
        attachments = self._attachments_of(name)
        pods = self._users(volume) if volume is not None else {}
        if not pods and not attachments:
            return
        plan = plan_attachments(volume, pods, attachments)
        for attachment in attachments:
            users = pods.get(attached_node(attachment)[0])
            if users is not None:
                self._unwanted_since.pop(name_of(attachment), None)
                self._tell(name, attachment, users)
        for node in plan.refused:
            self._refuse(name, pods[node], [pod for other, users in pods.items() if other != node for pod in users])
        for attachment in plan.detach:
            await self._detach(name, attachment)
        for node in plan.attach:
            assert volume is not None, "nobody uses a volume that isn't there"
            await self._attach(volume, node)

    def _attachments_of(self, volume: str) -> list[Object]:
        made = [one for one in self._made.values() if attached_volume(one) == [volume]] if self._made else []
        return [*self._attachments.find(attached_volume, volume), *made]

    def _users(self, volume: Object) -> Mapping[str, Sequence[Object]]:
        """The pods that use a volume, by the node they are on."""
        reference = claim_ref(volume)
        if reference is None or not needs_attaching(volume, self._drivers.get(driver_of(volume))):
            return {}
        namespace, name = claim_key(reference)
        claim = self._claims.get(name, namespace)
        if claim is None or uid_of(claim) != reference.get("uid") or not self._keys.is_bound(claim):
            return {}
        found: dict[str, list[Object]] = {}
        for pod in self._pods.find(claims_of, f"{namespace}/{name}"):
            if node_of(pod) and not is_finished(pod):
                found.setdefault(node_of(pod), []).append(pod)
        return found

    async def _attach(self, volume: Object, node: str) -> None:
        attachment = {
            "apiVersion": self._storage,
            "kind": "VolumeAttachment",
            "metadata": {"name": attachment_name(volume, node)},
            "spec": {"attacher": driver_of(volume), "nodeName": node, "source": {"persistentVolumeName": name_of(volume)}},
        }
        try:
            made = await self._attachments_api.create(attachment)
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise
        else:
            if self._attachments.get(name_of(made)) is None:
                self._made[name_of(made)] = made

    async def _detach(self, volume: str, attachment: Object) -> None:
        """Let go of it, once the node has; a node that is silent is waited for only so long."""
        node = self._nodes.get(attached_node(attachment)[0])
        if node is not None and not has_taint(node, self._out_of_service):
            since = self._unwanted_since.setdefault(name_of(attachment), self.clock.now())
            if condition_is(node, "Ready"):
                if self._is_in_use(volume, node):
                    return
            elif (wait_s := since + limits.UNMOUNTING_S - self.clock.now()) > 0:
                self.queue.add_after(ObjectKey("", volume), wait_s)
                return
        await self._attachments_api.delete(name_of(attachment), uid=uid_of(attachment))

    def _is_in_use(self, name: str, node: Object) -> bool:
        """Whether a node says of a volume that it hasn't let go of it yet."""
        volume, in_use = self._volumes.get(name), (node.get("status") or {}).get("volumesInUse") or ()
        return volume is not None and bool(driver_of(volume)) and unique_name(volume, self._dialect) in in_use

    # --- what is told ---

    def _tell(self, volume: str, attachment: Object, users: Sequence[Object]) -> None:
        """The pods that wait for it hear once that it is there, or why it isn't."""
        name, error = name_of(attachment), (attachment.get("status") or {}).get("attachError") or {}
        if is_attached(attachment):
            if self._attaching.pop(name, None) is not None:
                self._say_to(users, "Normal", "SuccessfulAttachVolume", f'AttachVolume.Attach succeeded for volume "{volume}" ')
        elif not is_terminating(attachment):
            told = self._attaching.get(name)
            self._attaching[name] = error.get("time") or ""
            if error and told != error.get("time"):
                message = f'AttachVolume.Attach failed for volume "{volume}" : {error.get("message") or ""}'
                self._say_to(users, "Warning", "FailedAttachVolume", message)

    def _refuse(self, volume: str, users: Sequence[Object], others: Sequence[Object]) -> None:
        for pod in users:
            if uid_of(pod) not in self._refused:
                self._refused[uid_of(pod)] = None
                self._say_to([pod], "Warning", "FailedAttachVolume", multi_attach_message(volume, pod, others))

    def _say_to(self, pods: Sequence[Object], kind: str, reason: str, message: str) -> None:
        say = self._events.normal if kind == "Normal" else self._events.warning
        for pod in pods:
            say(with_kind(pod), reason, message)

    # --- nodes ---

    async def _report(self, name: str) -> None:
        """Have the node's status say what is attached to it."""
        node = self._nodes.get(name)
        if node is None:
            return
        attached = [one for one in self._attachments.find(attached_node, name) if is_attached(one) and not is_terminating(one)]
        volumes = (self._volumes.get(volume) for one in attached for volume in attached_volume(one))
        named = sorted(unique_name(volume, self._dialect) for volume in volumes if volume is not None and driver_of(volume))
        wanted = [{"name": each, "devicePath": ""} for each in named]
        if wanted != ((node.get("status") or {}).get("volumesAttached") or []):
            await self._nodes_api.patch(name, {"status": {"volumesAttached": wanted or None}}, subresource="status")
