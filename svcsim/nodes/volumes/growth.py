"""What is on a disk that was made larger is made larger by a node on which a pod uses it, while the pod runs or as soon as one does."""

from collections.abc import Iterable, Mapping

from svcsim.client.controller import Controller, Source
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.meta.claims import claims_of, volume_of
from svcsim.meta.growth import NODE_PENDING, grown, resize_status
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import namespace_of
from svcsim.meta.pods import node_of, phase_of
from svcsim.meta.types import Object
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.machines.machine import Machine

GROWING_S = 0.5
_DOWN_S = 10.0
"""How long until it is looked again whether a node that was down is back."""


class Growth(Controller):
    """Its keys are claims."""

    def __init__(self, informers: Informers, clock: Clock, machines: Mapping[str, Machine], faults: Faults) -> None:
        self._machines = machines
        self._faults = faults
        self._claims = informers.cache("v1", "persistentvolumeclaims")
        self._pods = informers.cache("v1", "pods", claims_of)
        sources = (Source(self._claims, _pending, GROWING_S), Source(self._pods, self._started, GROWING_S))
        super().__init__("growth", clock, sources, workers=1)

    def _started(self, _change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """The claims of a pod that wait for one that runs."""
        if not pod["spec"].get("volumes") or phase_of(pod) != "Running":
            return ()
        keys = [ObjectKey(*name.split("/")) for name in claims_of(pod)]
        return [key for key in keys if (claim := self._claims.get(key.name, key.namespace)) is not None and _is_pending(claim)]

    async def reconcile(self, key: ObjectKey) -> None:
        claim = self._claims.get(key.name, key.namespace)
        if claim is None or not _is_pending(claim):
            return
        pods = [pod for pod in self._pods.find(claims_of, "/".join(key)) if phase_of(pod) == "Running" and node_of(pod) in self._machines]
        up = [pod for pod in pods if not self._faults.node_down(node_of(pod))]
        if up:
            await self._grow(claim, up[0])
        elif pods:
            self.queue.add_after(key, _DOWN_S)

    async def _grow(self, claim: Object, pod: Object) -> None:
        machine = self._machines[node_of(pod)]
        claims = machine.agent.client.resource("v1", "persistentvolumeclaims", namespace_of(claim))
        await claims.update({**claim, "status": grown(claim)}, "status")
        message = f'MountVolume.NodeExpandVolume succeeded for volume "{volume_of(claim)}" {machine.name}'
        for about in ({"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]}, claim):
            machine.events.normal(about, "FileSystemResizeSuccessful", message)


def _is_pending(claim: Object) -> bool:
    return resize_status(claim) == NODE_PENDING


def _pending(change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return (object_key(claim),) if change != "DELETED" and _is_pending(claim) else ()
