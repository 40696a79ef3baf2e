"""AdmissionReview: a request as a webhook is told of it, and what it may answer.

What is answered is anybody's, so nothing of it is taken before it has been looked at. The newer version is stricter than the older, which
neither repeats the uid nor says what kind of patch it brings (spec 2.9).
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass

from svcsim.admission.described import described
from svcsim.admission.webhooks.configured import Type
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.scheme import Resource

_KIND = "AdmissionReview"
JSON_PATCH = "JSONPatch"
"""The one kind of patch that is known."""


class ReviewError(Exception):
    """What was answered is no answer. The message says why in one line."""


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
    strict = api_version.endswith("/v1")
    response = answer.get("response")
    if response is None:
        raise ReviewError("webhook response was absent")
    if not isinstance(response, dict):
        raise ReviewError("response is no object")
    if strict:
        if response.get("uid") != uid:
            raise ReviewError(f'expected response.uid="{uid}", got "{_short(response.get("uid"))}"')
        if (answer.get("kind"), answer.get("apiVersion")) != (_KIND, api_version):
            said = f"{_short(answer.get('apiVersion')) or '/'}, Kind={_short(answer.get('kind'))}"
            raise ReviewError(f"expected webhook response of {api_version}, Kind={_KIND}, got {said}")
    allowed = response.get("allowed")
    if allowed is None:
        allowed = False  # who doesn't say that a request may be has not let it through, whatever the failure policy is
    if not isinstance(allowed, bool):
        raise ReviewError("response.allowed is neither true nor false")
    warnings, annotations = response.get("warnings") or [], response.get("auditAnnotations") or {}
    if not isinstance(warnings, list) or not all(isinstance(one, str) for one in warnings):
        raise ReviewError("response.warnings is no list of strings")
    if not isinstance(annotations, dict) or not all(isinstance(one, str) for one in annotations.values()):
        raise ReviewError("response.auditAnnotations is no map of strings")
    patch = _patch(response, type_, strict=strict)
    return Reviewed(None if allowed else _denial(name, response), patch, tuple(filter(None, warnings)), annotations)


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
    try:
        return base64.b64decode(patch, validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        raise ReviewError(f"response.patch is not base64: {error}") from error


def _denial(name: str, response: Object) -> StatusError:
    """The Status of a request that a webhook denies: its code, its reason and its words, as far as they are an error's."""
    result: Json = response.get("status")
    given: Object = result if isinstance(result, dict) else {}
    code, reason, message = given.get("code"), given.get("reason"), given.get("message")
    denied, told = f'admission webhook "{name}" denied the request', message or reason
    return StatusError(
        code if isinstance(code, int) and 400 <= code < 600 else 400,
        reason if isinstance(reason, str) else "",
        f"{denied}: {told}" if isinstance(told, str) else f"{denied} without explanation",
        _details(given.get("details")),
    )


def _details(given: Json) -> Object | None:
    """As much of a Status' details as clients can read."""
    if not isinstance(given, dict):
        return None
    found: Object = _texts(given, ("name", "group", "kind", "uid"))
    if isinstance(causes := given.get("causes"), list):
        found["causes"] = [_texts(cause, ("reason", "message", "field")) for cause in causes if isinstance(cause, dict)]
    if isinstance(seconds := given.get("retryAfterSeconds"), int):
        found["retryAfterSeconds"] = int(seconds)
    return found


def _texts(block: Object, fields: tuple[str, ...]) -> Object:
    return {name: block[name] for name in fields if isinstance(block.get(name), str)}


def _short(value: Json) -> str:
    """As much of what was answered as a message shows."""
    return str(value)[:100] if value is not None else ""
