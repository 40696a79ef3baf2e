"""The claims on devices of one pod, looked at once a try: whether it can be placed at all, and what there is to be said of each node."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from svcsim.meta.device_claims import allocation_of, shown, users_of
from svcsim.meta.node_affinity import NodeTerm, selector_terms
from svcsim.meta.types import Object
from svcsim.scheduler.devices.known import KnownDevices
from svcsim.scheduler.devices.pools import Counter, Device, PoolName
from svcsim.scheduler.devices.readiness import unready
from svcsim.scheduler.devices.results import allocation
from svcsim.scheduler.devices.search import DeviceSearch, SearchTooLongError, Stock
from svcsim.scheduler.devices.selections import Selection
from svcsim.scheduler.devices.wishes import ClaimWishes, Wish, wishes_of
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.turns import Steps, Turn

NOT_ON_NODE = "resourceclaim not available on the node"
NOT_ALL = "cannot allocate all claims"
TOO_LONG = "timed out trying to allocate devices"
_ALTERNATIVES = 8
"""The most that one request may have."""


class Allocated(NamedTuple):
    """What a claim is to be given."""

    claim: Object
    allocation: Object


class _Wanted(NamedTuple):
    """A wish of a claim, and what has been found out for it of devices."""

    claim: Object
    wish: Wish
    selection: Selection


class PodDevices:
    """What the claims of a pod have, and what they ask for."""

    def __init__(self, pod: PodInfo, known: KnownDevices, claims: list[Object], wishes: list[ClaimWishes]) -> None:
        """``claims`` are all of the pod's, ``wishes`` what those ask for that have no devices."""
        self._known = known
        self._wishes = wishes
        self._pod_uid = pod.uid
        self._inventory = known.inventory()
        self._reachable: list[tuple[Object, tuple[NodeTerm, ...]]] = []
        for claim in claims:
            given = allocation_of(claim)
            terms = selector_terms(given.get("nodeSelector")) if given is not None else None
            if terms is not None:
                self._reachable.append((claim, terms))
        self._wanted: list[_Wanted] = []
        self._counters: dict[PoolName, dict[Counter, Fraction]] = {}
        self._found: dict[tuple[tuple[Device, ...], ...], list[Allocated] | str] = {}
        """What came of searches, by the devices that were to be had."""

    def select(self, turn: Turn) -> Steps[None]:
        """Find out which devices fit what is asked for, before nodes are looked at."""
        wanted = []
        for wishes in self._wishes:
            for wish in wishes.all():
                selection = yield from self._known.selections.of(wish, self._inventory, turn)
                wanted.append(_Wanted(wishes.claim, wish, selection))
        self._wanted = wanted

    def conflict(self, node: NodeInfo) -> str:
        """Why the pod can't have its devices on a node; empty if it can."""
        if self.unreachable(node):
            return NOT_ON_NODE
        found = self.allocate(node)
        return found if isinstance(found, str) else ""

    def unreachable(self, node: NodeInfo) -> list[Object]:
        """The claims whose devices can't be used on a node."""
        return [claim for claim, terms in self._reachable if not any(term.fits(node.labels, node.name) for term in terms)]

    def releasable(self, nodes: Sequence[NodeInfo]) -> Object | None:
        """A claim that keeps the pod from one of these nodes, and that nobody else uses: its devices can be given back."""
        for node in nodes:
            for claim in self.unreachable(node):
                if all(one.get("uid") == self._pod_uid for one in users_of(claim)):
                    return claim
        return None

    def allocate(self, node: NodeInfo) -> list[Allocated] | str:
        """What the claims without devices are given on a node, or why they can't be given any there."""
        if not self._wishes:
            return []
        near = self._inventory.near(node)
        trouble = self._trouble(node, near)
        if trouble:
            return trouble
        choices = tuple(tuple([device for device in near if device in wanted.selection.fitting]) for wanted in self._wanted)
        found = self._found.get(choices)
        if found is None:
            found = self._found[choices] = self._search(choices)
        return found

    @property
    def has_alternatives(self) -> bool:
        """Whether there is anything to prefer."""
        return any(len(alternatives) > 1 for wishes in self._wishes for alternatives in wishes.requests)

    def preference(self, node: NodeInfo) -> int:
        """How much the pod would have a node for what its claims are given there: the more, the earlier the alternatives stand."""
        found = self.allocate(node)
        if isinstance(found, str):
            return 0
        return sum(
            _ALTERNATIVES - at
            for wishes, one in zip(self._wishes, found, strict=True)
            for alternatives in wishes.requests
            for at, wish in enumerate(alternatives)
            if wish.is_alternative and any(result["request"] == wish.name for result in one.allocation["devices"]["results"])
        )

    def _search(self, choices: tuple[tuple[Device, ...], ...]) -> list[Allocated] | str:
        """What claims are given of the devices that are to be had, which are told by wish: nodes without devices of their own share it."""
        fitting = {id(wanted.wish): devices for wanted, devices in zip(self._wanted, choices, strict=True)}
        stock = Stock(lambda wish: fitting[id(wish)], self._known.taken, self._counters_left)
        try:
            given = DeviceSearch(self._wishes, stock).find()
        except SearchTooLongError:
            return TOO_LONG
        if given is None:
            return NOT_ALL
        parts = [[one for one in given if one.claim == number] for number in range(len(self._wishes))]
        return [Allocated(wishes.claim, allocation(wishes, part)) for wishes, part in zip(self._wishes, parts, strict=True)]

    def _trouble(self, node: NodeInfo, near: Sequence[Device]) -> str:
        """What is wrong with the question itself: an expression fails, or all devices are asked for that aren't all known."""
        for claim, wish, selection in self._wanted:
            found = next((selection.mistakes[device] for device in near if device in selection.mistakes), None)
            if found is not None:
                return f"{wish.asked[found.number].name}: {found.why}"
            if wish.number is None:
                pool = next((name for name, places in self._inventory.incomplete if any(one.includes(node) for one in places)), None)
                if pool is not None:
                    asks = f"claim {shown(claim)}, request {wish.name}: asks for all devices"
                    return f"{asks}, but resource pool {pool.driver}/{pool.pool} is currently being updated"
        return ""

    def _counters_left(self, name: PoolName) -> Mapping[Counter, Fraction]:
        """What the devices that are taken leave of what those of a pool share."""
        left = self._counters.get(name)
        if left is None:
            left = self._counters[name] = dict(self._inventory.counters[name])
            for device in self._inventory.by_pool[name]:
                if device.consumed and device.id in self._known.taken:
                    for counter, amount in device.consumed.items():
                        left[counter] = left.get(counter, Fraction(0)) - amount
        return left


def look_at_devices(pod: PodInfo, known: KnownDevices) -> PodDevices | str:
    """A pod's devices, or why it can't be placed anywhere."""
    why = unready(pod, known)
    if why:
        return why
    claims: list[Object] = []
    wishes: list[ClaimWishes] = []
    for used in pod.devices:
        claim = None if used.needs_none else known.claim(pod.namespace, used.claim)
        if claim is None or claim in claims:
            continue
        claims.append(claim)
        if allocation_of(claim) is not None:
            continue
        if known.is_promised(claim):
            return f"resource claim {shown(claim)} is in the process of being allocated"
        asked = wishes_of(claim, known.device_class)
        if isinstance(asked, str):
            return asked
        wishes.append(asked)
    return PodDevices(pod, known, claims, wishes)
