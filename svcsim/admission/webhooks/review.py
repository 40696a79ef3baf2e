"""AdmissionReview: a request as a webhook is told of it, and what it may answer.

What is answered is anybody's, so nothing of it is taken before it has been looked at. The newer version is stricter than the older, which
neither repeats the uid nor says what kind of patch it brings.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from svcsim.admission.described import described
from svcsim.admission.webhooks.configured import Type
from svcsim.meta.api_versions import kind_in_go
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.resource import Resource
from svcsim.schema.common import STATUS
from svcsim.schema.compile import compile_struct
from svcsim.schema.types import Bool, Bytes, Field, List, Map, Str, Struct

_KIND = "AdmissionReview"
JSON_PATCH = "JSONPatch"
"""The one kind of patch that is known."""
_ANSWER = compile_struct(
    Struct(
        _KIND,
        Field(0, "kind", Str(), "Kind of the object"),
        Field(0, "apiVersion", Str(), "API group and version of the object"),
        Field(1, "request", Struct("AdmissionRequest"), "What was asked, if it is repeated: nobody reads it"),
        Field(
            2,
            "response",
            Struct(
                "AdmissionResponse",
                Field(1, "uid", Str(), "The request's uid"),
                Field(2, "allowed", Bool(), "Whether it may be done; who doesn't say so has not let it through"),
                Field(3, "status", STATUS, "Why not"),
                Field(4, "patch", Bytes(), "The operations of a JSON patch"),
                Field(5, "patchType", Str(), "What kind of patch it is", presence=True),
                Field(6, "auditAnnotations", Map(Str()), "What audit events tell"),
                Field(7, "warnings", List(Str()), "What whoever asked is told"),
            ),
            "What was decided",
            presence=True,
        ),
    )
)
"""What an answer is read as: values of other types make it none, fields that nobody knows are passed over."""


class ReviewError(Exception):
    """What was answered is no answer. The message says why in one line."""


class UnreadableReviewError(ReviewError):
    """What was answered is no AdmissionReview at all."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a webhook decided."""

    denial: StatusError | None
    """Why not; None for yes."""
    patch: bytes
    """The operations of a JSON patch, not yet read; empty for none."""
    warnings: tuple[str, ...]
    audit_annotations: Mapping[str, str]


def review_of(request: AdmissionRequest, matched: Resource, obj: Object | None, old: Object | None, uid: str, api_version: str) -> Object:
    """The question, with the objects in the version ``matched``."""
    asked = {"uid": uid, **described(request, matched), "object": obj, "oldObject": old}
    return {"kind": _KIND, "apiVersion": api_version, "request": asked}


def response_in(answer: Object, name: str, type_: Type, uid: str, api_version: str) -> Reviewed:
    """What an answer says. Raises `ReviewError`."""
    try:
        read, _ = _ANSWER.decode(answer)
    except StatusError as error:
        raise UnreadableReviewError(error.message) from error
    strict = api_version.endswith("/v1")
    response: Object | None = read.get("response")
    if response is None:
        raise ReviewError("webhook response was absent")
    if strict:
        if response.get("uid") != uid:
            raise ReviewError(f'expected response.uid="{uid}", got "{_short(response.get("uid"))}"')
        if (read.get("kind"), read.get("apiVersion")) != (_KIND, api_version):
            said = kind_in_go(_short(read.get("apiVersion")), _short(read.get("kind")))
            raise ReviewError(f"expected webhook response of {kind_in_go(api_version, _KIND)}, got {said}")
    patch = _patch(response, type_, strict=strict)
    denial = None if response.get("allowed") else _denial(name, response.get("status") or {})
    return Reviewed(denial, patch, tuple(filter(None, response.get("warnings") or ())), response.get("auditAnnotations") or {})


def flaw_of_patched(patched: Json, before: Object) -> str:
    """What a patch may not do to an object; empty where it has not done it."""
    if not isinstance(patched, dict) or not isinstance(patched.get("metadata", {}), dict):
        return "left something that is no object"
    if any(patched.get(field) != before.get(field) for field in ("kind", "apiVersion")):
        return "changed the kind or the apiVersion of the object"
    return ""


def _patch(response: Object, type_: Type, *, strict: bool) -> bytes:
    """The patch, if this webhook may send one, and says what it is."""
    patch, kind = response.get("patch") or "", response.get("patchType")
    if type_ == "validating":
        if strict and patch:
            raise ReviewError("validating webhook may not return response.patch")
        if strict and kind is not None:
            raise ReviewError("validating webhook may not return response.patchType")
        return b""
    if strict and patch and kind is None:
        raise ReviewError("webhook returned response.patch but not response.patchType")
    if strict and kind is not None and not patch:
        raise ReviewError("webhook returned response.patchType but not response.patch")
    if patch and kind not in (JSON_PATCH, None):
        raise ReviewError(f'webhook returned invalid response.patchType of "{_short(kind)}"')
    return base64.b64decode(patch)


def _denial(name: str, status: Object) -> StatusError:
    """The Status of a request that a webhook denies: its code, its reason and its words, as far as they are an error's."""
    code, reason, told = status.get("code", 0), status.get("reason", ""), status.get("message") or status.get("reason")
    denied = f'admission webhook "{name}" denied the request'
    message = f"{denied}: {told}" if told else f"{denied} without explanation"
    return StatusError(code if 400 <= code < 600 else 400, reason, message, status.get("details"))


def _short(value: Json) -> str:
    """As much of what was answered as a message shows."""
    return str(value)[:100] if value is not None else ""
