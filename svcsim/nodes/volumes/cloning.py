"""What is on a volume that was made as a copy of another one: the files that were on that one when it was made.

Who makes such a volume knows nothing of files, and notes on it what it is a copy of. As soon as it is there, what runs in pods at the
original is run up to now, as it is whenever somebody looks, and the files are copied. Whoever looks at the clone meanwhile waits.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from svcsim import limits
from svcsim.client.controller import Controller, Source
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informers
from svcsim.clock import Clock
from svcsim.meta.claims import claim_key, claim_ref, claims_of
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.simulated_disks import original_of
from svcsim.meta.types import Object
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.own_pods import pod_now
from svcsim.nodes.processes.processes import Processes
from svcsim.nodes.streams.lasting import on_volume


class Cloning(Controller):
    """Its keys are the UIDs and names of volumes."""

    def __init__(
        self, informers: Informers, clock: Clock, machines: Mapping[str, Machine], processes: Processes, events: EventRecorder
    ) -> None:
        self._machines = machines
        self._processes = processes
        self._lasting = processes.files.lasting
        self._events = events
        self._at_work: dict[str, str] = {}
        """The claims, as ``namespace/name``, of clones that are being filled, by the UIDs of these."""
        self._volumes = informers.cache("v1", "persistentvolumes")
        self._pods = informers.cache("v1", "pods", claims_of)
        super().__init__("cloning", clock, (Source(self._volumes, self._seen), Source(self._pods)), workers=1)

    def _seen(self, change: str, volume: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """A clone that is new. What was on those that were there before this start is forgotten, on their originals, too."""
        if change != "ADDED" or not self._volumes.synced.is_set() or not original_of(volume):
            return ()
        self._lasting.expect(on_volume(uid_of(volume)))
        self._at_work[uid_of(volume)] = _claim_of(volume)
        return (ObjectKey(uid_of(volume), name_of(volume)),)

    async def reconcile(self, key: ObjectKey) -> None:
        uid, name = key
        try:
            volume = self._volumes.get(name)
            original = self._volumes.get(original_of(volume)) if volume is not None else None
            if original is not None:
                await self._fill(uid, name, original)
        finally:
            self._at_work.pop(uid, None)
            self._lasting.arrived(on_volume(uid))

    async def _fill(self, uid: str, name: str, original: Object) -> None:
        for pod in self._pods_at(original):
            with suppress(StatusError):  # what can't be run hasn't written anything either
                await self._run(pod)
        volume = self._volumes.get(name)  # it may have gone meanwhile
        if volume is None or uid_of(volume) != uid:
            return
        if not self._lasting.copy(on_volume(uid_of(original)), on_volume(uid)):
            self._tell(volume, name)

    def _pods_at(self, volume: Object) -> list[Object]:
        """The pods that use a volume. Those that use a clone that isn't filled yet, too, haven't begun; they would wait for it."""
        unfilled = set(self._at_work.values())
        pods = self._pods.find(claims_of, _claim_of(volume))
        return [pod for pod in pods if node_of(pod) in self._machines and unfilled.isdisjoint(claims_of(pod))]

    async def _run(self, cached: Object) -> None:
        """Run what runs in a pod up to now; the cache keeps too little of it."""
        pod = await pod_now(self._machines[node_of(cached)], cached)
        if pod is not None:
            await self._processes.catch_up(pod)

    def _tell(self, volume: Object, name: str) -> None:
        reference = claim_ref(volume)
        if reference is not None:
            claim = {**{field: reference[field] for field in ("apiVersion", "kind")}, "metadata": reference}
            room = f"all files together have {limits.SIMULATED_DISKS_BYTES // 1024**2} MiB"
            message = f"The volume {name} is empty: there is no room in memory for the files of {original_of(volume)}, {room}"
            self._events.warning(claim, "CloneLeftEmpty", message)


def _claim_of(volume: Object) -> str:
    """The claim that a volume is for, as ``namespace/name``; a lone slash where it is for none."""
    return "/".join(claim_key(claim_ref(volume) or {}))
