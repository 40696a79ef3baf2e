"""Reading and writing the parts every object has. Objects stay plain dicts; these are the words for what is in them.

Readers never fail on an object that lacks a part: they answer with the empty value, so that callers need not ask first.
"""

from collections.abc import Mapping

from svcsim.meta.types import GroupVersion, GroupVersionKind, Json, Object

METADATA_ORDER = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",  # before all free text, because the store cuts the encoded object open here
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)


def metadata_of(obj: Object) -> Object:
    """``metadata``; empty where there is none."""
    metadata: Object = obj.get("metadata") or {}
    return metadata


def name_of(obj: Object) -> str:
    """``metadata.name``."""
    name: str = (obj.get("metadata") or {}).get("name") or ""
    return name


def namespace_of(obj: Object) -> str:
    """``metadata.namespace``; empty for cluster-wide objects."""
    namespace: str = (obj.get("metadata") or {}).get("namespace") or ""
    return namespace


def uid_of(obj: Object) -> str:
    """``metadata.uid``."""
    uid: str = (obj.get("metadata") or {}).get("uid") or ""
    return uid


def pairs_text(pairs: Mapping[str, str]) -> str:
    """``a=1,b=2``: labels in one line, in the order of these texts, as clients show them."""
    return ",".join(sorted(f"{key}={value}" for key, value in pairs.items()))


def labels_of(obj: Object) -> dict[str, str]:
    """``metadata.labels``; not a copy."""
    labels: dict[str, str] = (obj.get("metadata") or {}).get("labels") or {}
    return labels


def annotations_of(obj: Object) -> dict[str, str]:
    """``metadata.annotations``; not a copy."""
    annotations: dict[str, str] = metadata_of(obj).get("annotations") or {}
    return annotations


def unmanaged(obj: Object) -> Object:
    """An object without ``metadata.managedFields``: who owns which of its fields is the larger part of many an object."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def finalizers_of(obj: Object) -> list[str]:
    """``metadata.finalizers``; not a copy."""
    finalizers: list[str] = metadata_of(obj).get("finalizers") or []
    return finalizers


def owner_references(obj: Object) -> list[Object]:
    """``metadata.ownerReferences``; not a copy."""
    owners: list[Object] = (obj.get("metadata") or {}).get("ownerReferences") or []
    return owners


def controller_of(obj: Object) -> Object | None:
    """The owner reference of the one controller that manages the object."""
    for owner in owner_references(obj):
        if owner.get("controller"):
            return owner
    return None


def gvk_of(obj: Object) -> GroupVersionKind:
    """Group, version and kind as the object says them."""
    group, version = GroupVersion.parse(obj.get("apiVersion") or "")
    return GroupVersionKind(group, version, obj.get("kind") or "")


def revision_of(obj: Object) -> int:
    """``metadata.resourceVersion`` as a number; 0 where there is none. ValueError for what is no number."""
    return int(metadata_of(obj).get("resourceVersion") or 0)


def is_terminating(obj: Object) -> bool:
    """Whether the object is on its way out."""
    return bool((obj.get("metadata") or {}).get("deletionTimestamp"))


def get_path(obj: Json, path: str, default: Json = None) -> Json:
    """The value at a dotted path, ``spec.nodeName``; ``default`` where the way ends early. Keys with dots can't be reached."""
    value = obj
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            return default
        value = value[part]
    return value


def set_path(obj: Object, path: str, value: Json) -> None:
    """Put ``value`` at a dotted path, in place; maps that are missing on the way are made."""
    *parents, last = path.split(".")
    target = obj
    for part in parents:
        child = target.get(part)
        if not isinstance(child, dict):
            child = target[part] = {}
        target = child
    target[last] = value


def condition(obj: Object, kind: str) -> Object | None:
    """The condition of that type in ``status.conditions``."""
    conditions: list[Object] = (obj.get("status") or {}).get("conditions") or []
    for item in conditions:
        if item.get("type") == kind:
            return item
    return None


def condition_is(obj: Object, kind: str, status: str = "True") -> bool:
    """Whether the condition of that type is there and has that status."""
    found = condition(obj, kind)
    return found is not None and found.get("status") == status


def set_condition(conditions: list[Object], wanted: Object, now: str) -> bool:
    """Put a condition into a list of conditions, in place, and tell whether that changed anything.

    ``lastTransitionTime`` becomes ``now`` only where the status is new, unless ``wanted`` brings its own.
    """
    for index, current in enumerate(conditions):
        if current.get("type") == wanted["type"]:
            since = now if current.get("status") != wanted.get("status") else current.get("lastTransitionTime") or now
            conditions[index] = updated = {**current, "lastTransitionTime": since, **wanted}
            return updated != current
    conditions.append({"lastTransitionTime": now, **wanted})
    return True


def copy_json(value: Json) -> Json:
    """A copy that shares no map and no list with ``value``."""
    kind = type(value)
    if kind is dict:
        return {key: copy_json(child) if type(child) in CONTAINERS else child for key, child in value.items()}
    if kind is list:
        return [copy_json(child) if type(child) in CONTAINERS else child for child in value]
    return value


def deep_equal(left: Json, right: Json) -> bool:
    """Whether two JSON values are the same. Unlike ``==`` it tells booleans from numbers; 1 and 1.0 are the same number."""
    if isinstance(left, dict):
        return isinstance(right, dict) and len(left) == len(right) and all(k in right and deep_equal(v, right[k]) for k, v in left.items())
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(deep_equal, left, right))
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def order_metadata(metadata: Object) -> Object:
    """The metadata with its keys in canonical order; unknown ones come last."""
    ordered = {key: metadata[key] for key in METADATA_ORDER if key in metadata}
    if len(ordered) != len(metadata):
        ordered.update((key, value) for key, value in metadata.items() if key not in ordered)
    return ordered


CONTAINERS = frozenset((dict, list))
"""The types of the JSON values that hold others."""


def is_list(obj: Object) -> bool:
    """Whether an object is a list of objects."""
    return str(obj.get("kind", "")).endswith("List") and isinstance(obj.get("items"), list)
