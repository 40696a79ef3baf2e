"""What may change when a pod is resized: amounts of cpu and memory, of containers and of sidecars."""

from collections.abc import Iterator

from svcsim.kinds.core.pod_annotation_rules import mirror
from svcsim.kinds.core.pod_qos import qos_class
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.objects import annotations_of, get_path
from svcsim.meta.pods import is_sidecar
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_RESIZABLE = ("cpu", "memory")
_ONLY = "only cpu and memory resources are mutable"


def resize_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Whether a pod can be resized at all, and so."""
    spec, before = new["spec"], old["spec"]
    if mirror(context.dialect) in annotations_of(old):
        yield forbidden_field("[]", "static pods cannot be resized")
        return
    if get_path(before, "os.name") == "windows":
        yield forbidden_field("[]", "windows pods cannot be resized")
        return
    if qos_class(spec) != qos_class(before):
        yield invalid_value("spec", qos_class(spec), "Pod QOS Class may not change as a result of resizing")
    if not _node_can_resize(old):
        yield forbidden_field("spec", "Pod running on node without support for resize")
    for part in ("initContainers", "containers"):
        for index, (container, held) in enumerate(zip(spec.get(part) or (), before.get(part) or (), strict=True)):
            if part == "containers" or is_sidecar(held):
                yield from _nothing_vanishes(container, held, f"spec.{part}[{index}].resources")
    for part in ("containers", "initContainers"):
        for container, held in zip(spec.get(part) or (), before.get(part) or (), strict=True):
            yield from _only_amounts(container, held, part)


def _node_can_resize(pod: Object) -> bool:
    """As far as that is known: a node that can tells what its containers have."""
    running = [one for one in get_path(pod, "status.containerStatuses") or () if get_path(one, "state.running") is not None]
    return not running or running[0].get("resources") is not None


def _nothing_vanishes(container: Object, held: Object, path: str) -> Iterator[FieldError]:
    for part in ("requests", "limits"):
        before, after = get_path(held, f"resources.{part}") or {}, get_path(container, f"resources.{part}") or {}
        if any(name not in after for name in before):
            yield forbidden_field(f"{path}.{part}", f"resource {part} cannot be removed")


def _only_amounts(container: Object, held: Object, part: str) -> Iterator[FieldError]:
    if part == "initContainers" and not is_sidecar(held):
        if container != held:
            yield forbidden_field("spec", "resources for non-sidecar init containers are immutable")
    elif _without_amounts(container) != _without_amounts(held):
        yield forbidden_field("spec", _ONLY if part == "containers" else "only cpu and memory resources for sidecar containers are mutable")


def _without_amounts(container: Object) -> Object:
    """A container without what a resize may change."""
    rest: Object = {}
    for part, amounts in (container.get("resources") or {}).items():
        others = {name: value for name, value in amounts.items() if name not in _RESIZABLE} if isinstance(amounts, dict) else amounts
        if others:
            rest[part] = others
    return {**container, "resources": rest}
