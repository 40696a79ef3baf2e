"""The audit events of one request, from when it is received until its answer is over."""

import orjson

from svcsim.meta.http import Request
from svcsim.meta.times import format_micro_time
from svcsim.meta.types import Json, Object, User
from svcsim.server.audit.event import AuditEvent, reference, source_ips, user_agent, user_of
from svcsim.server.audit.policy import Level, Recording
from svcsim.server.requests.request_info import RequestInfo

NAMING = ("create", "update")
"""Verbs whose body says what a path may not: a name, a uid, a revision."""


class Trail:
    """What events tell of one request, as far as it is known."""

    __slots__ = (
        "_name",
        "_received",
        "annotations",
        "audit_id",
        "info",
        "recording",
        "request",
        "response_object",
        "sent",
        "status",
        "user",
    )

    def __init__(self, recording: Recording, request: Request, info: RequestInfo, name: str, user: User | None, received_s: float) -> None:
        """``name`` is the object it is about, where a path or a selector says one."""
        self.recording = recording
        self.request = request
        self.info = info
        self.user = user
        self.audit_id = ""
        self.annotations: dict[str, str] = {}
        self.status: Object | None = None
        self.sent: Json = None
        """The object that the request carries."""
        self.response_object: Json = None
        self._name = name
        self._received = format_micro_time(received_s)

    def event(self, stage: str, at_s: float | None, impersonated: User | None) -> AuditEvent:
        """The event of one stage. Without a time it is that of the request's arrival."""
        request, info, level = self.request, self.info, self.recording.level
        fields: Object = {
            "level": level.word,
            "auditID": self.audit_id,
            "stage": stage,
            "requestURI": f"{request.path}?{request.query}" if request.query else request.path,
            "verb": info.verb,
            "user": user_of(self.user),
        }
        if impersonated is not None:
            fields["impersonatedUser"] = user_of(impersonated)
        addresses = source_ips(request)
        if addresses:
            fields["sourceIPs"] = addresses
        agent = user_agent(request)
        if agent:
            fields["userAgent"] = agent
        if info.is_resource:
            fields["objectRef"] = self._reference()
        if self.status is not None:
            fields["responseStatus"] = self.status
        if self.sent is not None and level >= Level.REQUEST:
            fields["requestObject"] = self.sent
        if self.response_object is not None:
            fields["responseObject"] = self.response_object
        fields["requestReceivedTimestamp"] = self._received
        fields["stageTimestamp"] = self._received if at_s is None else format_micro_time(at_s)
        if self.annotations:
            fields["annotations"] = self.annotations
        return AuditEvent(fields, encoded(fields))

    def _reference(self) -> Object:
        info = self.info
        ref: Object = {
            "resource": info.resource,
            "namespace": info.namespace,
            "name": self._name,
            "apiGroup": info.group,
            "apiVersion": info.version,
            "subresource": info.subresource,
        }
        return reference(ref, self.sent if info.verb in NAMING else None)


def encoded(fields: Object) -> bytes:
    """An event as JSON. What clients send needn't be text at all; then it is told as far as it is."""
    try:
        return orjson.dumps(fields)
    except TypeError:
        return orjson.dumps(_as_text(fields))


def _as_text(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_as_text(name): _as_text(inner) for name, inner in value.items()}
    return [_as_text(inner) for inner in value] if isinstance(value, list | tuple) else value
