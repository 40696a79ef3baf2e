"""Strategic merge patch: a patch that looks like the object, and knows from the schema how its lists merge.

Maps merge key by key and null takes a key away, as in a JSON merge patch. A list whose field has a merge key, or the patch strategy
``merge``, is merged item by item; other lists are replaced. Directives say what a plain merge can't:

- ``$patch: replace`` or ``delete`` in a map: take the rest of it instead of the present one, or empty it; in an item of a merged list:
  replace the whole list, or take the item with that key away;
- ``$retainKeys: [...]``: keys of the map that may stay, for unions of which one member replaces another;
- ``$deleteFromPrimitiveList/NAME: [...]``: values to take from the list ``NAME``;
- ``$setElementOrder/NAME: [...]``: the order of the items of ``NAME`` that the patch's author knows of.
"""

from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.types import Json, Object
from svcsim.schema.element_order import Items, by_presence, interleaved, spelled, unfit
from svcsim.schema.merge_site import Site, site
from svcsim.schema.types import Struct, Type

_PATCH = "$patch"
_RETAIN_KEYS = "$retainKeys"
_DELETE_FROM = "$deleteFromPrimitiveList"
_SET_ORDER = "$setElementOrder"


def strategic_merge(original: Object, patch: Object, schema: Struct) -> Object:
    """The object as the patch wants it. Neither is changed; the result shares what stayed the same with them.

    `StatusError` 400 for directives of the wrong form, 422 for a patch that doesn't fit the object.
    """
    return _merge_map(original, patch, schema)


def _merge_map(original: Object, patch: Object, field_type: Type | None) -> Object:
    if _PATCH in patch:
        return _directed(patch)
    changes = {key: value for key, value in patch.items() if key != _RETAIN_KEYS and not key.startswith(_SET_ORDER)}
    merged = _retained(original, patch[_RETAIN_KEYS], changes) if _RETAIN_KEYS in patch else dict(original)
    for key, order in patch.items():
        if key.startswith(_SET_ORDER):
            name = _list_named(key, _SET_ORDER, "setElementOrder list")
            _merge_ordered(merged, changes, name, order, site(field_type, name))
    for key, wanted in changes.items():
        if key.startswith(_DELETE_FROM):
            _delete_from(merged, _list_named(key, _DELETE_FROM, "primitive list"), wanted)
        elif wanted is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge_value(merged.get(key), wanted, site(field_type, key))
    return merged


def _directed(patch: Object) -> Object:
    directive = patch[_PATCH]
    if directive == "replace":
        return {key: _fresh(value) for key, value in patch.items() if key != _PATCH and value is not None}
    if directive == "delete":
        return {}
    raise _unknown_directive(directive, patch)


def _merge_value(current: Json, wanted: Json, where: Site) -> Json:
    if isinstance(current, dict) and isinstance(wanted, dict):
        return _merge_map(current, wanted, where.type) if where.strategy != "replace" else _fresh(wanted)
    if isinstance(current, list) and isinstance(wanted, list) and where.strategy == "merge":
        return _merge_list(current, wanted, where)
    return _fresh(wanted)


def _fresh(value: Json) -> Json:
    """What a patch puts where nothing comparable was: nothing to merge with, so nulls and directives have done their work."""
    if isinstance(value, dict):
        if value.get(_PATCH) == "delete":
            return {}
        return {key: _fresh(item) for key, item in value.items() if item is not None and not _is_directive(key)}
    if isinstance(value, list):
        return [_fresh(item) for item in value if not (isinstance(item, dict) and _PATCH in item)]
    return value


def _is_directive(key: str) -> bool:
    return key.startswith("$") and (key in {_PATCH, _RETAIN_KEYS} or key.startswith((_DELETE_FROM, _SET_ORDER)))


def _list_named(directive: str, prefix: str, what: str) -> str:
    """The list that ``$prefix/NAME`` is about."""
    head, slash, name = directive.partition("/")
    if head != prefix or not slash:
        raise bad_request(f"invalid patch format of {what}")
    return name


def _retained(original: Object, keys: Json, changes: Object) -> Object:
    if not isinstance(keys, list):
        raise bad_request("invalid patch format of retainKeys")
    kept = [key for key in keys if isinstance(key, str)]
    if any(value is not None and not key.startswith(_DELETE_FROM) and key not in kept for key, value in changes.items()):
        raise bad_request("invalid patch format of retainKeys")
    return {key: value for key, value in original.items() if key in kept}


def _delete_from(merged: Object, name: str, unwanted: Json) -> None:
    current = merged.get(name)
    if not isinstance(current, list) or not isinstance(unwanted, list):
        return
    if _are_maps(current, unwanted):
        raise unfit("invalid use of $deleteFromPrimitiveList directive on map elements")
    items = Items("")
    gone = items.positions(unwanted)
    merged[name] = [item for item in current if items.token(item) not in gone]


def _merge_list(current: list[Json], wanted: list[Json], where: Site) -> list[Json]:
    if not current and not wanted:
        return current
    items = Items(where.merge_key)
    if not _are_maps(current, wanted):
        live, merged = current, _first_of_each(current + wanted, items)
    else:
        if not items.key:
            raise unfit("cannot merge lists without merge key")
        live, wanted = _follow_directives(current, wanted, items)
        merged = _merge_items(live, wanted, items, where)
    mine, others = by_presence(merged, wanted, items)
    return interleaved(mine, others, wanted, live, items)


def _first_of_each(values: list[Json], items: Items) -> list[Json]:
    found: dict[Json, Json] = {}
    for value in values:
        found.setdefault(items.token(value), value)
    return list(found.values())


def _follow_directives(current: list[Json], wanted: list[Json], items: Items) -> tuple[list[Json], list[Json]]:
    """The list to merge into and the items to merge, once items that are directives have been followed."""
    plain = [item for item in wanted if _PATCH not in item]
    gone: dict[Json, None] = {}
    replaced = False
    for item in wanted:
        directive = item.get(_PATCH)
        if directive == "delete":
            gone[items.token(item)] = None
        elif directive == "replace":
            replaced = True
        elif directive == "merge":
            raise unfit("merging lists cannot yet be specified in the patch")
        elif _PATCH in item:
            raise _unknown_directive(directive, item)
    if replaced:
        return [_fresh(item) for item in plain], []
    return [item for item in current if items.key not in item or items.token(item) not in gone], plain


def _merge_items(current: list[Json], wanted: list[Json], items: Items, where: Site) -> list[Json]:
    merged = list(current)
    places = items.positions(merged)
    for item in wanted:
        place = places.setdefault(items.token(item), len(merged))
        if place == len(merged):
            merged.append(_fresh(item))
        else:
            merged[place] = _merge_map(merged[place], item, where.item_type)
    return merged


def _merge_ordered(merged: Object, changes: Object, name: str, order: Json, where: Site) -> None:
    """Merge a list whose order the patch tells, and take it out of the changes still to be made."""
    current, wanted = merged.get(name), changes.get(name)
    for value in (order, current, wanted):
        if value is not None and not isinstance(value, list):
            raise unfit(f"expected a list for {name}, but received {spelled(value)}")
    if order is None:
        raise bad_request("invalid patch format of setElementOrder list")
    items = Items(where.merge_key)
    _check_order(wanted or [], order, items)
    if current is None and wanted is None:
        return
    changes.pop(name, None)
    together = _merge_value(current, wanted, where) if wanted is not None else current or []
    mine, others = by_presence(together, order, items)
    merged[name] = interleaved(mine, others, order, current or [], items)


def _check_order(wanted: list[Json], order: list[Json], items: Items) -> None:
    """The items of a patch must stand in the order it tells itself."""
    if not order or not wanted:
        return
    remaining = iter(order)
    for item in wanted:
        if isinstance(item, dict) and _PATCH in item:
            continue
        token = items.token(item)
        if not any(items.token(known) == token for known in remaining):
            raise unfit(f"The order in patch list:\n{spelled(wanted)}\n doesn't match {_SET_ORDER} list:\n{spelled(order)}\n")


def _are_maps(current: list[Json], wanted: list[Json]) -> bool:
    """Whether the items are maps; they must all be, or none."""
    both = current + wanted
    if any(isinstance(item, list) for item in both):
        raise unfit("lists of lists are not supported")
    maps = [isinstance(item, dict) for item in both]
    if any(maps) and not all(maps):
        raise unfit("list element types are not identical")
    return bool(maps) and maps[0]


def _unknown_directive(directive: Json, where: Object) -> StatusError:
    return unfit(f"unknown patch type: {directive} in map: {spelled(where)}")
