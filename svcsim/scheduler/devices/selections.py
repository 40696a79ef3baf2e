"""Which devices fit a wish: found out once for all pods that wish the same, until other devices are offered."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

from svcsim import limits
from svcsim.scheduler.devices.pools import Device, Inventory
from svcsim.scheduler.devices.wishes import Likeness, Wish
from svcsim.scheduler.turns import Steps, Turn


class Mistake(NamedTuple):
    """An expression that comes to nothing for a device."""

    number: int
    """Which one of the wish."""
    why: str


class Selection(NamedTuple):
    """What was found out."""

    fitting: Mapping[Device, None]
    mistakes: Mapping[Device, Mistake]
    """Devices of which it can't be said."""


class Selections:
    """Those that were wanted lately."""

    def __init__(self) -> None:
        self._of = Inventory()
        self._kept: OrderedDict[Likeness, Selection] = OrderedDict()

    def of(self, wish: Wish, inventory: Inventory, turn: Turn) -> Steps[Selection]:
        """The devices of an inventory that fit a wish. It gives way now and then: there may be thousands, and expressions take long."""
        if self._of is not inventory:
            self._of = inventory
            self._kept.clear()
        found = self._kept.get(wish.likeness)
        if found is not None:
            self._kept.move_to_end(wish.likeness)
            return found
        made = yield from _selected(wish, inventory, turn)
        if self._of is inventory:  # meanwhile there may be another
            self._kept[wish.likeness] = made
            while len(self._kept) > limits.DEVICE_SELECTIONS:
                self._kept.popitem(last=False)
        return made


def _selected(wish: Wish, inventory: Inventory, turn: Turn) -> Steps[Selection]:
    fitting: dict[Device, None] = {}
    mistakes: dict[Device, Mistake] = {}
    for device in inventory.devices:
        asked = 0
        for number, one in enumerate(wish.asked):
            asked += one.expression not in device.answers
            answer = device.answer(one.expression)
            if isinstance(answer, str):
                mistakes[device] = Mistake(number, answer)
            if answer is not True:
                break
        else:
            if _suffices(wish, device):
                fitting[device] = None
        if turn.is_over(1 + asked * limits.STEPS_A_DEVICE_QUESTION):
            yield
    return Selection(fitting, mistakes)


def _suffices(wish: Wish, device: Device) -> bool:
    """Whether a device has enough of everything, and no taint that matters. Who wants all of them wants the tainted ones, too."""
    enough = all((has := device.capacity(name)) is not None and has >= amount for name, amount in wish.capacity)
    return enough and (wish.number is None or wish.tolerates(device.spec))
