"""What binding and resizing make of a pod."""

from svcsim.meta import errors
from svcsim.meta.objects import is_terminating, name_of, uid_of
from svcsim.meta.pods import replace_pod_condition
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind, GroupResource, Object
from svcsim.registry.kind import Context

_BINDINGS = GroupResource("", "pods/binding")


def _check_binding(binding: Object, name: str) -> str:
    """The node's name; 422 if the binding names none."""
    target = binding.get("target") or {}
    found: list[errors.FieldError] = []
    if target.get("kind") not in (None, "", "Node"):
        found.append(errors.unsupported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        found.append(errors.required("target.name"))
    if found:
        raise errors.invalid(GroupKind("", "Binding"), name, found)
    node: str = target["name"]
    return node


def bind(pod: Object, binding: Object, context: Context) -> Object:
    """Assign a pod to a node; 409 if it can't be."""
    name = name_of(pod)
    node = _check_binding(binding, name)
    sent = binding.get("metadata") or {}
    if sent.get("uid") and sent["uid"] != uid_of(pod):
        why = f"Precondition failed: UID in precondition: {sent['uid']}, UID in object meta: {uid_of(pod)}"
        raise errors.conflict(_BINDINGS, name, why)
    spec = pod["spec"]
    if is_terminating(pod):
        raise errors.conflict(_BINDINGS, name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise errors.conflict(_BINDINGS, name, f"pod {name} is already assigned to node {quoted(spec['nodeName'])}")
    if spec.get("schedulingGates"):
        raise errors.conflict(_BINDINGS, name, f"pod {name} has non-empty .spec.schedulingGates")
    metadata = pod["metadata"]
    if sent.get("annotations"):
        metadata = {**metadata, "annotations": {**(metadata.get("annotations") or {}), **sent["annotations"]}}
    status = {name: value for name, value in (pod.get("status") or {}).items() if name != "nominatedNodeName"}
    conditions = status["conditions"] = list(status.get("conditions") or ())
    replace_pod_condition(pod, conditions, {"type": "PodScheduled", "status": "True"}, context.timestamp)
    return {**pod, "metadata": metadata, "spec": {**spec, "nodeName": node}, "status": status}


def resize(stored: Object, sent: Object, context: Context) -> Object:
    """What was sent, of which the resources are written; 422 if its containers aren't those of the pod, one after the other."""
    for containers in ("containers", "initContainers"):
        before, after = ([item.get("name") for item in (obj.get("spec") or {}).get(containers) or ()] for obj in (stored, sent))
        if before != after:
            finding = errors.forbidden_field("spec", "only cpu and memory resources are mutable")
            raise errors.invalid(GroupKind("", "Pod"), name_of(stored), [finding])
    return sent
