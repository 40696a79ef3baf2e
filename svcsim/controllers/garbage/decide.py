"""What is to become of a dependent, given the state of its owners. Pure, and small enough to be tried out in full.

An object stays as long as one of its owners stays. If none does, it goes: in the foreground if it is the foreground deletion of an owner
that brought this about and it has dependents of its own, else in the background.
"""

from typing import Literal, NamedTuple

from svcsim.controllers.garbage.graph import Owner
from svcsim.meta.names import FOREGROUND, ORPHAN
from svcsim.meta.objects import finalizers_of
from svcsim.meta.types import Object

Propagation = Literal["Background", "Foreground", "Orphan"]
State = Literal["solid", "absent", "waiting"]
"""An owner is there to stay, is gone, or waits for its dependents to go first."""


class Keep(NamedTuple):
    """Leave the object alone, but for references to owners that are gone or going."""

    drop: tuple[str, ...]


class Delete(NamedTuple):
    propagation: Propagation


def decide(obj: Object, owners: list[tuple[Owner, State]], *, has_dependents: bool) -> Keep | Delete:
    """The fate of a living object that is not on its way out."""
    if not owners:
        return Keep(())
    if any(state == "solid" for _, state in owners):
        return Keep(tuple(owner.uid for owner, state in owners if state != "solid"))
    if any(state == "waiting" for _, state in owners) and has_dependents:
        return Delete("Foreground")
    if ORPHAN in finalizers_of(obj):
        return Delete("Orphan")
    if FOREGROUND in finalizers_of(obj):
        return Delete("Foreground")
    return Delete("Background")
