"""What a claim asks for, read with the classes that it names. Pure."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from svcsim.meta.device_claims import shown
from svcsim.meta.quantity import parse
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, Taint, Toleration, tolerations_of
from svcsim.meta.types import Object

FindClass = Callable[[str], Object | None]
"""A DeviceClass by its name."""
_KEEPING_AWAY = (NO_SCHEDULE, NO_EXECUTE)


class Asked(NamedTuple):
    """An expression that a device has to fulfil, and what it is called in messages."""

    name: str
    expression: str


Likeness = tuple[tuple[str, ...], tuple[tuple[str, Fraction], ...], tuple[Toleration, ...], bool]
"""What wishes have in common that the same devices fit."""


class Wish(NamedTuple):
    """A request for devices of one class, or one alternative of a request."""

    name: str
    """As results name it: ``request``, or ``request/alternative``."""
    device_class: Object
    asked: tuple[Asked, ...]
    number: int | None
    """None for all there are."""
    admin: bool
    """Whether devices are asked for that others use."""
    tolerations: tuple[Toleration, ...]
    said_tolerations: tuple[Object, ...]
    capacity: tuple[tuple[str, Fraction], ...]
    """How much of what each device has to have."""

    @property
    def likeness(self) -> Likeness:
        """What decides which devices fit it."""
        return tuple(one.expression for one in self.asked), self.capacity, self.tolerations, self.number is None

    @property
    def is_alternative(self) -> bool:
        """Whether it is one of several that would do."""
        return "/" in self.name

    def tolerates(self, device: Object) -> bool:
        """Whether the taints of a device, as its slice has it, don't matter."""
        return all(
            taint["effect"] not in _KEEPING_AWAY or any(map(_tolerating(taint), self.tolerations)) for taint in device.get("taints") or ()
        )


class Constraint(NamedTuple):
    """What devices have to be to each other in an attribute."""

    requests: tuple[str, ...]
    """Of which requests; empty for all."""
    attribute: str
    distinct: bool
    """Whether the attribute has to differ, and not to be the same."""

    def is_about(self, wish: str) -> bool:
        """Whether it is about the devices of a wish."""
        return not self.requests or wish in self.requests or wish.partition("/")[0] in self.requests


class ClaimWishes(NamedTuple):
    """What one claim asks for: for each of its requests the alternatives, the best first."""

    claim: Object
    requests: tuple[tuple[Wish, ...], ...]
    constraints: tuple[Constraint, ...]

    def all(self) -> list[Wish]:
        """All wishes of all requests."""
        return [wish for alternatives in self.requests for wish in alternatives]


def wishes_of(claim: Object, find_class: FindClass) -> ClaimWishes | str:
    """What a claim asks for; or why it can't have that anywhere."""
    devices = claim["spec"].get("devices") or {}
    requests: list[tuple[Wish, ...]] = []
    for request in devices.get("requests") or ():
        alternatives: list[Wish] = []
        for name, said in _said(request):
            device_class = find_class(said["deviceClassName"])
            if device_class is None:
                return f"request {name}: device class {said['deviceClassName']} does not exist"
            alternatives.append(_wish(claim, name, said, device_class))
        requests.append(tuple(alternatives))
    return ClaimWishes(claim, tuple(requests), tuple(map(_constraint, devices.get("constraints") or ())))


def class_names(claim: Object) -> list[str]:
    """The classes that a claim names."""
    requests = ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ()
    return [said["deviceClassName"] for request in requests for _, said in _said(request)]


def _said(request: Object) -> Sequence[tuple[str, Object]]:
    exactly, name = request.get("exactly"), request["name"]
    if exactly is not None:
        return ((name, exactly),)
    return [(f"{name}/{one['name']}", one) for one in request.get("firstAvailable") or ()]


def _wish(claim: Object, name: str, said: Object, device_class: Object) -> Wish:
    of_class = device_class["spec"].get("selectors") or ()
    in_class = f"class {device_class['metadata']['name']}"
    asked = [Asked(f"{in_class}: selector #{index}", one["cel"]["expression"]) for index, one in enumerate(of_class)]
    own = said.get("selectors") or ()
    asked += [Asked(f"claim {shown(claim)}: selector #{index}", one["cel"]["expression"]) for index, one in enumerate(own)]
    amounts = ((said.get("capacity") or {}).get("requests") or {}).items()
    return Wish(
        name,
        device_class,
        tuple(asked),
        None if said.get("allocationMode") == "All" else said.get("count") or 1,
        bool(said.get("adminAccess")),
        tolerations_of(said),
        tuple(said.get("tolerations") or ()),
        tuple((what, parse(amount).number) for what, amount in amounts),
    )


def _constraint(said: Object) -> Constraint:
    distinct = said.get("distinctAttribute")
    return Constraint(tuple(said.get("requests") or ()), distinct or said.get("matchAttribute") or "", distinct is not None)


def _tolerating(taint: Object) -> Callable[[Toleration], bool]:
    from_device = Taint(taint["key"], taint.get("value") or "", taint["effect"])
    return lambda toleration: toleration.tolerates(from_device)
