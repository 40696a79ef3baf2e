"""JSON merge patch (RFC 7386): a map that looks like the object, with what changes in it, and null for what goes."""

from svcsim.meta.objects import deep_equal
from svcsim.meta.types import Json, Object


def apply(document: Json, patch: Json) -> Json:
    """The document as the patch wants it. Neither is changed; the result shares what stayed the same with them."""
    if not isinstance(patch, dict):
        return patch
    merged: Object = dict(document) if isinstance(document, dict) else {}
    for key, wanted in patch.items():
        if wanted is None:
            merged.pop(key, None)
        elif isinstance(wanted, dict):
            merged[key] = apply(merged.get(key), wanted)
        else:
            merged[key] = wanted
    return merged


def diff(before: Json, after: Json) -> Json:
    """A patch that makes ``after`` of ``before``, for maps that hold no nulls; an empty map where they are the same."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return after
    patch: Object = {key: None for key in before if key not in after}
    for key, wanted in after.items():
        if key not in before:
            patch[key] = wanted
        elif not deep_equal(before[key], wanted):
            patch[key] = diff(before[key], wanted)
    return patch
