"""What is done to a pod through its sub-resources: it is put on a node, looked into, resized, evicted."""

from svcsim.kinds.groups import CORE_V1, POLICY_V1
from svcsim.kinds.references import OBJECT_REFERENCE
from svcsim.meta import errors
from svcsim.meta.objects import is_terminating, name_of, set_condition, uid_of
from svcsim.meta.types import GroupKind, GroupResource, Object
from svcsim.registry.kind import Context, Option, Subresource
from svcsim.schema.common import DELETE_OPTIONS
from svcsim.schema.types import Field, Struct

BINDING_BODY = Struct(
    "Binding",
    Field(2, "target", OBJECT_REFERENCE, "The node", required=True),
    doc="Puts a pod on a node",
)
EVICTION_BODY = Struct(
    "Eviction",
    Field(2, "deleteOptions", DELETE_OPTIONS, "How the pod is deleted"),
    doc="Asks for a pod to be deleted, as far as disruption budgets allow",
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
    """Put a pod on a node; 409 if it can't be."""
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


def resize(stored: Object, sent: Object, context: Context) -> Object:  # noqa: ARG001 - a hook's signature
    """The spec is taken from what was sent; the rules of a resize see to it that only resources differ."""
    return {**stored, "spec": sent.get("spec") or {}}


BINDING_SUBRESOURCE = Subresource(
    "binding", verbs=("create",), kind="Binding", group=CORE_V1, body=BINDING_BODY, merge=_bind, update_rules=(), generation=False
)
_CONTAINER = Option("container", doc="The container, if the pod has more than one")
_STREAMS = (
    Option("stdin", "boolean", "Whether to send to the standard input"),
    Option("stdout", "boolean", "Whether to receive the standard output"),
    Option("stderr", "boolean", "Whether to receive the standard error"),
    Option("tty", "boolean", "Whether the container is given a terminal"),
)
_LINES = (
    Option("follow", "boolean", "Go on as lines come"),
    Option("previous", "boolean", "Of the run before, which has ended"),
    Option("timestamps", "boolean", "Begin each line with its time"),
    Option("sinceSeconds", "integer", "Only lines as old as this at the most"),
    Option("sinceTime", doc="Only lines since this moment"),
    Option("tailLines", "integer", "So many of the last lines"),
    Option("limitBytes", "integer", "So many bytes at the most"),
    Option("stream", doc="All, Stdout or Stderr"),
)

ATTACH = Subresource("attach", verbs=("create", "get"), kind="PodAttachOptions", handler="connect", options=(_CONTAINER, *_STREAMS))
EXEC = Subresource(
    "exec",
    verbs=("create", "get"),
    kind="PodExecOptions",
    handler="connect",
    options=(Option("command", doc="What to run; once for each word", many=True), _CONTAINER, *_STREAMS),
)
LOG = Subresource("log", verbs=("get",), handler="get", options=(_CONTAINER, *_LINES))
PORT_FORWARD = Subresource(
    "portforward",
    verbs=("create", "get"),
    kind="PodPortForwardOptions",
    handler="connect",
    options=(Option("ports", "integer", "The port; once for each", many=True),),
)
EVICTION = Subresource("eviction", verbs=("create",), kind="Eviction", group=POLICY_V1, body=EVICTION_BODY, deletes=True)
