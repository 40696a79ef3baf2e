"""An audit event: one stage of a request, as ``audit.<suffix>/v1`` has it."""

from typing import NamedTuple

from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.networks import parse_address
from svcsim.meta.types import Json, Object, User
from svcsim.meta.user_info import user_info

_USER_AGENT_CHARS = 1024
_CUT_OFF = "...TRUNCATED"
_TOLD = ("status", "message", "reason", "details", "code")
"""The fields of a Status that events repeat."""


class AuditEvent(NamedTuple):
    """One event, as a map and encoded. Neither says its kind: lists of events don't repeat it."""

    fields: Object
    body: bytes


def user_of(user: User | None) -> Object:
    """A user as events name it."""
    return {} if user is None else user_info(user)


def source_ips(request: Request) -> list[str]:
    """Where a request came from: the addresses that proxies report, the client's first, and last the peer's, which can't be forged."""
    found = []
    for header in request.header_values("x-forwarded-for")[:1]:
        found += [str(address) for part in header.split(",") if (address := parse_address(part.strip())) is not None]
    for header in request.header_values("x-real-ip")[:1]:
        address = parse_address(header)
        if address is not None and str(address) not in found:
            found.append(str(address))
    if request.address and (not found or found[-1] != request.address):
        found.append(request.address)
    return found


def user_agent(request: Request) -> str:
    """What the client calls itself, as far as that is worth telling."""
    agent = request.headers.get("user-agent", "")
    return agent if len(agent) <= _USER_AGENT_CHARS else agent[:_USER_AGENT_CHARS] + _CUT_OFF


def status_of(status: Object | None, code: int) -> Object:
    """What was answered, in short: the code, and of a Status what it says."""
    found: Object = {"metadata": {}}
    if status is not None:
        found |= {name: status[name] for name in _TOLD if status.get(name)}
    found["code"] = code
    return found


def panic_status(error: StatusError) -> Object:
    """The status of a request that failed in an unforeseen way. The log has the rest, under the id that the message names."""
    return status_of({"status": "Failure", "reason": "InternalError", "message": f"APIServer panic'd: {error.message}"}, 500)


def reference(ref: Object, sent: Json) -> Object:
    """What a request is about, with what only the object that was sent says."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    if isinstance(metadata, dict):
        for field, name in (("namespace", "namespace"), ("name", "name"), ("uid", "uid"), ("resourceVersion", "resourceVersion")):
            value = metadata.get(name)
            if isinstance(value, str) and value and not ref.get(field):
                ref[field] = value
    order = ("resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource")
    return {field: ref[field] for field in order if ref.get(field)}
