"""Amounts that a pod asks for of a container that it has none of (``resourceFieldRef``), which its node can't tell."""

from collections.abc import Iterable, Iterator

from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object


def unknown_in_environments(spec: Object) -> dict[str, str]:
    """What is wrong with environments, by the names of their containers."""
    return {
        container["name"]: wrong
        for container in containers_of(spec)
        for wrong in _unknown(spec, (variable.get("valueFrom") or {} for variable in container.get("env") or ()))[:1]
    }


def unknown_in_volumes(spec: Object) -> dict[str, list[str]]:
    """All that is wrong with volumes, by their names."""
    return {volume["name"]: wrong for volume in spec.get("volumes") or () if (wrong := _unknown(spec, _items(volume)))}


def _items(volume: Object) -> Iterator[Object]:
    for source in (volume, *((volume.get("projected") or {}).get("sources") or ())):
        yield from (source.get("downwardAPI") or {}).get("items") or ()


def _unknown(spec: Object, parts: Iterable[Object]) -> list[str]:
    """What is wrong with parts, in their order."""
    asked = ((part.get("resourceFieldRef") or {}).get("containerName") or "" for part in parts)
    known = {container["name"] for field in ("initContainers", "containers") for container in spec.get(field) or ()}
    return [f"container {name} not found" for name in asked if name and name not in known]
