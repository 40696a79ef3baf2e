"""Finds devices for claims: the first choice that fulfils all their requests together, with a way back out of every choice. Pure.

Requests are dealt with in the order of the claims, alternatives in the order of the request, devices in the order of their pools. Devices
of one request are equal to it, so each set of them is tried once. The tried choices lie on a stack, each as a generator that takes a device
and gives it back when it is asked for the next one.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.device_claims import DeviceId
from svcsim.scheduler.devices.pools import Counter, Device, PoolName
from svcsim.scheduler.devices.prospects import Fitting, prospects
from svcsim.scheduler.devices.wishes import ClaimWishes, Constraint, Wish

_RESULTS = 32
"""Devices that one claim may have."""


class Given(NamedTuple):
    """A device that is given to a claim, and for what."""

    claim: int
    """The number of the claim."""
    wish: Wish
    device: Device


class Stock(NamedTuple):
    """What there is for the claims of a pod on one node."""

    fitting: Fitting
    taken: Container[DeviceId]
    counters_left: Callable[[PoolName], Mapping[Counter, Fraction]]
    """What is left of the shared amounts of a pool."""


class SearchTooLongError(Exception):
    """There are too many choices to try them all."""


class _Spot(NamedTuple):
    """How far a search has come."""

    claim: int
    request: int
    wish: Wish | None = None
    """The alternative that was chosen; None before that."""
    taken: int = 0
    """How many devices it has."""
    start: int = 0
    """From where on further ones are looked for."""


class DeviceSearch:
    """One search, for all claims of a pod on one node."""

    def __init__(self, claims: Sequence[ClaimWishes], stock: Stock) -> None:
        self._claims = claims
        self._stock = stock
        self._given: list[Given] = []
        self._prospects = [prospects(one, stock.fitting, stock.taken) for one in claims]
        self._constraints = {
            (wish.name, number): [constraint for constraint in one.constraints if constraint.is_about(wish.name)]
            for number, one in enumerate(claims)
            for alternatives in one.requests
            for wish in alternatives
        }
        self.steps = 0

    def find(self) -> list[Given] | None:
        """The devices; None if there aren't any that fit. Raises `SearchTooLongError`."""
        start = self._after(-1, 0)
        if start is None:
            return []
        stack = [self._ways(start)]
        while stack:
            spot = next(stack[-1], None)
            if spot is None:
                stack.pop()
                continue
            onward = self._after(spot.claim, spot.request + 1) if spot.wish is None else spot
            if onward is None:
                return list(self._given)
            stack.append(self._ways(onward))
        return None

    def _after(self, claim: int, request: int) -> _Spot | None:
        """The next request there is; None where that was the last."""
        while claim < 0 or request >= len(self._claims[claim].requests):
            claim, request = claim + 1, 0
            if claim == len(self._claims):
                return None
        return _Spot(claim, request)

    def _ways(self, spot: _Spot) -> Iterator[_Spot]:
        """Each way to go on from a spot. One without a wish stands for a request that is done."""
        if spot.wish is None:
            for wish in self._claims[spot.claim].requests[spot.request]:
                yield spot._replace(wish=wish)
            return
        wish, devices = spot.wish, self._prospects[spot.claim][spot.wish.name]
        wanted = len(devices) if wish.number is None else wish.number
        if spot.taken == wanted:
            if wanted:
                yield _Spot(spot.claim, spot.request)
            return
        needed = wanted - spot.taken if not spot.taken or self._constraints[wish.name, spot.claim] else 1
        ahead: list[int] = []
        for at in range(spot.start, len(devices)):
            self._step()
            if self._can_take(Given(spot.claim, wish, devices[at])):
                ahead.append(at)
            elif wish.number is None:
                return  # all or none
            if len(ahead) < needed:
                continue  # the first of them is of no use without the others
            first = ahead.pop(0)
            self._given.append(Given(spot.claim, wish, devices[first]))
            yield spot._replace(taken=spot.taken + 1, start=first + 1)
            self._given.pop()
            if wish.number is None:
                return

    def _step(self) -> None:
        self.steps += 1
        if self.steps > limits.DEVICE_SEARCH_STEPS:
            raise SearchTooLongError

    def _can_take(self, new: Given) -> bool:
        device, admin = new.device, new.wish.admin
        if not admin and device.id in self._stock.taken:
            return False
        own = 0
        for one in self._given:
            if one.device is device and (one.claim == new.claim or not (admin or one.wish.admin)):
                return False
            own += one.claim == new.claim
        if own >= _RESULTS or not all(self._agrees(constraint, new) for constraint in self._constraints[new.wish.name, new.claim]):
            return False
        if new.wish.number is None and not new.wish.tolerates(device.spec):
            return False
        return admin or not device.consumed or self._counters_suffice(device)

    def _agrees(self, constraint: Constraint, new: Given) -> bool:
        """Whether a device agrees with the others of its claim that a constraint is about."""
        value = new.device.attribute(constraint.attribute)
        if value is None:
            return False
        for one in self._given:
            if one.claim == new.claim and constraint.is_about(one.wish.name):
                same = one.device.attribute(constraint.attribute) == value
                if same is constraint.distinct:
                    return False
                if same:
                    return True  # and so it does with all the others
        return True

    def _counters_suffice(self, device: Device) -> bool:
        left = self._stock.counters_left(device.pool)
        beside = [one.device for one in self._given if not one.wish.admin and one.device.pool == device.pool]
        return all(
            amount + sum((one.consumed.get(counter, Fraction(0)) for one in beside), Fraction(0)) <= left.get(counter, Fraction(0))
            for counter, amount in device.consumed.items()
        )
