"""What the server sets in a CustomResourceDefinition: the versions objects may be stored in, and how its deletion begins."""

from svcsim.meta.names import DEFINITION_CLEANUP
from svcsim.meta.objects import set_condition
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def initial_status(obj: Object, _context: Context) -> Object:
    """A new definition's objects are stored in one version; whether its names are free is for a controller to say."""
    return {"storedVersions": storage_versions(obj)}


def keep_stored_versions(new: Object, _old: Object, _context: Context) -> None:
    """Once a version is the storage version, objects may be stored in it, until a client says that there are none left."""
    status = new.get("status") or {}
    known = status.get("storedVersions") or []
    stored = [version for version in storage_versions(new)[:1] if version not in known]
    if stored:
        new["status"] = {**status, "storedVersions": [*known, *stored]}


def storage_versions(obj: Object) -> list[str]:
    """The names of the versions that say that they are stored; the object need not be a right one yet."""
    versions = (obj.get("spec") or {}).get("versions") or ()
    return [version["name"] for version in versions if version.get("storage") and version.get("name")]


def begin_deletion(obj: Object, context: Context) -> None:
    """A definition goes once its objects are gone."""
    finalizers = obj["metadata"].setdefault("finalizers", [])
    finalizer = context.dialect.group(DEFINITION_CLEANUP)
    if finalizer not in finalizers:
        finalizers.append(finalizer)
    conditions = obj.setdefault("status", {}).setdefault("conditions", [])
    condition = {
        "type": "Terminating",
        "status": "True",
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    }
    set_condition(conditions, condition, context.timestamp)
