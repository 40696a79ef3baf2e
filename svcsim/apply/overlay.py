"""A partial object laid over a whole one as server-side apply merges them, without any ownership: by an admission policy.

What merges as a whole can't be changed in part, and a policy that tries to may not know that the rest would be lost: that is refused.
"""

from collections.abc import Iterator

from svcsim.apply.topology import Items, Mapping, Node
from svcsim.apply.typed import RepeatedError, fields_of, merge
from svcsim.meta.types import Json, Object


class OverlayError(Exception):
    """A partial object that can't be laid over anything; the text says why."""


def overlaid(node: Node, whole: Object, partial: Object) -> Object:
    """The whole object with all that the partial one says. Raises `OverlayError`."""
    try:
        fields_of(node, partial, strict=True)
    except RepeatedError as error:
        raise OverlayError(f"failed to convert patch object to typed object: {error.told}") from None
    atomic = list(_atomic(node, partial, ""))
    if atomic:
        raise OverlayError(f"invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {', '.join(atomic)}")
    merged: Object = merge(node, whole, partial)
    return merged


def _atomic(node: Node, value: Json, path: str) -> Iterator[str]:
    """Where the value holds something that merges as a whole."""
    if isinstance(value, dict):
        if not isinstance(node, Mapping):
            yield path
            return
        for name, part in value.items():
            yield from _atomic(node.child(name), part, f"{path}.{name}")
    elif isinstance(value, list):
        if node.parts(value) is None:
            if isinstance(node, Items):
                keys = ", ".join(f'"{key}"' for key in node.keys)
                why = f"associative list with keys has an element that omits key field {keys} (and doesn't have default value)"
                raise OverlayError(f"failed to convert patch object to typed object: {path}: {why}")
            yield path
            return
        for index, item in enumerate(value):
            for below, part in (node.parts([item]) or {}).values():
                yield from _atomic(below, part, f"{path}[{index}]")
