"""What makes a Pod right beyond what its spec says of itself, and what may change once it exists.

That is little, and some of it only through a subresource of its own.
"""

from collections.abc import Iterator

from svcsim.kinds.core.pod_annotation_rules import annotation_changes, annotation_rules, annotations_fit_fields, mirror
from svcsim.kinds.shared.checks import MAX_INT32
from svcsim.kinds.shared.copied_fields import copy_fields, copy_node_affinity
from svcsim.kinds.shared.pod_spec.container_rules import image_trimmed
from svcsim.kinds.shared.pod_spec.spec import POD_SPEC
from svcsim.kinds.shared.pod_spec.volume_rules import ephemeral_claim_names
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.objects import annotations_of, copy_json, get_path
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.registry.kind import Context
from svcsim.schema.go_diff import go_diff

_CHANGEABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_REQUIRED_TERMS = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def pod_rules(pod: Object, context: Context) -> Iterator[FieldError]:
    """What holds for pods beyond what holds for templates of them."""
    yield from annotation_rules(pod, context)
    for part in ("containers", "initContainers"):
        for index, container in enumerate(pod["spec"].get(part) or ()):
            yield from image_trimmed(container, f"spec.{part}[{index}]")


def rules_of_new(pod: Object, context: Context) -> Iterator[FieldError]:
    spec = pod["spec"]
    if spec.get("ephemeralContainers"):
        yield forbidden_field("spec.ephemeralContainers", "cannot be set on create")
    if spec.get("schedulingGates") and spec.get("nodeName"):
        yield forbidden_field("spec.nodeName", "cannot be set until all schedulingGates have been cleared")
    yield from annotations_fit_fields(pod, context)
    yield from ephemeral_claim_names(pod)


def pod_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What an update of the pod itself may not change."""
    yield from annotation_changes(new, old, context)
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
        yield from _affinity_changes(spec, before)
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
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        if gate.get("name") not in held:
            detail = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            yield forbidden_field(f"spec.schedulingGates[{index}].name", detail)


def _selector_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    """While gates keep a pod from being scheduled, its choice of nodes may be narrowed."""
    wanted, held = spec.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if any(wanted.get(key) != value for key, value in held.items()):
        yield invalid_value("spec.nodeSelector", wanted, "only additions to spec.nodeSelector are allowed (no mutations or deletions)")


def _affinity_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    """So may its required nodes be: requirements may join those of a term, and no other term that it could do with instead."""
    held, wanted = get_path(before, _REQUIRED_TERMS) or [], get_path(spec, _REQUIRED_TERMS) or []
    if held and len(held) != len(wanted):
        yield invalid_value(f"spec.{_REQUIRED_TERMS}", wanted, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
        return
    for index, (term, was) in enumerate(zip(wanted, held, strict=False)):
        if not _only_adds(term, was):
            yield invalid_value(f"spec.{_REQUIRED_TERMS}[{index}]", term, "only additions are allowed (no mutations or deletions)")


def _only_adds(term: Object, was: Object) -> bool:
    """An empty term matches nothing, and goes on so."""
    parts = ("matchExpressions", "matchFields")
    if not any(was.get(part) for part in parts):
        return not any(term.get(part) for part in parts)
    return all((term.get(part) or [])[: len(was.get(part) or ())] == (was.get(part) or []) for part in parts)


def _other_changes(spec: Object, before: Object) -> Iterator[FieldError]:
    """Everything that no other rule has looked at."""
    rest = copy_json(spec)
    for name in ("containers", "initContainers"):
        for container, held in zip(rest.get(name) or (), before.get(name) or (), strict=True):
            container["image"] = held.get("image")
    copy_fields(rest, before, "activeDeadlineSeconds", "tolerations", "schedulingGates")
    if before.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        copy_fields(rest, before, "terminationGracePeriodSeconds")
    if before.get("schedulingGates"):
        copy_fields(rest, before, "nodeSelector")
        copy_node_affinity(rest, before)
    if rest != before:
        yield forbidden_field("spec", f"pod updates may not change fields other than {_CHANGEABLE}\n{go_diff(POD_SPEC, before, rest)}")


def ephemeral_container_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Ephemeral containers can only be added."""
    path = "spec.ephemeralContainers"
    if mirror(context.dialect) in annotations_of(old):
        yield forbidden_field("[]", "static pods do not support ephemeral containers")
        return
    wanted = {item.get("name"): item for item in new["spec"].get("ephemeralContainers") or ()}
    for held in old["spec"].get("ephemeralContainers") or ():
        name = held.get("name")
        if name not in wanted:
            yield forbidden_field(path, f"existing ephemeral containers {quoted(name)} may not be removed\n")
        elif wanted[name] != held:
            yield forbidden_field(path, f"existing ephemeral containers {quoted(name)} may not be changed\n")
