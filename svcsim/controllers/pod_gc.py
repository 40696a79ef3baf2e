"""Removes the pods nobody else will: of nodes that are gone or out of service, deleted before they had a node, and old dead ones.

A node that is only silent keeps its pods, since it may come back; one whose Node object is gone does not, after a little patience.
"""

import logging
from collections.abc import Iterable

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Periodic, Source
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition_is, copy_json, is_terminating, uid_of
from svcsim.meta.pods import is_finished, node_of, set_pod_condition
from svcsim.meta.taints import has_taint
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)

PERIOD_S = 20.0
MISSING_NODE_S = 40.0
"""How long a node has to be missing before its pods go."""


class PodGarbage(Controller):
    """Collects pods now and then."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._pods = context.informers.cache("v1", "pods")
        self._nodes = context.informers.cache("v1", "nodes")
        self._out_of_service = context.dialect.key("out-of-service", "node")
        self._missing_since: dict[str, float] = {}
        self._is_clean = False
        """Whether there was nothing to do, and nothing to wait for, and nothing has changed since."""
        sources = (Source(self._pods, self._changed), Source(self._nodes, self._node_changed))
        super().__init__("pod garbage", context.clock, sources, periodic=(Periodic(self._collect, PERIOD_S),), workers=0)

    def _changed(self, _change: str, _obj: Object, _before: Object | None) -> Iterable[ObjectKey]:
        self._is_clean = False
        return ()

    def _node_changed(self, change: str, node: Object, before: Object | None) -> Iterable[ObjectKey]:
        """Of what nodes say of themselves all the time nothing matters as long as they aren't marked."""
        if (
            change != "MODIFIED"
            or has_taint(node, self._out_of_service)
            or (before is not None and has_taint(before, self._out_of_service))
        ):
            self._is_clean = False
        return ()

    async def _collect(self) -> float:
        if self._is_clean:
            return PERIOD_S
        self._is_clean = True
        pods = self._pods.all()
        for pod in surplus(pods, limits.FINISHED_PODS_KEPT):
            await self._remove(pod, "")
        missing = self._count_missing(pods)
        if self._missing_since:
            self._is_clean = False
        for pod in pods:
            if is_terminating(pod) and (not node_of(pod) or self._is_out_of_service(node_of(pod))):
                await self._remove(pod, "")
            elif node_of(pod) in missing and await self._is_gone(node_of(pod)):
                await self._remove(pod, "PodGC: node no longer exists")
        return PERIOD_S

    def _is_out_of_service(self, name: str) -> bool:
        """Whether somebody has said of a node that isn't ready that it has been shut down, so that nothing on it runs any more."""
        node = self._nodes.get(name)
        return node is not None and not condition_is(node, "Ready") and has_taint(node, self._out_of_service)

    def _count_missing(self, pods: list[Object]) -> dict[str, None]:
        """Nodes that pods name and that have been missing for long enough."""
        now = self.clock.now()
        named = dict.fromkeys(node for pod in pods if (node := node_of(pod)))
        self._missing_since = {name: self._missing_since.get(name, now) for name in named if self._nodes.get(name) is None}
        return dict.fromkeys(name for name, since in self._missing_since.items() if now - since >= MISSING_NODE_S)

    async def _is_gone(self, node: str) -> bool:
        try:
            await self._client.resource("v1", "nodes").get(node)
        except StatusError as error:
            return error.code == 404
        return False

    async def _remove(self, pod: Object, why: str) -> None:
        self._is_clean = False  # until it is seen to be gone
        namespace, name = object_key(pod)
        pods = self._client.resource("v1", "pods", namespace)
        try:
            if not is_finished(pod):
                await self._mark_failed(pod, why)
            await pods.delete(name, grace_period_s=0, uid=uid_of(pod))
        except (StatusError, ConnectionError) as error:
            if not isinstance(error, StatusError) or error.code not in {404, 409}:
                logger.info("pod garbage: %s/%s is tried again: %s", namespace, name, error)

    async def _mark_failed(self, pod: Object, why: str) -> None:
        namespace, name = object_key(pod)
        pods = self._client.resource("v1", "pods", namespace)
        current = await pods.get(name)
        if uid_of(current) != uid_of(pod):
            return
        conditions = copy_json((current.get("status") or {}).get("conditions") or [])
        if why:
            target = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC", "message": why}
            set_pod_condition(current, conditions, target, self.clock.timestamp())
        version = {"resourceVersion": current["metadata"]["resourceVersion"]}
        await pods.patch(name, {"metadata": version, "status": {"phase": "Failed", "conditions": conditions}}, subresource="status")


def surplus(pods: list[Object], kept: int) -> list[Object]:
    """The oldest finished pods, beyond as many as are kept."""
    finished = [pod for pod in pods if is_finished(pod) and not is_terminating(pod)]
    return sorted(finished, key=lambda pod: (pod["metadata"]["creationTimestamp"], object_key(pod)))[: max(len(finished) - kept, 0)]
