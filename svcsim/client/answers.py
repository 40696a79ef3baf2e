"""Reading what a server answers, the same way for every transport: also where it is no server of ours, and what it says is no JSON."""

import json

import orjson

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.meta.unexplained import ANSWERED, TEXT_BYTES, UNKNOWN, meaning_of

_UNEXPLAINED = {403: "the server refuses it", 415: "the server does not take this content type"}
"""Statuses that mean what the server says, where it says nothing."""

_ITEMS = b',"items":['
"""Within a string the quotes would be escaped."""


def refuses(status: int) -> bool:
    """Whether an answer is none to what was asked. Redirects are not followed: nobody said that the other place may see the credentials."""
    return status not in ANSWERED


def error_from(status: int, body: bytes, asked: str = "") -> StatusError:
    """The error in an answer, also where its body is no Status: then ``asked`` is told, as `paths.asked` says it."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    if isinstance(answer, dict) and answer.get("kind") == "Status":
        return StatusError.from_status({"code": status, **answer})
    reason, meaning = _meaning(status, _said(body))
    return StatusError(status, reason, f"{meaning} ({asked})" if asked else meaning)


def _meaning(status: int, said: str) -> tuple[str, str]:
    reason, meaning = meaning_of(status, said, _quoted(said))
    return reason, _UNEXPLAINED.get(status, meaning) if said == UNKNOWN else meaning


def read_answer(body: bytes) -> Json:
    """The JSON of an answer that refuses nothing. Raises `StatusError` where it is none."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        what = f"the server answered {_quoted(_said(body))}, which is no JSON" if body else "the server's answer is empty"
        raise _unreadable(what) from None


def read_list_metadata(body: bytes) -> Object:
    """The metadata of a list whose items aren't wanted: where they stand last, as servers write them, they aren't read. Raises likewise."""
    head, found, _ = body.partition(_ITEMS)
    try:
        answer = orjson.loads(head + b"}") if found else None
    except orjson.JSONDecodeError:
        answer = None
    if not isinstance(answer, dict) or "metadata" not in answer:  # it stands after the items
        answer = read_answer(body)
    return (answer.get("metadata") if isinstance(answer, dict) else None) or {}


def read_event(line: bytes) -> Object:
    """An event of a watch. Raises `StatusError` for an ERROR event and for what is no event, `ConnectionError` for half a one."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ConnectionError("the watch broke off within an event") from error
    if not isinstance(event, dict) or not isinstance(event.get("type"), str) or not isinstance(event.get("object"), dict):
        raise _unreadable(f"unable to decode an event from the watch stream: the server sent {_quoted(_said(line[:80]))}")
    if event["type"] == "ERROR":
        raise StatusError.from_status(event["object"])
    return event


def _unreadable(message: str) -> StatusError:
    return StatusError(200, "", message)


def _said(body: bytes) -> str:
    """What an answer says as text."""
    try:
        return body.decode()[:TEXT_BYTES].strip() or UNKNOWN
    except UnicodeDecodeError:
        return UNKNOWN


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
