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
from svcsim.scheduler.devices.wishes import ClaimWishes, Wish

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

    fitting: Callable[[Wish], Sequence[Device]]
    """The devices that fit a wish, whoever has them."""
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
        wish, devices = spot.wish, self._stock.fitting(spot.wish)
        wanted = len(devices) if wish.number is None else wish.number
        if spot.taken == wanted:
            if wanted:
                yield _Spot(spot.claim, spot.request)
            return
        for at in range(spot.start, len(devices) - (wanted - spot.taken) + 1):
            self._step()
            given = Given(spot.claim, wish, devices[at])
            if self._can_take(given):
                self._given.append(given)
                yield spot._replace(taken=spot.taken + 1, start=at + 1)
                self._given.pop()
            if wish.number is None:
                return  # all or none

    def _step(self) -> None:
        self.steps += 1
        if self.steps > limits.DEVICE_SEARCH_STEPS:
            raise SearchTooLongError

    def _can_take(self, new: Given) -> bool:
        own = [one for one in self._given if one.claim == new.claim]
        if len(own) >= _RESULTS or not all(self._agrees(own, new)):
            return False
        if new.wish.admin:
            return all(one.device is not new.device for one in own)
        if new.device.id in self._stock.taken or any(one.device is new.device and not one.wish.admin for one in self._given):
            return False
        return not any(one.device is new.device for one in own) and (not new.device.consumed or self._counters_suffice(new.device))

    def _agrees(self, own: Sequence[Given], new: Given) -> Iterator[bool]:
        """Whether a device agrees with the others of its claim, by one constraint after the other."""
        for constraint in self._claims[new.claim].constraints:
            if not constraint.is_about(new.wish.name):
                continue
            value = new.device.attribute(constraint.attribute)
            others = (one.device.attribute(constraint.attribute) for one in own if constraint.is_about(one.wish.name))
            if value is None:
                yield False
            elif constraint.distinct:
                yield all(other != value for other in others)
            else:
                yield next(others, value) == value

    def _counters_suffice(self, device: Device) -> bool:
        left = self._stock.counters_left(device.pool)
        beside = [one.device for one in self._given if not one.wish.admin and one.device.pool == device.pool]
        return all(
            amount + sum((one.consumed.get(counter, Fraction(0)) for one in beside), Fraction(0)) <= left.get(counter, Fraction(0))
            for counter, amount in device.consumed.items()
        )
