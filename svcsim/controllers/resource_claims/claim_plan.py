"""What is to become of a claim on devices: who still uses it, whether its devices are free, whether it goes. Pure."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.device_claims import allocation_of, users_of
from svcsim.meta.objects import finalizers_of, is_terminating
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.types import Object


class DeviceClaimPlan(NamedTuple):
    """What is to be written."""

    users: list[Object]
    """Those that are left, where some are not."""
    drops_users: bool = False
    deallocates: bool = False
    """Whether its devices are free again."""
    unprotects: bool = False
    """Whether it may go when it is deleted."""
    deletes: bool = False


def plan_claim(claim: Object, is_over: Callable[[Object], bool], *, owner_is_over: bool, protection: str) -> DeviceClaimPlan:
    """``is_over`` tells of a user whether it uses nothing any more; ``owner_is_over`` whether the pod does that the claim was made for.

    Devices are freed when the last user goes, not whenever there is none: somebody may have had them allocated beforehand.
    """
    users = users_of(claim)
    left = [user for user in users if not is_over(user)]
    drops, is_going = len(left) < len(users), is_terminating(claim)
    frees = protection in finalizers_of(claim) and not left and (drops or is_going)
    deletes = not left and owner_is_over and not is_going
    return DeviceClaimPlan(left, drops, frees and allocation_of(claim) is not None, frees, deletes)


def is_done(pod: Object) -> bool:
    """Whether no container of a pod runs, or ever will again."""
    return is_finished(pod) or (is_terminating(pod) and not node_of(pod))
