"""Who controls which object: what a controller owns, may adopt and has to let go.

An object belongs to the one controller its controller reference names, as long as it also fits that controller's selector. One that fits
and belongs to nobody is adopted; one that belongs and no longer fits is released.
"""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.client.api import Collection
from svcsim.client.cache import Cache
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import object_key
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.objects import controller_of, finalizers_of, is_terminating, labels_of, namespace_of, owner_references, uid_of
from svcsim.meta.types import Object


class Claim(NamedTuple):
    """Candidates sorted by what they are to an owner."""

    mine: list[Object]
    adopt: list[Object]
    release: list[Object]


def claim(owner: Object, selector: LabelSelector, candidates: list[Object], also: Callable[[Object], bool] | None = None) -> Claim:
    """Sort candidates of the owner's namespace. An owner on its way out neither adopts nor releases.

    ``also`` is what an object has to be besides, to fit.
    """
    found = Claim([], [], [])
    leaving = is_terminating(owner)
    for candidate in candidates:
        controller = controller_of(candidate)
        fits = selector.matches(labels_of(candidate)) and (also is None or also(candidate))
        if controller is not None:
            if controller["uid"] != uid_of(owner):
                continue
            if fits:
                found.mine.append(candidate)
            elif not leaving:
                found.release.append(candidate)
        elif fits and not leaving and not is_terminating(candidate):
            found.adopt.append(candidate)
    return found


def controller_in(owners: Cache, kind: str, obj: Object) -> Object | None:
    """The object of that kind that controls another, if it is there."""
    reference = controller_of(obj)
    if reference is None or reference["kind"] != kind:
        return None
    owner = owners.get(reference["name"], namespace_of(obj))
    return owner if owner is not None and uid_of(owner) == reference["uid"] else None


def controller_reference(owner: Object) -> Object:
    """The reference that makes ``owner`` an object's controller."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def with_controller(references: list[Object], controller: Object) -> list[Object]:
    """References with that of a controller: in the place of one that names it as an owner only, or at the end."""
    uid = controller["uid"]
    at = next((at for at, reference in enumerate(references) if reference["uid"] == uid), len(references))
    return [*references[:at], controller, *(reference for reference in references[at:] if reference["uid"] != uid)]


async def take(owners: Collection, owner: Object, objects: Collection, claimed: Claim, finalizer: str = "") -> list[Object]:
    """Adopt and release as claimed; gives all objects that are the owner's then. With a finalizer, they have it as long as they are.

    Raises `StatusError` 409 where the owner turns out to be gone or going, before anything is adopted.
    """
    mine = list(claimed.mine)
    if claimed.adopt:
        await _check_still_there(owners, owner)
    for orphan in claimed.adopt:
        references = with_controller(owner_references(orphan), controller_reference(owner))
        finalizers = [*(name for name in finalizers_of(orphan) if name != finalizer), *([finalizer] if finalizer else [])]
        await _set_owners(objects, orphan, references, finalizers)
        changed = {"ownerReferences": references, **({"finalizers": finalizers} if finalizers else {})}
        mine.append({**orphan, "metadata": {**orphan["metadata"], **changed}})
    for stranger in claimed.release:
        rest = [reference for reference in owner_references(stranger) if reference["uid"] != uid_of(owner)]
        await _set_owners(objects, stranger, rest, [name for name in finalizers_of(stranger) if name != finalizer])
    return mine


async def _check_still_there(owners: Collection, owner: Object) -> None:
    namespace, name = object_key(owner)
    latest = await owners.within(namespace).get(name)
    if uid_of(latest) != uid_of(owner) or is_terminating(latest):
        raise StatusError(409, "Conflict", f"{name} was deleted, or is being deleted, and adopts nothing")


async def _set_owners(objects: Collection, obj: Object, references: list[Object], finalizers: list[str]) -> None:
    namespace, name = object_key(obj)
    metadata = {
        "uid": uid_of(obj),
        "resourceVersion": obj["metadata"]["resourceVersion"],
        "ownerReferences": references or None,
    }
    if finalizers != finalizers_of(obj):
        metadata["finalizers"] = finalizers or None
    await objects.within(namespace).patch(name, {"metadata": metadata})
