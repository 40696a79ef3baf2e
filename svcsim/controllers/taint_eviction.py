"""Takes pods off nodes with taints they don't tolerate, or not for ever.

A ``NoExecute`` taint drives pods away: at once, or after the seconds that their tolerations grant. If the taint goes before that, they
stay. Only pods of tainted nodes are held in memory, each with its timer.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from svcsim.client.api import Collection
from svcsim.client.controller import Controller, ControllerContext, Source, StreamSource
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import copy_json, is_terminating, name_of, uid_of
from svcsim.meta.pods import pod_reference, set_pod_condition
from svcsim.meta.taints import NO_EXECUTE, Taint, taints_of, tolerated_s, tolerations_of
from svcsim.meta.types import Object


@dataclass(slots=True)
class _Leaving:
    """A pod that has to go at a moment, in seconds since the epoch."""

    uid: str
    node: str
    since: float
    at: float
    told: bool = False
    """Whether an event has told of it."""
    sent: bool = False
    """Whether its deletion has been asked for."""


class TaintEviction(Controller):
    """Evicts pods from tainted nodes. Its keys are those of pods, and those of nodes whose taints have changed."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._events = context.events
        self._taints: dict[str, tuple[Taint, ...]] = {}
        self._leaving: dict[ObjectKey, _Leaving] = {}
        sources = (
            Source(context.informers.cache("v1", "nodes"), self._node_changed),
            StreamSource(context.informers.of("v1", "pods"), self),
        )
        super().__init__("taint eviction", context.clock, sources)

    def _node_changed(self, change: str, node: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """Take in a node's taints; where they changed, all its pods are looked at. If it is gone they are another's business."""
        name = name_of(node)
        taints = () if change == "DELETED" else tuple(taint for taint in taints_of(node) if taint.effect == NO_EXECUTE)
        known = self._taints.pop(name, ())
        if taints:
            self._taints[name] = taints
        if change == "DELETED":
            for key in [key for key, leaving in self._leaving.items() if leaving.node == name]:
                del self._leaving[key]
        elif taints != known:
            return (ObjectKey("", name),)
        return ()

    def seen(self, key: ObjectKey, pod: Object) -> None:
        """Work out whether and when a pod has to go."""
        spec = pod.get("spec") or {}
        taints = self._taints.get(spec.get("nodeName") or "")
        if taints is None or is_terminating(pod):
            if key in self._leaving:
                self._stay(key, pod, announce=not is_terminating(pod))
            return
        seconds = tolerated_s(taints, tolerations_of(spec))
        if seconds is None:
            self._stay(key, pod, announce=key in self._leaving)
            return
        known, now = self._leaving.get(key), self.clock.now()
        if known is None or known.uid != uid_of(pod):
            known = self._leaving[key] = _Leaving(uid_of(pod), spec["nodeName"], now, now + seconds)
        elif known.sent or known.at == known.since + seconds:
            return  # it is as it was, or a change of our own
        else:
            known.at = known.since + seconds
        self.queue.add_after(key, known.at - now)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """The pod is gone."""
        self._leaving.pop(key, None)

    def _stay(self, key: ObjectKey, pod: Object, *, announce: bool) -> None:
        if self._leaving.pop(key, None) is not None and announce:
            self._events.normal(
                pod_reference(*key, uid_of(pod)), "TaintManagerEviction", f"Cancelling deletion of Pod {key.namespace}/{key.name}"
            )

    async def reconcile(self, key: ObjectKey) -> None:
        if key.namespace:
            await self._evict(key)
        else:
            for pod in await self._client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={key.name}"):
                self.seen(object_key(pod), pod)

    async def _evict(self, key: ObjectKey) -> None:
        leaving = self._leaving.get(key)
        if leaving is None or leaving.sent:
            return
        wait_s = leaving.at - self.clock.now()
        if wait_s > 0:
            self.queue.add_after(key, wait_s)
            return
        pods = self._client.resource("v1", "pods", key.namespace)
        try:
            pod = await pods.get(key.name)
            if uid_of(pod) == leaving.uid and not is_terminating(pod):
                self._tell(key, leaving)
                await self._mark_disrupted(pods, pod)
                await pods.delete(key.name, uid=leaving.uid)
        except StatusError as error:
            if error.code != 404:
                raise
        leaving.sent = True

    def _tell(self, key: ObjectKey, leaving: _Leaving) -> None:
        if not leaving.told:
            leaving.told = True
            self._events.normal(
                pod_reference(*key, leaving.uid), "TaintManagerEviction", f"Marking for deletion Pod {key.namespace}/{key.name}"
            )

    async def _mark_disrupted(self, pods: Collection, pod: Object) -> None:
        conditions = copy_json((pod.get("status") or {}).get("conditions") or [])
        wanted = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByTaintManager",
            "message": "Taint manager: deleting due to NoExecute taint",
        }
        if set_pod_condition(pod, conditions, wanted, self.clock.timestamp()):
            patch = {"metadata": {"resourceVersion": pod["metadata"]["resourceVersion"]}, "status": {"conditions": conditions}}
            await pods.patch(name_of(pod), patch, subresource="status")
