"""Subresources of pods: binding to a node, eviction, logs, connections into containers, ephemeral containers, resize."""

from svcsim.kinds.groups import CORE_V1, POLICY_V1
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.meta import errors
from svcsim.meta.objects import is_terminating, name_of, set_condition, uid_of
from svcsim.meta.types import GroupKind, GroupResource, Object
from svcsim.registry.kind import Context, Option, Subresource
from svcsim.schema.common import DELETE_OPTIONS
from svcsim.schema.types import Field, Struct

BINDING_BODY = Struct(
    "Binding",
    Field(2, "target", OBJECT_REFERENCE, "The node to which the pod is assigned", required=True, default={}),
    doc="Assigns a pod to a node",
)
EVICTION_BODY = Struct(
    "Eviction",
    Field(2, "deleteOptions", DELETE_OPTIONS, "Options for the deletion of the pod"),
    doc="Requests that a pod be deleted, if disruption budgets allow it",
)
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


def _bind(pod: Object, binding: Object, context: Context) -> Object:
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
        raise errors.conflict(_BINDINGS, name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise errors.conflict(_BINDINGS, name, f"pod {name} has non-empty .spec.schedulingGates")
    spec["nodeName"] = node
    if sent.get("annotations"):
        metadata = pod["metadata"]
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **sent["annotations"]}
    status = pod.setdefault("status", {})
    status.pop("nominatedNodeName", None)
    set_condition(status.setdefault("conditions", []), {"type": "PodScheduled", "status": "True"}, context.timestamp)
    return pod


RESIZABLE = tuple(
    f"spec.{containers}[*].{name}" for containers in ("containers", "initContainers") for name in ("resources", "resizePolicy")
)


def resize(stored: Object, sent: Object, context: Context) -> Object:
    """What was sent, of which the resources are written; 422 if its containers aren't those of the pod, one after the other."""
    for containers in ("containers", "initContainers"):
        before, after = ([item.get("name") for item in (obj.get("spec") or {}).get(containers) or ()] for obj in (stored, sent))
        if before != after:
            finding = errors.forbidden_field("spec", "only cpu and memory resources are mutable")
            raise errors.invalid(GroupKind("", "Pod"), name_of(stored), [finding])
    return sent


BINDING_SUBRESOURCE = Subresource(
    "binding", verbs=("create",), kind="Binding", group=CORE_V1, body=BINDING_BODY, merge=_bind, update_rules=(), generation=False
)
_CONTAINER = Option("container", doc="Name of the container; needed if the pod has more than one")
_STREAMS = (
    Option("stdin", "boolean", "Whether to send to the standard input of the container"),
    Option("stdout", "boolean", "Whether to receive the standard output of the container"),
    Option("stderr", "boolean", "Whether to receive the standard error of the container"),
    Option("tty", "boolean", "Whether to allocate a terminal"),
)
_LINES = (
    Option("follow", "boolean", "Whether to keep the connection open and send new lines as they are written"),
    Option("previous", "boolean", "Whether to send the log of the previous, terminated run of the container"),
    Option("timestamps", "boolean", "Whether to begin each line with the time at which it was written"),
    Option("sinceSeconds", "integer", "Send only lines that are at most this many seconds old"),
    Option("sinceTime", doc="Send only lines written after this time (RFC 3339)"),
    Option("tailLines", "integer", "Send only this many lines, counted from the end of the log"),
    Option("limitBytes", "integer", "Send at most this many bytes"),
    Option("stream", doc="Which stream to send: All, Stdout or Stderr"),
)

ATTACH = Subresource("attach", verbs=("create", "get"), kind="PodAttachOptions", handler="connect", options=(_CONTAINER, *_STREAMS))
EXEC = Subresource(
    "exec",
    verbs=("create", "get"),
    kind="PodExecOptions",
    handler="connect",
    options=(Option("command", doc="Command to run; given once for each of its words", many=True), _CONTAINER, *_STREAMS),
)
LOG = Subresource("log", verbs=("get",), handler="get", options=(_CONTAINER, *_LINES))
PORT_FORWARD = Subresource(
    "portforward",
    verbs=("create", "get"),
    kind="PodPortForwardOptions",
    handler="connect",
    options=(Option("ports", "integer", "Port to forward; given once for each port", many=True),),
)
EVICTION = Subresource("eviction", verbs=("create",), kind="Eviction", group=POLICY_V1, body=EVICTION_BODY, deletes=True)
