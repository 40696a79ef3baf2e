"""Which devices are worth trying for a claim: those that are free, and that enough others agree with. Pure.

Where devices have to be alike in an attribute, most choices come to nothing because too few have the same value. That is seen by counting,
and need not be tried out.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence

from svcsim.meta.device_claims import DeviceId
from svcsim.scheduler.devices.pools import Device
from svcsim.scheduler.devices.wishes import ClaimWishes, Constraint, Wish

Fitting = Callable[[Wish], Sequence[Device]]
"""The devices that fit a wish, whoever has them."""


def prospects(claim: ClaimWishes, fitting: Fitting, taken: Container[DeviceId]) -> dict[str, list[Device]]:
    """By the name of each wish of a claim, the devices that may be given for it. Of those that want all, none is left out."""
    found = {wish.name: [device for device in fitting(wish) if _is_free(wish, device, taken)] for wish in claim.all()}
    for constraint in claim.constraints:
        if constraint.distinct:
            continue
        wanted = [
            alternatives[0] for alternatives in claim.requests if len(alternatives) == 1 and constraint.is_about(alternatives[0].name)
        ]
        number = sum(wish.number or 0 for wish in wanted)
        alike = _alike(constraint, [device for wish in wanted for device in found[wish.name]])
        for wish in wanted:
            if wish.number is not None:
                found[wish.name] = [device for device in found[wish.name] if alike[_value(constraint, device)] >= number]
    return found


def _is_free(wish: Wish, device: Device, taken: Container[DeviceId]) -> bool:
    return wish.admin or wish.number is None or device.id not in taken


def _alike(constraint: Constraint, devices: Iterable[Device]) -> Counter[str]:
    """How many different devices have each value of an attribute."""
    return Counter(_value(constraint, device) for device in dict.fromkeys(devices))


def _value(constraint: Constraint, device: Device) -> str:
    return repr(device.attribute(constraint.attribute))
