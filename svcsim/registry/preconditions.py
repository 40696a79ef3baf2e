"""What a write assumes of the object it is about, by the version and the uid it brings: that has to be so."""

from svcsim.meta import errors
from svcsim.meta.types import Object
from svcsim.registry.options import Target

_ANY_REVISION = "0"
"""The resource version that makes no condition."""


def check_preconditions(target: Target, sent: Object, old: Object) -> None:
    """What the sent object assumes of the stored one has to be so (409)."""
    metadata = sent.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise errors.bad_request("json: cannot unmarshal metadata into Go value of type v1.ObjectMeta")
    check_revision(target, metadata, old["metadata"])
    check_uid(target, metadata.get("uid"), old["metadata"]["uid"])


def check_revision(target: Target, metadata: Object, old: Object) -> None:
    """The version has to be the newest (409); kinds that aren't updated without one demand it (422)."""
    resource, revision = target.resource, metadata.get("resourceVersion")
    if makes_condition(revision):
        if revision != old["resourceVersion"]:
            raise errors.conflict(resource.group_resource, target.name, errors.MODIFIED)
        return
    whole = target.window is None or target.window.compiled is None
    if whole and not resource.kind.unconditional_update:
        finding = errors.invalid_part("metadata.resourceVersion", "0x0: must be specified for an update")
        raise errors.invalid(resource.group_kind._replace(kind=resource.plural), target.name, [finding])


def makes_condition(revision: str | None) -> bool:
    """Whether a resource version is one that an object has to have."""
    return bool(revision) and revision != _ANY_REVISION


def check_uid(target: Target, assumed: str | None, uid: str) -> None:
    """The object has to be the one that is meant, and not another of that name (409)."""
    if assumed and assumed != uid:
        why = f"Precondition failed: UID in precondition: {assumed}, UID in object meta: {uid}"
        raise errors.conflict(target.resource.group_resource, target.name, why)
