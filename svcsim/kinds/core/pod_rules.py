"""What makes a Pod right beyond what its spec says of itself, and what may change once it exists.

That is little, and some of it only through a subresource of its own.
"""

from collections.abc import Iterator

from svcsim.kinds.core.pod_qos import qos_class
from svcsim.kinds.shared.checks import MAX_INT32
from svcsim.kinds.shared.pod_spec.spec import POD_SPEC
from svcsim.kinds.shared.pod_spec.volume_rules import ephemeral_claim_names
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object
from svcsim.registry.kind import Context
from svcsim.schema.go_diff import go_diff

_CHANGEABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_RESIZABLE = ("cpu", "memory")


def pod_rules(pod: Object, context: Context) -> Iterator[FieldError]:
    spec = pod.get("spec") or {}
    if spec.get("schedulingGates") and spec.get("nodeName"):
        yield forbidden_field("spec.nodeName", "cannot be set until all schedulingGates have been cleared")
    yield from ephemeral_claim_names(pod)


def pod_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What an update of the pod itself may not change."""
    spec, before = new["spec"], old["spec"]
    if spec == before:
        return
    stopped = False
    for name in ("containers", "initContainers"):
        if len(spec.get(name) or ()) != len(before.get(name) or ()):
            yield forbidden_field(f"spec.{name}", "pod updates may not add or remove containers")
            stopped = True
    if stopped:
        return
    yield from _deadline_changes(spec, before)
    yield from _toleration_changes(spec, before)
    yield from _gate_changes(spec, before)
    if before.get("schedulingGates"):
        yield from _selector_changes(spec, before)
    yield from _other_changes(spec, before)


def _deadline_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    path = "spec.activeDeadlineSeconds"
    wanted, held = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if wanted is None:
        if held is not None:
            yield invalid_value(path, None, "must not update from a positive integer to nil value")
    elif not 0 <= wanted <= MAX_INT32:
        yield invalid_value(path, wanted, f"must be between 0 and {MAX_INT32}, inclusive")
    elif held is not None and wanted > held:
        yield invalid_value(path, wanted, "must be less than or equal to previous value")


def _without_seconds(toleration: Object) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in toleration.items() if name != "tolerationSeconds"))


def _toleration_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    wanted = frozenset(_without_seconds(item) for item in spec.get("tolerations") or ())
    if any(_without_seconds(item) not in wanted for item in before.get("tolerations") or ()):
        yield forbidden_field("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")


def _gate_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    held = frozenset(gate.get("name") for gate in before.get("schedulingGates") or ())
    for gate in spec.get("schedulingGates") or ():
        if gate.get("name") not in held:
            detail = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            yield forbidden_field("spec.schedulingGates", detail)


def _selector_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    """While gates keep a pod from being scheduled, its choice of nodes may be narrowed."""
    wanted, held = spec.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if any(wanted.get(key) != value for key, value in held.items()):
        yield invalid_value("spec.nodeSelector", wanted, "only additions to spec.nodeSelector are allowed (no mutations or deletions)")


def _other_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    """Everything that no other rule has looked at."""
    rest = copy_json(spec)
    for name in ("containers", "initContainers"):
        for container, held in zip(rest.get(name) or (), before.get(name) or (), strict=True):
            container["image"] = held.get("image")
    _copy_fields(rest, before, "activeDeadlineSeconds", "tolerations", "schedulingGates")
    if before.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        _copy_fields(rest, before, "terminationGracePeriodSeconds")
    if before.get("schedulingGates"):
        _copy_fields(rest, before, "nodeSelector")
    if rest != before:
        yield forbidden_field("spec", f"pod updates may not change fields other than {_CHANGEABLE}\n{go_diff(POD_SPEC, before, rest)}")


def _copy_fields(target: Object, source: Object, *names: str) -> None:
    for name in names:
        target.pop(name, None)
        if name in source:
            target[name] = source[name]


def ephemeral_container_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Ephemeral containers can only be added."""
    path = "spec.ephemeralContainers"
    wanted = {item.get("name"): item for item in new["spec"].get("ephemeralContainers") or ()}
    for held in old["spec"].get("ephemeralContainers") or ():
        name = held.get("name")
        if name not in wanted:
            yield forbidden_field(path, f'existing ephemeral containers "{name}" may not be removed\n')
        elif wanted[name] != held:
            yield forbidden_field(path, f'existing ephemeral containers "{name}" may not be changed\n')


def _without_amounts(resources: Object | None) -> Object:
    """Resources without what a resize may change."""
    rest: Object = {}
    for part, amounts in (resources or {}).items():
        rest_amounts = {name: value for name, value in amounts.items() if name not in _RESIZABLE} if isinstance(amounts, dict) else amounts
        if rest_amounts:
            rest[part] = rest_amounts
    return rest


def _amounts(resources: Object | None, part: str) -> list[str]:
    return [name for name in _RESIZABLE if name in ((resources or {}).get(part) or {})]


def resize_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """A resize changes amounts of cpu and memory, and nothing else; none may vanish."""
    rest, before = copy_json(new["spec"]), old["spec"]
    if len(rest.get("containers") or ()) != len(before.get("containers") or ()):
        yield forbidden_field("spec", "only cpu and memory resources are mutable")
        return
    for index, (container, held) in enumerate(zip(rest.get("containers") or (), before.get("containers") or (), strict=True)):
        for part in ("limits", "requests"):
            gone = [name for name in _amounts(held.get("resources"), part) if name not in _amounts(container.get("resources"), part)]
            if gone:
                yield forbidden_field(f"spec.containers[{index}].resources.{part}", f"resource {part} cannot be removed")
        if _without_amounts(container.get("resources")) == _without_amounts(held.get("resources")):
            _copy_fields(container, held, "resources")
    if qos_class(new["spec"]) != qos_class(before):
        yield invalid_value("spec", qos_class(new["spec"]), "Pod QOS Class may not change as a result of resizing")
    if rest != before:
        yield forbidden_field("spec", "only cpu and memory resources are mutable")
