"""What a handler's answer means. It is read here and nowhere else, for functions in Python and for commands alike.

It is read strictly: an answer that the cluster wouldn't accept is an error, and one that says neither yes nor no refuses the request. So
the author of the handler sees the error in the terminal, at once and with what to fix, and not only the client that made the request.
"""

import base64
from typing import NamedTuple

from svcsim.admission.webhooks.configured import Type
from svcsim.admission.webhooks.review import JSON_PATCH, ReviewError, flaw_of_patched, response_in
from svcsim.meta import json_patch
from svcsim.meta.codec import decode_json, encode, same_json
from svcsim.meta.errors import StatusError
from svcsim.meta.json_changes import changes
from svcsim.meta.types import Json, Object

_HOW = "let it be nothing, True, False, a text, or a map"
_FIELDS = ("uid", "allowed", "status", "patch", "patchType", "warnings", "auditAnnotations")
_TYPES: dict[str, Type] = {"mutate": "mutating", "validate": "validating"}
_MOST_CHARS = 100
"""The part of an answer that a message shows."""


class AnswerError(Exception):
    """What was answered is no answer. The message says in one line what it did instead: ``returned 7``, to stand after who did."""


class Answer(NamedTuple):
    """What goes to the cluster."""

    review: Object
    """The AdmissionReview with the response."""
    notes: tuple[str, ...] = ()
    """What in it comes to nothing, which its author may not expect."""

    @property
    def response(self) -> Object:
        response: Object = self.review["response"]
        return response


def of_function(function: str, review: Object, returned: Json, left: Json) -> Answer:
    """What a function in Python answers: by what it returned, and by what it left in ``request["object"]``. Raises `AnswerError`."""
    if returned is None or returned is True:
        return _read(function, review, {"allowed": True}, left)
    if returned is False or isinstance(returned, str):
        status = {"message": returned or "denied by the webhook", "code": 403, "reason": "Forbidden"}
        return _read(function, review, {"allowed": False, "status": status}, left)
    if not isinstance(returned, dict):
        raise AnswerError(f"returned {_short(returned)}: {_HOW}")
    if function == "mutate" and _is_version_of(returned, review["request"].get("object")):
        return _read(function, review, {"allowed": True}, returned)
    if "allowed" not in returned and "response" not in returned:
        raise AnswerError(f'returned a map without "allowed", {_short(returned)}: {_HOW} that says "allowed": true or false')
    return _read(function, review, returned, left)


def of_command(function: str, review: Object, written: Json) -> Answer:
    """What a command answers: an AdmissionReview, or its response alone. Raises `AnswerError`."""
    if not isinstance(written, dict):
        raise AnswerError(f"wrote {_short(written)}, which is no map: let it be an AdmissionReview, or its response alone")
    return _read(function, review, written, review["request"].get("object"))


def _is_version_of(returned: Object, obj: Json) -> bool:
    """Whether a map is an object, rather than something that is said about it."""
    return isinstance(obj, dict) and all(returned.get(field) == obj.get(field) for field in ("apiVersion", "kind"))


def _read(function: str, review: Object, said: Object, left: Json) -> Answer:
    """An answer with everything that it may leave out."""
    response, around = (said["response"], said) if "response" in said else (said, {})
    if not isinstance(response, dict):
        raise AnswerError(_not_taken(f"response is {_short(response)}, which is no map"))
    response = _with_plain_patch({"uid": review["request"].get("uid"), **response})
    notes = [f'"{name}" in the answer means nothing' for name in response if name not in _FIELDS]
    before = review["request"].get("object")
    if not same_json(before, left):
        if function == "validate":
            notes.append('what validate changed in request["object"] comes to nothing: only mutate can change it')
        elif "patch" in response:
            notes.append('what mutate changed in request["object"] comes to nothing: the answer has a patch of its own')
        elif response.get("allowed") is True:
            response = _with_plain_patch({**response, "patch": _operations(before, left)})
    whole = {**{name: around.get(name, review.get(name)) for name in ("apiVersion", "kind")}, "response": response}
    _check(function, review, whole)
    return Answer(whole, tuple(notes))


def _operations(before: Json, left: Json) -> Json:
    """The patch that comes of a change that was made in place."""
    if not isinstance(before, dict):
        raise AnswerError('set request["object"], but there is no object in this request that could be changed')
    if not isinstance(left, dict):
        raise AnswerError(f'left {_short(left)} as request["object"]: change what is in it, or return the object')
    return changes(before, left)


def _with_plain_patch(response: Object) -> Object:
    """A patch may be given as the list that it is, and need not be called the one kind of patch that there is."""
    patch = response.get("patch")
    if isinstance(patch, list):
        response = {**response, "patch": base64.b64encode(encode(patch)).decode() if patch else ""}
    if response.get("patch"):
        return {"patchType": JSON_PATCH, **response}
    return {name: value for name, value in response.items() if name != "patch" and (name != "patchType" or patch is None)}


def _check(function: str, review: Object, whole: Object) -> None:
    """Raise `AnswerError` for what the cluster would not take, or what it would take for something else than it says."""
    response, request = whole["response"], review["request"]
    allowed, status = response.get("allowed"), response.get("status")
    if not isinstance(allowed, bool):
        raise AnswerError(
            _not_taken('it has no "allowed"' if allowed is None else f'"allowed" is {_short(allowed)}, neither true nor false')
        )
    if status is not None and not isinstance(status, dict):
        raise AnswerError(_not_taken(f'"status" is {_short(status)}, not a map: {{"message": "…"}}'))
    try:
        read = response_in(whole, "", _TYPES[function], str(request.get("uid")), str(review.get("apiVersion")))
        if read.patch and allowed:
            _check_patch(request.get("object"), read.patch)
    except ReviewError as error:
        raise AnswerError(_not_taken(str(error))) from error


def _check_patch(obj: Json, patch: bytes) -> None:
    """Apply it, as the cluster will."""
    try:
        operations = decode_json(patch)
        if not isinstance(operations, list):
            raise AnswerError(_not_taken("its patch is no list of operations"))
        if operations and obj is None:
            raise AnswerError(_not_taken("it has a patch, but there is no object in this request that could be changed"))
        patched = json_patch.apply(obj, operations)
    except (StatusError, json_patch.RejectedError) as error:
        raise AnswerError(_not_taken(f"its patch can't be applied: {error}")) from error
    if operations and (not isinstance(obj, dict) or flaw_of_patched(patched, obj)):
        raise AnswerError(_not_taken("its patch leaves no object, or changes its kind or apiVersion"))


def _not_taken(why: str) -> str:
    return f"answered what can't be taken: {why}"


def _short(value: Json) -> str:
    text = str(value)
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
