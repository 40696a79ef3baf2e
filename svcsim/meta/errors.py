"""Errors as the API tells them: `Status` objects with the field's standard reasons, messages and causes.

There is one exception type for all of them. Each factory below is one reason; its message is what kubectl's users know.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupKind, GroupResource, Object


def forget_frames(error: BaseException) -> None:
    """Let go of what an error came through that has been dealt with, and of what those came through that led to it.

    Those frames refer to the error in turn, or to its holder. So all that they hold, a long answer for example, would stay until the next
    garbage collection.
    """
    led: BaseException | None = error
    while led is not None and led.__traceback__ is not None:
        led.__traceback__ = None
        led = led.__cause__ or led.__context__


class StatusError(Exception):
    """A failure that is answered to the client: an HTTP code and a Status object."""

    def __init__(self, code: int, reason: str, message: str, details: Object | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.headers = headers or {}
        self.metadata: Object = {}
        """List metadata of the Status: an expired list offers a fresh continue token here."""

    def status(self) -> Object:
        """The body of the answer."""
        body: Object = {"kind": "Status", "apiVersion": "v1", "metadata": self.metadata, "status": "Failure", "message": self.message}
        if self.reason:
            body["reason"] = self.reason
        if self.details is not None:
            body["details"] = self.details
        body["code"] = self.code
        return body

    @classmethod
    def from_status(cls, body: Object) -> "StatusError":
        """The error of a server, from the Status it sent."""
        code, details = body.get("code"), body.get("details")
        said = (body.get(key) for key in ("reason", "message"))  # by any server: of any type
        reason, message = ("" if text is None else str(text) for text in said)
        return cls(code if isinstance(code, int) and code else 500, reason, message, details if isinstance(details, dict) else None)


def namespace_is_going(error: StatusError, namespace: str = "") -> bool:
    """Whether something can't be made because its namespace, or just this one, is being deleted: as a rule nobody has to be told."""
    causes = (error.details or {}).get("causes") or []
    going = [cause.get("message") for cause in causes if cause.get("reason") == "NamespaceTerminating"]
    return bool(going) if not namespace else f"namespace {namespace} is being terminated" in going


class FieldError(NamedTuple):
    """One finding of a validation. ``type`` is one of the ``FieldValue…`` reasons."""

    type: str
    path: str
    message: str
    """Without the path: ``Invalid value: "x": must be …``."""


def _quote(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return str(value)


def required(path: str, detail: str = "") -> FieldError:
    """A field that must be there and isn't."""
    return FieldError("FieldValueRequired", path, f"Required value: {detail}" if detail else "Required value")


def invalid_value(path: str, value: object, detail: str) -> FieldError:
    """A value that breaks a rule."""
    shown = f"Invalid value: {_quote(value)}"
    return FieldError("FieldValueInvalid", path, f"{shown}: {detail}" if detail else shown)


def invalid_part(path: str, detail: str) -> FieldError:
    """Something too long to be repeated that breaks a rule."""
    return FieldError("FieldValueInvalid", path, f"Invalid value: {detail}")


def unsupported(path: str, value: object, options: Sequence[str]) -> FieldError:
    """A value outside an enumeration."""
    listed = ", ".join(map(quoted, options))
    return FieldError("FieldValueNotSupported", path, f"Unsupported value: {_quote(value)}: supported values: {listed}")


def forbidden_field(path: str, detail: str) -> FieldError:
    """A field that may not be set, or not be changed, here."""
    return FieldError("FieldValueForbidden", path, f"Forbidden: {detail}")


def duplicate(path: str, value: object) -> FieldError:
    """A value that stands twice where each may stand once."""
    return FieldError("FieldValueDuplicate", path, f"Duplicate value: {_quote(value)}")


def too_long(path: str, limit: int) -> FieldError:
    """A value that is too long; ``limit`` in bytes."""
    return FieldError("FieldValueTooLong", path, f"Too long: may not be more than {limit} bytes")


def too_many(path: str, count: int, limit: int) -> FieldError:
    """A list with too many items."""
    return FieldError("FieldValueTooMany", path, f"Too many: {count}: must have at most {limit} items")


def field_not_found(path: str, value: object) -> FieldError:
    """A reference to something that isn't there."""
    return FieldError("FieldValueNotFound", path, f"Not found: {_quote(value)}")


def _details(resource: GroupResource | GroupKind, name: str) -> Object:
    details: Object = {}
    if name:
        details["name"] = name
    if resource.group:
        details["group"] = resource.group
    details["kind"] = resource[1]
    return details


def not_found(resource: GroupResource, name: str) -> StatusError:
    """404: no such object."""
    return StatusError(404, "NotFound", f"{resource} {quoted(name)} not found", _details(resource, name))


def path_not_found() -> StatusError:
    """404: the server has nothing at that path."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(resource: GroupResource, name: str, *, going: bool = False) -> StatusError:
    """409: the name is taken; by something that is ``going`` to be free again, which clients look for in the message to wait for it."""
    before = "object is being deleted: " if going else ""
    return StatusError(409, "AlreadyExists", f"{before}{resource} {quoted(name)} already exists", _details(resource, name))


def conflict(resource: GroupResource, name: str, why: str) -> StatusError:
    """409: the object is not as the request assumes."""
    return StatusError(409, "Conflict", f"Operation cannot be fulfilled on {resource} {quoted(name)}: {why}", _details(resource, name))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def invalid(kind: GroupKind, name: str, findings: Sequence[FieldError]) -> StatusError:
    """422: the object breaks rules; one cause a finding. The same words are said once."""
    messages = list(dict.fromkeys(f"{finding.path}: {finding.message}" for finding in findings))
    whole = messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"
    details = _details(kind, name)
    details["causes"] = [{"reason": f.type, "message": f.message, "field": f.path} for f in findings]
    return StatusError(422, "Invalid", f"{kind} {quoted(name)} is invalid: {whole}", details)


def invalid_patch(patch: str, why: str) -> StatusError:
    """422: a patch that can be read, but makes no object of the kind it is for."""
    return invalid(GroupKind("", ""), "", [invalid_value("patch", patch, why)])


def rejected_patch() -> StatusError:
    """422: a JSON patch that doesn't apply. Which of its operations, and why, is nothing that clients expect here."""
    return StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {})


def bad_request(message: str) -> StatusError:
    """400: the request can't be understood."""
    return StatusError(400, "BadRequest", message)


def name_mismatch(name: str, path_name: str) -> StatusError:
    """400: the body is about another object than the path."""
    return bad_request(f"the name of the object ({name}) does not match the name on the URL ({path_name})")


def namespace_mismatch() -> StatusError:
    """400: the body is about another namespace than the path."""
    return bad_request("the namespace of the provided object does not match the namespace sent on the request")


def unauthorized(message: str = "Unauthorized") -> StatusError:
    """401: the credentials are no good."""
    return StatusError(401, "Unauthorized", message)


def forbidden(resource: GroupResource, name: str, why: str) -> StatusError:
    """403: a known user may not do this to that object."""
    subject = f"{resource} {quoted(name)}" if name else str(resource)
    return StatusError(403, "Forbidden", f"{subject} is forbidden: {why}", _details(resource, name))


def method_not_allowed(methods: Sequence[str]) -> StatusError:
    """405: the path exists, the HTTP method on it doesn't; ``methods`` are those that do."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message, {}, {"Allow": ", ".join(methods)})


def method_not_supported(resource: GroupResource, verb: str) -> StatusError:
    """405: the resource exists, the verb on it doesn't."""
    details = _details(resource, "")
    return StatusError(405, "MethodNotAllowed", f'{verb} is not supported on resources of kind "{resource}"', details)


def definition_terminating(resource: GroupResource, verb: str) -> StatusError:
    """405: what defines the resource is being deleted, and takes nothing new."""
    error = method_not_supported(resource, verb)
    error.message = f"{verb} not allowed while custom resource definition is terminating"
    return error


def not_acceptable(supported: Sequence[str]) -> StatusError:
    """406: none of the media types asked for, or none in such a form."""
    return StatusError(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(supported)}")


def no_representation(available: Sequence[str]) -> StatusError:
    """406: none of the media types asked for is one that this path knows in any form."""
    message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(available)}"
    return StatusError(406, "NotAcceptable", message, {})


def expired(message: str) -> StatusError:
    """410: that revision, or that continue token, is gone."""
    return StatusError(410, "Expired", message)


def body_too_large(limit_bytes: int) -> StatusError:
    """413: the body is over the limit."""
    return StatusError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit_bytes}")


def object_too_large(size_bytes: int, limit_bytes: int) -> StatusError:
    """413: what a request would make of an object is too long to be stored, defaults and managed fields included."""
    message = f"Request entity too large: the object would take {size_bytes} bytes, limit is {limit_bytes}"
    return StatusError(413, "RequestEntityTooLarge", message)


def defaults_too_large(values: int, limit_bytes: int) -> StatusError:
    """413: what a schema's defaults would make of an object."""
    message = f"Request entity too large: its schema's defaults would add more than {values} values or {limit_bytes} bytes to the object"
    return StatusError(413, "RequestEntityTooLarge", message)


def unsupported_media_type(supported: Sequence[str]) -> StatusError:
    """415: the body's media type is none we read."""
    message = f"the body of the request was in an unknown format - accepted media types include: {', '.join(supported)}"
    return StatusError(415, "UnsupportedMediaType", message)


def too_many_terms(limit: int) -> StatusError:
    """400: a selector is too long."""
    return bad_request(f"the selector asks for too much: there may be {limit} requirements and values in it together")


def unsupported_patch_type() -> StatusError:
    """415: the body's media type is that of no patch."""
    return StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})


def too_many_values(limit: int) -> StatusError:
    """413: the body is not too long, but what it stands for is too much."""
    return StatusError(413, "RequestEntityTooLarge", f"Request entity too large: it has more than {limit} values")


def too_many_requests(message: str, retry_after_s: int = 1) -> StatusError:
    """429: come back later; after how long isn't told where that is 0."""
    if not retry_after_s:
        return StatusError(429, "TooManyRequests", message, {})
    return StatusError(429, "TooManyRequests", message, {"retryAfterSeconds": retry_after_s}, {"Retry-After": str(retry_after_s)})


def internal_error(why: str) -> StatusError:
    """500: nothing that the client did is wrong, and it may be told what is."""
    return StatusError(500, "InternalError", f"Internal error occurred: {why}", {"causes": [{"message": why}]})


def internal(incident: str) -> StatusError:
    """500: our fault; the incident's id stands in the server's log."""
    message = f"Internal error occurred: incident {incident}; the server's log has it under this id"
    return StatusError(500, "InternalError", message, {"causes": [{"message": f"incident {incident}"}]})


def storage_read_error(message: str, kind: str = "", unreadable: Sequence[tuple[str, str]] = ()) -> StatusError:
    """500: what is stored is damaged. ``unreadable`` are the keys that can't be read, each with what is wrong."""
    causes = [{"reason": "UnexpectedServerResponse", "message": why, "field": key} for key, why in unreadable]
    return StatusError(500, "StorageReadError", message, {"kind": kind, "causes": causes} if causes else None)


def request_took_too_long() -> StatusError:
    """504: a request took longer than any may. It may still be carried out, so the client isn't told to retry."""
    return _not_in_time("context deadline exceeded")


def request_given_up() -> StatusError:
    """504: the client has disconnected. It doesn't get this answer; it is for audit records. The request may still be carried out."""
    return _not_in_time("context canceled")


def _not_in_time(why: str) -> StatusError:
    return StatusError(504, "Timeout", f"Timeout: request did not complete within requested timeout - {why}", {})


def too_large_resource_version(asked: int, current: int) -> StatusError:
    """504: the client knows a revision this server has not seen yet."""
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    message = f"Timeout: Too large resource version: {asked}, current: {current}"
    return StatusError(504, "Timeout", message, details, {"Retry-After": "1"})


def insufficient_storage(why: str) -> StatusError:
    """507: the disk or the store's map is full. Reads and deletes go on."""
    return StatusError(507, "InsufficientStorage", f"the store can't take more: {why}")
