"""ControllerRevisions: the pod templates that a DaemonSet or a StatefulSet has had, kept so that it can go back to them.

Each holds, as its data, the patch that makes its owner what it was. It has a number, which grows with every change, also with one back to
what was before; and a hash of its data, which pods carry in a label, so that it is seen which revision they are of.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client.api import Collection
from svcsim.client.ownership import controller_reference
from svcsim.meta.errors import StatusError
from svcsim.meta.fingerprints import fingerprint
from svcsim.meta.objects import annotations_of, controller_of, deep_equal, get_path, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Json, Object

HASH_LABEL = "controller-revision-hash"
"""On a pod: which revision it is of, by its hash or its name. On a DaemonSet's revision: the hash of its data."""

_LONGEST_PREFIX = 223
"""Characters of an owner's name in those of its revisions: with the hash they are no longer than names may be."""


class StoredRevision(NamedTuple):
    """A revision that is in the store, and how often the names chosen for such were taken until it was."""

    revision: Object
    collisions: int


def template_data(owner: Object) -> Object:
    """What a revision keeps of its owner: the patch that puts the owner's present template in the place of any other.

    Its keys are in order, since clients tell by the bytes whether a revision is the present one.
    """
    return {"spec": {"template": _sorted({**owner["spec"]["template"], "$patch": "replace"})}}


def template_of(revision: Object, owner: Object) -> Object:
    """The template that a revision restores; the owner's current one if the revision has none, since others may have created it."""
    template = get_path(revision, "data.spec.template")
    if not isinstance(template, dict):
        return owner["spec"]["template"]  # type: ignore[no-any-return]
    return {name: value for name, value in template.items() if name != "$patch"}


def new_revision(owner: Object, data: Object, number: int, collisions: int, hash_label: str = HASH_LABEL) -> Object:
    """A revision of an owner: labelled as its pods are, so that it is found by the owner's selector, and with its hash."""
    short = fingerprint(data, collisions)
    labels = (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"{name_of(owner)[:_LONGEST_PREFIX]}-{short}",
            "namespace": namespace_of(owner),
            "labels": {**labels, hash_label: short},
            "annotations": dict(annotations_of(owner)),
            "ownerReferences": [controller_reference(owner)],
        },
        "data": data,
        "revision": number,
    }


def hash_of(revision: Object) -> str:
    """The hash in a revision's label; its name where it has none."""
    return labels_of(revision).get(HASH_LABEL) or name_of(revision)


def number_of(revision: Object) -> int:
    """A revision's number."""
    return int(revision.get("revision") or 0)


def in_order(revisions: Iterable[Object]) -> list[Object]:
    """By number; of those with the same number the older one first."""
    return sorted(revisions, key=lambda item: (number_of(item), item["metadata"].get("creationTimestamp") or "", name_of(item)))


def next_number(revisions: Iterable[Object]) -> int:
    """The number of a revision that follows these."""
    return max(map(number_of, revisions), default=0) + 1


def with_data(revisions: Iterable[Object], data: Object) -> list[Object]:
    """The revisions with these data, in order."""
    return in_order(item for item in revisions if deep_equal(item.get("data"), data))


def surplus(revisions: Iterable[Object], keep: int, in_use: Iterable[str]) -> list[Object]:
    """What is beyond the limit of a history: the first of those that none of the hashes ``in_use`` names.

    Those in use count, too, and stay whatever the limit is.
    """
    used = dict.fromkeys(in_use)
    kept = in_order(revisions)
    idle = [item for item in kept if hash_of(item) not in used]
    return idle[: max(len(kept) - keep, 0)]


async def create(
    revisions: Collection, owner: Object, data: Object, number: int, collisions: int, hash_label: str = HASH_LABEL
) -> StoredRevision:
    """Store a revision under a name that is free, or find it where it is stored already."""
    here = revisions.within(namespace_of(owner))
    while True:
        wish = new_revision(owner, data, number, collisions, hash_label)
        try:
            return StoredRevision(await here.create(wish), collisions)
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise
        taken = await here.get(name_of(wish))
        controller = controller_of(taken)
        if deep_equal(taken.get("data"), data) and (controller is None or controller["uid"] == uid_of(owner)):
            return StoredRevision(taken, collisions)
        collisions += 1


async def renumber(revisions: Collection, revision: Object, number: int) -> Object:
    """Give a revision another number: it is the newest again."""
    metadata = {"uid": revision["metadata"]["uid"], "resourceVersion": revision["metadata"]["resourceVersion"]}
    return await revisions.within(namespace_of(revision)).patch(name_of(revision), {"metadata": metadata, "revision": number})


async def remove(revisions: Collection, revision: Object) -> None:
    """Delete a revision, unless it is gone already."""
    try:
        await revisions.within(namespace_of(revision)).delete(name_of(revision), uid=uid_of(revision))
    except StatusError as error:
        if error.code != 404:
            raise


def _sorted(value: Json) -> Json:
    """A copy with the keys of all maps in order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
