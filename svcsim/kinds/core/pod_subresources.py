"""Subresources of pods: binding to a node, eviction, logs, connections into containers, ephemeral containers, resize."""

from svcsim.kinds.core.pod_subresource_strategy import bind
from svcsim.kinds.groups import CORE_V1, POLICY_V1, POLICY_V1BETA1
from svcsim.kinds.shared.proxy import proxy
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.registry.kind import Option, Subresource
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


RESIZABLE = tuple(
    f"spec.{containers}[*].{name}" for containers in ("containers", "initContainers") for name in ("resources", "resizePolicy")
)


BINDING_SUBRESOURCE = Subresource(
    "binding", verbs=("create",), kind="Binding", group=CORE_V1, body=BINDING_BODY, merge=bind, update_rules=(), generation=False
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
    Option("insecureSkipTLSVerifyBackend", "boolean", "Whether to trust any certificate of the node"),
    Option("pretty", doc="Indent JSON answers; a log is none"),
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
PROXY = proxy("PodProxyOptions")
EVICTION = Subresource(
    "eviction", verbs=("create",), kind="Eviction", group=POLICY_V1, earlier=(POLICY_V1BETA1,), body=EVICTION_BODY, deletes=True
)
