"""Probes and life-cycle hooks: what a node agent does to a container, and when."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative, one_of, port, port_number_or_name, positive
from svcsim.kinds.shared.references import STRINGS
from svcsim.meta.errors import FieldError, forbidden_field, required
from svcsim.meta.types import Json
from svcsim.schema.types import Field, Int, IntOrString, List, Str, Struct

_PROBES = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOKS = ("exec", "httpGet", "tcpSocket", "sleep")


def _one_handler(value: Json, path: str, names: tuple[str, ...]) -> Iterator[FieldError]:
    named = [name for name in names if value.get(name) is not None]
    if not named:
        yield required(path, "must specify a handler type")
    yield from (forbidden_field(f"{path}.{name}", "may not specify more than 1 handler type") for name in named[1:])


def _probe_rules(value: Json, path: str) -> Iterator[FieldError]:
    yield from _one_handler(value, path, _PROBES)


def _hook_rules(value: Json, path: str) -> Iterator[FieldError]:
    yield from _one_handler(value, path, _HOOKS)


def _command_needed(value: Json, path: str) -> Iterator[FieldError]:
    if not value.get("command"):
        yield required(f"{path}.command")


EXEC_ACTION = Struct(
    "ExecAction",
    Field(1, "command", STRINGS, "The command and its arguments; no shell is around it"),
    rules=(_command_needed,),
    doc="A command run in the container; exit code 0 is success",
)
HTTP_HEADER = Struct(
    "HTTPHeader",
    Field(1, "name", Str(), "Name of the header", required=True),
    Field(2, "value", Str(), "Its value", required=True),
    doc="A header of a request",
)
HTTP_GET_ACTION = Struct(
    "HTTPGetAction",
    Field(1, "path", Str(), "Path to ask for", default="/"),
    Field(2, "port", IntOrString(), "Number or name of the port", required=True, rules=(port_number_or_name,)),
    Field(3, "host", Str(), "Host to connect to; the pod's address if unset"),
    Field(4, "scheme", Str(), "HTTP or HTTPS", default="HTTP", rules=(one_of("HTTP", "HTTPS"),)),
    Field(5, "httpHeaders", List(HTTP_HEADER, kind="atomic"), "Headers to send"),
    doc="A GET; codes from 200 to 399 are success",
)
TCP_SOCKET_ACTION = Struct(
    "TCPSocketAction",
    Field(1, "port", IntOrString(), "Number or name of the port", required=True, rules=(port_number_or_name,)),
    Field(2, "host", Str(), "Host to connect to; the pod's address if unset"),
    doc="A connection; being accepted is success",
)
GRPC_ACTION = Struct(
    "GRPCAction",
    Field(1, "port", Int(), "Number of the port", required=True, rules=(port,)),
    Field(2, "service", Str(), "Service named in the health check", default=""),
    doc="A health check over gRPC",
)
PROBE_HANDLER = Struct(
    "ProbeHandler",
    Field(1, "exec", EXEC_ACTION, "Run a command"),
    Field(2, "httpGet", HTTP_GET_ACTION, "Make a request"),
    Field(3, "tcpSocket", TCP_SOCKET_ACTION, "Open a connection"),
    Field(4, "grpc", GRPC_ACTION, "Make a gRPC health check"),
    doc="How a probe is done: one of these",
)
PROBE = Struct(
    "Probe",
    Field(1, "handler", PROBE_HANDLER, inline=True),
    Field(2, "initialDelaySeconds", Int(), "Seconds after the start before the first probe", presence=False, rules=(not_negative,)),
    Field(3, "timeoutSeconds", Int(), "Seconds after which a probe counts as failed", default=1, presence=False, rules=(not_negative,)),
    Field(4, "periodSeconds", Int(), "Seconds between probes", default=10, presence=False, rules=(not_negative,)),
    Field(
        5,
        "successThreshold",
        Int(),
        "Successes in a row after which it has recovered",
        default=1,
        presence=False,
        rules=(not_negative,),
    ),
    Field(6, "failureThreshold", Int(), "Failures in a row that make it a failure", default=3, presence=False, rules=(not_negative,)),
    Field(
        7,
        "terminationGracePeriodSeconds",
        Int(bits=64),
        "The grace of a container killed by this probe, instead of the pod's",
        rules=(positive,),
    ),
    rules=(_probe_rules,),
    doc="A check that is made again and again",
)
SLEEP_ACTION = Struct(
    "SleepAction",
    Field(1, "seconds", Int(bits=64), "How long", required=True, rules=(not_negative,)),
    doc="A pause",
)
LIFECYCLE_HANDLER = Struct(
    "LifecycleHandler",
    Field(1, "exec", EXEC_ACTION, "Run a command"),
    Field(2, "httpGet", HTTP_GET_ACTION, "Make a request"),
    Field(3, "tcpSocket", TCP_SOCKET_ACTION, "Open a connection (deprecated)"),
    Field(4, "sleep", SLEEP_ACTION, "Wait"),
    rules=(_hook_rules,),
    doc="What a hook does: one of these",
)
LIFECYCLE = Struct(
    "Lifecycle",
    Field(1, "postStart", LIFECYCLE_HANDLER, "Done right after the container is created"),
    Field(2, "preStop", LIFECYCLE_HANDLER, "Done before the container is told to stop"),
    Field(3, "stopSignal", Str(), "The signal that tells it to stop; the image's if unset"),
    doc="Hooks at a container's start and stop",
)
