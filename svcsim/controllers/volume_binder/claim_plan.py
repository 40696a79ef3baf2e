"""What is to be done for a claim: which volume it gets, or what it waits for. Pure: it reads what is known and changes nothing."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from svcsim.controllers.volume_binder.notice import Notice
from svcsim.meta.claims import StorageKeys, claim_ref, is_for, volume_of, waits_for_consumer
from svcsim.meta.objects import annotations_of, is_terminating, name_of, uid_of
from svcsim.meta.types import Object
from svcsim.meta.volume_matching import best_volume, unfit, volume_meant_for

_LOST = "Bound claim has lost {} Data on the volume is lost!"


class Known(Protocol):
    """What a plan is made from."""

    def volume(self, name: str) -> Object | None:
        """A volume by its name."""
        ...

    def volumes_for(self, claim: Object) -> Iterable[Object]:
        """The volumes that name the claim."""
        ...

    def free_volumes(self, storage_class: str) -> Iterable[Object]:
        """The volumes of a class that name no claim."""
        ...

    def storage_class(self, name: str) -> Object | None:
        """A class by its name."""
        ...

    def default_class(self) -> Object | None:
        """The class of claims that name none."""
        ...

    def waiting_pods(self, claim: Object) -> list[str]:
        """The pods that use a claim and have no node yet."""
        ...


class ClaimPlan(NamedTuple):
    """What is to be done, in the order of the fields; mostly one of them is set."""

    notice: Notice | None = None
    volume: Object | None = None
    """The volume to bind it to."""
    storage_class: str = ""
    """The class it gets, as it named none when there was no default."""
    provisioner: str = ""
    """Who is to make a volume for it."""
    phase: str = ""
    """The phase it is in, without a volume."""


def plan_claim(claim: Object, known: Known, keys: StorageKeys) -> ClaimPlan:
    if keys.bind_completed in annotations_of(claim):
        return _bound_before(claim, known)
    if is_terminating(claim):
        return ClaimPlan(phase="Pending")
    return _asks_for_one(claim, known, keys) if volume_of(claim) else _asks_for_any(claim, known, keys)


def _bound_before(claim: Object, known: Known) -> ClaimPlan:
    """A claim that has had its volume: is it still there, and the claim's?"""
    name = volume_of(claim)
    volume = known.volume(name) if name else None
    if volume is None:
        what = "its PersistentVolume." if name else "reference to PersistentVolume."
        return ClaimPlan(_lost("ClaimLost", _LOST.format(what), claim), phase="Lost")
    reference = claim_ref(volume)
    if reference is None or reference.get("uid") == uid_of(claim):
        return ClaimPlan(volume=volume)
    message = "Two claims are bound to the same volume, this one is bound incorrectly"
    return ClaimPlan(_lost("ClaimMisbound", message, claim), phase="Lost")


def _lost(reason: str, message: str, claim: Object) -> Notice | None:
    """It is told once, when it happens."""
    return None if (claim.get("status") or {}).get("phase") == "Lost" else Notice("Warning", reason, message)


def _asks_for_one(claim: Object, known: Known, keys: StorageKeys) -> ClaimPlan:
    """A claim that names its volume."""
    name = volume_of(claim)
    volume = known.volume(name)
    if volume is None:
        return ClaimPlan(phase="Pending")
    if claim_ref(volume) is None:
        if why := unfit(volume, claim, keys):
            return ClaimPlan(Notice("Warning", "VolumeMismatch", f'Cannot bind to requested volume "{name}": {why}'), phase="Pending")
        return ClaimPlan(volume=volume)
    if is_for(volume, claim):
        return ClaimPlan(volume=volume)
    return ClaimPlan(Notice("Warning", "FailedBinding", f'volume "{name}" already bound to a different claim.'), phase="Pending")


def _asks_for_any(claim: Object, known: Known, keys: StorageKeys) -> ClaimPlan:
    meant = volume_meant_for(claim, known.volumes_for(claim))
    if meant is not None:
        return ClaimPlan(volume=meant)
    named = keys.class_of(claim)
    storage_class = known.storage_class(named) if named else None
    waits = waits_for_consumer(storage_class)
    found = None if waits else best_volume(claim, known.free_volumes(named), keys)
    if found is not None:
        return ClaimPlan(volume=found)
    default = None if keys.names_class(claim) else known.default_class()
    if default is not None:
        return ClaimPlan(storage_class=name_of(default))
    if waits and keys.selected_node not in annotations_of(claim):
        return ClaimPlan(_waits_for_pod(known.waiting_pods(claim)), phase="Pending")
    if named:
        return _provision(named, storage_class, keys)
    message = "no persistent volumes available for this claim and no storage class is set"
    return ClaimPlan(Notice("Normal", "FailedBinding", message), phase="Pending")


def _waits_for_pod(pods: list[str]) -> Notice:
    if not pods:
        return Notice("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding")
    what = f"pod {pods[0]}" if len(pods) == 1 else f"pods {','.join(pods)}"
    return Notice("Normal", "WaitForPodScheduled", f"waiting for {what} to be scheduled")


def _provision(named: str, storage_class: Object | None, keys: StorageKeys) -> ClaimPlan:
    """An external provisioner makes the volume, and names this claim in it."""
    if storage_class is None:
        message = f'{keys.class_resource} "{named}" not found'
        return ClaimPlan(Notice("Warning", "ProvisioningFailed", message), phase="Pending")
    provisioner: str = storage_class["provisioner"]
    if provisioner.startswith(keys.in_tree):
        message = f"no volume plugin matched name: {provisioner}"
        return ClaimPlan(Notice("Warning", "ProvisioningFailed", message), phase="Pending")
    message = (
        f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the system administrator. "
        "If volume creation is delayed, please verify that the provisioner is running and correctly registered."
    )
    return ClaimPlan(Notice("Normal", "ExternalProvisioning", message), provisioner=provisioner, phase="Pending")
