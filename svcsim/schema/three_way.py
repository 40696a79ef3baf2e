"""Making a strategic merge patch of three states of an object: the arithmetic of client-side apply.

``original`` is what was applied last, ``modified`` what is to be applied now, ``current`` what the server has. The patch says what is to
change in ``current`` so that all of ``modified`` holds and what ``original`` had and ``modified`` hasn't is gone; everything else
(defaults, what controllers and other people added) stays. Applying it is `svcsim.schema.strategic`'s work.
"""

from svcsim.meta.objects import deep_equal
from svcsim.meta.types import Json, Object
from svcsim.schema.element_order import Items
from svcsim.schema.merge_site import Site, site
from svcsim.schema.types import Struct, Type

_DELETE: Object = {"$patch": "delete"}


def three_way_patch(original: Object, modified: Object, current: Object, schema: Struct) -> Object:
    """The patch; empty where there is nothing to do. Raises `StatusError` 422 for lists whose items lack their merge key."""
    return _diff_maps(original, modified, current, schema, retains=False)


def conflicting(patch: Json, original: Object, current: Object, schema: Struct) -> bool:
    """Whether the patch sets to something else what others changed since ``original``."""
    return _clash(patch, three_way_patch({}, current, original, schema))


def _clash(left: Json, right: Json) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return any(_clash(value, right[key]) for key, value in left.items() if key in right and not key.startswith("$"))
    if isinstance(left, list) and isinstance(right, list):
        return any(_clash(one, other) for one, other in zip(left, right, strict=False)) or len(left) != len(right)
    return not deep_equal(left, right)


def _diff_maps(original: Object, modified: Object, current: Object, field_type: Type | None, *, retains: bool) -> Object:
    patch: Object = {}
    for key, wanted in modified.items():
        if key not in current or type(current[key]) is not type(wanted):
            patch[key] = wanted
            continue
        here, before, where = current[key], original.get(key), site(field_type, key)
        if isinstance(wanted, dict) and where.strategy != "replace":
            inner = _diff_maps(before if isinstance(before, dict) else {}, wanted, here, where.type, retains=where.retains)
            if inner:
                patch[key] = inner
        elif isinstance(wanted, list) and where.strategy == "merge":
            patch |= _diff_lists(key, before if isinstance(before, list) else [], wanted, here, where)
        elif not deep_equal(here, wanted):
            patch[key] = wanted
    patch |= {key: None for key in original if key not in modified}
    if retains and _retaining(patch, modified, current):
        patch["$retainKeys"] = sorted(key for key, value in modified.items() if value is not None)
    return patch


def _retaining(patch: Object, modified: Object, current: Object) -> bool:
    """Whether the keys that may stay have to be listed: something changes, or there is a key that mustn't stay."""
    if all(value is None for value in modified.values()):
        return False
    return bool(patch) or any(value is not None and key not in modified for key, value in current.items())


def _diff_lists(key: str, original: list[Json], modified: list[Json], current: list[Json], where: Site) -> Object:
    if any(isinstance(item, dict) for item in (*original, *modified, *current)):
        return _diff_lists_of_maps(key, original, modified, current, where)
    return _diff_lists_of_values(key, original, modified, current)


def _diff_lists_of_values(key: str, original: list[Json], modified: list[Json], current: list[Json]) -> Object:
    items = Items("")
    here, wanted = items.positions(current), items.positions(modified)
    patch: Object = {}
    added = [modified[place] for token, place in wanted.items() if token not in here]
    gone = [original[place] for token, place in items.positions(original).items() if token not in wanted]
    if added:
        patch[key] = added
    if gone:
        patch[f"$deleteFromPrimitiveList/{key}"] = gone
    if modified and (gone or (current and not deep_equal(current, modified))):
        patch[f"$setElementOrder/{key}"] = modified
    return patch


def _diff_lists_of_maps(key: str, original: list[Json], modified: list[Json], current: list[Json], where: Site) -> Object:
    items = Items(where.merge_key)
    before, wanted, here = (_by_token(states, items) for states in (original, modified, current))
    changed: list[Json] = []
    for token, item in wanted.items():
        if token not in here:
            changed.append(item)
            continue
        inner = _diff_maps(before.get(token, {}), item, here[token], where.item_type, retains=where.retains)
        if inner:
            changed.append({**inner, where.merge_key: item[where.merge_key]})
    gone = [{where.merge_key: item[where.merge_key], **_DELETE} for token, item in before.items() if token not in wanted]
    patch: Object = {}
    if changed or gone:
        patch[key] = [*changed, *gone]
    in_order = list(wanted) == list(here)
    if modified and (gone or (current and (changed or not in_order))):
        patch[f"$setElementOrder/{key}"] = [{where.merge_key: item[where.merge_key]} for item in modified]
    return patch


def _by_token(states: list[Json], items: Items) -> dict[tuple[Json, int], Object]:
    """The items by their merge key. Where several share one (a port open for two protocols), the first goes with the first."""
    found: dict[tuple[Json, int], Object] = {}
    count: dict[Json, int] = {}
    for item in states:
        token = items.token(item)
        count[token] = count.get(token, 0) + 1
        found[token, count[token]] = item
    return found
