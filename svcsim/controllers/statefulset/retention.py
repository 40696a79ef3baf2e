"""The owners of a StatefulSet's claims, with which they are deleted: the set, a pod that is scaled away, or none.

With ``whenDeleted: Delete`` claims are deleted with the set, with ``whenScaled: Delete`` with a pod that is scaled away. Claims with
another controller, or that belong to a set or pod of the same name that is gone, are left alone.
"""

from svcsim.client.ownership import controller_reference
from svcsim.meta.objects import owner_references
from svcsim.meta.pods import with_kind
from svcsim.meta.types import Object

_DELETE = "Delete"


def goes_when_scaled(stateful_set: Object) -> bool:
    """Whether claims go with pods that are given up."""
    return _policy(stateful_set).get("whenScaled") == _DELETE


def _goes_when_deleted(stateful_set: Object) -> bool:
    return _policy(stateful_set).get("whenDeleted") == _DELETE


def _policy(stateful_set: Object) -> Object:
    policy: Object = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return policy


def first_owners(stateful_set: Object) -> list[Object]:
    """The owners of a claim that is made for a pod the set should have."""
    return [controller_reference(stateful_set)] if _goes_when_deleted(stateful_set) else []


def is_of_another_pod(claim: Object, pod: Object) -> bool:
    """Whether a claim belongs to an earlier pod of that name, and so will go. ``pod`` may be one that isn't there yet."""
    uid = pod["metadata"].get("uid", "")
    return any(_names(reference, "v1", "Pod", pod) and reference["uid"] != uid for reference in owner_references(claim))


def has_other_controller(claim: Object, stateful_set: Object, pod: Object) -> bool:
    """Whether a claim that is to be deleted with its set or pod has another controller."""
    if not goes_when_scaled(stateful_set) and not _goes_when_deleted(stateful_set):
        return False
    return any(reference.get("controller") and not _is_ours(reference, stateful_set, pod) for reference in owner_references(claim))


def new_owners(claim: Object, stateful_set: Object, pod: Object, *, wanted: bool) -> list[Object] | None:
    """The owners that a claim has to get; None if it has them. ``wanted``: the set should have its pod."""
    present = owner_references(claim)
    ours = [reference for reference in present if _is_ours(reference, stateful_set, pod)]
    uids = (stateful_set["metadata"]["uid"], pod["metadata"]["uid"])
    if any(reference["uid"] not in uids for reference in ours):
        return None
    owners = [] if has_other_controller(claim, stateful_set, pod) else _owners(stateful_set, pod, wanted=wanted)
    if [reference["uid"] for reference in ours] == [owner["uid"] for owner in owners] and all(one.get("controller") for one in ours):
        return None
    others = [reference for reference in present if not _is_ours(reference, stateful_set, pod)]
    return [*others, *owners]


def _owners(stateful_set: Object, pod: Object, *, wanted: bool) -> list[Object]:
    if goes_when_scaled(stateful_set) and not wanted:
        return [controller_reference(with_kind(pod))]
    return first_owners(stateful_set)


def _is_ours(reference: Object, stateful_set: Object, pod: Object) -> bool:
    return _names(reference, "apps/v1", "StatefulSet", stateful_set) or _names(reference, "v1", "Pod", pod)


def _names(reference: Object, api_version: str, kind: str, obj: Object) -> bool:
    """Whether a reference is to an object of that name, this one or one before it."""
    return (reference["apiVersion"], reference["kind"], reference["name"]) == (api_version, kind, obj["metadata"]["name"])
