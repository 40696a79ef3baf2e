"""Having the volumes of a pod bound before the pod is: writing what was decided, and waiting until the binder has done the rest."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.client.controller import ControllerContext
from svcsim.meta.claims import annotated, bound_volume, claim_key, claim_ref, claims_of, volume_of
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import annotations_of, name_of, namespace_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.meta.volume_matching import reachable_from
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.queue import Waiting
from svcsim.scheduler.volumes.known import KnownStorage
from svcsim.scheduler.volumes.pod_storage import Choice, look
from svcsim.scheduler.volumes.room import counts_room, has_grown

if TYPE_CHECKING:
    from svcsim.timers import Timer


class VolumesError(Exception):
    """The volumes of a pod can't be bound as was decided."""


class Settled(NamedTuple):
    """A pod whose volumes are bound, and the node it is to be bound to; or, if that failed, why."""

    waiting: Waiting
    node: str
    error: str = ""


class _Decided(NamedTuple):
    """A pod that was placed, and how it is to get its volumes."""

    pod: PodInfo
    choice: Choice


class _Held(NamedTuple):
    """A pod that waits for its volumes."""

    waiting: Waiting
    node: str
    timer: "Timer"


class VolumeBinding:
    """Between a pod's being placed and its being bound."""

    def __init__(
        self,
        context: ControllerContext,
        known: KnownStorage,
        nodes: Callable[[str], NodeInfo | None],
        wake: Callable[[str], None],
        wake_all: Callable[[], None],
    ) -> None:
        """``nodes`` are by name; ``wake`` brings back a pod, ``wake_all`` all those that no volume was found for."""
        self._client = context.client
        self._clock = context.clock
        self._known = known
        self._nodes = nodes
        self._wake = wake
        self._wake_all = wake_all
        self.settled: asyncio.Queue[Settled] = asyncio.Queue()
        """As many as there are pods that wait for volumes."""
        self._decided: dict[str, _Decided] = {}
        self._held: dict[str, _Held] = {}
        known.claims.add_handler(self._claim_changed)
        known.volumes.add_handler(self._volume_changed)
        known.classes.add_handler(self._others_changed)
        known.node_drivers.add_handler(self._others_changed)
        known.drivers.add_handler(self._driver_changed)
        known.capacities.add_handler(self._capacity_changed)
        known.pods.add_handler(self._pod_changed)

    # --- deciding ---

    def reserve(self, pod: PodInfo, node: NodeInfo) -> bool:
        """Assume a pod's volumes on a node, if it has any; False if they are no longer available there."""
        if not pod.claims:
            return True
        storage = look(pod, self._known)
        if isinstance(storage, str) or storage.in_use(node) or storage.conflicts(node):
            return False
        choice = storage.choice(node)
        assert isinstance(choice, Choice), "nothing is in the way"
        self._decided[pod.key] = _Decided(pod, choice)
        for claim, volume in choice.bindings:
            self._known.promise(name_of(volume), object_key(claim))
        for claim in choice.provisions:
            self._known.make_for(object_key(claim), node.name)
        for used in pod.claims:
            self._known.use("/".join(used.key), pod.key, node.name)
        return True

    def release(self, key: str) -> None:
        """A pod is bound, or won't be: what was counted on is as others see it."""
        held = self._held.pop(key, None)
        if held is not None:
            held.timer.cancel()
        decided = self._decided.pop(key, None)
        if decided is None:
            return
        pod, choice = decided
        self._known.take_back((name_of(volume) for _, volume in choice.bindings), map(object_key, choice.provisions))
        for used in pod.claims:
            self._known.leave("/".join(used.key), pod.key)

    def forget_all(self) -> None:
        """Nothing is in progress any longer."""
        for key in list(self._decided):
            self.release(key)
        self.settled = asyncio.Queue()

    # --- having it done ---

    async def write(self, waiting: Waiting, node: str) -> bool:
        """Write what was decided; False if the pod has to wait now, and will be heard of as settled. Raises as requests do."""
        pod = waiting.pod
        choice = self._choice_of(pod)
        for claim, volume in choice.bindings:
            await self._give(volume, claim)
        for claim in choice.provisions:
            await self._have_made(claim, node)
        if self._is_done(pod, node):
            return True
        timer = self._clock.call_later(limits.VOLUMES_BOUND_S, self._settle, pod.key, "context deadline exceeded")
        self._held[pod.key] = _Held(waiting, node, timer)
        return False

    async def _give(self, volume: Object, claim: Object) -> None:
        wanted = bound_volume(volume, claim, self._known.keys)
        if wanted is not None:
            self._known.wrote_volume(await self._client.resource("v1", "persistentvolumes").update(wanted))

    async def _have_made(self, decided_on: Object, node: str) -> None:
        """Say for which node a volume is to be made, unless another pod that shares the claim has said so already."""
        claim, key = self._known.claim(namespace_of(decided_on), name_of(decided_on)), self._known.keys.selected_node
        if claim is not None and not volume_of(claim) and key not in annotations_of(claim):
            claims = self._client.resource("v1", "persistentvolumeclaims", namespace_of(claim))
            self._known.wrote_claim(await claims.update(annotated(claim, **{key: node})))

    def _is_done(self, pod: PodInfo, node: str) -> bool:
        """Whether all claims are bound. Raises `VolumesError` where they won't be, or not so that the pod can use them on its node."""
        for used in pod.claims:
            claim = self._known.claim(*used.key)
            if claim is None:
                raise VolumesError(f'persistentvolumeclaim "{used.key.name}" not found')
            if not self._known.keys.is_bound(claim):
                chosen = annotations_of(claim).get(self._known.keys.selected_node)
                if not volume_of(claim) and chosen != node and not self._is_promised(pod, used.key):
                    raise VolumesError(f'provisioning failed for PVC "{used.key.name}"')
                return False
        if self._is_out_of_reach(pod, node):
            raise VolumesError("pv node affinity doesn't match node")
        return True

    def _is_out_of_reach(self, pod: PodInfo, node_name: str) -> bool:
        """Whether a volume that a pod got in the end isn't to be had where the pod is to be."""
        node = self._nodes(node_name)
        claims = (self._known.claim(*used.key) for used in pod.claims)
        volumes = (self._known.volume(volume_of(claim)) for claim in claims if claim is not None)
        return node is None or not all(reachable_from(one, node.labels, node.name) for one in volumes if one is not None)

    def _is_promised(self, pod: PodInfo, key: ObjectKey) -> bool:
        """Whether a claim is to have a volume that is there already."""
        return any(object_key(claim) == key for claim, _ in self._choice_of(pod).bindings)

    def _choice_of(self, pod: PodInfo) -> Choice:
        decided = self._decided.get(pod.key)
        return Choice() if decided is None else decided.choice

    def _look_again(self, pod_key: str) -> None:
        held = self._held.get(pod_key)
        if held is None:
            return
        try:
            if self._is_done(held.waiting.pod, held.node):
                self._settle(pod_key, "")
        except VolumesError as error:
            self._settle(pod_key, str(error))

    def _settle(self, pod_key: str, error: str) -> None:
        held = self._held.pop(pod_key, None)
        if held is not None:
            held.timer.cancel()
            self.settled.put_nowait(Settled(held.waiting, held.node, error))

    # --- what happens meanwhile ---

    def _claim_changed(self, _change: str, claim: Object, _before: Object | None) -> None:
        self._look_at_users(f"{namespace_of(claim)}/{name_of(claim)}")

    def _look_at_users(self, claim: str) -> None:
        for pod in self._known.pods.find(claims_of, claim):
            key = f"{namespace_of(pod)}/{name_of(pod)}"
            if key in self._held:
                self._look_again(key)
            elif key not in self._decided:
                self._wake(key)

    def _volume_changed(self, change: str, volume: Object, before: Object | None) -> None:
        """A volume that nobody has may be anybody's; another is for those who use its claim."""
        reference = claim_ref(volume)
        if reference is None:
            if change != "DELETED":
                self._wake_all()
        elif change == "ADDED" or before is None or claim_ref(before) != reference:
            self._look_at_users("/".join(claim_key(reference)))

    def _others_changed(self, change: str, _obj: Object, _before: Object | None) -> None:
        if change != "DELETED":
            self._wake_all()

    def _driver_changed(self, change: str, driver: Object, before: Object | None) -> None:
        """A driver that no longer reports its capacity may have some anywhere."""
        gone = change == "DELETED"
        if counts_room(driver if gone else before) and (gone or not counts_room(driver)):
            self._wake_all()

    def _capacity_changed(self, change: str, capacity: Object, before: Object | None) -> None:
        if change != "DELETED" and has_grown(capacity, before):
            self._wake_all()

    def _pod_changed(self, change: str, pod: Object, _before: Object | None) -> None:
        """A pod that is gone waits for nothing; one that says where it is needs nobody to remember it."""
        if not self._decided:
            return
        key = f"{namespace_of(pod)}/{name_of(pod)}"
        if change == "DELETED" and key in self._held:
            self._settle(key, "the pod is gone")
        elif change == "DELETED" or node_of(pod):
            self.release(key)
