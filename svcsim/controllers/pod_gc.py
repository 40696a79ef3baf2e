"""Removes the pods nobody else will: those of nodes that don't exist any more, those deleted before they had a node, and old dead ones.

A node that is only silent keeps its pods, since it may come back; one whose Node object is gone does not, after a little patience.
"""

import asyncio
import logging
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import ObjectKey, key_of
from svcsim.client.events import EventRecorder
from svcsim.client.reflector import Reflector
from svcsim.clock import Chance, Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import copy_json, is_terminating, name_of, set_condition, uid_of
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)

PERIOD_S = 20.0
MISSING_NODE_S = 40.0
"""How long a node has to be missing before its pods go."""


class Seen(NamedTuple):
    """What matters of a pod."""

    uid: str
    node: str
    terminating: bool
    finished: bool
    created: str


class PodGarbage:
    """Collects pods, until cancelled."""

    def __init__(self, client: Client, clock: Clock, chance: Chance, dialect: Dialect, events: EventRecorder) -> None:  # noqa: ARG002 - every component is made alike
        self._client = client
        self._clock = clock
        self._pods = _Pods()
        self._nodes = _Nodes()
        self._missing_since: dict[str, float] = {}
        chance = chance.fork("pod garbage")
        self._pod_reflector = Reflector(client.resource("v1", "pods"), clock, chance.fork("pods"), self._pods)
        self._node_reflector = Reflector(client.resource("v1", "nodes"), clock, chance.fork("nodes"), self._nodes)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._node_reflector.run(), name="pod garbage follows nodes")
            tasks.create_task(self._pod_reflector.run(), name="pod garbage follows pods")
            while True:
                await self._clock.sleep(PERIOD_S)
                if self._nodes.synced and self._pods.synced:
                    await self._collect()

    async def _collect(self) -> None:
        for key, pod in surplus(self._pods.seen, limits.FINISHED_PODS_KEPT):
            await self._remove(key, pod, "")
        missing = self._count_missing()
        for key, pod in list(self._pods.seen.items()):
            if pod.terminating and not pod.node:
                await self._remove(key, pod, "")
            elif pod.node in missing and await self._is_gone(pod.node):
                await self._remove(key, pod, "PodGC: node no longer exists")

    def _count_missing(self) -> dict[str, None]:
        """Nodes that pods name and that have been missing for long enough."""
        now = self._clock.now()
        named = dict.fromkeys(pod.node for pod in self._pods.seen.values() if pod.node)
        self._missing_since = {name: self._missing_since.get(name, now) for name in named if name not in self._nodes.names}
        return dict.fromkeys(name for name, since in self._missing_since.items() if now - since >= MISSING_NODE_S)

    async def _is_gone(self, node: str) -> bool:
        try:
            await self._client.resource("v1", "nodes").get(node)
        except StatusError as error:
            return error.code == 404
        return False

    async def _remove(self, key: ObjectKey, pod: Seen, why: str) -> None:
        pods = self._client.resource("v1", "pods", key.namespace)
        try:
            if why and not pod.finished:
                await self._mark_failed(key, pod, why)
            await pods.delete(key.name, grace_period_s=0, uid=pod.uid)
        except (StatusError, ConnectionError) as error:
            if not isinstance(error, StatusError) or error.code not in {404, 409}:
                logger.info("pod garbage: %s/%s is tried again: %s", key.namespace, key.name, error)

    async def _mark_failed(self, key: ObjectKey, pod: Seen, why: str) -> None:
        pods = self._client.resource("v1", "pods", key.namespace)
        current = await pods.get(key.name)
        if uid_of(current) != pod.uid:
            return
        conditions = copy_json((current.get("status") or {}).get("conditions") or [])
        target = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC", "message": why}
        set_condition(conditions, target, self._clock.timestamp())
        version = {"resourceVersion": current["metadata"]["resourceVersion"]}
        await pods.patch(key.name, {"metadata": version, "status": {"phase": "Failed", "conditions": conditions}}, subresource="status")


def surplus(pods: dict[ObjectKey, Seen], kept: int) -> list[tuple[ObjectKey, Seen]]:
    """The oldest finished pods, beyond as many as are kept."""
    finished = [(key, pod) for key, pod in pods.items() if pod.finished and not pod.terminating]
    return sorted(finished, key=lambda item: (item[1].created, item[0]))[: max(len(finished) - kept, 0)]


class _Pods:
    """What matters of all pods."""

    def __init__(self) -> None:
        self.seen: dict[ObjectKey, Seen] = {}
        self.synced = False

    def replace(self, items: list[Object]) -> None:
        self.seen = {key_of(pod): _read(pod) for pod in items}
        self.synced = True

    def apply(self, change: str, obj: Object) -> None:
        if change == "DELETED":
            self.seen.pop(key_of(obj), None)
        else:
            self.seen[key_of(obj)] = _read(obj)


class _Nodes:
    """The names of all nodes."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.synced = False

    def replace(self, items: list[Object]) -> None:
        self.names = dict.fromkeys(map(name_of, items))
        self.synced = True

    def apply(self, change: str, obj: Object) -> None:
        if change == "DELETED":
            self.names.pop(name_of(obj), None)
        else:
            self.names[name_of(obj)] = None


def _read(pod: Object) -> Seen:
    meta, phase = pod["metadata"], (pod.get("status") or {}).get("phase")
    node = (pod.get("spec") or {}).get("nodeName") or ""
    return Seen(meta.get("uid") or "", node, is_terminating(pod), phase in {"Succeeded", "Failed"}, meta.get("creationTimestamp") or "")
