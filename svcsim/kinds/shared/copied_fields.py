"""Fields of one object taken over into another, for comparing what is left."""

from svcsim.meta.types import Object


def copy_fields(target: Object, source: Object, *names: str) -> None:
    """Give the target the source's values of these fields; those that the source lacks go."""
    for name in names:
        target.pop(name, None)
        if name in source:
            target[name] = source[name]


def copy_node_affinity(target: Object, source: Object) -> None:
    """The same of the part of ``affinity`` that is about nodes."""
    affinity = dict(target.get("affinity") or {})
    copy_fields(affinity, source.get("affinity") or {}, "nodeAffinity")
    target.pop("affinity", None)
    if affinity or source.get("affinity") is not None:
        target["affinity"] = affinity
