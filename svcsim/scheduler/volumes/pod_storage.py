"""The claims of one pod, looked at once a try: whether it can be placed at all, and what there is to be said of each node. Pure."""

from typing import NamedTuple

from svcsim.meta.attachments import driver_of
from svcsim.meta.claims import ONCE_POD, access_modes, not_made_for, volume_of, waits_for_consumer
from svcsim.meta.indexed import object_key
from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.pods import phase_of
from svcsim.meta.types import Object
from svcsim.meta.volume_matching import reachable_from
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo, UsedClaim
from svcsim.scheduler.volumes.known import KnownStorage
from svcsim.scheduler.volumes.offers import Offers

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
NOT_REACHABLE = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NO_ROOM = "node(s) did not have enough free storage"
NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
_NO_PROVISIONER = "no-provisioner"
_BETWEEN_ZONES = "__"


class Choice(NamedTuple):
    """How the claims of a pod that wait for it get their volumes, if it goes to a node."""

    bindings: tuple[tuple[Object, Object], ...] = ()
    """Claims, and the volumes they are to have."""
    provisions: tuple[Object, ...] = ()
    """Claims for which volumes are to be made."""


class PodStorage:
    """What a pod's claims are: bound, or waiting for the pod to be given a node."""

    def __init__(self, pod: PodInfo, known: KnownStorage, bound: list[Object], waiting: list[Object]) -> None:
        self._known = known
        self._waiting = waiting
        self._room = [known.room_for(claim) for claim in waiting]
        self._offers = [Offers(claim, known.offered(claim), known.keys) for claim in waiting]
        self._volumes = [known.volume(volume_of(claim)) for claim in bound]
        once = ["/".join(object_key(claim)) for claim in (*bound, *waiting) if ONCE_POD in access_modes(claim)]
        self.once_pod_users = [user for claim in once for user in known.users(claim) if user[0] != pod.key]
        """Others that use what only one pod may use at a time, and the nodes they are on."""
        self.is_counted = known.drivers_count
        """Whether any node says how many volumes it can have."""

    # --- one rule each ---

    def in_use(self, node: NodeInfo) -> bool:
        """Whether another pod uses a volume that only one may use; a pod that was taken off this node for a trial doesn't count."""
        return any(place != node.name or user in node.pods for user, place in self.once_pod_users)

    def is_full(self, node: NodeInfo) -> bool:
        """Whether the node can't have so many volumes of a driver as it would with this pod's."""
        known, own = self._known, self._handles()
        limited = {driver: room for driver in own if (room := known.room_for_driver(node.name, driver)) is not None}
        if not limited:
            return False
        there: dict[str, dict[str, None]] = {}
        for pod in node.pods.values():
            for used in pod.claims:
                claim = known.claim(*used.key)
                volume = known.volume(volume_of(claim)) if claim is not None else None
                if volume is not None and driver_of(volume):
                    there.setdefault(driver_of(volume), {})[volume["spec"]["csi"]["volumeHandle"]] = None
                elif claim is not None and volume is None:
                    there.setdefault(self._to_come_from(claim), {})["/".join(used.key)] = None
        return any(len({**there.get(driver, {}), **own[driver]}) > room for driver, room in limited.items())

    def _handles(self) -> dict[str, dict[str, None]]:
        """The volumes of the pod by their drivers, those to come among them."""
        found: dict[str, dict[str, None]] = {}
        for volume in self._volumes:
            if volume is not None and driver_of(volume):
                found.setdefault(driver_of(volume), {})[volume["spec"]["csi"]["volumeHandle"]] = None
        for claim in self._waiting:
            found.setdefault(self._to_come_from(claim), {})["/".join(object_key(claim))] = None
        return found

    def _to_come_from(self, claim: Object) -> str:
        storage_class = self._known.storage_class(self._known.keys.class_of(claim))
        provisioner: str = storage_class["provisioner"] if storage_class is not None else ""
        return provisioner

    def wrong_zone(self, node: NodeInfo) -> bool:
        """Whether a volume's labels say that it is in another zone or region than the node, if that says of itself where it is.

        A node may call today what a volume calls as of old.
        """
        zones, labels = self._known.zones, node.labels
        if zones.keys().isdisjoint(labels):
            return False
        return any(
            labels.get(zone, labels.get(today)) not in labels_of(volume)[zone].split(_BETWEEN_ZONES)
            for volume in self._volumes
            if volume is not None
            for zone, today in zones.items()
            if zone in labels_of(volume)
        )

    def conflicts(self, node: NodeInfo) -> tuple[str, ...]:
        """Why the claims can't be had on a node; nothing if they can."""
        reasons = []
        if not all(reachable_from(volume, node.labels, node.name) for volume in self._volumes if volume is not None):
            reasons.append(NOT_REACHABLE)
        choice = self.choice(node)
        if isinstance(choice, str):
            reasons.append(choice)
        if any(volume is None for volume in self._volumes):
            reasons.append(NO_VOLUME)
        return tuple(reasons)

    def choice(self, node: NodeInfo) -> Choice | str:
        """How the claims that wait get their volumes on a node, or why they can't."""
        bindings: list[tuple[Object, Object]] = []
        provisions: list[Object] = []
        for claim, offers, room in zip(self._waiting, self._offers, self._room, strict=True):
            chosen = self._known.node_for(claim)
            if chosen and chosen != node.name:
                return NOTHING_TO_BIND
            volume = None if chosen else offers.on(node, [name_of(taken) for _, taken in bindings])
            if volume is not None:
                bindings.append((claim, volume))
            elif not self._can_be_made(claim, node.labels):
                return NOTHING_TO_BIND
            elif room is not None and not room.is_near(node.labels):
                return NO_ROOM
            else:
                provisions.append(claim)
        return Choice(tuple(bindings), tuple(provisions))

    def _can_be_made(self, claim: Object, labels: dict[str, str]) -> bool:
        """Whether the class has a provisioner, and it can make volumes where the node is."""
        storage_class = self._known.storage_class(self._known.keys.class_of(claim))
        if storage_class is None or storage_class["provisioner"] == f"{self._known.keys.in_tree}{_NO_PROVISIONER}":
            return False
        terms = storage_class.get("allowedTopologies") or ()
        return not terms or any(
            all(labels.get(one["key"]) in one["values"] for one in term.get("matchLabelExpressions") or ()) for term in terms
        )


def look(pod: PodInfo, known: KnownStorage) -> PodStorage | str:
    """A pod's storage, or why it can't be placed anywhere."""
    bound: list[Object] = []
    waiting: list[Object] = []
    unbound = False
    for used in pod.claims:
        claim = known.claim(*used.key)
        why = _unusable(pod, used, claim)
        if why:
            return why
        assert claim is not None, "one that isn't there can't be used"
        if known.keys.is_bound(claim):
            bound.append(claim)
        elif not volume_of(claim) and waits_for_consumer(known.storage_class(known.keys.class_of(claim))):
            waiting.append(claim)
        else:
            unbound = True
    return UNBOUND if unbound else PodStorage(pod, known, bound, waiting)


def _unusable(pod: PodInfo, used: UsedClaim, claim: Object | None) -> str:
    name = used.key.name
    if claim is None:
        if used.ephemeral:
            return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
        return f'persistentvolumeclaim "{name}" not found'
    if phase_of(claim) == "Lost":
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume_of(claim)}"'
    if is_terminating(claim):
        return f'persistentvolumeclaim "{name}" is being deleted'
    if used.ephemeral:
        return not_made_for({"metadata": {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid}}, claim)
    return ""
