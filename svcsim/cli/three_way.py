"""The arithmetic of client-side apply: what was applied last, what is applied now and what the server has come to what it should have.

What the user says now holds. What the user said last time and says no longer goes. Everything else (defaults, what controllers and
other people added) stays. Lists whose items have a name are merged item by item; the rest are replaced as a whole.
"""

from svcsim.meta.types import Json, Object

MERGE_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "imagePullSecrets": ("name",),
    "secrets": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "ports": ("containerPort", "port"),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey",),
    "conditions": ("type",),
    "ownerReferences": ("uid",),
    "taints": ("key",),
}
"""Lists of the built-in kinds whose items are told apart by a field: the list's name and the fields that may do it."""


def merge(original: Json, modified: Json, current: Json, name: str = "") -> Json:
    """What the server should have. ``original`` was applied last (None: never), ``name`` is the field this is the value of."""
    if isinstance(modified, dict) and isinstance(current, dict):
        return _merge_maps(original if isinstance(original, dict) else {}, modified, current)
    if isinstance(modified, list) and isinstance(current, list):
        before = original if isinstance(original, list) else []
        key = _merge_key(name, [*before, *modified, *current])
        if key:
            return _merge_items(before, modified, current, key)
    return _without_nulls(modified)


def _merge_maps(original: Object, modified: Object, current: Object) -> Object:
    result = dict(current)
    for field in original:
        if field not in modified:
            result.pop(field, None)
    for field, value in modified.items():
        if value is None:
            result.pop(field, None)
        else:
            result[field] = merge(original.get(field), value, current.get(field), field)
    return result


def _merge_key(name: str, items: list[Json]) -> str:
    for key in MERGE_KEYS.get(name, ()):
        if items and all(isinstance(item, dict) and key in item for item in items):
            return key
    return ""


def _merge_items(original: list[Object], modified: list[Object], current: list[Object], key: str) -> list[Object]:
    before, wanted = ({item[key]: item for item in items} for items in (original, modified))
    here = {item[key]: item for item in current}
    if any(len(items) != len(kept) for items, kept in ((modified, wanted), (current, here))):
        return modified  # the key does not tell them apart after all
    kept = [name for name in here if name in wanted or name not in before]
    merged = {name: merge(before.get(name), item, here.get(name)) for name, item in wanted.items()}
    if [name for name in kept if name in wanted] == [name for name in wanted if name in here]:
        order = kept + [name for name in wanted if name not in here]
    else:
        order = list(wanted) + [name for name in kept if name not in wanted]
    return [merged.get(name, here.get(name, {})) for name in order]


def _without_nulls(value: Json) -> Json:
    if isinstance(value, dict):
        return {field: _without_nulls(item) for field, item in value.items() if item is not None}
    return value
