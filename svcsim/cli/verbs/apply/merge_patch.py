"""The arithmetic of client-side apply for objects whose schema nobody tells: a JSON merge patch made of three states.

What the user says now holds. What the user said last time and says no longer goes. Everything else (defaults, what controllers and
other people added) stays. Lists are replaced as a whole, as nothing is known of their items; where the server tells the schema,
`svcsim.schema.three_way` merges them item by item.
"""

from svcsim.meta.objects import deep_equal
from svcsim.meta.types import Object


def merge_patch_of(original: Object, modified: Object, current: Object) -> Object:
    """The patch that brings ``current`` to what ``modified`` says; ``original`` was applied last. Empty where nothing is to be done."""
    patch: Object = {}
    for key, wanted in modified.items():
        here, before = current.get(key), original.get(key)
        if isinstance(wanted, dict) and isinstance(here, dict):
            inner = merge_patch_of(before if isinstance(before, dict) else {}, wanted, here)
            if inner:
                patch[key] = inner
        elif not deep_equal(here, wanted):
            patch[key] = wanted
    return patch | {key: None for key in original if key not in modified}
