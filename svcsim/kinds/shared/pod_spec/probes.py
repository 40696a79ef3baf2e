"""Probes and lifecycle hooks: what the node agent does with a container, and when."""

from svcsim.kinds.shared.checks import not_negative, one_of, port, port_number_or_name, positive
from svcsim.kinds.shared.pod_spec.probe_rules import command_needed, header_names, hook_rules, probe_rules
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import URI_SCHEME
from svcsim.schema.types import Field, Int, IntOrString, List, Str, Struct

EXEC_ACTION = Struct(
    "ExecAction",
    Field(1, "command", STRINGS, "Command and its arguments; it does not run in a shell"),
    rules=(command_needed,),
    doc="Runs a command in the container; exit code 0 means success",
)
HTTP_HEADER = Struct(
    "HTTPHeader",
    Field(1, "name", Str(), "Name of the header", required=True),
    Field(2, "value", Str(), "Value of the header", required=True),
    doc="A header of an HTTP request",
)
HTTP_GET_ACTION = Struct(
    "HTTPGetAction",
    Field(1, "path", Str(), "Path to request", default="/"),
    Field(2, "port", IntOrString(), "Number or name of the port", required=True, rules=(port_number_or_name,)),
    Field(3, "host", Str(), "Host to connect to; the address of the pod if unset"),
    Field(4, "scheme", URI_SCHEME, "Scheme of the request", default="HTTP", rules=(one_of(*URI_SCHEME.values),)),
    Field(5, "httpHeaders", List(HTTP_HEADER, list_type="atomic"), "Headers to send with the request", rules=(header_names,)),
    doc="Sends an HTTP GET request; status codes from 200 to 399 mean success",
)
TCP_SOCKET_ACTION = Struct(
    "TCPSocketAction",
    Field(1, "port", IntOrString(), "Number or name of the port", required=True, rules=(port_number_or_name,)),
    Field(2, "host", Str(), "Host to connect to; the address of the pod if unset"),
    doc="Opens a TCP connection; an accepted connection means success",
)
GRPC_ACTION = Struct(
    "GRPCAction",
    Field(1, "port", Int(), "Number of the port", required=True, rules=(port,)),
    Field(2, "service", Str(), "Name of the service in the health check", default="", presence=True),
    doc="Makes a gRPC health check",
)
PROBE_HANDLER = Struct(
    "ProbeHandler",
    Field(1, "exec", EXEC_ACTION, "Run a command in the container"),
    Field(2, "httpGet", HTTP_GET_ACTION, "Send an HTTP GET request"),
    Field(3, "tcpSocket", TCP_SOCKET_ACTION, "Open a TCP connection"),
    Field(4, "grpc", GRPC_ACTION, "Make a gRPC health check"),
    doc="Action of a probe; exactly one of these is set",
)
PROBE = Struct(
    "Probe",
    Field(1, "handler", PROBE_HANDLER, inline=True),
    Field(2, "initialDelaySeconds", Int(), "Seconds to wait after the start before the first probe", presence=False, rules=(not_negative,)),
    Field(3, "timeoutSeconds", Int(), "Seconds after which a probe counts as failed", default=1, presence=False, rules=(not_negative,)),
    Field(4, "periodSeconds", Int(), "Seconds between probes", default=10, presence=False, rules=(not_negative,)),
    Field(
        5,
        "successThreshold",
        Int(),
        "Successes in a row after which a failed probe counts as recovered",
        default=1,
        presence=False,
        rules=(not_negative,),
    ),
    Field(
        6,
        "failureThreshold",
        Int(),
        "Failures in a row after which the probe counts as failed",
        default=3,
        presence=False,
        rules=(not_negative,),
    ),
    Field(
        7,
        "terminationGracePeriodSeconds",
        Int(bits=64),
        "Seconds that the container gets to stop after this probe failed; those of the pod if unset",
        rules=(positive,),
    ),
    rules=(probe_rules,),
    doc="A check of a container that is made periodically",
)
SLEEP_ACTION = Struct(
    "SleepAction",
    Field(1, "seconds", Int(bits=64), "Seconds to sleep", required=True),
    doc="Sleeps for some seconds",
)
LIFECYCLE_HANDLER = Struct(
    "LifecycleHandler",
    Field(1, "exec", EXEC_ACTION, "Run a command in the container"),
    Field(2, "httpGet", HTTP_GET_ACTION, "Send an HTTP GET request"),
    Field(3, "tcpSocket", TCP_SOCKET_ACTION, "Open a TCP connection (deprecated)"),
    Field(4, "sleep", SLEEP_ACTION, "Sleep"),
    rules=(hook_rules,),
    doc="Action of a hook; exactly one of these is set",
)
LIFECYCLE = Struct(
    "Lifecycle",
    Field(1, "postStart", LIFECYCLE_HANDLER, "Action to take right after the container was created"),
    Field(2, "preStop", LIFECYCLE_HANDLER, "Action to take before the container is asked to stop"),
    Field(3, "stopSignal", Str(), "Signal that asks the container to stop; that of the image if unset", presence=True),
    doc="Actions to take after the start and before the stop of a container",
)
